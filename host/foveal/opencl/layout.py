"""Device layout: NumPy types of the structs in kernels/types.cl, and the arrays of one frame."""

from __future__ import annotations

import numpy as np

from foveal.drawlist import DrawList, MeshSet
from foveal.region import MAX_REGIONS, RegionSet

__all__ = [
    "CHUNK",
    "CHUNK_TYPE",
    "FRAME_TYPE",
    "INSTANCE_TYPE",
    "RECORD_BYTES",
    "TILE_HEIGHT",
    "TILE_WIDTH",
    "TRIANGLE_TYPE",
    "active_tiles",
    "chunks",
    "frame",
    "instances",
    "padded",
    "region_table",
    "triangles",
    "visible",
]

CHUNK = 64
"""Triangles of a chunk."""

TILE_WIDTH, TILE_HEIGHT = 32, 32

FRAME_TYPE = np.dtype(
    [(name, "<i4") for name in ("width", "height")]
    + [(name, "<f4") for name in ("sx", "sy", "ambient", "diffuse")]
    + [(name, "<i4") for name in ("regions", "resident", "capacity", "chunks", "stride")]
    + [("background", "<u4")]
)
INSTANCE_TYPE = np.dtype([("mvp", "<f4", (4, 4)), ("sun", "<f4", 3), ("instance", "<u4")])
CHUNK_TYPE = np.dtype([("instance", "<u4"), ("first", "<u4"), ("count", "<u4"), ("reserved", "<u4")])
TRIANGLE_TYPE = np.dtype([("vertex", "<u4", 3), ("surface", "u1", 4), ("normal", "<f4", 3), ("label", "<u4")])
RECORD_BYTES = 80


def triangles(meshes: MeshSet) -> np.ndarray:
    """(T,) TRIANGLE_TYPE."""
    out = np.zeros(len(meshes.triangle), TRIANGLE_TYPE)
    out["vertex"] = meshes.triangle
    out["surface"] = meshes.surface
    out["normal"] = meshes.normal
    out["label"] = meshes.label
    return out


def instances(draw: DrawList) -> np.ndarray:
    """(N,) INSTANCE_TYPE."""
    out = np.zeros(len(draw.mesh), INSTANCE_TYPE)
    out["mvp"] = draw.mvp
    out["sun"] = draw.sun
    out["instance"] = draw.instance
    return out


def visible(meshes: MeshSet, draw: DrawList, regions: RegionSet) -> np.ndarray:
    """(N,) bool: instances whose box may touch a region. Errs on the side of drawing: widened by a pixel."""
    if not len(draw.mesh) or not len(regions):
        return np.zeros(len(draw.mesh), bool)
    low, high = meshes.bounds[draw.mesh].astype(np.float64).transpose(1, 0, 2)
    pick = (np.arange(8)[:, None] >> np.arange(3)) & 1
    corner = np.where(pick[None] == 1, high[:, None], low[:, None])
    clip = np.einsum("nij,nkj->nki", draw.mvp[:, :, :3].astype(np.float64), corner) + draw.mvp[:, None, :, 3]
    x, y, z, w = np.moveaxis(clip, 2, 0)
    slack = 1e-5 * (np.abs(clip).max(axis=2) + 1e-30)
    outside = np.zeros(len(draw.mesh), bool)
    for inner in (x + w, w - x, y + w, w - y, z + w, w - z):
        outside |= (inner < -slack).all(axis=1)
    ahead = ((w > slack) & (z + w >= 0)).all(axis=1)
    safe = np.where(w > slack, w, 1.0)
    px = (x / safe + 1) * (draw.width / 2)
    py = (1 - y / safe) * (draw.height / 2)
    box = regions.array().astype(np.float64)
    touches = (
        (px.min(axis=1)[:, None] - 1 < box[:, 2])
        & (px.max(axis=1)[:, None] + 1 > box[:, 0])
        & (py.min(axis=1)[:, None] - 1 < box[:, 3])
        & (py.max(axis=1)[:, None] + 1 > box[:, 1])
    ).any(axis=1)
    return ~outside & (~ahead | touches)


def chunks(meshes: MeshSet, draw: DrawList, drawn: np.ndarray) -> np.ndarray:
    """(n,) CHUNK_TYPE: the triangles of the instances in `drawn` (bool), in draw order."""
    instance = np.flatnonzero(drawn).astype(np.uint32)
    first, count = meshes.triangle_range[draw.mesh[instance]].T.astype(np.int64)
    parts = -(-count // CHUNK)
    out = np.zeros(int(parts.sum()), CHUNK_TYPE)
    ordinal = np.arange(len(out)) - np.repeat(np.cumsum(parts) - parts, parts)
    out["instance"] = np.repeat(instance, parts)
    out["first"] = np.repeat(first, parts) + ordinal * CHUNK
    out["count"] = np.minimum(CHUNK, np.repeat(count, parts) - ordinal * CHUNK)
    return out


def padded(width: int, height: int) -> tuple[int, int]:
    """Columns and rows of the device's picture: whole tiles."""
    return -(-width // TILE_WIDTH) * TILE_WIDTH, -(-height // TILE_HEIGHT) * TILE_HEIGHT


def frame(draw: DrawList, regions: RegionSet, resident: bool, capacity: int, chunk_count: int) -> np.ndarray:
    """(1,) FRAME_TYPE. resident: the material table is in use; capacity: record slots of a chunk."""
    red, green, blue = draw.background
    out = np.zeros(1, FRAME_TYPE)
    out["width"], out["height"] = draw.width, draw.height
    out["sx"], out["sy"] = draw.width / 2, draw.height / 2
    out["ambient"], out["diffuse"] = draw.ambient, draw.diffuse
    out["regions"], out["resident"] = len(regions), resident
    out["capacity"], out["chunks"] = capacity, chunk_count
    out["stride"] = padded(draw.width, draw.height)[0]
    out["background"] = 0xFF000000 | red << 16 | green << 8 | blue
    return out


def region_table(regions: RegionSet) -> np.ndarray:
    """(16, 4) int32: the regions, then empty ones."""
    out = np.zeros((MAX_REGIONS, 4), np.int32)
    out[: len(regions)] = regions.array()
    return out


def active_tiles(regions: RegionSet) -> np.ndarray:
    """(n, 4) int32 x0, y0, x1, y1: of each tile that a region touches, the part that regions need.

    x0 is widened down to a multiple of 8. Tiles without a region are left out.
    """
    columns, rows = -(-regions.width // TILE_WIDTH), -(-regions.height // TILE_HEIGHT)
    left, top = np.arange(columns) * TILE_WIDTH, np.arange(rows)[:, None] * TILE_HEIGHT
    area = np.empty((rows, columns, 4), np.int32)
    area[..., :2], area[..., 2:] = 1 << 20, 0
    for region in regions:
        across = slice(region.x0 // TILE_WIDTH, -(-region.x1 // TILE_WIDTH))
        down = slice(region.y0 // TILE_HEIGHT, -(-region.y1 // TILE_HEIGHT))
        x0, y0, x1, y1 = np.moveaxis(area[down, across], 2, 0)
        np.minimum(x0, np.maximum(left[across], region.x0) & ~7, out=x0)
        np.minimum(y0, np.maximum(top[down], region.y0), out=y0)
        np.maximum(x1, np.minimum(left[across] + TILE_WIDTH, region.x1), out=x1)
        np.maximum(y1, np.minimum(top[down] + TILE_HEIGHT, region.y1), out=y1)
    return np.ascontiguousarray(area[area[..., 2] > 0])
