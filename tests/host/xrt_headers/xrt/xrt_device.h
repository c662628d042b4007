// See xrt_uuid.h.
#pragma once
#include <string>
#include <type_traits>

#include "experimental/xrt_xclbin.h"
#include "xrt_uuid.h"

namespace xrt {
namespace info {
enum class device : unsigned { bdf, max_clock_frequency_mhz, name, electrical, thermal, platform };
}

class device {
public:
    explicit device(unsigned int index);
    uuid load_xclbin(const xclbin& image);
    uuid load_xclbin(const std::string& path);
    uuid get_xclbin_uuid() const;
    template <info::device key>
    std::conditional_t<key == info::device::max_clock_frequency_mhz, unsigned long, std::string> get_info() const;
};
}  // namespace xrt
