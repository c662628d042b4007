// Kernel set for CPUs: a work-item takes a whole chunk of triangles or a whole tile, eight pixels at a time.
#include "types.cl"
#include "setup.cl"
#include "tile.cl"

#define GROUPS (TILE_WIDTH / 8)

// Whether some lane of a 256-bit mask (lanes 0 or -1) is set; any() is slower where it is built lane by lane.
inline int some_lane(long4 mask) {
    long2 folded = mask.lo | mask.hi;
    return (folded.x | folded.y) != 0;
}

// Eight triangles' corner k in clip space.
typedef struct {
    float8 x, y, z, w;
} Corners;

inline float8 dot8(float4 row, float8 x, float8 y, float8 z) { return ((row.x * x + row.y * y) + row.z * z) + row.w; }

// Lanes that are outside a plane; a NaN is outside.
inline int8 beyond(float8 distance) { return ~(distance >= 0.0f); }

inline int8 crosses(const Corners* v) {
    float8 guard = GUARD * v->w;
    return beyond(v->z + v->w) | beyond(v->x + guard) | beyond(guard - v->x) | beyond(v->y + guard) |
           beyond(guard - v->y);
}

inline int8 all_outside(const Corners* v) {
    return ((v[0].x < -v[0].w) & (v[1].x < -v[1].w) & (v[2].x < -v[2].w)) |
           ((v[0].x > v[0].w) & (v[1].x > v[1].w) & (v[2].x > v[2].w)) |
           ((v[0].y < -v[0].w) & (v[1].y < -v[1].w) & (v[2].y < -v[2].w)) |
           ((v[0].y > v[0].w) & (v[1].y > v[1].w) & (v[2].y > v[2].w)) |
           ((v[0].z < -v[0].w) & (v[1].z < -v[1].w) & (v[2].z < -v[2].w)) |
           ((v[0].z > v[0].w) & (v[1].z > v[1].w) & (v[2].z > v[2].w));
}

// What eight projected triangles need for set-up; lanes that are not in `live` hold anything.
typedef struct {
    int x[3][8], y[3][8];
    float z[3][8];
} Projected;

// Projects and drops lanes that surely give nothing: not finite, back faces (those near zero area are left to the exact
// test), no pixel centre in the bounds.
inline int8 project8(__constant Frame* frame, const Corners* v, Projected* out) {
    float8 fx[3], fy[3];
    int8 live = -1;
    for (int k = 0; k < 3; ++k) {
        float8 iw = 1.0f / v[k].w;
        float8 xs = (v[k].x * iw) * frame->sx + frame->sx;
        float8 ys = frame->sy - (v[k].y * iw) * frame->sy;
        float8 zs = (v[k].z * iw) * 0.5f + 0.5f;
        fx[k] = floor(xs * 256.0f + 0.5f);
        fy[k] = floor(ys * 256.0f + 0.5f);
        live &= (fabs(iw) < INFINITY) & (fabs(zs) < INFINITY) & (fabs(fx[k]) < 4194304.0f) &
                (fabs(fy[k]) < 4194304.0f) & (v[k].w > 0.0f);
        vstore8(zs, 0, out->z[k]);
    }
    float8 left = (fx[1] - fx[0]) * (fy[2] - fy[0]);
    float8 right = (fx[2] - fx[0]) * (fy[1] - fy[0]);
    live &= left - right <= 1e-6f * (fabs(left) + fabs(right));
    float8 zero = 0.0f;
    int8 x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = convert_int8(select(zero, fx[k], live));
        y[k] = convert_int8(select(zero, fy[k], live));
        vstore8(x[k], 0, out->x[k]);
        vstore8(y[k], 0, out->y[k]);
    }
    int8 x0 = max((min(min(x[0], x[1]), x[2]) + 127) >> 8, 0);
    int8 y0 = max((min(min(y[0], y[1]), y[2]) + 127) >> 8, 0);
    int8 x1 = min(((max(max(x[0], x[1]), x[2]) - 128) >> 8) + 1, frame->width);
    int8 y1 = min(((max(max(y[0], y[1]), y[2]) - 128) >> 8) + 1, frame->height);
    return live & (x0 < x1) & (y0 < y1);
}

inline int3 screen_of(const Projected* from, int k, int lane) {
    float zs = from->z[k][lane];
    return (int3)(from->x[k][lane], from->y[k][lane], depth_of(zs < 0.0f ? 0.0f : zs > 1.0f ? 1.0f : zs));
}

