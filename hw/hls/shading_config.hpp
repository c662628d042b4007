// Constants of the shading stream (hw/SPEC.md, sections 5 and 12).
#pragma once

#include <cstdint>

namespace foveal::config {

constexpr int kShadeHeadBytes = 10;    // x, y, keep, flags, background
constexpr int kShadePixelBytes = 10;   // surface, depth, tint
constexpr int kShadedBytes = 4;        // B, G, R, 255
constexpr int kTintFractionBits = 7;   // 128 = 1.0
constexpr int kShadeDepth = 16;        // beats that each stream holds
constexpr int kShadeMaxPpc = 16;
constexpr std::uint32_t kDepthNothing = (1U << 24) - 1;

static_assert(kShadeMaxPpc <= 16, "keep has 16 bits");

}  // namespace foveal::config
