// Python modules foveal_sim.cosim._cosim and, built with waves, _cosim_wave.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kernel.hpp"

namespace nb = nanobind;
using foveal::Kernel;

NB_MODULE(FOVEAL_MODULE, m) {
    m.doc() = "The kernel's RTL, compiled by Verilator, with an AXI memory model.";
    using Unlocked = nb::call_guard<nb::gil_scoped_release>;

    nb::enum_<foveal::Dead>(m, "Dead", "What a memory port does with requests.")
        .value("ALIVE", foveal::Dead::kAlive)
        .value("REFUSE", foveal::Dead::kRefuse, "accepts no request")
        .value("SILENT", foveal::Dead::kSilent, "accepts requests and never answers");

    nb::class_<foveal::Statistics>(m, "Statistics", "Traffic of one memory port since the device was made.")
        .def_ro("bursts", &foveal::Statistics::bursts)
        .def_ro("beats", &foveal::Statistics::beats)
        .def_ro("bytes", &foveal::Statistics::bytes)
        .def_ro("peak_outstanding", &foveal::Statistics::peak_outstanding);

    nb::class_<Kernel>(m, "Kernel", "One kernel and its memory. One thread at a time.")
        .def(nb::init<std::uint64_t, std::uint64_t>(), nb::arg("base"), nb::arg("size"), Unlocked())
        .def("reset", &Kernel::reset, Unlocked(), "Pulse ap_rst_n; requests in flight are dropped, memory stays.")
        .def("flush", &Kernel::flush, "Drop the memory requests in flight.")
        .def("run", &Kernel::run, nb::arg("limit"), Unlocked(),
             "Step until the interrupt is high, at most `limit` cycles. Returns the cycles stepped.")
#if !VM_TRACE
        .def("forbid_rest", &Kernel::forbid_rest, nb::arg("forbidden"),
             "Clock the parts at rest as well: slower, and nothing else.")
#endif
        .def("step", &Kernel::step_cycles, nb::arg("cycles"), Unlocked(), "Step exactly `cycles`.")
        .def("write_register", &Kernel::write_register, nb::arg("offset"), nb::arg("value"), Unlocked(),
             "AXI4-Lite write. Returns the response code.")
        .def(
            "read_register",
            [](Kernel& kernel, std::uint32_t offset) {
                const Kernel::Read read = kernel.read_register(offset);
                return std::pair<std::uint32_t, unsigned>(read.value, read.code);
            },
            nb::arg("offset"), Unlocked(), "AXI4-Lite read. Returns value and response code.")
        .def("sample", &Kernel::sample, nb::arg("requests"), Unlocked(),
             "Texture samples: 64-bit requests in, 40-bit results out (hw/SPEC.md, section 11).")
        .def(
            "set_timing",
            [](Kernel& kernel, const std::string& port, std::uint32_t latency, double bandwidth, std::uint32_t outstanding) {
                kernel.port(port).set_timing({latency, bandwidth, outstanding});
            },
            nb::arg("port"), nb::arg("latency"), nb::arg("bandwidth") = 1.0, nb::arg("outstanding") = 16,
            "latency in cycles, bandwidth in beats a cycle (0..1], requests in flight.")
        .def(
            "set_dead", [](Kernel& kernel, const std::string& port, foveal::Dead dead) { kernel.port(port).set_dead(dead); },
            nb::arg("port"), nb::arg("dead"))
        .def(
            "fail_range",
            [](Kernel& kernel, const std::string& port, std::uint64_t first, std::uint64_t last, std::uint8_t response) {
                kernel.port(port).fail_range(first, last, response);
            },
            nb::arg("port"), nb::arg("first"), nb::arg("last"), nb::arg("response"),
            "Beats that touch the addresses [first, last) answer `response` (2 SLVERR, 3 DECERR).")
        .def(
            "fail_beat",
            [](Kernel& kernel, const std::string& port, std::uint64_t n, std::uint8_t response) {
                kernel.port(port).fail_beat(n, response);
            },
            nb::arg("port"), nb::arg("n"), nb::arg("response"), "The n-th beat from now (0: the next) answers `response`.")
        .def("clear_faults",
             [](Kernel& kernel) {
                 for (const char* name : {"gmem0", "gmem1", "gmem2"}) kernel.port(name).clear_faults();
             })
#if VM_TRACE
        .def("open_wave", &Kernel::open_wave, nb::arg("path"), nb::arg("period_ps"),
             "Write what happens from now on into a VCD file; a clock takes `period_ps`.")
        .def("close_wave", &Kernel::close_wave)
#endif
        .def("statistics", [](Kernel& kernel, const std::string& port) { return kernel.port(port).statistics(); }, nb::arg("port"))
        .def("violations", [](Kernel& kernel) { return kernel.violations().texts(); },
             "AXI rules the kernel broke, each with its cycle (the first 64).")
        .def_prop_ro("violation_count", [](Kernel& kernel) { return kernel.violations().count(); })
        .def_prop_ro("idle", &Kernel::idle, "No memory request is in flight.")
        .def_prop_ro("interrupt", &Kernel::interrupt)
        .def_prop_ro("cycles", &Kernel::cycles, "Clock cycles since the device was made.")
        .def_prop_ro("base", [](Kernel& kernel) { return kernel.arena().base(); }, "Device address of the first byte.")
        .def_prop_ro(
            "memory",
            [](Kernel& kernel) {
                return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(kernel.arena().data(), {kernel.arena().size()},
                                                                        nb::find(kernel));
            },
            "Device memory as bytes; a view that keeps the device alive.");

    m.attr("PPC") = FOVEAL_PPC;
}
