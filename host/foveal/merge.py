"""Fewer rectangles for many: join, again and again, the pair whose joint rectangle adds the fewest pixels."""

from __future__ import annotations

import numpy as np

from foveal.jit import compiled

__all__ = ["merged"]


def merged(boxes: np.ndarray, limit: int) -> np.ndarray:
    """(m, 4) int64 x0, y0, x1, y1 with m <= limit that cover all pixels of (n, 4) `boxes`; ties join the first pair."""
    work = np.ascontiguousarray(boxes, dtype=np.int64).copy()
    return work[: _merge(work, limit)]


@compiled
def _growth(box: np.ndarray, i: int, j: int) -> int:
    """Pixels of the joint rectangle of boxes i and j less their own."""
    width = max(box[i, 2], box[j, 2]) - min(box[i, 0], box[j, 0])
    height = max(box[i, 3], box[j, 3]) - min(box[i, 1], box[j, 1])
    own = (box[i, 2] - box[i, 0]) * (box[i, 3] - box[i, 1]) + (box[j, 2] - box[j, 0]) * (box[j, 3] - box[j, 1])
    return width * height - own


@compiled
def _nearest(box: np.ndarray, count: int, i: int, partner: np.ndarray, cost: np.ndarray) -> None:
    """The box after i that is cheapest to join with it."""
    cost[i] = np.iinfo(np.int64).max
    for j in range(i + 1, count):
        growth = _growth(box, i, j)
        if growth < cost[i]:
            cost[i], partner[i] = growth, j


@compiled
def _merge(box: np.ndarray, limit: int) -> int:
    """Merge in place; the number of boxes left, at the front."""
    count = len(box)
    partner, cost = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        _nearest(box, count, i, partner, cost)
    while count > limit:
        i = int(np.argmin(cost[:count]))
        j = partner[i]
        box[i, :2], box[i, 2:] = np.minimum(box[i, :2], box[j, :2]), np.maximum(box[i, 2:], box[j, 2:])
        last = count - 1
        box[j] = box[last]
        count = last
        for k in range(count):
            if k in (i, j) or partner[k] in (i, j, last):
                _nearest(box, count, k, partner, cost)
            elif k < i and _growth(box, k, i) < cost[k]:
                cost[k], partner[k] = _growth(box, k, i), i
    return count
