// The model's clock. A cycle is fall(), with which combinational outputs settle, and rise(), the edge; where nobody looks
// at such an output, rise() alone is a cycle.
#pragma once

#include <cstdint>
#include <string>

#include "Vfoveal_kernel.h"
#include "Vfoveal_kernel___024root.h"

#if VM_TRACE
#include "wave.hpp"
#endif

// Verilator defines it beside the model's class and does not declare it in a header.
void Vfoveal_kernel___024root___eval(Vfoveal_kernel___024root* root);

namespace foveal {

class Clock {
public:
    // `top` must not have been evaluated yet.
    Clock([[maybe_unused]] VerilatedContext& context, Vfoveal_kernel& top)
        : top_(top)
#if VM_TRACE
          ,
          wave(context, top)
#endif
    {
    }

    std::uint64_t cycle() const { return cycle_; }

    void fall() {
        top_.ap_clk = 0;
        top_.eval();
#if VM_TRACE
        wave.dump(cycle_, 0.5);
#endif
    }

    void rise() {
        top_.ap_clk = 1;
#if VM_TRACE
        top_.eval();
        wave.dump(cycle_, 1.0);
#else
        // The falling edge does nothing but make the next edge a rising one, and costs a tenth of the time: so the model
        // is told that there was one, and evaluated without the locks that eval() takes for models of several threads.
        top_.rootp->__Vtrigprevexpr___TOP__ap_clk__0 = 0;
        Vfoveal_kernel___024root___eval(top_.rootp);
#endif
        ++cycle_;
    }

private:
    Vfoveal_kernel& top_;
    std::uint64_t cycle_ = 0;

#if VM_TRACE
public:
    Wave wave;
#endif
};

}  // namespace foveal
