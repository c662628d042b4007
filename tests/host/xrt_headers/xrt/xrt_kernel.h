// See xrt_uuid.h.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "xrt_bo.h"

enum ert_cmd_state { ERT_CMD_STATE_NEW = 1, ERT_CMD_STATE_COMPLETED = 4, ERT_CMD_STATE_TIMEOUT = 8 };

namespace xrt {
class kernel {
public:
    enum class cu_access_mode : std::uint8_t { exclusive = 0, shared = 1, none = 2 };
    kernel(const device& owner, const uuid& image, const std::string& name, cu_access_mode mode);
    int group_id(int argument) const;
    [[deprecated]] void write_register(std::uint32_t offset, std::uint32_t value);
    [[deprecated]] std::uint32_t read_register(std::uint32_t offset) const;
};

class run {
public:
    explicit run(const kernel& owner);
    void start();
    ert_cmd_state wait(const std::chrono::milliseconds& timeout) const;
    ert_cmd_state state() const;
    template <typename Argument>
    void set_arg(int index, Argument&& argument);
    void set_arg(int index, const bo& argument);
};
}  // namespace xrt
