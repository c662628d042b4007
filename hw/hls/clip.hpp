// Clip space: transform, outside tests and polygon clipping (hw/SPEC.md, steps 2 and 3).
#pragma once

#include "geometry.hpp"

namespace foveal {

inline float dot4(const float* row, float x, float y, float z) {
    return ((row[0] * x + row[1] * y) + row[2] * z) + row[3];
}

inline ClipVertex transform(const float* mvp, float x, float y, float z) {
#pragma HLS INLINE
    return {dot4(mvp, x, y, z), dot4(mvp + 4, x, y, z), dot4(mvp + 8, x, y, z), dot4(mvp + 12, x, y, z)};
}

// One bit for each frustum plane the vertex is outside of.
inline unsigned frustum_code(const ClipVertex& v) {
#pragma HLS INLINE
    return unsigned(v.x < -v.w) | unsigned(v.x > v.w) << 1 | unsigned(v.y < -v.w) << 2 | unsigned(v.y > v.w) << 3 |
           unsigned(v.z < -v.w) << 4 | unsigned(v.z > v.w) << 5;
}

// Distance to clip plane 0..4: near, then x + 4w, 4w - x, y + 4w, 4w - y. Inside means >= 0.
inline float distance(int plane, const ClipVertex& v) {
#pragma HLS INLINE
    const float guard = config::kGuard * v.w;
    return plane == 0   ? v.z + v.w
           : plane == 1 ? v.x + guard
           : plane == 2 ? guard - v.x
           : plane == 3 ? v.y + guard
                        : guard - v.y;
}

// One bit for each clip plane the vertex is outside of; a NaN is outside.
inline unsigned clip_code(const ClipVertex& v) {
#pragma HLS INLINE
    unsigned code = 0;
CLIP_CODE:
    for (int plane = 0; plane < config::kClipPlanes; ++plane) {
#pragma HLS UNROLL  // five adders, so that the test costs no interval
        code |= unsigned(!(distance(plane, v) >= 0.0F)) << plane;
    }
    return code;
}

inline ClipVertex cross(const ClipVertex& inside, float d_inside, const ClipVertex& outside, float d_outside) {
#pragma HLS INLINE
    const float t = d_inside / (d_inside - d_outside);
    return {inside.x + t * (outside.x - inside.x), inside.y + t * (outside.y - inside.y),
            inside.z + t * (outside.z - inside.z), inside.w + t * (outside.w - inside.w)};
}

// Sutherland-Hodgman against the planes named in `planes`. Returns the vertices, 0 when nothing is left or a vertex is
// too many.
inline int clip_polygon(ClipVertex* polygon, unsigned planes) {
    int n = 3;
CLIP_PLANE:
    for (int plane = 0; plane < config::kClipPlanes; ++plane) {
        if (((planes >> plane) & 1U) == 0 || n == 0) {
            continue;
        }
        ClipVertex out[config::kMaxPolygon];
        int m = 0;
        bool full = false;
        ClipVertex start = polygon[n - 1];
        float d_start = distance(plane, start);
    CLIP_EDGE:
        for (int i = 0; i < n; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 3 max = 8
            // Not pipelined: clipping is rare and one shared divider is enough (kClipCycles).
            const ClipVertex end = polygon[i];
            const float d_end = distance(plane, end);
            const bool start_in = d_start >= 0.0F;
            const bool end_in = d_end >= 0.0F;
            ClipVertex emit[2];
            int emitted = 0;
            if (start_in != end_in) {
                emit[emitted++] = end_in ? cross(end, d_end, start, d_start) : cross(start, d_start, end, d_end);
            }
            if (end_in) {
                emit[emitted++] = end;
            }
        CLIP_EMIT:
            for (int k = 0; k < emitted; ++k) {
                if (m < config::kMaxPolygon) {
                    out[m++] = emit[k];
                } else {
                    full = true;
                }
            }
            start = end;
            d_start = d_end;
        }
        n = full ? 0 : m;
    CLIP_COPY:
        for (int i = 0; i < n; ++i) {
            polygon[i] = out[i];
        }
    }
    return n < 3 ? 0 : n;
}

}  // namespace foveal
