"""Rectangles that stay where they are."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.region import Region

__all__ = ["Fixed"]

_LOG = logging.getLogger(__name__)


class Fixed:
    """The same rectangles in each frame: a mirror, an instrument, the lower half.

    One that lies wholly outside the picture is logged as a warning, once for each size of picture.
    """

    def __init__(self, regions: Iterable[Region], weight: float = 1.0) -> None:
        """weight: importance of each. Raises ValueError for a weight below 0."""
        self._regions = tuple(regions)
        self._sizes: set[tuple[int, int]] = set()
        box = np.array([(r.x0, r.y0, r.x1, r.y1) for r in self._regions], np.int64).reshape(-1, 4)
        self._wishes = Wishes.of(box, weight)

    def wishes(self, sight: Sight) -> Wishes:
        size = sight.camera.width, sight.camera.height
        if size not in self._sizes:
            self._sizes.add(size)
            for region in self._regions:
                if region.clipped(*size).empty:
                    _LOG.warning("%s holds no pixel of the %dx%d picture: nothing is rendered for it", region, *size)
        return self._wishes
