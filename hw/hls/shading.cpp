// The shading kernel's top function: AXI4-Stream ports with TDATA and TLAST alone, for images built with PPC = 8.
// Free-running: it starts with the card's clock and takes a beat a clock.
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include "shading.hpp"

namespace {

constexpr int kPpc = 8;
using Clipped = foveal::ShadeBeat<kPpc>;
using Shaded = foveal::ShadedBeat<kPpc>;
constexpr int kClippedBytes = sizeof(Clipped::byte);
constexpr int kShadedBytes = sizeof(Shaded::byte);

}  // namespace

using ClippedWord = ap_axiu<8 * kClippedBytes, 0, 0, 0, AXIS_ENABLE_LAST>;
using ShadedWord = ap_axiu<8 * kShadedBytes, 0, 0, 0, AXIS_ENABLE_LAST>;

extern "C" void shading(hls::stream<ClippedWord>& clipped, hls::stream<ShadedWord>& shaded) {
#pragma HLS INTERFACE mode = ap_ctrl_none port = return
#pragma HLS INTERFACE mode = axis port = clipped
#pragma HLS INTERFACE mode = axis port = shaded
#pragma HLS PIPELINE II = 1  // a beat a clock, as the kernel sends them
    const ClippedWord word = clipped.read();
    Clipped beat = {};
UNPACK:
    for (int i = 0; i < kClippedBytes; ++i) {
#pragma HLS UNROLL  // wires
        beat.byte[i] = static_cast<std::uint8_t>(word.data.range(8 * i + 7, 8 * i).to_uint());
    }
    beat.last = word.last != 0;
    const Shaded answer = foveal::shaded_of<kPpc>(beat);
    ShadedWord out;
PACK:
    for (int i = 0; i < kShadedBytes; ++i) {
#pragma HLS UNROLL  // wires
        out.data.range(8 * i + 7, 8 * i) = answer.byte[i];
    }
    out.last = answer.last;
    shaded.write(out);
}
