"""Draw list to screen triangles: hw/SPEC.md section 3, steps 2 to 6, 8, 9 and 11.

The instance cull (step 1) is left out: it may not change a pixel, so a model without it checks those that have it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.drawlist import DrawList, MeshSet
from foveal.golden.clip import clip_polygons, plane_distance, trivially_outside
from foveal.region import RegionSet

__all__ = ["FAR", "ScreenTriangles", "screen_triangles"]

FAR = (1 << 24) - 1
"""Depth of the far plane and of nothing."""

F32 = np.float32

COORDINATE_LIMIT = F32(1 << 22)
"""Screen coordinates (1/256 px) of this magnitude drop a triangle."""


@dataclass(frozen=True, slots=True)
class ScreenTriangles:
    """Triangles that may touch a region, in draw order; front faces turned so that area2 > 0.

    x, y: (N, 3) int64 in 1/256 px. z: (N, 3) int64 depth, 0..2^24-1.
    bounds: (N, 4) int64 x0, y0, x1, y1, half-open pixels inside the frame.
    surface: (N,) uint32 lit R | G << 8 | B << 16 | material << 24. label: (N,) uint32 instance | tag << 16.
    z0, dzdx, dzdy: (N,) int64 depth plane with 16 fractional bits, z0 at the bounds' first pixel.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    bounds: np.ndarray
    surface: np.ndarray
    label: np.ndarray
    z0: np.ndarray
    dzdx: np.ndarray
    dzdy: np.ndarray

    def __len__(self) -> int:
        return len(self.surface)


def screen_triangles(meshes: MeshSet, draw: DrawList, regions: RegionSet) -> ScreenTriangles:
    """Everything up to the edges. Raises ValueError for a region set of another frame size or an unknown mesh."""
    if (regions.width, regions.height) != (draw.width, draw.height):
        raise ValueError(
            f"regions are for {regions.width}x{regions.height}, the draw list for {draw.width}x{draw.height}; "
            "build the RegionSet with the draw list's size"
        )
    instance, triangle = _expand(meshes, draw)
    with np.errstate(all="ignore"):
        corner = _transform(meshes, draw, instance, triangle)
        kept = np.flatnonzero(~trivially_outside(corner))
        corner, source = _clipped(corner[kept], kept)
        x, y, z, sound = _screen(corner, draw)
    x, y, z, source = x[sound], y[sound], z[sound], source[sound]
    x, y, z, front = _facing(x, y, z)
    source = source[front]
    bounds = _bounds(x, y, draw)
    kept = np.flatnonzero(_meets(bounds, regions))
    x, y, z, bounds, source = x[kept], y[kept], z[kept], bounds[kept], source[kept]
    z0, dzdx, dzdy = _depth_plane(x, y, z, bounds)
    surface = _light(meshes, draw, instance[source], triangle[source])
    label = _labels(meshes, draw, instance[source], triangle[source])
    return ScreenTriangles(x, y, z, bounds, surface, label, z0, dzdx, dzdy)


def _expand(meshes: MeshSet, draw: DrawList) -> tuple[np.ndarray, np.ndarray]:
    """Instance and mesh-set triangle index of each drawn triangle, (T,) int64 both, in draw order."""
    if len(draw.mesh) and int(draw.mesh.max()) >= len(meshes.triangle_range):
        raise ValueError(f"frame {draw.frame} draws mesh {int(draw.mesh.max())} of {len(meshes.triangle_range)}")
    first, count = meshes.triangle_range[draw.mesh].astype(np.int64).reshape(-1, 2).T
    instance = np.repeat(np.arange(len(count)), count)
    begin = np.cumsum(count) - count
    return instance, np.arange(len(instance)) + np.repeat(first - begin, count)


