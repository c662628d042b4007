// Which parts of the kernel need their clock in this cycle (foveal_rest.vh). A part whose inputs and registers are those
// of the cycle before would compute the same again; where nothing moved at its borders for kSettled cycles, nothing does.
#pragma once

#include <cstdint>

#include "Vfoveal_kernel___024root.h"

// Verilator defines it beside the model's class and does not declare it in a header.
void Vfoveal_kernel___024root___eval_triggers_vec__act(Vfoveal_kernel___024root* root);

namespace foveal {

class Rest {
public:
    static constexpr unsigned kParts = 4;     // bits of at_rest: registers, materials, pixels, records
    static constexpr unsigned kSettled = 10;  // more than any of them has stages between two of its borders

    explicit Rest(Vfoveal_kernel___024root& root) : root_(root) {}

    // Clock every part, for a test of the rest itself.
    void forbid(bool forbidden) { forbidden_ = forbidden; }

    // An input that foveal_rest.vh does not look at may have changed: every part gets its clock.
    void wake() {
        for (unsigned& calm : calm_) calm = 0;
    }

    // Verilator's word of what a rising edge sets off, for the parts that get one. ap_clk is high already.
    QData edge() {
        const unsigned rest = root_.foveal_kernel__DOT__at_rest;
        unsigned asleep = 0;
        for (unsigned part = 0; part < kParts; ++part) {
            const unsigned calm = rest >> part & 1 ? calm_[part] + 1 : 0;
            asleep |= (calm > kSettled) << part;
            calm_[part] = calm > kSettled ? kSettled : calm;
        }
        const unsigned clocked = forbidden_ ? kAll : kAll & ~asleep;
        if (!triggers_[clocked]) triggers_[clocked] = trigger(clocked);
        return triggers_[clocked];
    }

private:
    static constexpr unsigned kAll = (1u << kParts) - 1;

    QData trigger(unsigned clocked) {
        root_.foveal_kernel__DOT__clk_regs = clocked & 1;
        root_.foveal_kernel__DOT__clk_materials = clocked >> 1 & 1;
        root_.foveal_kernel__DOT__clk_pixels = clocked >> 2 & 1;
        root_.foveal_kernel__DOT__clk_records = clocked >> 3 & 1;
        // What Verilator takes for the clocks' level before.
        root_.__Vtrigprevexpr___TOP__ap_clk__0 = 0;
        root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_regs__0 = 0;
        root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_materials__0 = 0;
        root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_pixels__0 = 0;
        root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_records__0 = 0;
        Vfoveal_kernel___024root___eval_triggers_vec__act(&root_);
        return root_.__VactTriggered[0];
    }

    Vfoveal_kernel___024root& root_;
    unsigned calm_[kParts] = {};        // cycles at rest, up to kSettled
    QData triggers_[1u << kParts] = {};  // by the parts that get a clock, as far as asked for
    bool forbidden_ = false;
};

}  // namespace foveal
