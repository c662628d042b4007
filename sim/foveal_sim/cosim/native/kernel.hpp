// The Verilated kernel with its memory: registers one access at a time, frames in bulk.
#pragma once

#include <verilated.h>

#include <memory>
#include <string>
#include <vector>

#include "Vfoveal_kernel.h"
#include "clock.hpp"
#include "read_port.hpp"
#include "write_port.hpp"

namespace foveal {

class Kernel {
public:
    static constexpr unsigned kReadBytes = 64, kWriteBytes = FOVEAL_PPC * 4;
    static constexpr unsigned kAccessLimit = 256;  // cycles a register access may take
    static constexpr unsigned kResetCycles = 16;

    Kernel(std::uint64_t base, std::uint64_t size)
        : arena_(base, size),
          top_(&context_, "foveal_kernel"),
          clock_(context_, top_),
          gmem0_("gmem0", arena_, violations_, kReadBytes,
                 {&top_.m_axi_gmem0_arvalid, &top_.m_axi_gmem0_arid, &top_.m_axi_gmem0_arlen, &top_.m_axi_gmem0_arsize,
                  &top_.m_axi_gmem0_arburst, &top_.m_axi_gmem0_rready, &top_.m_axi_gmem0_araddr, &top_.m_axi_gmem0_arready,
                  &top_.m_axi_gmem0_rvalid, &top_.m_axi_gmem0_rid, &top_.m_axi_gmem0_rresp, &top_.m_axi_gmem0_rlast,
                  top_.m_axi_gmem0_rdata.data()}),
          gmem2_("gmem2", arena_, violations_, kReadBytes,
                 {&top_.m_axi_gmem2_arvalid, &top_.m_axi_gmem2_arid, &top_.m_axi_gmem2_arlen, &top_.m_axi_gmem2_arsize,
                  &top_.m_axi_gmem2_arburst, &top_.m_axi_gmem2_rready, &top_.m_axi_gmem2_araddr, &top_.m_axi_gmem2_arready,
                  &top_.m_axi_gmem2_rvalid, &top_.m_axi_gmem2_rid, &top_.m_axi_gmem2_rresp, &top_.m_axi_gmem2_rlast,
                  top_.m_axi_gmem2_rdata.data()}),
          gmem1_("gmem1", arena_, violations_, kWriteBytes,
                 {&top_.m_axi_gmem1_awvalid, &top_.m_axi_gmem1_awid, &top_.m_axi_gmem1_awlen, &top_.m_axi_gmem1_awsize,
                  &top_.m_axi_gmem1_awburst, &top_.m_axi_gmem1_wvalid, &top_.m_axi_gmem1_wlast, &top_.m_axi_gmem1_bready,
                  &top_.m_axi_gmem1_awaddr, top_.m_axi_gmem1_wdata.data(), &top_.m_axi_gmem1_wstrb,
                  &top_.m_axi_gmem1_awready, &top_.m_axi_gmem1_wready, &top_.m_axi_gmem1_bvalid, &top_.m_axi_gmem1_bid,
                  &top_.m_axi_gmem1_bresp}) {
        reset();
    }
    ~Kernel() {
        // The model's scopes leave the context that this thread used last, which may be that of a kernel that is gone.
        Verilated::threadContextp(&context_);
        top_.final();
    }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    // Hold ap_rst_n low, drop every request the memory has in flight, forget violations. Memory contents stay.
    void reset() {
        violations_.clear();
        top_.s_axi_control_awvalid = top_.s_axi_control_wvalid = top_.s_axi_control_bready = 0;
        top_.s_axi_control_arvalid = top_.s_axi_control_rready = 0;
        top_.s_axis_tex_tvalid = top_.m_axis_tex_tready = 0;
        top_.m_axis_shade_tready = top_.s_axis_shade_tvalid = 0;
        flush();
        top_.ap_rst_n = 0;
        for (unsigned i = 0; i < kResetCycles; ++i) clock_.wake(), clock_.fall(), clock_.rise();
        if (top_.m_axi_gmem0_arvalid || top_.m_axi_gmem2_arvalid || top_.m_axi_gmem1_awvalid || top_.m_axi_gmem1_wvalid)
            violations_.add(cycles(), "kernel", "a VALID is high in reset");
        top_.ap_rst_n = 1;
    }

    // Drop every request in flight, as an AXI firewall does; the kernel must not be waiting for one.
    void flush() { gmem0_.flush(), gmem1_.flush(), gmem2_.flush(); }

    // Step until `interrupt` is high or `limit` cycles have passed. Returns the cycles stepped.
    std::uint64_t run(std::uint64_t limit) {
        const std::uint64_t start = cycles();
        clock_.wake();
        while (!interrupt() && cycles() - start < limit) step([] {});
        return cycles() - start;
    }

    // Step exactly `cycles`.
    void step_cycles(std::uint64_t cycles) {
        clock_.wake();
        for (std::uint64_t i = 0; i < cycles; ++i) step([] {});
    }

