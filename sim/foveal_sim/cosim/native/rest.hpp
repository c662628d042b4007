// Which parts of the kernel need their clock in this cycle (foveal_rest.vh). A part whose inputs and registers are those
// of the cycle before would compute the same again; where nothing moved at its borders for kSettled cycles, nothing does.
#pragma once

#include <cstdint>

#include "Vfoveal_kernel___024root.h"

namespace foveal {

class Rest {
public:
    static constexpr unsigned kParts = 4;     // bits of at_rest: registers, materials, pixels, records
    static constexpr unsigned kSettled = 10;  // more than any of them has stages between two of its borders

    explicit Rest(Vfoveal_kernel___024root& root) : root_(root) {}

    // Clock every part, for a test of the sleep itself.
    void forbid(bool forbidden) { forbidden_ = forbidden; }

    // An input that foveal_rest.vh does not look at may have changed: every part gets its clock.
    void wake() {
        for (unsigned& calm : calm_) calm = 0;
    }

    // Give the parts that need it a rising edge, before the model is evaluated.
    void rise() {
        const unsigned rest = root_.foveal_kernel__DOT__at_rest;
        for (unsigned part = 0; part < kParts; ++part) {
            calm_[part] = rest >> part & 1 ? calm_[part] + 1 : 0;
            const bool clocked = calm_[part] <= kSettled || forbidden_;
            calm_[part] -= calm_[part] > kSettled;
            *clocks_[part] = clocked;
            *before_[part] = 0;
        }
    }

private:
    Vfoveal_kernel___024root& root_;
    CData* const clocks_[kParts] = {&root_.foveal_kernel__DOT__clk_regs, &root_.foveal_kernel__DOT__clk_materials,
                                    &root_.foveal_kernel__DOT__clk_pixels, &root_.foveal_kernel__DOT__clk_records};
    // What Verilator takes for the clocks' level before.
    CData* const before_[kParts] = {&root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_regs__0,
                                    &root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_materials__0,
                                    &root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_pixels__0,
                                    &root_.__Vtrigprevexpr___TOP__foveal_kernel__DOT__clk_records__0};
    unsigned calm_[kParts] = {};  // cycles at rest, up to kSettled
    bool forbidden_ = false;
};

}  // namespace foveal
