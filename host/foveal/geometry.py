"""Triangle records from meshes and a draw list: the HLS geometry kernel, compiled natively.

The structs are those of hw/hls/geometry.hpp; the formats and rules are hw/SPEC.md, sections 3 and 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import foveal._geometry as _geometry
from foveal.drawlist import DrawList, MeshSet
from foveal.region import RegionSet

__all__ = ["BAND_ROWS", "Geometry", "PackedMeshes", "Records", "band_count", "pack_instances", "pack_meshes", "setup"]

BAND_ROWS = 32
"""Rows of a band (`kBandRows`)."""

MAX_BANDS = 128
MAX_MESHES = 65536
MAX_MESH_VERTICES = 65536
RECORD_BYTES = 64

TRIANGLE = np.dtype(
    [("vertex", "<u4", 3), ("normal", "<f4", 3), ("albedo", "u1", 3), ("material", "u1"), ("label", "<u4")]
)
MESH = np.dtype(
    [
        ("vertex_first", "<u4"),
        ("vertex_count", "<u4"),
        ("triangle_first", "<u4"),
        ("triangle_count", "<u4"),
        ("bounds", "<f4", (2, 3)),
    ]
)
INSTANCE = np.dtype([("mvp", "<f4", (4, 4)), ("sun", "<f4", 3), ("mesh", "<u2"), ("instance", "<u2")])
REGION = np.dtype("<u2")

_STATISTICS_U32 = (
    "flags",
    "instances_culled",
    "vertices",
    "triangles_in",
    "triangles_outside",
    "triangles_clipped",
    "triangles_fanned",
    "dropped_invalid",
    "dropped_facing",
    "dropped_empty",
    "dropped_region",
    "triangles_out",
    "records_needed",
    "records_written",
    "bands_active",
    "bursts",
)
STATISTICS = np.dtype([(name, "<u4") for name in _STATISTICS_U32] + [("cycles", "<u8"), ("bytes", "<u8")])

PARAMETERS = np.dtype(
    [
        ("width", "<u4"),
        ("height", "<u4"),
        ("ambient", "<f4"),
        ("diffuse", "<f4"),
        ("meshes", "<u4"),
        ("instances", "<u4"),
        ("regions", "<u4"),
        ("staging_capacity", "<u4"),
        ("record_capacity", "<u4"),
        ("labels", "<u4"),
        ("reserved", "<u4", 2),
    ]
)
"""FrameParameters of hw/hls/geometry.hpp, by the names of foveal.card.FrameCall."""

STAGING_OVERFLOW, RECORD_OVERFLOW, BAD_INPUT, BAD_FRAME = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class PackedMeshes:
    """A MeshSet as the kernel reads it: position (V, 3) float32, triangle (T,) TRIANGLE, mesh (M,) MESH."""

    position: np.ndarray
    triangle: np.ndarray
    mesh: np.ndarray


@dataclass(frozen=True, slots=True)
class Records:
    """What geometry hands to the rasteriser.

    records: (N, 64) uint8, sorted into bands. bands: (B, 2) uint32 first record and count of each band of 32 rows.
    labels: the same records with labels for surfaces, if they were asked for.
    stats: the kernel's counters; `cycles`, `bytes` and `bursts` are modelled (hw/hls/README.md), the others counted.
    """

    records: np.ndarray
    bands: np.ndarray
    stats: dict[str, int]
    labels: np.ndarray | None = None


def band_count(height: int) -> int:
    """Bands of a frame `height` rows tall."""
    return -(-height // BAND_ROWS)


def pack_meshes(meshes: MeshSet) -> PackedMeshes:
    """The kernel's layout of `meshes`.

    Raises ValueError for a mesh that is larger than its on-chip vertex store, or more meshes than it can name.
    """
    if len(meshes.vertex_range) > MAX_MESHES:
        raise ValueError(f"{len(meshes.vertex_range)} meshes, the kernel names {MAX_MESHES}; join some of them")
    largest = int(meshes.vertex_range[:, 1].max(initial=0))
    if largest > MAX_MESH_VERTICES:
        raise ValueError(f"a mesh has {largest} vertices, the kernel holds {MAX_MESH_VERTICES}; split the mesh")
    triangle = np.zeros(len(meshes.triangle), TRIANGLE)
    triangle["vertex"] = meshes.triangle
    triangle["normal"] = meshes.normal
    triangle["albedo"] = meshes.surface[:, :3]
    triangle["material"] = meshes.surface[:, 3]
    triangle["label"] = meshes.label
    mesh = np.zeros(len(meshes.vertex_range), MESH)
    mesh["vertex_first"], mesh["vertex_count"] = meshes.vertex_range.T
    mesh["triangle_first"], mesh["triangle_count"] = meshes.triangle_range.T
    mesh["bounds"] = meshes.bounds
    return PackedMeshes(np.ascontiguousarray(meshes.position), triangle, mesh)


def pack_instances(draw: DrawList, into: np.ndarray | None = None) -> np.ndarray:
    """(N,) INSTANCE: the kernel's layout of a draw list's instances. into: such an array, to be filled."""
    instance = np.zeros(len(draw.mesh), INSTANCE) if into is None else into
    instance["mvp"] = draw.mvp
    instance["sun"] = draw.sun
    instance["mesh"] = draw.mesh
    instance["instance"] = draw.instance
    return instance


class Geometry:
    """The kernel with its meshes and scratch memory; grows the scratch when a frame needs more."""

    def __init__(self, meshes: MeshSet, capacity: int = 65536) -> None:
        """capacity: triangles and records to make room for at first."""
        self._packed = pack_meshes(meshes)
        self._staging = np.empty((capacity, RECORD_BYTES), np.uint8)
        self._records = np.empty((capacity, RECORD_BYTES), np.uint8)

    def setup(self, draw: DrawList, regions: RegionSet, labels: bool = False) -> Records:
        """Records of one frame; labels: also those with labels for surfaces.

        Raises ValueError when the frame, a mesh index or a vertex index does not fit.
        """
        if (regions.width, regions.height) != (draw.width, draw.height):
            raise ValueError(
                f"regions are for {regions.width}x{regions.height}, the draw list for {draw.width}x{draw.height}"
            )
        while True:
            bands, stats = self.run(draw, regions.array(), labels)
            if stats["flags"] & (BAD_INPUT | BAD_FRAME):
                raise ValueError(
                    f"frame {draw.frame}: a mesh, vertex or region index is out of range (flags {stats['flags']:#x}); "
                    "check the draw list against its mesh set"
                )
            if not stats["flags"]:
                break
            self._staging = _grown(self._staging, stats["triangles_out"])
            self._records = _grown(self._records, stats["records_needed"] * (2 if labels else 1))
        half, count = len(self._records) // 2, stats["records_written"]
        labelled = self._records[half : half + count].copy() if labels else None
        return Records(self._records[:count].copy(), bands, stats, labelled)

    def run(self, draw: DrawList, regions: np.ndarray, labels: bool = False) -> tuple[np.ndarray, dict[str, int]]:
        """One call of the kernel as it is: regions (n, 4), 0..65,535, unchecked; returns the band table and counters.

        Overflow shows in `flags`; nothing is repeated. The records stay inside.
        """
        bands = np.zeros((MAX_BANDS, 2), np.uint32)
        statistics = np.zeros(1, STATISTICS)
        _geometry.geometry(
            self._packed.position,
            _rows(self._packed.triangle),
            _rows(self._packed.mesh),
            _rows(pack_instances(draw)),
            _rows(np.ascontiguousarray(regions, REGION).reshape(-1, 4)),
            draw.width,
            draw.height,
            draw.ambient,
            draw.diffuse,
            labels,
            self._staging,
            self._records,
            _rows(bands),
            _rows(statistics),
        )
        stats = {name: int(statistics[name][0]) for name in STATISTICS.names or ()}
        return bands[: band_count(draw.height)], stats


def setup(meshes: MeshSet, draw: DrawList, regions: RegionSet) -> Records:
    """Records of a single frame; keep a :class:`Geometry` to render many."""
    return Geometry(meshes).setup(draw, regions)


def _rows(array: np.ndarray) -> np.ndarray:
    """An array of n structs or rows as (n, bytes a row) uint8, sharing memory."""
    row_bytes = array.dtype.itemsize * math.prod(array.shape[1:])
    return array.reshape(-1).view(np.uint8).reshape(len(array), row_bytes)


def _grown(array: np.ndarray, needed: int) -> np.ndarray:
    return array if len(array) >= needed else np.empty((needed + needed // 4, RECORD_BYTES), np.uint8)
