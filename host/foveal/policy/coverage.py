"""How many pixels some rectangles cost, once they are regions."""

from __future__ import annotations

import numpy as np

from foveal.region import MAX_REGIONS, nested, outermost, pixels_held

__all__ = ["Coverage"]


class Coverage:
    """Counts for the first of some rectangles; which of them lie in another is looked up once for all counts."""

    def __init__(self, box: np.ndarray) -> None:
        """box: (N, 4) int64 x0, y0, x1, y1, none empty."""
        self._box = box
        self._hidden_from = np.concatenate([nested(box), np.ones((len(box), 1), bool)], axis=1).argmax(axis=1)

    def pixels(self, count: int, more: np.ndarray | None = None) -> int:
        """Pixels of the regions that :meth:`RegionSet.of_boxes` makes of the first `count`, and of (4,) `more`."""
        rows = self._box[:count][self._hidden_from[:count] >= count]
        if more is not None:
            rows = np.concatenate([rows, more[None]])
        if len(rows) > MAX_REGIONS:
            from foveal.merge import merged  # compiled code, as in RegionSet

            rows = merged(rows if more is None else outermost(rows), MAX_REGIONS)
        return pixels_held(rows)