__kernel void geometry(__constant Frame* frame, __constant int4* region, __global const Instance* instance,
                       __global const Chunk* chunk, __global const float* position, __global const Triangle* triangle,
                       __global const uchar4* material, __global Record* record, __global ushort* bounds,
                       __global int* count, __global ushort* extent) {
    int index = get_global_id(0);
    if (index >= frame->chunks) {
        return;
    }
    Chunk work = chunk[index];
    __global const Instance* object = instance + work.instance;
    int base = index * frame->capacity;
    int used = 0;
    int4 hull = (int4)(0x7FFF, 0x7FFF, 0, 0);
    for (uint part = 0; part < work.count; part += 8) {
        __global const Triangle* face = triangle + work.first + part;
        int lanes = min(8u, work.count - part);
        float px[3][8], py[3][8], pz[3][8];
        for (int lane = 0; lane < 8; ++lane) {
            for (int k = 0; k < 3; ++k) {
                __global const float* p = position + 3 * (size_t)face[min(lane, lanes - 1)].vertex[k];
                px[k][lane] = p[0];
                py[k][lane] = p[1];
                pz[k][lane] = p[2];
            }
        }
        Corners v[3];
        int8 clipped = 0;
        for (int k = 0; k < 3; ++k) {
            float8 x = vload8(0, px[k]), y = vload8(0, py[k]), z = vload8(0, pz[k]);
            v[k].x = dot8(object->row[0], x, y, z);
            v[k].y = dot8(object->row[1], x, y, z);
            v[k].z = dot8(object->row[2], x, y, z);
            v[k].w = dot8(object->row[3], x, y, z);
            clipped |= crosses(v + k);
        }
        int8 seen = ~all_outside(v) & ((int8)(0, 1, 2, 3, 4, 5, 6, 7) < lanes);
        clipped &= seen;
        Projected projected;
        int8 live = (seen & ~clipped) & project8(frame, v, &projected);
        if (!some_lane(as_long4(live | clipped))) {
            continue;
        }
        int lane_live[8], lane_clipped[8];
        vstore8(live, 0, lane_live);
        vstore8(clipped, 0, lane_clipped);
        for (int lane = 0; lane < lanes; ++lane) {
            if (!(lane_live[lane] | lane_clipped[lane])) {
                continue;
            }
            float4 polygon[MAX_POLYGON];
            int corners = lane_clipped[lane] ? polygon_of(position, object, face + lane, polygon) : 3;
            for (int k = 1; k + 1 < corners; ++k) {
                int3 s0, s1, s2;
                long area2;
                int4 box;
                int kept;
                if (lane_clipped[lane]) {
                    kept = fan_triangle(frame, region, polygon, k, &s0, &s1, &s2, &area2, &box);
                } else {
                    s0 = screen_of(&projected, 0, lane);
                    s1 = screen_of(&projected, 1, lane);
                    s2 = screen_of(&projected, 2, lane);
                    kept = accept(frame, region, s0, &s1, &s2, &area2, &box);
                }
                if (!kept) {
                    continue;
                }
                if (used < frame->capacity) {
                    uint colour = shade(frame, object, face + lane, material);
                    uint label = label_of(object, face + lane);
                    write_record(s0, s1, s2, area2, box, colour, label, record + base + used);
                    store_box(bounds + 4 * (size_t)base, frame->capacity, used, box);
                    hull.xy = min(hull.xy, box.xy);
                    hull.zw = max(hull.zw, box.zw);
                }
                ++used;
            }
        }
    }
    count[index] = used;
    store_box(extent, box_pitch(frame->chunks), index, hull);
}

// label, mark: only with CHANNELS.
inline void draw(const Local* t, int row0, int rows, int group0, int groups, int8* depth, int8* colour, uint word,
                 int8* label, uint mark) {
    const int8 lane = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    int8 e0 = t->c[0] + t->a[0] * lane;
    int8 e1 = t->c[1] + t->a[1] * lane;
    int8 e2 = t->c[2] + t->a[2] * lane;
    int a0 = t->a[0] * 8, a1 = t->a[1] * 8, a2 = t->a[2] * 8;
    // Depth as two words, 16 fractional bits apart, where the integer part fits 32 bits all over the rectangle.
    int8 high, low;
    int* high_lane = (int*)&high;
    int* low_lane = (int*)&low;
    for (int k = 0; k < 8; ++k) {
        long step = t->dzdx * k;
        high_lane[k] = (int)(step >> 16);
        low_lane[k] = (int)(step & 0xFFFF);
    }
    long reach = t->dzdx * (groups * 8);
    long fall = t->dzdy * rows;
    long most = t->z + max(reach, 0L) + max(fall, 0L);
    long least = t->z + min(reach, 0L) + min(fall, 0L);
    int narrow = most < (1L << 46) && least > -(1L << 46);
    int covered = !(t->a[0] | t->b[0] | t->a[1] | t->b[1] | t->a[2] | t->b[2]);
    const int8 paint = (int)word;
    long z_row = t->z;
    for (int j = 0; j < rows; ++j) {
        int8 f0 = e0, f1 = e1, f2 = e2;
        long z = z_row;
        int at = (row0 + j) * GROUPS + group0;
        for (int i = 0; i < groups; ++i, ++at) {
            int8 inside = -1;
            if (!covered) {
                inside = ~(f0 | f1 | f2) >> 31;
                f0 += a0;
                f1 += a1;
                f2 += a2;
            }
            if (covered || some_lane(as_long4(inside))) {
                int8 value;
                if (narrow) {
                    int8 sum = low + (int)(z & 0xFFFF);
                    value = high + (int)(z >> 16) + (sum >> 16);
                    value = clamp(value, 0, DEPTH_MAX);
                } else {
                    int* value_lane = (int*)&value;
                    for (int k = 0; k < 8; ++k) {
                        value_lane[k] = (int)clamp((z + t->dzdx * k) >> 16, 0L, (long)DEPTH_MAX);
                    }
                }
                int8 old = depth[at];
                int8 pass = inside & (value < old);
                if (some_lane(as_long4(pass))) {
                    depth[at] = select(old, value, pass);
                    colour[at] = select(colour[at], paint, pass);
#ifdef CHANNELS
                    label[at] = select(label[at], (int8)(int)mark, pass);
#endif
                }
            }
            z += t->dzdx * 8;
        }
        e0 += t->b[0];
        e1 += t->b[1];
        e2 += t->b[2];
        z_row += t->dzdy;
    }
}

