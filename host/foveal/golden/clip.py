"""Clip-space steps of hw/SPEC.md 3.2 and 3.3: trivial reject, Sutherland-Hodgman, fan. float32, each step rounded."""

from __future__ import annotations

import numpy as np

__all__ = ["clip_polygons", "plane_distance", "trivially_outside"]

MAX_VERTICES = 8
"""Three corners and one more for each of the five planes; rounding can make more, then the polygon is dropped."""


def trivially_outside(corner: np.ndarray) -> np.ndarray:
    """(N,) bool: all three corners are outside one of the planes x, y, z = -w, w. corner: (N, 3, 4) float32."""
    w = corner[..., 3]
    outside = np.zeros(len(corner), dtype=bool)
    for axis in range(3):
        value = corner[..., axis]
        outside |= (value < -w).all(axis=1) | (value > w).all(axis=1)
    return outside


def plane_distance(vertex: np.ndarray) -> np.ndarray:
    """(..., 5) float32 distances of clip-space vertices (..., 4): near, left, right, bottom and top guard planes."""
    x, y, z, w = (vertex[..., axis] for axis in range(4))
    w4 = np.float32(4) * w
    return np.stack((z + w, x + w4, w4 - x, y + w4, w4 - y), axis=-1)


def clip_polygons(corner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Clip triangles (N, 3, 4) float32 against the near plane and the guard band, and fan what is left.

    A plane is applied to a triangle only if one of its original corners is outside of it.
    Returns the pieces (K, 3, 4) float32 in draw order and the index (K,) of the triangle each comes from.
    A polygon that keeps a vertex with w <= 0 or gets a ninth vertex is dropped.
    """
    needs = ~np.asarray((plane_distance(corner) >= 0).all(axis=1))
    polygon = np.zeros((len(corner), MAX_VERTICES, 4), dtype=np.float32)
    polygon[:, :3] = corner
    count = np.full(len(corner), 3, dtype=np.int64)
    for plane in range(5):
        rows = np.flatnonzero(needs[:, plane] & (count > 0))
        if len(rows):
            polygon[rows], count[rows] = _cut(polygon[rows], count[rows], plane)
    used = np.arange(MAX_VERTICES) < count[:, None]
    count[((polygon[..., 3] <= 0) & used).any(axis=1)] = 0
    return _fan(polygon, count)


def _cut(polygon: np.ndarray, count: np.ndarray, plane: int) -> tuple[np.ndarray, np.ndarray]:
    """One Sutherland-Hodgman pass; edges are visited (v[n-1], v[0]), (v[0], v[1]), ..."""
    row = np.arange(len(polygon))
    distance = plane_distance(polygon)[..., plane]
    cut = np.zeros((len(polygon), 2 * MAX_VERTICES, 4), dtype=np.float32)
    length = np.zeros_like(count)
    for end in range(int(count.max())):
        start = np.where(end == 0, count - 1, end - 1)
        s, e = polygon[row, start], polygon[:, end]
        ds, de = distance[row, start], distance[:, end]
        visited = end < count
        s_in, e_in = ds >= 0, de >= 0
        crosses = np.flatnonzero(visited & (s_in != e_in))
        cut[crosses, length[crosses]] = _crossing(s[crosses], e[crosses], ds[crosses], de[crosses])
        length[crosses] += 1
        keeps = np.flatnonzero(visited & e_in)
        cut[keeps, length[keeps]] = e[keeps]
        length[keeps] += 1
    length[length > MAX_VERTICES] = 0
    return cut[:, :MAX_VERTICES], length


def _crossing(s: np.ndarray, e: np.ndarray, ds: np.ndarray, de: np.ndarray) -> np.ndarray:
    """P + t (Q - P) with P the inside end, so that both neighbours of an edge cut it at the same point."""
    s_in = ds >= 0
    inside, outside = np.where(s_in[:, None], s, e), np.where(s_in[:, None], e, s)
    d_inside, d_outside = np.where(s_in, ds, de), np.where(s_in, de, ds)
    t = d_inside / (d_inside - d_outside)
    return inside + t[:, None] * (outside - inside)


def _fan(polygon: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pieces = np.maximum(count - 2, 0)
    source = np.repeat(np.arange(len(polygon)), pieces)
    middle = np.arange(len(source)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 1
    piece = np.stack((polygon[source, 0], polygon[source, middle], polygon[source, middle + 1]), axis=1)
    return piece, source
