// One screen triangle: projection, facing, bounds, edges, depth plane and light (hw/SPEC.md, steps 4 to 9).
#pragma once

#include <cmath>

#include "fixed.hpp"
#include "view.hpp"

namespace foveal {

struct Screen {
    std::int32_t x, y;  // 1/256 px
    std::int32_t z;     // 0..config::kDepthMax
};

// Clip space to the screen's integers; false when a value is not finite or leaves the format.
inline bool project(const View& view, const ClipVertex& v, Screen& s) {
#pragma HLS INLINE
    const float iw = 1.0F / v.w;
    const float xs = (v.x * iw) * view.sx + view.sx;
    const float ys = view.sy - (v.y * iw) * view.sy;
    float zs = (v.z * iw) * 0.5F + 0.5F;
    if (!(std::isfinite(iw) && std::isfinite(xs) && std::isfinite(ys) && std::isfinite(zs))) {
        return false;
    }
    zs = zs < 0.0F ? 0.0F : zs > 1.0F ? 1.0F : zs;
    const float fx = std::floor(xs * 256.0F + 0.5F);
    const float fy = std::floor(ys * 256.0F + 0.5F);
    constexpr float kLimit = float(1 << (config::kScreenBits - 1));
    if (!(std::fabs(fx) < kLimit && std::fabs(fy) < kLimit)) {
        return false;
    }
    s.x = static_cast<std::int32_t>(fx);
    s.y = static_cast<std::int32_t>(fy);
    s.z = static_cast<std::int32_t>(std::floor(double(zs) * double(config::kDepthMax) + 0.5));
    return true;
}

inline std::uint32_t light(const View& view, const MeshTriangle& t, const float* sun) {
#pragma HLS INLINE
    const float d = (t.normal[0] * sun[0] + t.normal[1] * sun[1]) + t.normal[2] * sun[2];
    const float level = view.ambient + view.diffuse * (d > 0.0F ? d : 0.0F);
    std::uint32_t surface = std::uint32_t(t.material) << 24;
LIGHT_CHANNEL:
    for (int i = 0; i < 3; ++i) {
#pragma HLS UNROLL  // three channels side by side
        const float lit = std::floor(float(t.albedo[i]) * level + 0.5F);
        surface |= static_cast<std::uint32_t>(lit > 0.0F ? (lit < 255.0F ? lit : 255.0F) : 0.0F) << (8 * i);
    }
    return surface;
}

enum class Fate { kKept, kFacing, kEmpty, kRegion };

inline std::int32_t min3(std::int32_t a, std::int32_t b, std::int32_t c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

inline std::int32_t max3(std::int32_t a, std::int32_t b, std::int32_t c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

inline std::int64_t depth_step(std::int64_t numerator, double area2) {
#pragma HLS INLINE
    // nearbyint: to nearest, ties to even, the rounding mode nothing here changes.
    return saturate<config::kDepthStepBits>(std::nearbyint(double(numerator) * 16777216.0 / area2));
}

// Steps 5 to 8: facing, bounds, edges and depth plane of one screen triangle.
inline Fate set_up(const View& view, const Screen& s0, const Screen& s1, const Screen& s2, Bounds& b, Record& record) {
#pragma HLS INLINE
    using i64 = std::int64_t;
    const i64 signed_area = i64(s1.x - s0.x) * (s2.y - s0.y) - i64(s2.x - s0.x) * (s1.y - s0.y);
    if (signed_area >= 0) {
        return Fate::kFacing;
    }
    const Screen v[3] = {s0, s2, s1};
    const double area2 = double(-signed_area);

    const i64 low_x = ceil_pixel(min3(s0.x, s1.x, s2.x) - config::kHalfPixel);
    const i64 low_y = ceil_pixel(min3(s0.y, s1.y, s2.y) - config::kHalfPixel);
    const i64 high_x = floor_pixel(max3(s0.x, s1.x, s2.x) - config::kHalfPixel) + 1;
    const i64 high_y = floor_pixel(max3(s0.y, s1.y, s2.y) - config::kHalfPixel) + 1;
    b = {std::int32_t(low_x > 0 ? low_x : 0), std::int32_t(low_y > 0 ? low_y : 0),
         std::int32_t(high_x < view.width ? high_x : view.width),
         std::int32_t(high_y < view.height ? high_y : view.height)};
    if (b.x0 >= b.x1 || b.y0 >= b.y1) {
        return Fate::kEmpty;
    }
    if (!meets(view, b)) {
        return Fate::kRegion;
    }

    const i64 cx = i64(b.x0) * 256 + config::kHalfPixel;
    const i64 cy = i64(b.y0) * 256 + config::kHalfPixel;
    std::uint8_t* byte = record.byte;
    pack<2>(byte + 0, std::uint64_t(b.x0));
    pack<2>(byte + 2, std::uint64_t(b.y0));
    pack<2>(byte + 4, std::uint64_t(b.x1));
    pack<2>(byte + 6, std::uint64_t(b.y1));
EDGE:
    for (int k = 0; k < 3; ++k) {
#pragma HLS UNROLL  // three edges side by side
        const Screen& p = v[k];
        const Screen& q = v[k == 2 ? 0 : k + 1];
        const i64 a = i64(p.y) - q.y;
        const i64 e = i64(q.x) - p.x;
        const bool inclusive = q.y < p.y || (q.y == p.y && q.x > p.x);
        const i64 c = floor_pixel(e * (cy - p.y) + a * (cx - p.x) - (inclusive ? 0 : 1));
        pack<3>(byte + 12 + 6 * k, std::uint64_t(a));
        pack<3>(byte + 15 + 6 * k, std::uint64_t(e));
        pack<5>(byte + 30 + 5 * k, std::uint64_t(c));
    }

    const i64 x1 = v[1].x - v[0].x, y1 = v[1].y - v[0].y, z1 = v[1].z - v[0].z;
    const i64 x2 = v[2].x - v[0].x, y2 = v[2].y - v[0].y, z2 = v[2].z - v[0].z;
    const i64 dzdx = depth_step(z1 * y2 - z2 * y1, area2);
    const i64 dzdy = depth_step(z2 * x1 - z1 * x2, area2);
    const i64 rise = floor_pixel(dzdx * (cx - v[0].x) + dzdy * (cy - v[0].y));
    const i64 z0 = (i64(v[0].z) << config::kDepthFractionBits) + rise;
    pack<5>(byte + 45, std::uint64_t(dzdx));
    pack<5>(byte + 50, std::uint64_t(dzdy));
    pack<6>(byte + 55, std::uint64_t(saturate<config::kDepthBaseBits>(z0)));
    return Fate::kKept;
}

}  // namespace foveal
