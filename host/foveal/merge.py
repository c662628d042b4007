"""Fewer rectangles for many: join, again and again, the pair whose joint rectangle adds the fewest pixels."""

from __future__ import annotations

import numpy as np

from foveal.jit import compiled

__all__ = ["merged"]


def merged(boxes: np.ndarray, limit: int) -> np.ndarray:
    """(m, 4) int64 x0, y0, x1, y1 with m <= limit that cover all pixels of (n, 4) `boxes`."""
    work = np.ascontiguousarray(boxes, dtype=np.int64).copy()
    return work[: _merge(work, limit)]


@compiled
def _nearest(box: np.ndarray, area: np.ndarray, count: int, i: int, partner: np.ndarray, cost: np.ndarray) -> None:
    """The box that is cheapest to join with i: what the joint rectangle holds less what both hold."""
    best, at = np.iinfo(np.int64).max, 0
    x0, y0, x1, y1 = box[i]
    for j in range(count):
        width = max(x1, box[j, 2]) - min(x0, box[j, 0])
        height = max(y1, box[j, 3]) - min(y0, box[j, 1])
        growth = width * height - area[j]
        if growth < best and j != i:
            best, at = growth, j
    partner[i], cost[i] = at, best - area[i]


@compiled
def _merge(box: np.ndarray, limit: int) -> int:
    """Merge in place; the number of boxes left, at the front."""
    count = len(box)
    partner, cost = np.zeros(count, np.int64), np.zeros(count, np.int64)
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    for i in range(count):
        _nearest(box, area, count, i, partner, cost)
    while count > limit:
        i = int(np.argmin(cost[:count]))
        j = partner[i]  # behind i, which is the first of the two that cost this much
        box[i, :2], box[i, 2:] = np.minimum(box[i, :2], box[j, :2]), np.maximum(box[i, 2:], box[j, 2:])
        area[i] = (box[i, 2] - box[i, 0]) * (box[i, 3] - box[i, 1])
        count -= 1
        box[j], area[j], partner[j], cost[j] = box[count], area[count], partner[count], cost[count]
        _nearest(box, area, count, i, partner, cost)
        for k in range(count):
            if k == i:
                continue
            width = max(box[i, 2], box[k, 2]) - min(box[i, 0], box[k, 0])
            height = max(box[i, 3], box[k, 3]) - min(box[i, 1], box[k, 1])
            growth = width * height - area[i] - area[k]
            if growth <= cost[k]:
                cost[k], partner[k] = growth, i
            elif partner[k] in (i, j):
                _nearest(box, area, count, k, partner, cost)
            elif partner[k] == count:
                partner[k] = j
    return count
