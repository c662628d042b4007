// Constants of the geometry kernel. Each comes from hw/SPEC.md; the divisibility rules are checked here.
#pragma once

#include <cstdint>

namespace foveal::config {

constexpr int kMaxSide = 4096;     // frame width and height limit
constexpr int kBandRows = 32;      // rows of a band
constexpr int kMaxBands = kMaxSide / kBandRows;
constexpr int kMaxRegions = 16;    // rectangles of a region set
constexpr int kMaxPolygon = 8;     // vertices of a clipped triangle: 3 + one per clip plane
constexpr int kClipPlanes = 5;     // near and four guard planes
constexpr float kGuard = 4.0F;     // guard band in ndc

constexpr int kSubpixelBits = 8;   // screen coordinates are 1/256 px
constexpr int kHalfPixel = 1 << (kSubpixelBits - 1);
constexpr int kScreenBits = 23;    // signed width of a screen coordinate
constexpr int kEdgeBits = 24;      // edge coefficients a, b
constexpr int kEdgeConstantBits = 40;
constexpr int kDepthFractionBits = 16;
constexpr int kDepthStepBits = 40; // dzdx, dzdy
constexpr int kDepthBaseBits = 48; // z0
constexpr std::uint32_t kDepthMax = (1U << 24) - 1;

constexpr int kRecordBytes = 64;   // one 512-bit beat
constexpr int kSurfaceByte = 8;    // of a record: its surface, 4 bytes
constexpr int kNumberByte = 61;    // of a record: the triangle's number, 3 bytes; in staging, its label
constexpr int kBandEntryBytes = 8;
constexpr int kBandEntriesPerBeat = kRecordBytes / kBandEntryBytes;
constexpr int kMaxInstances = 1 << 20;
constexpr int kMaxMeshes = 1 << 16;         // an instance names its mesh in 16 bits
constexpr int kMaxMeshVertices = 1 << 16;   // held on chip after the transform: 1 MiB, three copies, 96 URAM
constexpr int kMaxMeshTriangles = 1 << 24;  // bounds the loops
constexpr int kChunkTriangles = 1024;  // triangles that are scanned for clipping at once
constexpr int kChunkRecords = 64;      // records of a burst of the second pass

// The modelled schedule (README.md). Cycles at the kernel's clock.
constexpr int kInstanceCycles = 96;    // matrix read, eight corners, region test: latency, not pipelined
constexpr int kVertexInterval = 1;     // 12 bytes in, one on-chip word out
constexpr int kTriangleInterval = 1;   // 32 bytes in; three on-chip reads side by side; at most one record out
constexpr int kScanInterval = 1;       // search for triangles to clip, only in instances that cross a clip plane
constexpr int kClipCycles = 400;       // a clipped triangle: a polygon at a time, at most 5 planes x 8 edges
constexpr int kScatterInterval = 2;    // a band copy: on-chip read, compare, one beat out
constexpr int kPipelineCycles = 120;   // fill of a pipelined loop, once each time it is entered
constexpr int kBurstCycles = 8;        // address overhead of a burst that outstanding requests do not hide
constexpr int kBurstBytes = 4096;

static_assert(kMaxSide % kBandRows == 0, "bands must tile the tallest frame");
static_assert(kMaxBands % kBandEntriesPerBeat == 0, "the band table must fill whole beats");
static_assert(kMaxPolygon == 3 + kClipPlanes, "each plane adds at most one vertex to a convex polygon");
static_assert(kEdgeBits == kScreenBits + 1, "an edge coefficient is a difference of two coordinates");
static_assert((static_cast<int>(kGuard) + 1) * kMaxSide / 2 < (1 << (kScreenBits - 1 - kSubpixelBits)),
              "the guard band must fit the screen coordinate");
static_assert(kBurstBytes == kChunkRecords * kRecordBytes, "a chunk of records is one burst");
static_assert(kBurstBytes % kRecordBytes == 0, "a burst holds whole records");

}  // namespace foveal::config
