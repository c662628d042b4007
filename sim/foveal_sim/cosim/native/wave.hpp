// Waves of a span of cycles as a VCD file.
#pragma once

#include <verilated_vcd_c.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "Vfoveal_kernel.h"

namespace foveal {

class Wave {
public:
    // `top` must not have been evaluated yet.
    Wave(VerilatedContext& context, Vfoveal_kernel& top) {
        context.traceEverOn(true);
        top.trace(&file_, 99);
    }

    // Times are picoseconds from `cycle` on; a clock takes `period_ps`.
    void open(const std::string& path, double period_ps, std::uint64_t cycle) {
        close();
        file_.open(path.c_str());
        if (!file_.isOpen()) throw std::runtime_error("cannot write " + path);
        period_ps_ = period_ps;
        first_ = cycle;
    }
    void close() { file_.close(); }

    // What pins and registers hold when `part` of `cycle` has passed.
    void dump(std::uint64_t cycle, double part) {
        if (file_.isOpen())
            file_.dump(static_cast<std::uint64_t>((static_cast<double>(cycle - first_) + part) * period_ps_));
    }

private:
    VerilatedVcdC file_;
    double period_ps_ = 1.0;
    std::uint64_t first_ = 0;
};

}  // namespace foveal
