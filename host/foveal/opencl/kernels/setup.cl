// One triangle of an instance to records: transform, clip, project, facing, bounds, edges, depth plane, light, tint.

inline float4 to_clip(__global const Instance* object, float3 p) {
    float4 v;
    v.x = ((object->row[0].x * p.x + object->row[0].y * p.y) + object->row[0].z * p.z) + object->row[0].w;
    v.y = ((object->row[1].x * p.x + object->row[1].y * p.y) + object->row[1].z * p.z) + object->row[1].w;
    v.z = ((object->row[2].x * p.x + object->row[2].y * p.y) + object->row[2].z * p.z) + object->row[2].w;
    v.w = ((object->row[3].x * p.x + object->row[3].y * p.y) + object->row[3].z * p.z) + object->row[3].w;
    return v;
}

inline uint frustum_code(float4 v) {
    return (uint)(v.x < -v.w) | (uint)(v.x > v.w) << 1 | (uint)(v.y < -v.w) << 2 | (uint)(v.y > v.w) << 3 |
           (uint)(v.z < -v.w) << 4 | (uint)(v.z > v.w) << 5;
}

inline float plane_distance(int plane, float4 v) {
    float guard = GUARD * v.w;
    return plane == 0   ? v.z + v.w
           : plane == 1 ? v.x + guard
           : plane == 2 ? guard - v.x
           : plane == 3 ? v.y + guard
                        : guard - v.y;
}

inline uint clip_code(float4 v) {
    uint code = 0;
    for (int plane = 0; plane < CLIP_PLANES; ++plane) {
        code |= (uint)(!(plane_distance(plane, v) >= 0.0f)) << plane;
    }
    return code;
}

inline float4 cut(float4 inside, float d_inside, float4 outside, float d_outside) {
    float t = d_inside / (d_inside - d_outside);
    float4 step = t * (outside - inside);
    return inside + step;
}

// Sutherland-Hodgman; returns the vertices, 0 when nothing is left or there would be more than MAX_POLYGON.
int clip_polygon(float4* polygon, uint planes) {
    int n = 3;
    for (int plane = 0; plane < CLIP_PLANES; ++plane) {
        if (((planes >> plane) & 1) == 0 || n == 0) {
            continue;
        }
        float4 out[MAX_POLYGON];
        int m = 0;
        float4 start = polygon[n - 1];
        float d_start = plane_distance(plane, start);
        for (int i = 0; i < n; ++i) {
            float4 end = polygon[i];
            float d_end = plane_distance(plane, end);
            int start_in = d_start >= 0.0f;
            int end_in = d_end >= 0.0f;
            if (start_in != end_in) {
                if (m < MAX_POLYGON) {
                    out[m] = end_in ? cut(end, d_end, start, d_start) : cut(start, d_start, end, d_end);
                }
                ++m;
            }
            if (end_in) {
                if (m < MAX_POLYGON) {
                    out[m] = end;
                }
                ++m;
            }
            start = end;
            d_start = d_end;
        }
        n = m > MAX_POLYGON ? 0 : m;
        for (int i = 0; i < n; ++i) {
            polygon[i] = out[i];
        }
    }
    return n < 3 ? 0 : n;
}

#ifdef USE_FP64
inline int depth_of(float zs) { return (int)floor((double)zs * 16777215.0 + 0.5); }

inline long depth_step(long numerator, long area2) {
    double step = rint((double)numerator * 16777216.0 / (double)area2);
    return step >= 549755813887.0 ? 549755813887L : step <= -549755813888.0 ? -549755813888L : (long)step;
}
#else
// The same in integers, for devices without float64. zs is in [0, 1]: 24 bits of mantissa times 24 bits fit a long.
inline int depth_of(float zs) {
    int exponent = (int)(as_uint(zs) >> 23) - 127;
    ulong mantissa = (as_uint(zs) & 0x7FFFFF) | 0x800000;
    int shift = 23 - exponent;
    return shift > 48 ? 0 : (int)((mantissa * 16777215UL + (1UL << (shift - 1))) >> shift);
}

// numerator * 2^24 / area2, to nearest, ties to even: a long division of 12 bits at a time.
inline long depth_step(long numerator, long area2) {
    ulong magnitude = (ulong)(numerator < 0 ? -numerator : numerator);
    ulong divisor = (ulong)area2;
    ulong whole = magnitude / divisor;
    if (whole >= 1UL << 16) {
        return numerator < 0 ? -549755813888L : 549755813887L;
    }
    ulong rest = magnitude % divisor;
    ulong high = (rest << 12) / divisor;
    rest = (rest << 12) % divisor;
    ulong low = (rest << 12) / divisor;
    rest = (rest << 12) % divisor;
    ulong step = whole << 24 | high << 12 | low;
    step += 2 * rest > divisor || (2 * rest == divisor && (step & 1));
    if (numerator < 0) {
        return step > 549755813888UL ? -549755813888L : -(long)step;
    }
    return step > 549755813887UL ? 549755813887L : (long)step;
}
#endif

// Screen coordinates in 1/256 px and 24-bit depth; 0 when a value is not finite or leaves the format.
inline int project(__constant Frame* frame, float4 v, int3* screen) {
    float iw = 1.0f / v.w;
    float xs = (v.x * iw) * frame->sx + frame->sx;
    float ys = frame->sy - (v.y * iw) * frame->sy;
    float zs = (v.z * iw) * 0.5f + 0.5f;
    float fx = floor(xs * 256.0f + 0.5f);
    float fy = floor(ys * 256.0f + 0.5f);
    if (!(isfinite(iw) && isfinite(zs) && fabs(fx) < 4194304.0f && fabs(fy) < 4194304.0f)) {
        return 0;
    }
    zs = zs < 0.0f ? 0.0f : zs > 1.0f ? 1.0f : zs;
    *screen = (int3)((int)fx, (int)fy, depth_of(zs));
    return 1;
}

