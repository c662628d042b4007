"""Bounds in the picture of what the view leaves of boxes; compiled, a box at a time.

The corners of a box's clipped faces are the ends of its edges cut by the view, and the points where the view's own
edges (four rays from the near plane on, and the near plane's four sides) pierce the box.
"""

from __future__ import annotations

import numpy as np

from foveal.jit import compiled

__all__ = ["clipped_bounds"]

_EDGE = np.array([(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
_PLANES = 5


def clipped_bounds(
    corner: np.ndarray,
    centre: np.ndarray,
    axes: np.ndarray,
    extent: np.ndarray,
    focal_px: float,
    size_px: tuple[int, int],
    near_m: float,
) -> tuple[np.ndarray, np.ndarray]:
    """(N, 4) u0, v0, u1, v1 within the picture, NaN where nothing is seen, and (N,) bool whether anything is.

    In the camera's frame (x forward, y right, z up), metres: corner (N, 8, 3), index 4 ix + 2 iy + iz; centre (N, 3);
    axes (N, 3, 3), columns are the box's own; extent (N, 3) half sizes.
    """
    bounds, seen = np.full((len(corner), 4), np.nan), np.zeros(len(corner), np.bool_)
    arrays = (np.ascontiguousarray(array, dtype=np.float64) for array in (corner, centre, axes, extent))
    _clip(*arrays, float(focal_px), float(size_px[0]), float(size_px[1]), float(near_m), bounds, seen)
    return bounds, seen


@compiled
def _clip(
    corner: np.ndarray,
    centre: np.ndarray,
    axes: np.ndarray,
    extent: np.ndarray,
    focal: float,
    width: float,
    height: float,
    near: float,
    bounds: np.ndarray,
    seen: np.ndarray,
) -> None:
    cx, cy = width / 2.0, height / 2.0
    across, up = cx / focal, cy / focal
    # The view's edges: four rays through the picture's corners, then the near plane's sides between them.
    start, along = np.empty((8, 3)), np.empty((8, 3))
    side, rise = (-1.0, 1.0, 1.0, -1.0), (1.0, 1.0, -1.0, -1.0)
    for k in range(4):
        n = (k + 1) % 4
        along[k] = np.array((1.0, side[k] * across, rise[k] * up))
        start[k] = near * along[k]
        start[k + 4] = start[k]
        along[k + 4] = near * np.array((0.0, (side[n] - side[k]) * across, (rise[n] - rise[k]) * up))
    distance = np.empty((8, _PLANES))
    low, high = np.empty(2), np.empty(2)
    for box in range(len(corner)):
        _distances(corner[box], focal, cx, cy, near, distance)
        low[:], high[:] = np.inf, -np.inf
        if (distance >= 0.0).all():
            for k in range(8):
                _meet(corner[box, k], focal, width, height, low, high)
        elif _outside(distance):
            continue
        else:
            _meet_edges(corner[box], distance, focal, width, height, low, high)
            _meet_view(start, along, centre[box], axes[box], extent[box], focal, width, height, low, high)
        if low[0] <= high[0]:
            seen[box] = True
            bounds[box, 0], bounds[box, 1], bounds[box, 2], bounds[box, 3] = low[0], low[1], high[0], high[1]


@compiled
def _distances(corner: np.ndarray, focal: float, cx: float, cy: float, near: float, out: np.ndarray) -> None:
    """(8, 5) how far corners are inside the near, left, right, top and bottom plane (the sides in px times m)."""
    for k in range(8):
        x, y, z = corner[k]
        out[k, 0] = x - near
        out[k, 1], out[k, 2] = cx * x + focal * y, cx * x - focal * y
        out[k, 3], out[k, 4] = cy * x - focal * z, cy * x + focal * z


@compiled
def _outside(distance: np.ndarray) -> bool:
    """Whether one plane has all corners beyond it."""
    for plane in range(_PLANES):
        beyond = True
        for k in range(8):
            if distance[k, plane] >= 0.0:
                beyond = False
                break
        if beyond:
            return True
    return False


@compiled
def _meet(point: np.ndarray, focal: float, width: float, height: float, low: np.ndarray, high: np.ndarray) -> None:
    """Let the bounds take in a point of the camera's frame."""
    u = min(max(width / 2.0 + focal * point[1] / point[0], 0.0), width)
    v = min(max(height / 2.0 - focal * point[2] / point[0], 0.0), height)
    low[0], low[1] = min(low[0], u), min(low[1], v)
    high[0], high[1] = max(high[0], u), max(high[1], v)


@compiled
def _meet_edges(
    corner: np.ndarray,
    distance: np.ndarray,
    focal: float,
    width: float,
    height: float,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Both ends of what is inside the view of each of the 12 edges."""
    for edge in range(12):
        a, b = _EDGE[edge]
        enter, leave = 0.0, 1.0
        for plane in range(_PLANES):
            d0, d1 = distance[a, plane], distance[b, plane]
            if d0 < 0.0 and d1 < 0.0:
                enter, leave = 1.0, 0.0
                break
            if d0 < 0.0:
                enter = max(enter, d0 / (d0 - d1))
            elif d1 < 0.0:
                leave = min(leave, d0 / (d0 - d1))
        if enter <= leave + 1e-12:
            for t in (enter, leave):
                _meet(corner[a] + t * (corner[b] - corner[a]), focal, width, height, low, high)


@compiled
def _meet_view(
    start: np.ndarray,
    along: np.ndarray,
    centre: np.ndarray,
    axes: np.ndarray,
    extent: np.ndarray,
    focal: float,
    width: float,
    height: float,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Where the view's edges enter and leave the box."""
    for k in range(8):
        first, last = -np.inf, np.inf
        for axis in range(3):
            o = d = 0.0
            for i in range(3):
                o += (start[k, i] - centre[i]) * axes[i, axis]
                d += along[k, i] * axes[i, axis]
            if d == 0.0:
                if abs(o) > extent[axis]:
                    first, last = np.inf, -np.inf
            else:
                t0, t1 = (-extent[axis] - o) / d, (extent[axis] - o) / d
                first, last = max(first, min(t0, t1)), min(last, max(t0, t1))
        if first <= last:
            end = np.inf if k < 4 else 1.0
            for t in (first, last):
                if 0.0 <= t <= end and t < np.inf:
                    _meet(start[k] + t * along[k], focal, width, height, low, high)
