"""Coverage and depth by the definition: exact edge functions at pixel centres, strict less in draw order.

Written over corner coordinates, not over the record's edge coefficients, so that it checks them.
"""

from __future__ import annotations

import numpy as np

from foveal.golden.geometry import FAR, ScreenTriangles
from foveal.jit import compiled
from foveal.region import RegionSet

__all__ = ["rasterise", "seen"]


def rasterise(triangles: ScreenTriangles, regions: RegionSet) -> tuple[np.ndarray, np.ndarray]:
    """Depth, (height, width) uint32, and triangle, (height, width) int32 index into `triangles`.

    FAR and -1 where nothing is drawn.

    Only pixels between a row's leftmost and rightmost region are computed; the rest stays clear.
    """
    depth = np.full((regions.height, regions.width), FAR, dtype=np.uint32)
    triangle = np.full((regions.height, regions.width), -1, dtype=np.int32)
    left, right = _row_hull(regions)
    t = triangles
    _draw(t.x, t.y, t.bounds, t.z0, t.dzdx, t.dzdy, left, right, depth, triangle)
    return depth, triangle


def seen(value: np.ndarray, triangle: np.ndarray, kept: np.ndarray, nothing: int) -> np.ndarray:
    """(height, width) uint32: of each pixel's triangle its `value` (N,) uint32; `nothing` without one.

    triangle: as of rasterise(). kept: (height, width) bool; zero elsewhere.
    """
    picked = np.zeros(triangle.shape, dtype=np.uint32)
    _pick(value, triangle, kept, np.uint32(nothing), picked)
    return picked


def _row_hull(regions: RegionSet) -> tuple[np.ndarray, np.ndarray]:
    """Per row the smallest [left, right) that holds all its regions; left = width, right = 0 where there is none."""
    left = np.full(regions.height, regions.width, dtype=np.int64)
    right = np.zeros(regions.height, dtype=np.int64)
    for region in regions:
        rows = slice(region.y0, region.y1)
        np.minimum(left[rows], region.x0, out=left[rows])
        np.maximum(right[rows], region.x1, out=right[rows])
    return left, right


@compiled
def _pick(value, triangle, kept, nothing, picked):  # type: ignore[no-untyped-def]
    for j in range(picked.shape[0]):
        for i in range(picked.shape[1]):
            if kept[j, i]:
                n = triangle[j, i]
                picked[j, i] = value[n] if n >= 0 else nothing


@compiled
def _draw(x, y, bounds, z0, dzdx, dzdy, left, right, depth, triangle):  # type: ignore[no-untyped-def]
    step = np.empty(3, np.int64)
    rise = np.empty(3, np.int64)
    base = np.empty(3, np.int64)
    for n in range(len(z0)):
        bx0, by0, bx1, by1 = bounds[n, 0], bounds[n, 1], bounds[n, 2], bounds[n, 3]
        for p in range(3):
            q = (p + 1) % 3
            over, down = x[n, q] - x[n, p], y[n, q] - y[n, p]
            inclusive = down < 0 or (down == 0 and over > 0)
            step[p], rise[p] = -down * 256, over * 256
            base[p] = over * (by0 * 256 + 128 - y[n, p]) - down * (bx0 * 256 + 128 - x[n, p])
            if not inclusive:
                base[p] -= 1
        for j in range(by0, by1):
            i0, i1 = max(bx0, left[j]), min(bx1, right[j])
            e0 = base[0] + (j - by0) * rise[0] + (i0 - bx0) * step[0]
            e1 = base[1] + (j - by0) * rise[1] + (i0 - bx0) * step[1]
            e2 = base[2] + (j - by0) * rise[2] + (i0 - bx0) * step[2]
            z = z0[n] + (j - by0) * dzdy[n] + (i0 - bx0) * dzdx[n]
            entered = False
            for i in range(i0, i1):
                if (e0 | e1 | e2) >= 0:
                    entered = True
                    d = min(max(z >> 16, 0), FAR)
                    if d < depth[j, i]:
                        depth[j, i] = d
                        triangle[j, i] = n
                elif entered:
                    break
                e0 += step[0]
                e1 += step[1]
                e2 += step[2]
                z += dzdx[n]
