// The geometry kernel. Two passes: set up every visible triangle into `staging` in draw order and count its band
// copies; prefix sum; copy each record to its bands. One rounding an operation: compile with -ffp-contract=off.
#include "geometry.hpp"

#include "clip.hpp"
#include "setup.hpp"
#include "view.hpp"

namespace foveal {
namespace {

using namespace config;

std::uint16_t read_u16(const std::uint8_t* byte) { return std::uint16_t(byte[0] | byte[1] << 8); }

struct BandSpan {
    int first, last;  // inclusive
};

BandSpan band_span(const Record& record) {
#pragma HLS INLINE
    return {read_u16(record.byte + 2) / kBandRows, (read_u16(record.byte + 6) - 1) / kBandRows};
}

// Instance and tag << 16 of a face: the object's instance counts where it has one.
std::uint32_t label_of(const MeshTriangle& face, const Instance& object) {
#pragma HLS INLINE
    return object.instance != 0 ? (face.label & 0xFF0000U) | object.instance : face.label & 0xFFFFFFU;
}

// A label as a surface: R and the top byte are the tag, G and B the instance.
std::uint32_t label_surface(std::uint32_t label) {
#pragma HLS INLINE
    const std::uint32_t tag = label >> 16 & 0xFFU;
    return tag | (label & 0xFFFFU) << 8 | tag << 24;
}

// What the first pass carries from triangle to triangle.
struct Sink {
    std::uint32_t capacity;
    std::uint32_t staged;
    std::uint32_t begin[kMaxBands];  // staged records whose first, last band this is
    std::uint32_t end[kMaxBands];
};

// Steps 4 to 10 of one clip-space triangle.
void draw(const View& view, const ClipVertex& v0, const ClipVertex& v1, const ClipVertex& v2, const MeshTriangle& face,
          const Instance& object, Sink& sink, Record* staging, GeometryStatistics& s) {
#pragma HLS INLINE
    ++s.triangles_fanned;
    Screen p0, p1, p2;
    const bool ok0 = project(view, v0, p0);
    const bool ok1 = project(view, v1, p1);
    const bool ok2 = project(view, v2, p2);
    if (!(ok0 && ok1 && ok2)) {
        ++s.dropped_invalid;
        return;
    }
    Bounds bounds;
    Record out;
    const Fate fate = set_up(view, p0, p1, p2, bounds, out);
    s.dropped_facing += fate == Fate::kFacing;
    s.dropped_empty += fate == Fate::kEmpty;
    s.dropped_region += fate == Fate::kRegion;
    if (fate != Fate::kKept) {
        return;
    }
    pack<4>(out.byte + kSurfaceByte, light(view, face, object.sun));
    // A staged record's number is its index: the field is free for the label until the record is copied.
    pack<3>(out.byte + kNumberByte, label_of(face, object));
    ++s.triangles_out;
    const BandSpan span = band_span(out);
    s.records_needed += std::uint32_t(view.active_before[span.last + 1] - view.active_before[span.first]);
    if (sink.staged < sink.capacity) {
        staging[sink.staged++] = out;
        ++sink.begin[span.first];
        ++sink.end[span.last];
    } else {
        s.flags |= kStagingOverflow;
    }
}

bool any_behind(const ClipVertex* polygon, int corners) {
    bool behind = false;
BEHIND:
    for (int k = 0; k < corners; ++k) {
#pragma HLS LOOP_TRIPCOUNT min = 3 max = 8
        behind |= polygon[k].w <= 0.0F;
    }
    return behind;
}

// The three corners of a face, or false (and kBadInput) when an index leaves the mesh.
bool corners_of(const MeshTriangle& face, const Mesh& shape, const ClipVertex* clip, ClipVertex* polygon,
                GeometryStatistics& s) {
#pragma HLS INLINE
    bool inside = true;
CORNER_FETCH:
    for (int k = 0; k < 3; ++k) {
#pragma HLS UNROLL  // three read ports
        const std::uint32_t i = face.vertex[k] - shape.vertex_first;
        inside &= i < shape.vertex_count;
        polygon[k] = clip[i < shape.vertex_count ? i : 0];
    }
    s.flags |= inside ? 0U : std::uint32_t(kBadInput);
    return inside;
}

bool outside_frustum(const ClipVertex* v) {
#pragma HLS INLINE
    return (frustum_code(v[0]) & frustum_code(v[1]) & frustum_code(v[2])) != 0;
}

unsigned planes_crossed(const ClipVertex* v) {
#pragma HLS INLINE
    return clip_code(v[0]) | clip_code(v[1]) | clip_code(v[2]);
}

// Triangles [first, stop) of the scene, none of which needs clipping.
void draw_run(const View& view, const MeshTriangle* triangle, std::uint32_t first, std::uint32_t stop,
              const Mesh& shape, const ClipVertex* clip, const Instance& object, Sink& sink, Record* staging,
              GeometryStatistics& s) {
TRIANGLE:
    for (std::uint32_t i = first; i < stop; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 12 max = 8192
#pragma HLS PIPELINE II = 1  // one triangle in, at most one record out (kTriangleInterval)
        const MeshTriangle face = triangle[i];
        ClipVertex v[3];
        if (!corners_of(face, shape, clip, v, s)) {
            continue;
        }
        if (outside_frustum(v)) {
            ++s.triangles_outside;
        } else if (any_behind(v, 3)) {
            ++s.triangles_fanned;
            ++s.dropped_invalid;
        } else {
            draw(view, v[0], v[1], v[2], face, object, sink, staging, s);
        }
    }
}

// One triangle that crosses a clip plane: clipped, then fanned.
void draw_clipped(const View& view, const MeshTriangle& face, const Mesh& shape, const ClipVertex* clip,
                  const Instance& object, Sink& sink, Record* staging, GeometryStatistics& s) {
    ClipVertex polygon[kMaxPolygon];
    if (!corners_of(face, shape, clip, polygon, s)) {
        return;
    }
    ++s.triangles_clipped;
    const int corners = clip_polygon(polygon, planes_crossed(polygon));
    if (any_behind(polygon, corners)) {
        s.triangles_fanned += std::uint32_t(corners - 2);
        s.dropped_invalid += std::uint32_t(corners - 2);
        return;
    }
FAN:
    for (int k = 1; k + 1 < corners; ++k) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 6
        draw(view, polygon[0], polygon[k], polygon[k + 1], face, object, sink, staging, s);
    }
}

// Indices in [first, stop) of triangles that need clipping; returns how many.
int find_clipped(const MeshTriangle* triangle, std::uint32_t first, std::uint32_t stop, const Mesh& shape,
                 const ClipVertex* clip, std::uint32_t* found) {
    int n = 0;
    GeometryStatistics ignored = {};  // a bad index is counted when the triangle is drawn
SCAN:
    for (std::uint32_t i = first; i < stop; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 12 max = 1024
#pragma HLS PIPELINE II = 1  // the cull's datapath without the set-up (kScanInterval)
        ClipVertex v[3];
        if (corners_of(triangle[i], shape, clip, v, ignored) && !outside_frustum(v) && planes_crossed(v) != 0) {
            found[n++] = i;
        }
    }
    return n;
}

std::uint64_t bursts_of(std::uint64_t bytes) { return (bytes + kBurstBytes - 1) / kBurstBytes; }

struct Work {  // what the schedule depends on besides the statistics
    std::uint32_t drawn;    // instances
    std::uint32_t runs;     // pipelined triangle loops entered
    std::uint32_t scanned;  // triangles looked at for clipping
};

// The modelled schedule; README.md states the formula.
void model_schedule(const FrameParameters& frame, std::uint32_t bands, std::uint32_t staged, const Work& work,
                    GeometryStatistics& s) {
    const std::uint64_t scene_bytes = std::uint64_t(s.vertices) * 12 +
                                      (std::uint64_t(s.triangles_in) + work.scanned) * sizeof(MeshTriangle);
    const std::uint64_t staging_bytes = std::uint64_t(staged) * kRecordBytes;
    const std::uint64_t table_bytes = std::uint64_t(bands) * kBandEntryBytes;
    // Streams burst, each anew for an instance; band copies are single beats whose address phases overlap.
    const std::uint64_t bursts = frame.instance_count + 2ULL * work.drawn + bursts_of(scene_bytes) +
                                 2 * bursts_of(staging_bytes) + bursts_of(table_bytes);
    const std::uint64_t copies = std::uint64_t(s.records_written) * (frame.labels != 0 ? 2 : 1);
    s.bursts = std::uint32_t(bursts + copies);
    s.bytes = std::uint64_t(frame.instance_count) * (sizeof(Instance) + sizeof(Mesh)) + scene_bytes +
              2 * staging_bytes + copies * kRecordBytes + table_bytes;
    const std::uint64_t loops =
        2ULL + work.drawn + work.runs + (work.scanned + kChunkTriangles - 1) / kChunkTriangles;
    s.cycles = std::uint64_t(frame.instance_count) * kInstanceCycles + std::uint64_t(s.vertices) * kVertexInterval +
               std::uint64_t(s.triangles_in) * kTriangleInterval + std::uint64_t(work.scanned) * kScanInterval +
               std::uint64_t(s.triangles_clipped) * kClipCycles + staged +
               copies * kScatterInterval + bands + bursts * kBurstCycles +
               loops * kPipelineCycles;
}

// Second pass: band table, then every staged record to the end of each of its bands' lists.
void scatter(const View& view, const Sink& sink, const Record* staging, std::uint32_t capacity, bool labels,
             Record* record, BandEntry* band, GeometryStatistics& s) {
    const std::uint32_t bands = std::uint32_t(view.height + kBandRows - 1) / kBandRows;
    const std::uint32_t entries = (bands + kBandEntriesPerBeat - 1) / kBandEntriesPerBeat * kBandEntriesPerBeat;
    std::uint32_t cursor[kMaxBands];
    std::uint32_t limit[kMaxBands];
    std::uint32_t first = 0;
    std::uint32_t open = 0;  // records that began in this band or above and have not ended above
BAND_TABLE:
    for (std::uint32_t j = 0; j < entries; ++j) {
#pragma HLS LOOP_TRIPCOUNT min = 8 max = 128
#pragma HLS PIPELINE II = 1  // running sums
        open += sink.begin[j];
        const std::uint32_t count = view.band_active[j] ? open : 0;
        open -= sink.end[j];
        const std::uint32_t room = capacity - first;
        const std::uint32_t kept = count < room ? count : room;
        s.flags |= kept < count ? std::uint32_t(kRecordOverflow) : 0U;
        s.bands_active += kept != 0;
        band[j] = {j < bands ? first : 0, kept};
        cursor[j] = first;
        first += kept;
        limit[j] = first;
    }
    s.records_written = first;

CHUNK:
    for (std::uint32_t base = 0; base < sink.staged; base += kChunkRecords) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1024
        Record chunk[kChunkRecords];
        const std::uint32_t left = sink.staged - base;
        const int n = int(left < kChunkRecords ? left : kChunkRecords);
    LOAD:
        for (int i = 0; i < n; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 64
#pragma HLS PIPELINE II = 1  // one burst
            chunk[i] = staging[base + std::uint32_t(i)];
        }
        int i = 0;
        int j = band_span(chunk[0]).first;
    SCATTER:
        while (i < n) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 128
#pragma HLS PIPELINE II = 2  // which copy is next depends on this record: on-chip read, compare (kScatterInterval)
            if (view.band_active[j] && cursor[j] < limit[j]) {
                Record copy = chunk[i];
                pack<3>(copy.byte + kNumberByte, base + std::uint32_t(i));
                record[cursor[j]] = copy;
                if (labels) {
                    const std::uint64_t label = unpack<3>(chunk[i].byte + kNumberByte);
                    pack<4>(copy.byte + kSurfaceByte, label_surface(std::uint32_t(label)));
                    record[capacity + cursor[j]] = copy;
                }
                ++cursor[j];
            }
            if (j < band_span(chunk[i]).last) {
                ++j;
            } else if (++i < n) {
                j = band_span(chunk[i]).first;
            }
        }
    }
}

