// Kernel set for CPUs: a work-item takes a whole chunk of triangles or a whole tile, eight pixels at a time.
#include "types.cl"
#include "setup.cl"
#include "tile.cl"

#define GROUPS (TILE_WIDTH / 8)

__kernel void geometry(__constant Frame* frame, __constant int4* region, __global const Instance* instance,
                       __global const Chunk* chunk, __global const float* position, __global const Triangle* triangle,
                       __global const uchar4* material, __global Record* record, __global ushort4* bounds,
                       __global int* count, __global ushort4* extent) {
    int index = get_global_id(0);
    if (index >= frame->chunks) {
        return;
    }
    Chunk work = chunk[index];
    __global const Instance* object = instance + work.instance;
    int base = index * frame->capacity;
    int used = 0;
    int4 hull = (int4)(0xFFFF, 0xFFFF, 0, 0);
    for (uint n = work.first; n < work.first + work.count; ++n) {
        float4 polygon[MAX_POLYGON];
        int corners = polygon_of(position, object, triangle + n, polygon);
        for (int k = 1; k + 1 < corners; ++k) {
            int3 s0, s1, s2;
            long area2;
            int4 box;
            if (!fan_triangle(frame, region, polygon, k, &s0, &s1, &s2, &area2, &box)) {
                continue;
            }
            if (used < frame->capacity) {
                uint colour = shade(frame, object, triangle + n, material);
                write_record(s0, s1, s2, area2, box, colour, record + base + used);
                bounds[base + used] = convert_ushort4(box);
                hull.xy = min(hull.xy, box.xy);
                hull.zw = max(hull.zw, box.zw);
            }
            ++used;
        }
    }
    count[index] = used;
    extent[index] = convert_ushort4(hull);
}

inline void draw(const Local* t, int row0, int rows, int group0, int groups, int8* depth, int8* colour, uint word) {
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
    long z_row = t->z;
    for (int j = 0; j < rows; ++j) {
        int8 f0 = e0, f1 = e1, f2 = e2;
        long z = z_row;
        int at = (row0 + j) * GROUPS + group0;
        for (int i = 0; i < groups; ++i, ++at) {
            int8 inside = ~(f0 | f1 | f2) >> 31;
            if (any(inside)) {
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
                depth[at] = select(old, value, pass);
                colour[at] = select(colour[at], (int8)((int)word), pass);
            }
            f0 += a0;
            f1 += a1;
            f2 += a2;
            z += t->dzdx * 8;
        }
        e0 += t->b[0];
        e1 += t->b[1];
        e2 += t->b[2];
        z_row += t->dzdy;
    }
}

// One work-item a tile. tile: first pixel x, y and the last pixels + 1 that a region needs; x is a multiple of 8.
__kernel void raster(__constant Frame* frame, __global const int4* tile, int tiles, __global const Record* record,
                     __global const ushort4* bounds, __global const int* count, __global const ushort4* extent,
                     __global uint* pixels) {
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
    for (int n = 0; n < frame->chunks; ++n) {
        ushort4 hull = extent[n];
        if (hull.x >= area.z || hull.z <= area.x || hull.y >= area.w || hull.w <= area.y) {
            continue;
        }
        int first = n * frame->capacity;
        int last = first + min(count[n], frame->capacity);
        for (int r = first; r < last; ++r) {
            ushort4 box = bounds[r];
            if (box.x >= area.z || box.z <= area.x || box.y >= area.w || box.w <= area.y) {
                continue;
            }
            int row0 = max((int)box.y, area.y) - area.y;
            int row1 = min((int)box.w, area.w) - area.y;
            int group0 = (max((int)box.x, area.x) - area.x) / 8;
            int group1 = (min((int)box.z, area.z) - area.x + 7) / 8;
            Local local_record;
            if (localise(record + r, area.x + group0 * 8, area.y + row0, (group1 - group0) * 8, row1 - row0, box,
                         &local_record)) {
                draw(&local_record, row0, row1 - row0, group0, group1 - group0, depth, colour, record[r].colour);
            }
        }
    }
    int groups = (area.z - area.x + 7) / 8;
    for (int j = 0; j < rows; ++j) {
        __global uint* out = pixels + (long)(area.y + j) * frame->stride + area.x;
        for (int i = 0; i < groups; ++i) {
            vstore8(as_uint8(colour[j * GROUPS + i]), i, out);
        }
    }
}
