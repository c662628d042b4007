// The shading kernel on the stream of hw/SPEC.md, section 12: clipped beats in, shaded beats out. Here it does what the
// kernel's own surface_shade does, lit colour times tint; a richer model replaces `colour_of`.
#pragma once

#include <cstdint>

#include "fixed.hpp"
#include "shading_config.hpp"

namespace foveal {

// A beat of m_axis_shade as it lies on TDATA, and its TLAST.
template <int Ppc>
struct ShadeBeat {
    std::uint8_t byte[config::kShadeHeadBytes + Ppc * config::kShadePixelBytes];
    bool last;
};

// A beat of s_axis_shade.
template <int Ppc>
struct ShadedBeat {
    std::uint8_t byte[Ppc * config::kShadedBytes];
    bool last;
};

struct ShadeHead {
    std::uint16_t x, y, keep;
    bool first, depth_out;
    std::uint8_t background[3];
};

struct ShadePixel {
    std::uint8_t lit[3];
    std::uint8_t material;
    std::uint32_t depth;
    std::uint8_t tint[3];
};

inline ShadeHead unpack_head(const std::uint8_t* byte) {
#pragma HLS INLINE
    ShadeHead head = {};
    head.x = static_cast<std::uint16_t>(unpack<2>(byte));
    head.y = static_cast<std::uint16_t>(unpack<2>(byte + 2));
    head.keep = static_cast<std::uint16_t>(unpack<2>(byte + 4));
    head.first = (byte[6] & 1) != 0;
    head.depth_out = (byte[6] & 2) != 0;
HEAD_BACKGROUND:
    for (int channel = 0; channel < 3; ++channel) {
#pragma HLS UNROLL  // wires
        head.background[channel] = byte[7 + channel];
    }
    return head;
}

inline ShadePixel unpack_pixel(const std::uint8_t* byte) {
#pragma HLS INLINE
    ShadePixel pixel = {};
    pixel.material = byte[3];
    pixel.depth = static_cast<std::uint32_t>(unpack<3>(byte + 4));
PIXEL_CHANNELS:
    for (int channel = 0; channel < 3; ++channel) {
#pragma HLS UNROLL  // wires
        pixel.lit[channel] = byte[channel];
        pixel.tint[channel] = byte[7 + channel];
    }
    return pixel;
}

// The four bytes of an output pixel (section 5).
inline std::uint32_t colour_of(const ShadeHead& head, const ShadePixel& pixel) {
#pragma HLS INLINE
    const bool drawn = pixel.depth != config::kDepthNothing;
    if (head.depth_out) {
        return pixel.depth | std::uint32_t(drawn ? pixel.material : 0) << 24;
    }
    std::uint32_t colour = 0xFF000000U;
CHANNELS:
    for (int channel = 0; channel < 3; ++channel) {
#pragma HLS UNROLL  // three 8 x 8 multipliers a pixel
        const std::uint32_t tinted = std::uint32_t(pixel.lit[channel]) * pixel.tint[channel] >> config::kTintFractionBits;
        const std::uint32_t bounded = tinted > 255 ? 255 : tinted;
        colour |= (drawn ? bounded : head.background[channel]) << (8 * (2 - channel));  // B, G, R
    }
    return colour;
}

// What becomes of one beat; no state from beat to beat.
template <int Ppc>
ShadedBeat<Ppc> shaded_of(const ShadeBeat<Ppc>& beat) {
#pragma HLS INLINE
    const ShadeHead head = unpack_head(beat.byte);
    ShadedBeat<Ppc> shaded = {};
LANES:
    for (int lane = 0; lane < Ppc; ++lane) {
#pragma HLS UNROLL  // one shader a lane
        const ShadePixel pixel = unpack_pixel(beat.byte + config::kShadeHeadBytes + lane * config::kShadePixelBytes);
        const bool kept = (head.keep >> lane & 1) != 0;
        pack<4>(shaded.byte + lane * config::kShadedBytes, kept ? colour_of(head, pixel) : 0U);
    }
    shaded.last = beat.last;
    return shaded;
}

}  // namespace foveal