#ifdef __SYNTHESIS__
#define FOVEAL_ON_CHIP static
#else
#define FOVEAL_ON_CHIP static thread_local  // natively a large scratch array, one a thread
#endif

}  // namespace
}  // namespace foveal

extern "C" void geometry(const float* position, const foveal::MeshTriangle* triangle, const foveal::Mesh* mesh,
                         const foveal::Instance* instance, const foveal::Region* region,
                         const foveal::FrameParameters* frame, foveal::Record* staging, foveal::Record* record,
                         foveal::BandEntry* band, foveal::GeometryStatistics* statistics) {
    // The scene on two ports, so that vertices and triangles stream apart; scratch and results on a third.
#pragma HLS INTERFACE m_axi port = position offset = slave bundle = gmem0 max_read_burst_length = 64
#pragma HLS INTERFACE m_axi port = triangle offset = slave bundle = gmem1 max_read_burst_length = 64
#pragma HLS INTERFACE m_axi port = mesh offset = slave bundle = gmem0
#pragma HLS INTERFACE m_axi port = instance offset = slave bundle = gmem0
#pragma HLS INTERFACE m_axi port = region offset = slave bundle = gmem0
#pragma HLS INTERFACE m_axi port = frame offset = slave bundle = gmem0
#pragma HLS INTERFACE m_axi port = staging offset = slave bundle = gmem2 max_widen_bitwidth = 512
#pragma HLS INTERFACE m_axi port = record offset = slave bundle = gmem2 num_write_outstanding = 64
#pragma HLS INTERFACE m_axi port = band offset = slave bundle = gmem2
#pragma HLS INTERFACE m_axi port = statistics offset = slave bundle = gmem2
#pragma HLS INTERFACE s_axilite port = return
#pragma HLS INTERFACE ap_ctrl_hs port = return  // a frame at a time; the default for kernels would be ap_ctrl_chain
    using namespace foveal;
    using namespace foveal::config;

    FOVEAL_ON_CHIP ClipVertex clip[kMaxMeshVertices];
    // One write port, a copy for each of the three read ports, so that a triangle a cycle can be fetched.
#pragma HLS BIND_STORAGE variable = clip type = ram_1wnr impl = uram
    std::uint32_t crossing[kChunkTriangles];

    const FrameParameters parameters = *frame;
    GeometryStatistics s = {};
    Work work = {};
    View view;
    Sink sink = {};
    // Registers: begin and end are counted up in consecutive cycles.
#pragma HLS ARRAY_PARTITION variable = sink.begin complete
#pragma HLS ARRAY_PARTITION variable = sink.end complete
    sink.capacity = parameters.staging_capacity;
    if (!make_view(parameters, region, view)) {
        s.flags = kBadFrame;
        *statistics = s;
        return;
    }

INSTANCE:
    for (std::uint32_t n = 0; n < parameters.instance_count; ++n) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 256
        const Instance object = instance[n];
        if (object.mesh >= parameters.mesh_count) {
            s.flags |= kBadInput;
            continue;
        }
        const Mesh shape = mesh[object.mesh];
        if (shape.vertex_count > kMaxMeshVertices || shape.triangle_count > kMaxMeshTriangles) {
            s.flags |= kBadInput;
            continue;
        }
        if (view.regions == 0 || !instance_visible(view, shape, object.mvp)) {
            ++s.instances_culled;
            continue;
        }
        ++work.drawn;
        s.vertices += shape.vertex_count;
        s.triangles_in += shape.triangle_count;

        unsigned crossed = 0;
    VERTEX:
        for (std::uint32_t i = 0; i < shape.vertex_count; ++i) {
#pragma HLS LOOP_TRIPCOUNT min = 8 max = 4096
#pragma HLS PIPELINE II = 1  // one vertex in, one on-chip word out (kVertexInterval)
            const float* p = position + 3 * (std::size_t(shape.vertex_first) + i);
            clip[i] = transform(object.mvp, p[0], p[1], p[2]);
            crossed |= clip_code(clip[i]);
        }

        const std::uint32_t last = shape.triangle_first + shape.triangle_count;
    TRIANGLE_CHUNK:
        for (std::uint32_t first = shape.triangle_first; first < last;) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 8
            // Without a vertex beyond a clip plane the whole mesh is one run.
            const std::uint32_t stop = crossed != 0 && last - first > kChunkTriangles ? first + kChunkTriangles : last;
            int clipped = 0;
            if (crossed != 0) {
                clipped = find_clipped(triangle, first, stop, shape, clip, crossing);
                work.scanned += stop - first;
            }
        TRIANGLE_RUN:
            for (int k = 0; k <= clipped; ++k) {
#pragma HLS LOOP_TRIPCOUNT min = 1 max = 1
                const std::uint32_t until = k < clipped ? crossing[k] : stop;
                draw_run(view, triangle, first, until, shape, clip, object, sink, staging, s);
                ++work.runs;
                if (k < clipped) {
                    draw_clipped(view, triangle[until], shape, clip, object, sink, staging, s);
                }
                first = until + 1;
            }
            first = stop;
        }
    }

    scatter(view, sink, staging, parameters.record_capacity, parameters.labels != 0, record, band, s);
    model_schedule(parameters, (parameters.height + kBandRows - 1) / kBandRows, sink.staged, work, s);
    *statistics = s;
}