// Which of sixteen boxes meet the area; only the first `valid` count.
inline short16 meets16(__global const ushort* boxes, int pitch, int first, int4 area, int valid) {
    const short16 lane = (short16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __global const short* at = (__global const short*)boxes + first;
    short16 x0 = vload16(0, at), y0 = vload16(0, at + pitch);
    short16 x1 = vload16(0, at + 2 * pitch), y1 = vload16(0, at + 3 * pitch);
    return (x0 < (short)area.z) & (x1 > (short)area.x) & (y0 < (short)area.w) & (y1 > (short)area.y) &
           (lane < (short)min(valid, 16));
}

// One work-item a tile. tile: first pixel x, y and the last pixels + 1 that a region needs; x is a multiple of 8.
// With CHANNELS the same pass also writes depths and labels.
__kernel void raster(__constant Frame* frame, __global const int4* tile, int tiles, __global const Record* record,
                     __global const ushort* bounds, __global const int* count, __global const ushort* extent,
                     __global uint* pixels CHANNEL_ARGUMENTS) {
    int index = get_global_id(0);
    if (index >= tiles) {
        return;
    }
    int4 area = tile[index];
    int8 depth[TILE_HEIGHT * GROUPS];
    int8 colour[TILE_HEIGHT * GROUPS];
    int rows = area.w - area.y;
    for (int i = 0; i < rows * GROUPS; ++i) {
        depth[i] = DEPTH_MAX;
        colour[i] = (int)frame->background;
    }
#ifdef CHANNELS
    int8 label[TILE_HEIGHT * GROUPS];
    for (int i = 0; i < rows * GROUPS; ++i) {
        label[i] = NO_LABEL;
    }
#else
    int8* label = 0;
#endif
    int pitch = frame->capacity;
    for (int some = 0; some < frame->chunks; some += 16) {
        short16 hit = meets16(extent, box_pitch(frame->chunks), some, area, frame->chunks - some);
        if (!some_lane(as_long4(hit))) {
            continue;
        }
        short chunk_hit[16];
        vstore16(hit, 0, chunk_hit);
        for (int c = 0; c < 16; ++c) {
            if (!chunk_hit[c]) {
                continue;
            }
            int first = (some + c) * pitch;
            int records = min(count[some + c], pitch);
            __global const ushort* boxes = bounds + 4 * (size_t)first;
            for (int part = 0; part < records; part += 16) {
                short16 meets = meets16(boxes, pitch, part, area, records - part);
                if (!some_lane(as_long4(meets))) {
                    continue;
                }
                short record_hit[16];
                vstore16(meets, 0, record_hit);
                for (int r = 0; r < 16; ++r) {
                    if (!record_hit[r]) {
                        continue;
                    }
                    int4 box = load_box(boxes, pitch, part + r);
                    __global const Record* source = record + first + part + r;
                    int row0 = max(box.y, area.y) - area.y;
                    int row1 = min(box.w, area.w) - area.y;
                    int group0 = (max(box.x, area.x) - area.x) / 8;
                    int group1 = (min(box.z, area.z) - area.x + 7) / 8;
                    Local seen;
                    if (localise(source, area.x + group0 * 8, area.y + row0, (group1 - group0) * 8, row1 - row0, box,
                                 &seen)) {
                        draw(&seen, row0, row1 - row0, group0, group1 - group0, depth, colour, source->colour,
                             label, source->label);
                    }
                }
            }
        }
    }
    int groups = (area.z - area.x + 7) / 8;
    for (int j = 0; j < rows; ++j) {
        long first = (long)(area.y + j) * frame->stride + area.x;
        for (int i = 0; i < groups; ++i) {
            vstore8(as_uint8(colour[j * GROUPS + i]), i, pixels + first);
#ifdef CHANNELS
            vstore8(as_uint8(depth[j * GROUPS + i]), i, depths + first);
            vstore8(as_uint8(label[j * GROUPS + i]), i, labels + first);
#endif
        }
    }
}
