// Kernel set for GPUs: a work-group takes a chunk, a work-item a triangle of it; then a work-group takes a tile, a
// work-item TILE_HEIGHT * TILE_WIDTH / GROUP pixels of it. Chunks and records are compacted in order, so that draw
// order holds.
#include "types.cl"
#include "setup.cl"
#include "tile.cl"

#define PER_ITEM (TILE_HEIGHT * TILE_WIDTH / GROUP)
#define ROW_STEP (GROUP / TILE_WIDTH)

// Exclusive prefix sum over the work-group; *total is the sum. All items must call it. size: the work-group's.
inline int scan(int value, __local int* scratch, int size, int* total) {
    int item = get_local_id(0);
    scratch[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < size; step <<= 1) {
        int before = item >= step ? scratch[item - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int sum = scratch[item];
    *total = scratch[size - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - value;
}

__kernel __attribute__((reqd_work_group_size(CHUNK, 1, 1))) void geometry(
    __constant Frame* frame, __constant int4* region, __global const Instance* instance, __global const Chunk* chunk,
    __global const float* position, __global const Triangle* triangle, __global const uchar4* material,
    __global Record* record, __global ushort* bounds, __global int* count, __global ushort* extent) {
    __local int scratch[CHUNK];
    __local int hull[4];
    int index = get_group_id(0);
    int item = get_local_id(0);
    Chunk work = chunk[index];
    __global const Instance* object = instance + work.instance;
    __global const Triangle* face = triangle + work.first + item;
    if (item < 4) {
        hull[item] = item < 2 ? 0xFFFF : 0;
    }
    float4 polygon[MAX_POLYGON];
    int corners = item < (int)work.count ? polygon_of(position, object, face, polygon) : 0;
    int3 s0, s1, s2;
    long area2;
    int4 box;
    int kept = 0;
    for (int k = 1; k + 1 < corners; ++k) {
        kept += fan_triangle(frame, region, polygon, k, &s0, &s1, &s2, &area2, &box);
    }
    int used;
    int slot = scan(kept, scratch, CHUNK, &used);
    int base = index * frame->capacity;
    uint colour = kept ? shade(frame, object, face, material) : 0;
    uint label = kept ? label_of(object, face) : 0;
    for (int k = 1; k + 1 < corners && kept; ++k) {
        if (fan_triangle(frame, region, polygon, k, &s0, &s1, &s2, &area2, &box)) {
            if (slot < frame->capacity) {
                write_record(s0, s1, s2, area2, box, colour, label, record + base + slot);
                store_box(bounds + 4 * (size_t)base, frame->capacity, slot, box);
                atomic_min(&hull[0], box.x);
                atomic_min(&hull[1], box.y);
                atomic_max(&hull[2], box.z);
                atomic_max(&hull[3], box.w);
            }
            ++slot;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        count[index] = used;
        store_box(extent, box_pitch(frame->chunks), index, (int4)(hull[0], hull[1], hull[2], hull[3]));
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void raster(
    __constant Frame* frame, __global const int4* tile, int tiles, __global const Record* record,
    __global const ushort* bounds, __global const int* count, __global const ushort* extent, __global uint* pixels
    CHANNEL_ARGUMENTS) {
    __local int scratch[GROUP];
    __local int near_chunk[GROUP];
    __local Local list[GROUP];
    __local uint list_colour[GROUP];
#ifdef CHANNELS
    __local uint list_label[GROUP];
    uint label[PER_ITEM];
    for (int p = 0; p < PER_ITEM; ++p) {
        label[p] = NO_LABEL;
    }
#endif
    int item = get_local_id(0);
    int4 area = tile[get_group_id(0)];
    int column = item % TILE_WIDTH;
    int row = item / TILE_WIDTH;
    int depth[PER_ITEM];
    uint colour[PER_ITEM];
    for (int p = 0; p < PER_ITEM; ++p) {
        depth[p] = DEPTH_MAX;
        colour[p] = frame->background;
    }
    for (int base = 0; base < frame->chunks; base += GROUP) {
        int hit = 0;
        if (base + item < frame->chunks) {
            hit = overlap(load_box(extent, box_pitch(frame->chunks), base + item), area);
        }
        int near;
        int place = scan(hit, scratch, GROUP, &near);
        if (hit) {
            near_chunk[place] = base + item;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < near; ++n) {
            int first = near_chunk[n] * frame->capacity;
            int records = min(count[near_chunk[n]], frame->capacity);
            for (int part = 0; part < records; part += GROUP) {
                Local mine;
                int r = first + part + item;
                int draws = 0;
                if (part + item < records) {
                    int4 box = load_box(bounds + 4 * (size_t)first, frame->capacity, part + item);
                    draws = overlap(box, area) &&
                            localise(record + r, area.x, area.y, TILE_WIDTH, TILE_HEIGHT, box, &mine);
                }
                int listed;
                int entry = scan(draws, scratch, GROUP, &listed);
                if (draws) {
                    list[entry] = mine;
                    list_colour[entry] = record[r].colour;
#ifdef CHANNELS
                    list_label[entry] = record[r].label;
#endif
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int t = 0; t < listed; ++t) {
                    int a0 = list[t].c[0] + list[t].a[0] * column, b0 = list[t].b[0];
                    int a1 = list[t].c[1] + list[t].a[1] * column, b1 = list[t].b[1];
                    int a2 = list[t].c[2] + list[t].a[2] * column, b2 = list[t].b[2];
                    long z = list[t].z + list[t].dzdx * column;
                    long dzdy = list[t].dzdy;
                    uint word = list_colour[t];
                    for (int p = 0; p < PER_ITEM; ++p) {
                        int y = row + p * ROW_STEP;
                        if (((a0 + b0 * y) | (a1 + b1 * y) | (a2 + b2 * y)) >= 0) {
                            int value = (int)clamp((z + dzdy * y) >> 16, 0L, (long)DEPTH_MAX);
                            if (value < depth[p]) {
                                depth[p] = value;
                                colour[p] = word;
#ifdef CHANNELS
                                label[p] = list_label[t];
#endif
                            }
                        }
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int p = 0; p < PER_ITEM; ++p) {
        int x = area.x + column;
        int y = area.y + row + p * ROW_STEP;
        if (x < area.z && y < area.w) {
            pixels[(long)y * frame->stride + x] = colour[p];
#ifdef CHANNELS
            depths[(long)y * frame->stride + x] = depth[p];
            labels[(long)y * frame->stride + x] = label[p];
#endif
        }
    }
}
