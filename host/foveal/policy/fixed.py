"""Rectangles that stay where they are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.region import Region

__all__ = ["Fixed"]


class Fixed:
    """The same rectangles in each frame: a mirror, an instrument, the lower half."""

    def __init__(self, regions: Iterable[Region], weight: float = 1.0) -> None:
        """weight: importance of each. Raises ValueError for a weight below 0."""
        box = np.array([(r.x0, r.y0, r.x1, r.y1) for r in regions], np.int64).reshape(-1, 4)
        self._wishes = Wishes.of(box, weight)

    def wishes(self, sight: Sight) -> Wishes:
        return self._wishes
