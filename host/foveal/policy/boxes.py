"""Regions around boxes of the world that are no actors: a stop line, a house."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal.policy.margin import widened
from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.projection import project_many

__all__ = ["WorldBoxes"]

_AT_ORIGIN = np.zeros((1, 6))


class WorldBoxes:
    """A rectangle around each box that `lookup` names for the tick."""

    def __init__(
        self,
        lookup: Callable[[Sight], np.ndarray],
        margin_px: float = 4.0,
        margin_share: float = 0.1,
        weight: float = 1.0,
    ) -> None:
        """lookup: gives (N, 9) world boxes, as `Tick.box` but in the world's frame.

        margin_px, margin_share: each side is widened by so many pixels plus so much of the rectangle's size.
        weight: importance of each. Raises ValueError for figures that are negative or NaN.
        """
        if not all(figure >= 0 for figure in (margin_px, margin_share, weight)):
            raise ValueError("margins and weight of world boxes must be numbers >= 0")
        self._lookup, self._margin_px, self._margin_share, self._weight = lookup, margin_px, margin_share, weight

    def wishes(self, sight: Sight) -> Wishes:
        box = np.asarray(self._lookup(sight), dtype=np.float64).reshape(-1, 9)
        projected = project_many(sight.camera, np.repeat(_AT_ORIGIN, len(box), axis=0), box)
        region = projected.region[projected.visible]
        return Wishes.of(widened(region, self._margin_px, self._margin_share), self._weight)
