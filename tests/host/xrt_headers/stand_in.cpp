// What stands in for XRT's library behind the declarations beside it: one card with a little memory, whose runs never end.
#include <xrt/experimental/xrt_system.h>
#include <xrt/xrt_kernel.h>

#include <cstring>
#include <new>
#include <stdexcept>

namespace xrt {

static std::uint8_t memory[8192];
static std::uint32_t word;

std::string uuid::to_string() const { return "0f0e0d0c-0b0a-0908-0706-050403020100"; }

std::string xclbin::mem::get_tag() const { return "HBM[3]"; }
std::uint64_t xclbin::mem::get_base_address() const { return 3ull << 28; }
std::uint64_t xclbin::mem::get_size_kb() const { return 262144; }
bool xclbin::mem::get_used() const { return true; }
std::int32_t xclbin::mem::get_index() const { return 3; }
xclbin::xclbin(const std::string& path) {
    if (path.empty()) throw std::runtime_error("no such file");
}
std::vector<xclbin::mem> xclbin::get_mems() const { return std::vector<mem>(2); }
uuid xclbin::get_uuid() const { return {}; }

unsigned int system::enumerate_devices() { return 1; }
device::device(unsigned int index) {
    if (index) throw std::runtime_error("Could not open device");
}
uuid device::load_xclbin(const xclbin&) { return {}; }
uuid device::get_xclbin_uuid() const { return {}; }
template <> std::string device::get_info<info::device::bdf>() const { return "0000:d8:00.1"; }
template <> std::string device::get_info<info::device::name>() const { return "xilinx_u280"; }
template <> std::string device::get_info<info::device::platform>() const { return "{}"; }
template <> std::string device::get_info<info::device::electrical>() const { return "{}"; }
template <> std::string device::get_info<info::device::thermal>() const { return "{}"; }
template <> unsigned long device::get_info<info::device::max_clock_frequency_mhz>() const { return 300; }

bo::bo(const device&, std::size_t size, flags, memory_group) {
    if (size > sizeof memory) throw std::bad_alloc();
}
bo::bo(const bo&, std::size_t, std::size_t) {}
std::size_t bo::size() const { return sizeof memory; }
std::uint64_t bo::address() const { return 0x400001000ull; }
void bo::sync(xclBOSyncDirection, std::size_t, std::size_t) {}
void bo::write(const void* source, std::size_t size, std::size_t seek) { std::memcpy(memory + seek, source, size); }
void bo::read(void* target, std::size_t size, std::size_t skip) { std::memcpy(target, memory + skip, size); }

kernel::kernel(const device&, const uuid&, const std::string&, cu_access_mode) {}
int kernel::group_id(int argument) const {
    if (argument > 4) throw std::out_of_range("no such argument");
    return 65536 | argument;
}
void kernel::write_register(std::uint32_t, std::uint32_t value) { word = value; }
std::uint32_t kernel::read_register(std::uint32_t) const { return word; }

run::run(const kernel&) {}
void run::start() {}
ert_cmd_state run::wait(const std::chrono::milliseconds&) const { return ERT_CMD_STATE_TIMEOUT; }
ert_cmd_state run::state() const { return static_cast<ert_cmd_state>(3); }
template <> void run::set_arg<std::int32_t&>(int, std::int32_t& value) { word = static_cast<std::uint32_t>(value); }
void run::set_arg(int, const bo&) {}

}  // namespace xrt