def _transform(meshes: MeshSet, draw: DrawList, instance: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """(T, 3, 4) float32 clip coordinates: ((m0 x + m1 y) + m2 z) + m3 per row."""
    vertex = meshes.triangle[triangle]
    x, y, z = (meshes.position[:, axis][vertex] for axis in range(3))
    corner = np.empty((len(triangle), 3, 4), dtype=F32)
    for row in range(4):
        m0, m1, m2, m3 = (draw.mvp[:, row, column][instance][:, None] for column in range(4))
        corner[..., row] = ((m0 * x + m1 * y) + m2 * z) + m3
    return corner


def _clipped(corner: np.ndarray, source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pieces and the drawn triangles they come from, in draw order; what crosses no plane passes through as it is."""
    crossing = ~(plane_distance(corner) >= 0).all(axis=(1, 2)) | (corner[..., 3] <= 0).any(axis=1)
    piece, origin = clip_polygons(corner[crossing])
    joined = np.concatenate((corner[~crossing], piece))
    sources = np.concatenate((source[~crossing], source[crossing][origin]))
    order = np.argsort(sources, kind="stable")
    return joined[order], sources[order]


def _screen(corner: np.ndarray, draw: DrawList) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """x, y, z (N, 3) int64 and (N,) bool: finite and inside the coordinate range (the others' values mean nothing)."""
    half_w, half_h = F32(draw.width) / F32(2), F32(draw.height) / F32(2)
    iw = F32(1) / corner[..., 3]
    xs = (corner[..., 0] * iw) * half_w + half_w
    ys = half_h - (corner[..., 1] * iw) * half_h
    zs = (corner[..., 2] * iw) * F32(0.5) + F32(0.5)
    x, y = (np.floor(value * F32(256) + F32(0.5)) for value in (xs, ys))
    sound = np.isfinite(iw) & np.isfinite(zs) & (np.abs(x) < COORDINATE_LIMIT) & (np.abs(y) < COORDINATE_LIMIT)
    z = np.floor(np.clip(zs, F32(0), F32(1)).astype(np.float64) * FAR + 0.5)
    return x.astype(np.int64), y.astype(np.int64), z.astype(np.int64), np.asarray(sound.all(axis=1))


def _area2(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])


def _facing(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Front faces with corners 1 and 2 swapped, and their indices."""
    front = np.flatnonzero(_area2(x, y) < 0)
    swapped = [0, 2, 1]
    return x[front][:, swapped], y[front][:, swapped], z[front][:, swapped], front


def _bounds(x: np.ndarray, y: np.ndarray, draw: DrawList) -> np.ndarray:
    """Pixels whose centre lies between the smallest and the greatest coordinate, both included."""
    bx0 = np.maximum(0, -((128 - x.min(axis=1)) // 256))
    by0 = np.maximum(0, -((128 - y.min(axis=1)) // 256))
    bx1 = np.minimum(draw.width, (x.max(axis=1) - 128) // 256 + 1)
    by1 = np.minimum(draw.height, (y.max(axis=1) - 128) // 256 + 1)
    return np.stack((bx0, by0, bx1, by1), axis=1)


def _meets(bounds: np.ndarray, regions: RegionSet) -> np.ndarray:
    bx0, by0, bx1, by1 = bounds.T
    meets = np.zeros(len(bounds), dtype=bool)
    for region in regions:
        meets |= (bx0 < region.x1) & (bx1 > region.x0) & (by0 < region.y1) & (by1 > region.y0)
    return meets & (bx0 < bx1) & (by0 < by1)


def _depth_plane(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, bounds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """z0, dzdx, dzdy: hw/SPEC.md 3.8 (integer numerators, one float64 division, ties to even, saturation)."""
    (x0, x1, x2), (y0, y1, y2), (z0, z1, z2) = x.T, y.T, z.T
    area2 = _area2(x, y).astype(np.float64)

    def slope(numerator: np.ndarray) -> np.ndarray:
        steps = np.rint(numerator.astype(np.float64) * float(1 << 24) / area2)
        return np.clip(steps, -float(1 << 39), float((1 << 39) - 1)).astype(np.int64)

    dzdx = slope((z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0))
    dzdy = slope((z2 - z0) * (x1 - x0) - (z1 - z0) * (x2 - x0))
    right = bounds[:, 0] * 256 + 128 - x0
    down = bounds[:, 1] * 256 + 128 - y0
    start = z0 * (1 << 16) + (dzdx * right + dzdy * down) // 256
    return np.clip(start, -(1 << 47), (1 << 47) - 1), dzdx, dzdy


def _light(meshes: MeshSet, draw: DrawList, instance: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """(N,) uint32 surface: the albedo under ambient and sun light, rounded half up, and the material index."""
    nx, ny, nz = meshes.normal[triangle].T
    sx, sy, sz = draw.sun[instance].T
    facing = (nx * sx + ny * sy) + nz * sz
    light = F32(draw.ambient) + F32(draw.diffuse) * np.maximum(facing, F32(0))
    albedo = meshes.surface[triangle]
    lit = np.floor(albedo[:, :3].astype(F32) * light[:, None] + F32(0.5))
    channel = np.clip(lit, 0, 255).astype(np.uint32)
    material = albedo[:, 3].astype(np.uint32)
    return channel[:, 0] | channel[:, 1] << 8 | channel[:, 2] << 16 | material << 24


def _labels(meshes: MeshSet, draw: DrawList, instance: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """(N,) uint32: the triangle's label, with the draw list's instance where that is not 0."""
    own, given = meshes.label[triangle], draw.instance[instance].astype(np.uint32)
    return np.where(given > 0, (own & np.uint32(0xFF0000)) | given, own).astype(np.uint32)