    // AXI4-Lite write; returns the response code (0 OKAY).
    std::uint8_t write_register(std::uint32_t offset, std::uint32_t value) {
        top_.s_axi_control_awaddr = static_cast<std::uint16_t>(offset & 0xFFF);
        top_.s_axi_control_wdata = value;
        top_.s_axi_control_wstrb = 0xF;
        top_.s_axi_control_awvalid = top_.s_axi_control_wvalid = top_.s_axi_control_bready = 1;
        bool address = false, data = false, done = false;
        std::uint8_t code = kOkay;
        for (unsigned i = 0; i < kAccessLimit && !done; ++i) {
            clock_.wake();
            step([&] {
                address |= top_.s_axi_control_awvalid && top_.s_axi_control_awready;
                data |= top_.s_axi_control_wvalid && top_.s_axi_control_wready;
                if (top_.s_axi_control_bvalid) done = true, code = top_.s_axi_control_bresp;
            });
            if (address) top_.s_axi_control_awvalid = 0;
            if (data) top_.s_axi_control_wvalid = 0;
        }
        top_.s_axi_control_awvalid = top_.s_axi_control_wvalid = top_.s_axi_control_bready = 0;
        if (!done) throw std::runtime_error("s_axi_control did not answer a write at " + std::to_string(offset));
        return code;
    }

    struct Read {
        std::uint32_t value;
        std::uint8_t code;
    };

    Read read_register(std::uint32_t offset) {
        top_.s_axi_control_araddr = static_cast<std::uint16_t>(offset & 0xFFF);
        top_.s_axi_control_arvalid = top_.s_axi_control_rready = 1;
        bool address = false, done = false;
        Read read{};
        for (unsigned i = 0; i < kAccessLimit && !done; ++i) {
            clock_.wake();
            step([&] {
                address |= top_.s_axi_control_arvalid && top_.s_axi_control_arready;
                if (top_.s_axi_control_rvalid) done = true, read = {top_.s_axi_control_rdata, top_.s_axi_control_rresp};
            });
            if (address) top_.s_axi_control_arvalid = 0;
        }
        top_.s_axi_control_arvalid = top_.s_axi_control_rready = 0;
        if (!done) throw std::runtime_error("s_axi_control did not answer a read at " + std::to_string(offset));
        return read;
    }

    // Send texture requests and take their results (SPEC section 11), as a shading kernel would.
    std::vector<std::uint64_t> sample(const std::vector<std::uint64_t>& requests) {
        std::vector<std::uint64_t> results;
        results.reserve(requests.size());
        std::size_t sent = 0;
        const std::uint64_t limit = cycles() + requests.size() + kAccessLimit;
        top_.m_axis_tex_tready = 1;
        while (results.size() < requests.size() && cycles() < limit) {
            top_.s_axis_tex_tvalid = sent < requests.size();
            if (top_.s_axis_tex_tvalid) top_.s_axis_tex_tdata = requests[sent];
            clock_.wake();
            step([&] {
                sent += top_.s_axis_tex_tvalid && top_.s_axis_tex_tready;
                if (top_.m_axis_tex_tvalid) results.push_back(top_.m_axis_tex_tdata);
            }, true);
        }
        top_.s_axis_tex_tvalid = top_.m_axis_tex_tready = 0;
        if (results.size() < requests.size()) throw std::runtime_error("s_axis_tex did not answer");
        return results;
    }

    MemoryPort& port(const std::string& name) {
        if (name == "gmem0") return gmem0_;
        if (name == "gmem1") return gmem1_;
        if (name == "gmem2") return gmem2_;
        throw std::invalid_argument("no memory port " + name + "; there are gmem0, gmem1, gmem2");
    }
    bool idle() const { return gmem0_.idle() && gmem1_.idle() && gmem2_.idle(); }
    // Verilator renames the pin, as it does with each name that some C++ dialect reserves.
    bool interrupt() const { return top_.__SYM__interrupt; }
    std::uint64_t cycles() const { return clock_.cycle(); }
    Arena& arena() { return arena_; }
    Violations& violations() { return violations_; }
#if !VM_TRACE
    // Clock parts at rest as well: slower, and nothing else.
    void forbid_rest(bool forbidden) { clock_.rest.forbid(forbidden); }
#endif
#if VM_TRACE
    void open_wave(const std::string& path, double period_ps) { clock_.wave.open(path, period_ps, cycles()); }
    void close_wave() { clock_.wave.close(); }
#endif

private:
    // What the memory ports and `observe` look at comes out of registers, as AXI asks for; s_axis_tex_tready does not, and
    // who looks at it needs the outputs `settled`.
    template <class Observe>
    void step(Observe observe, bool settled = false) {
        const std::uint64_t cycle = clock_.cycle();
        if (gmem0_.drive(cycle) | gmem1_.drive(cycle) | gmem2_.drive(cycle)) clock_.touch();
        if (settled || VM_TRACE) clock_.fall();
        gmem0_.observe(cycle), gmem1_.observe(cycle), gmem2_.observe(cycle);
        observe();
        clock_.rise();
    }

    VerilatedContext context_;
    Arena arena_;
    Violations violations_;
    Vfoveal_kernel top_;
    Clock clock_;
    ReadPort gmem0_, gmem2_;
    WritePort gmem1_;
};

}  // namespace foveal
