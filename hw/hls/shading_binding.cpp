// Python face of the shading kernel: the kernel, its source and its sink run as three threads, as they would on a card.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "shading.hpp"
#include "stream.hpp"

namespace nb = nanobind;
using namespace foveal;

namespace {

using Bytes = nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Lasts = nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableBytes = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MutableLasts = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Runs `body` and keeps what it throws.
template <class Body>
std::thread process(std::exception_ptr& error, Body body) {
    return std::thread([&error, body] {
        try {
            body();
        } catch (...) {
            error = std::current_exception();
        }
    });
}

template <int Ppc>
void run(const std::uint8_t* beat, const std::uint8_t* last, std::size_t beats, std::uint8_t* shaded,
         std::uint8_t* shaded_last, std::size_t answers, unsigned patience_ms) {
    using In = ShadeBeat<Ppc>;
    using Out = ShadedBeat<Ppc>;
    const std::chrono::milliseconds patience(patience_ms);
    Stream<In, config::kShadeDepth> in("clipped", patience);
    Stream<Out, config::kShadeDepth> out("shaded", patience);
    std::exception_ptr failed[3];
    std::thread source = process(failed[0], [&] {
        for (std::size_t i = 0; i < beats; ++i) {
            In item = {};
            std::memcpy(item.byte, beat + i * sizeof item.byte, sizeof item.byte);
            item.last = last[i] != 0;
            in.write(item);
        }
    });
    std::thread kernel = process(failed[1], [&] {
        for (std::size_t i = 0; i < beats; ++i) out.write(shaded_of<Ppc>(in.read()));
    });
    std::thread sink = process(failed[2], [&] {
        for (std::size_t i = 0; i < answers; ++i) {
            const Out item = out.read();
            std::memcpy(shaded + i * sizeof item.byte, item.byte, sizeof item.byte);
            shaded_last[i] = item.last;
        }
    });
    source.join();
    kernel.join();
    sink.join();
    for (const std::exception_ptr& error : failed)
        if (error) std::rethrow_exception(error);
}

void shade(int ppc, Bytes beat, Lasts last, MutableBytes shaded, MutableLasts shaded_last, unsigned patience_ms) {
    const std::size_t width = config::kShadeHeadBytes + std::size_t(ppc) * config::kShadePixelBytes;
    if (beat.shape(1) != width || shaded.shape(1) != std::size_t(ppc) * config::kShadedBytes)
        throw std::invalid_argument("rows of " + std::to_string(beat.shape(1)) + " and " + std::to_string(shaded.shape(1)) +
                                    " bytes do not belong to " + std::to_string(ppc) + " pixels a beat");
    if (last.shape(0) != beat.shape(0) || shaded_last.shape(0) != shaded.shape(0))
        throw std::invalid_argument("one `last` a beat is needed");
    const auto call = [&](auto function) {
        nb::gil_scoped_release unlocked;
        function(beat.data(), last.data(), beat.shape(0), shaded.data(), shaded_last.data(), shaded.shape(0), patience_ms);
    };
    switch (ppc) {
        case 1: return call(run<1>);
        case 2: return call(run<2>);
        case 4: return call(run<4>);
        case 8: return call(run<8>);
        case 16: return call(run<16>);
        default: throw std::invalid_argument("ppc is 1, 2, 4, 8 or 16, not " + std::to_string(ppc));
    }
}

}  // namespace

NB_MODULE(_shading, m) {
    m.doc() = "The shading kernel of hw/hls, compiled natively. Use foveal.shading.";
    m.def("shade", &shade, nb::arg("ppc"), nb::arg("beat"), nb::arg("last"), nb::arg("shaded"), nb::arg("shaded_last"),
          nb::arg("patience_ms"), "Stream all beats through the kernel; `shaded` and `shaded_last` are written.");
}
