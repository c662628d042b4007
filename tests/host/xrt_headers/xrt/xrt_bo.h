// See xrt_uuid.h.
#pragma once
#include <cstddef>
#include <cstdint>

#include "xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace xrt {
using memory_group = std::uint32_t;

class bo {
public:
    enum class flags : std::uint32_t { normal = 0 };
    bo(const device& owner, std::size_t size, flags kind, memory_group group);
    bo(const bo& parent, std::size_t size, std::size_t offset);
    std::size_t size() const;
    std::uint64_t address() const;
    void sync(xclBOSyncDirection way, std::size_t size, std::size_t offset);
    void write(const void* source, std::size_t size, std::size_t seek);
    void read(void* target, std::size_t size, std::size_t skip);
};
}  // namespace xrt
