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

#if !VM_TRACE
#include "rest.hpp"

// Verilator defines them beside the model's class and does not declare them in a header.
void Vfoveal_kernel___024root___ico_sequent__TOP__0(Vfoveal_kernel___024root* root);
void Vfoveal_kernel___024root___eval_nba(Vfoveal_kernel___024root* root);
#endif

namespace foveal {

class Clock {
public:
    // `top` must not have been evaluated yet.
    Clock([[maybe_unused]] VerilatedContext& context, Vfoveal_kernel& top)
        : top_(top)
#if VM_TRACE
          ,
          wave(context, top)
#else
          ,
          rest(*top.rootp)
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

    // A pin of the memory changed since the last edge: what depends on it without a register must be computed anew.
    void touch() { touched_ = true; }

    // Any input changed.
    void wake() {
        touch();
#if !VM_TRACE
        rest.wake();
#endif
    }

    void rise() {
        top_.ap_clk = 1;
#if VM_TRACE
        top_.eval();
        wave.dump(cycle_, 1.0);
#else
        // What eval() does in a cycle, without what never applies here: the falling edge, a look for further edges, locks for
        // models of several threads, inputs that did not change.
        Vfoveal_kernel___024root* const root = top_.rootp;
        if (touched_) Vfoveal_kernel___024root___ico_sequent__TOP__0(root);
        touched_ = false;
        root->__VnbaTriggered[0] = rest.edge();
        Vfoveal_kernel___024root___eval_nba(root);
        root->__VnbaTriggered[0] = 0;  // or the next fall() would take the edge once more
#endif
        ++cycle_;
    }

private:
    Vfoveal_kernel& top_;
    std::uint64_t cycle_ = 0;
    bool touched_ = true;

public:
#if VM_TRACE
    Wave wave;
#else
    Rest rest;
#endif
};

}  // namespace foveal
