// What a frame's triangles share: size, light and regions; and the box tests against it (hw/SPEC.md, step 1).
#pragma once

#include <cmath>

#include "clip.hpp"

namespace foveal {

struct Bounds {
    std::int32_t x0, y0, x1, y1;  // pixels, half-open
};

struct View {  // what a frame's triangles share
    std::int32_t width, height;
    float sx, sy;
    float ambient, diffuse;
    Bounds region[config::kMaxRegions];  // clipped to the frame, none empty
    int regions;
    bool band_active[config::kMaxBands];
    int active_before[config::kMaxBands + 1];  // active bands above this one
};

inline bool meets(const View& view, const Bounds& b) {
#pragma HLS INLINE
    bool hit = false;
REGION_TEST:
    for (int i = 0; i < view.regions; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
#pragma HLS UNROLL factor = 16  // sixteen comparators side by side, so the triangle pipeline keeps its interval
        const Bounds& r = view.region[i];
        hit |= b.x0 < r.x1 && r.x0 < b.x1 && b.y0 < r.y1 && r.y0 < b.y1;
    }
    return hit;
}

inline bool make_view(const FrameParameters& frame, const Region* region, View& view) {
    view.width = std::int32_t(frame.width);
    view.height = std::int32_t(frame.height);
    view.sx = float(frame.width) / 2.0F;
    view.sy = float(frame.height) / 2.0F;
    view.ambient = frame.ambient;
    view.diffuse = frame.diffuse;
    view.regions = 0;
VIEW_BAND:
    for (int i = 0; i < config::kMaxBands; ++i) {
#pragma HLS UNROLL  // registers
        view.band_active[i] = false;
    }
    if (frame.width < 1 || frame.width > config::kMaxSide || frame.height < 1 || frame.height > config::kMaxSide ||
        frame.region_count > config::kMaxRegions || frame.instance_count > config::kMaxInstances ||
        frame.mesh_count > config::kMaxMeshes) {
        return false;
    }
VIEW_REGION:
    for (std::uint32_t i = 0; i < frame.region_count; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 16
        const Region r = region[i];
        const Bounds b = {r.x0, r.y0, r.x1 < view.width ? r.x1 : view.width, r.y1 < view.height ? r.y1 : view.height};
        if (b.x0 >= b.x1 || b.y0 >= b.y1) {
            continue;
        }
        view.region[view.regions++] = b;
    VIEW_REGION_BAND:
        for (int n = b.y0 / config::kBandRows; n <= (b.y1 - 1) / config::kBandRows; ++n) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 128
            view.band_active[n] = true;
        }
    }
    view.active_before[0] = 0;
VIEW_SUM:
    for (int i = 0; i < config::kMaxBands; ++i) {
#pragma HLS PIPELINE II = 1  // a running sum
        view.active_before[i + 1] = view.active_before[i] + view.band_active[i];
    }
    return true;
}

// Screen box of an instance's eight corners, or false where a corner is behind the near plane.
inline bool corner_box(const View& view, const ClipVertex* corner, Bounds& box) {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
CORNER_BOX:
    for (int i = 0; i < 8; ++i) {
        const ClipVertex& v = corner[i];
        if (!(v.w > 0.0F && v.z >= -v.w)) {
            return false;
        }
        const float iw = 1.0F / v.w;
        const float xs = (v.x * iw) * view.sx + view.sx;
        const float ys = view.sy - (v.y * iw) * view.sy;
        if (!(std::isfinite(xs) && std::isfinite(ys))) {
            return false;
        }
        x0 = i == 0 || xs < x0 ? xs : x0;
        x1 = i == 0 || xs > x1 ? xs : x1;
        y0 = i == 0 || ys < y0 ? ys : y0;
        y1 = i == 0 || ys > y1 ? ys : y1;
    }
    // Clamped so that the conversion is defined; only the part near the frame matters.
    const auto pixel = [](float v) {
        constexpr float kFar = 4.0F * config::kMaxSide;
        return static_cast<std::int32_t>(v < -kFar ? -kFar : v > kFar ? kFar : v);
    };
    box = {pixel(std::floor(x0)) - 1, pixel(std::floor(y0)) - 1, pixel(std::ceil(x1)) + 1, pixel(std::ceil(y1)) + 1};
    return true;
}

inline bool instance_visible(const View& view, const Mesh& mesh, const float* mvp) {
    ClipVertex corner[8];
    unsigned outside = 63;
CORNER:
    for (int i = 0; i < 8; ++i) {
#pragma HLS PIPELINE II = 1  // eight corners through the vertex datapath
        corner[i] = transform(mvp, (i & 1) ? mesh.high[0] : mesh.low[0], (i & 2) ? mesh.high[1] : mesh.low[1],
                              (i & 4) ? mesh.high[2] : mesh.low[2]);
        outside &= frustum_code(corner[i]);
    }
    Bounds box;
    return outside == 0 && (!corner_box(view, corner, box) || meets(view, box));
}

}  // namespace foveal
