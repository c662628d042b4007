// The geometry kernel: instances of meshes in, triangle records sorted into bands out (hw/SPEC.md, sections 3 and 4).
//
// Plain pointers and PODs only. Every struct is what lies in device memory, little-endian, without hidden padding.
#pragma once

#include <cstdint>

#include "config.hpp"

namespace foveal {

struct MeshTriangle {              // 32 bytes
    std::uint32_t vertex[3];       // absolute indices; each must lie in its mesh's range
    float normal[3];               // unit
    std::uint8_t albedo[3];        // R, G, B
    std::uint8_t material;
    std::uint32_t label;           // instance, tag << 16 (SPEC section 3, step 11)
};

struct Mesh {                      // 40 bytes
    std::uint32_t vertex_first, vertex_count;
    std::uint32_t triangle_first, triangle_count;
    float low[3], high[3];         // bounds
};

struct Instance {                  // 80 bytes
    float mvp[16];                 // row-major, column vectors
    float sun[3];                  // unit direction to the sun in the mesh's frame; zero for no sun
    std::uint16_t mesh;
    std::uint16_t instance;        // 0: the triangles' own
};

struct Region {                    // 8 bytes, half-open; empty and inverted rectangles hold nothing
    std::uint16_t x0, y0, x1, y1;
};

struct FrameParameters {           // 48 bytes
    std::uint32_t width, height;   // pixels, 1..4096
    float ambient, diffuse;
    std::uint32_t mesh_count, instance_count, region_count;
    std::uint32_t staging_capacity;  // entries of `staging`
    std::uint32_t record_capacity;   // entries of `record`, and of its second half where there is one
    std::uint32_t labels;            // not 0: also write each record with its label, record_capacity entries behind
    std::uint32_t reserved[2];
};

struct ClipVertex {                // 16 bytes, on chip
    float x, y, z, w;
};

struct Record {                    // one beat; fields in SPEC section 4
    std::uint8_t byte[config::kRecordBytes];
};

struct BandEntry {                 // 8 bytes
    std::uint32_t first, count;
};

enum GeometryFlag : std::uint32_t {
    kStagingOverflow = 1,          // more triangles than staging_capacity: the last ones are missing
    kRecordOverflow = 2,           // more records than record_capacity: the last bands are cut short
    kBadInput = 4,                 // a mesh or vertex index out of range, or a mesh above kMaxMeshVertices: left out
    kBadFrame = 8,                 // width, height, meshes, instances or regions out of range: nothing was drawn
};

struct GeometryStatistics {        // 80 bytes
    std::uint32_t flags;
    std::uint32_t instances_culled;
    std::uint32_t vertices;          // transformed
    std::uint32_t triangles_in;      // of the instances that were not culled
    std::uint32_t triangles_outside; // outside one frustum plane
    std::uint32_t triangles_clipped; // cross a clip plane: went through the clipper
    std::uint32_t triangles_fanned;  // candidates after clipping
    std::uint32_t dropped_invalid;   // not finite, w <= 0, or out of the screen format
    std::uint32_t dropped_facing;    // back faces and degenerate ones
    std::uint32_t dropped_empty;     // no pixel centre in the bounds
    std::uint32_t dropped_region;    // bounds meet no region
    std::uint32_t triangles_out;     // set up; also those that did not fit staging
    std::uint32_t records_needed;    // band copies of all of triangles_out
    std::uint32_t records_written;
    std::uint32_t bands_active;      // bands with at least one record
    std::uint32_t bursts;            // modelled
    std::uint64_t cycles;            // modelled (README.md)
    std::uint64_t bytes;             // read and written, modelled
};

static_assert(sizeof(MeshTriangle) == 32 && sizeof(Mesh) == 40 && sizeof(Instance) == 80 && sizeof(Region) == 8);
static_assert(sizeof(FrameParameters) == 48 && sizeof(ClipVertex) == 16 && sizeof(Record) == 64);
static_assert(sizeof(BandEntry) == 8 && sizeof(GeometryStatistics) == 80);

}  // namespace foveal

// position: 3 floats a vertex. staging: scratch. record: record_capacity entries, twice as many with labels. band:
// always ceil(height / 32) entries, padded to a multiple of 8 with empty ones. Nothing is written beyond a capacity; statistics->flags tells, and triangles_out and records_needed
// tell the capacities that would have sufficed.
extern "C" void geometry(const float* position, const foveal::MeshTriangle* triangle, const foveal::Mesh* mesh,
                         const foveal::Instance* instance, const foveal::Region* region,
                         const foveal::FrameParameters* frame, foveal::Record* staging, foveal::Record* record,
                         foveal::BandEntry* band, foveal::GeometryStatistics* statistics);
