// foveal._xrt: as much of XRT as foveal.xrt uses, in pyxrt's shape, with the kernel's registers, which pyxrt lacks.
// Waits and transfers let other Python threads run. XRT's exceptions become RuntimeError, MemoryError or IndexError.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#include <xrt/xrt_uuid.h>
#if __has_include(<xrt/experimental/xrt_xclbin.h>)
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#else  // up to 2.14
#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>
#endif

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Released = nb::call_guard<nb::gil_scoped_release>;

enum class Info { bdf, name, max_clock_frequency_mhz, platform, electrical, thermal };

std::string info(const xrt::device& device, Info key) {
    using Key = xrt::info::device;
    switch (key) {
        case Info::bdf: return device.get_info<Key::bdf>();
        case Info::name: return device.get_info<Key::name>();
        case Info::max_clock_frequency_mhz: return std::to_string(device.get_info<Key::max_clock_frequency_mhz>());
        case Info::platform: return device.get_info<Key::platform>();
        case Info::electrical: return device.get_info<Key::electrical>();
        case Info::thermal: return device.get_info<Key::thermal>();
    }
    throw std::runtime_error("no such information");
}

void write_bytes(xrt::bo& bo, const Bytes& data, std::size_t seek) {
    nb::gil_scoped_release released;
    bo.write(data.data(), data.size(), seek);
}

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> read_bytes(xrt::bo& bo, std::size_t size, std::size_t skip) {
    auto* bytes = new std::uint8_t[size ? size : 1];
    nb::capsule owner(bytes, [](void* pointer) noexcept { delete[] static_cast<std::uint8_t*>(pointer); });
    {
        nb::gil_scoped_release released;
        bo.read(bytes, size, skip);
    }
    return {bytes, {size}, owner};
}

int wait_for(const xrt::run& run, unsigned milliseconds) {
    if (milliseconds == 0) throw std::runtime_error("a wait of 0 ms would never end");
    return static_cast<int>(run.wait(std::chrono::milliseconds{milliseconds}));
}

// XRT advises against both beside a runtime that owns the kernel: a driver must leave CTRL, GIE, IER and ISR alone.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::uint32_t read_register(const xrt::kernel& kernel, std::uint32_t offset) { return kernel.read_register(offset); }

void write_register(xrt::kernel& kernel, std::uint32_t offset, std::uint32_t value) {
    kernel.write_register(offset, value);
}
#pragma GCC diagnostic pop

}  // namespace

NB_MODULE(_xrt, m) {
    m.def("enumerate_devices", &xrt::system::enumerate_devices);

    nb::enum_<xclBOSyncDirection>(m, "xclBOSyncDirection")
        .value("XCL_BO_SYNC_BO_TO_DEVICE", XCL_BO_SYNC_BO_TO_DEVICE)
        .value("XCL_BO_SYNC_BO_FROM_DEVICE", XCL_BO_SYNC_BO_FROM_DEVICE);
    nb::enum_<Info>(m, "xrt_info_device")
        .value("bdf", Info::bdf)
        .value("name", Info::name)
        .value("max_clock_frequency_mhz", Info::max_clock_frequency_mhz)
        .value("platform", Info::platform)
        .value("electrical", Info::electrical)
        .value("thermal", Info::thermal);

    nb::class_<xrt::uuid>(m, "uuid").def("to_string", &xrt::uuid::to_string);

    nb::class_<xrt::xclbin::mem>(m, "xclbinmem")
        .def("get_tag", &xrt::xclbin::mem::get_tag)
        .def("get_base_address", &xrt::xclbin::mem::get_base_address)
        .def("get_size_kb", &xrt::xclbin::mem::get_size_kb)
        .def("get_used", &xrt::xclbin::mem::get_used)
        .def("get_index", &xrt::xclbin::mem::get_index);
    nb::class_<xrt::xclbin>(m, "xclbin")
        .def(nb::init<const std::string&>())
        .def("get_mems", &xrt::xclbin::get_mems)
        .def("get_uuid", &xrt::xclbin::get_uuid);

    nb::class_<xrt::device>(m, "device")
        .def(nb::init<unsigned int>())
        .def("load_xclbin", [](xrt::device& d, const xrt::xclbin& image) { return d.load_xclbin(image); }, Released())
        .def("get_xclbin_uuid", &xrt::device::get_xclbin_uuid)
        .def("get_info", &info);

    nb::class_<xrt::bo> bo(m, "bo");
    nb::enum_<xrt::bo::flags>(bo, "flags").value("normal", xrt::bo::flags::normal);
    bo.def(nb::init<const xrt::device&, std::size_t, xrt::bo::flags, xrt::memory_group>())
        .def(nb::init<const xrt::bo&, std::size_t, std::size_t>())
        .def("write", &write_bytes)
        .def("read", &read_bytes)
        .def("sync", [](xrt::bo& b, xclBOSyncDirection way, std::size_t size, std::size_t offset) {
            b.sync(way, size, offset);
        }, Released())
        .def("size", &xrt::bo::size)
        .def("address", &xrt::bo::address);

    nb::class_<xrt::kernel> kernel(m, "kernel");
    nb::enum_<xrt::kernel::cu_access_mode>(kernel, "cu_access_mode")
        .value("exclusive", xrt::kernel::cu_access_mode::exclusive)
        .value("shared", xrt::kernel::cu_access_mode::shared);
    kernel.def(nb::init<const xrt::device&, const xrt::uuid&, const std::string&, xrt::kernel::cu_access_mode>())
        .def("group_id", &xrt::kernel::group_id)
        .def("read_register", &read_register)
        .def("write_register", &write_register);

    nb::class_<xrt::run>(m, "run")
        .def(nb::init<const xrt::kernel&>())
        .def("set_arg", [](xrt::run& r, int index, const xrt::bo& argument) { r.set_arg(index, argument); })
        .def("set_arg", [](xrt::run& r, int index, std::int32_t argument) { r.set_arg(index, argument); })
        .def("start", [](xrt::run& r) { r.start(); })
        .def("wait", &wait_for, Released())
        .def("state", [](const xrt::run& r) { return static_cast<int>(r.state()); });
}
