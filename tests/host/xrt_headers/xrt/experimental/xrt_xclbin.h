// See xrt_uuid.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../xrt_uuid.h"

namespace xrt {
class xclbin {
public:
    class mem {
    public:
        std::string get_tag() const;
        std::uint64_t get_base_address() const;
        std::uint64_t get_size_kb() const;
        bool get_used() const;
        std::int32_t get_index() const;
    };
    explicit xclbin(const std::string& path);
    std::vector<mem> get_mems() const;
    uuid get_uuid() const;
};
}  // namespace xrt