inline int meets_region(__constant Frame* frame, __constant int4* region, int4 box) {
    int hit = 0;
    for (int i = 0; i < frame->regions; ++i) {
        int4 r = region[i];
        hit |= box.x < r.z && r.x < box.z && box.y < r.w && r.y < box.w;
    }
    return hit;
}

// Facing, bounds and region cull of one screen triangle; swaps it to positive area. 0 when it is dropped.
inline int accept(__constant Frame* frame, __constant int4* region, int3 s0, int3* s1, int3* s2, long* area2,
                  int4* box) {
    long area = (long)(s1->x - s0.x) * (s2->y - s0.y) - (long)(s2->x - s0.x) * (s1->y - s0.y);
    if (area >= 0) {
        return 0;
    }
    *area2 = -area;
    int3 swap = *s1;
    *s1 = *s2;
    *s2 = swap;
    int2 low = min(min(s0.xy, s1->xy), s2->xy);
    int2 high = max(max(s0.xy, s1->xy), s2->xy);
    box->xy = max((low - 128 + 255) >> 8, 0);
    box->zw = min(((high - 128) >> 8) + 1, (int2)(frame->width, frame->height));
    return box->x < box->z && box->y < box->w && meets_region(frame, region, *box);
}

inline void edge(int3 p, int3 q, long cx, long cy, __global Record* out, int k) {
    long a = p.y - q.y;
    long b = q.x - p.x;
    int inclusive = q.y < p.y || (q.y == p.y && q.x > p.x);
    out->a[k] = (int)a;
    out->b[k] = (int)b;
    out->c[k] = (b * (cy - p.y) + a * (cx - p.x) - (inclusive ? 0 : 1)) >> 8;
}

inline void write_record(int3 s0, int3 s1, int3 s2, long area2, int4 box, uint colour, uint label,
                         __global Record* out) {
    long cx = (long)box.x * 256 + 128;
    long cy = (long)box.y * 256 + 128;
    edge(s0, s1, cx, cy, out, 0);
    edge(s1, s2, cx, cy, out, 1);
    edge(s2, s0, cx, cy, out, 2);
    long x1 = s1.x - s0.x, y1 = s1.y - s0.y, z1 = s1.z - s0.z;
    long x2 = s2.x - s0.x, y2 = s2.y - s0.y, z2 = s2.z - s0.z;
    long dzdx = depth_step(z1 * y2 - z2 * y1, area2);
    long dzdy = depth_step(z2 * x1 - z1 * x2, area2);
    long z0 = ((long)s0.z << 16) + ((dzdx * (cx - s0.x) + dzdy * (cy - s0.y)) >> 8);
    out->dzdx = dzdx;
    out->dzdy = dzdy;
    out->z0 = clamp(z0, -(1L << 47), (1L << 47) - 1);
    out->colour = colour;
    out->label = label;
}

// The label of a triangle: the object's instance counts where it has one.
inline uint label_of(__global const Instance* object, __global const Triangle* face) {
    return object->instance ? (face->label & 0xFF0000u) | object->instance : face->label;
}

// The output word of a triangle: one colour, lit and, where the table is resident, tinted.
uint shade(__constant Frame* frame, __global const Instance* object, __global const Triangle* face,
           __global const uchar4* material) {
    float d = (face->normal[0] * object->sun[0] + face->normal[1] * object->sun[1]) + face->normal[2] * object->sun[2];
    float level = frame->ambient + frame->diffuse * (d > 0.0f ? d : 0.0f);
    uint surface = face->surface;
    uchar4 tint = material[surface >> 24];
    uint factor[3] = {tint.x, tint.y, tint.z};
    uint word = 0xFF000000u;
    for (int i = 0; i < 3; ++i) {
        float value = floor((float)((surface >> (8 * i)) & 255) * level + 0.5f);
        uint lit = (uint)(value > 0.0f ? (value < 255.0f ? value : 255.0f) : 0.0f);
        lit = frame->resident ? min(255u, (lit * factor[i]) >> 7) : lit;
        word |= lit << (16 - 8 * i);
    }
    return word;
}

// A triangle in clip space, clipped where need be; returns the vertices, 0 when it is not drawn.
inline int polygon_of(__global const float* position, __global const Instance* object, __global const Triangle* face,
                      float4* polygon) {
    for (int k = 0; k < 3; ++k) {
        polygon[k] = to_clip(object, vload3(face->vertex[k], position));
    }
    if (frustum_code(polygon[0]) & frustum_code(polygon[1]) & frustum_code(polygon[2])) {
        return 0;
    }
    uint planes = clip_code(polygon[0]) | clip_code(polygon[1]) | clip_code(polygon[2]);
    int corners = planes ? clip_polygon(polygon, planes) : 3;
    int behind = 0;
    for (int k = 0; k < corners; ++k) {
        behind |= polygon[k].w <= 0.0f;
    }
    return behind ? 0 : corners;
}

// Triangle k of the fan, accepted; s0, s1, s2, area2 and box are valid when it returns 1.
inline int fan_triangle(__constant Frame* frame, __constant int4* region, const float4* polygon, int k, int3* s0,
                        int3* s1, int3* s2, long* area2, int4* box) {
    return project(frame, polygon[0], s0) && project(frame, polygon[k], s1) && project(frame, polygon[k + 1], s2) &&
           accept(frame, region, *s0, s1, s2, area2, box);
}
