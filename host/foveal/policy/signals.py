"""Regions around the traffic lights and signs that the ego must obey next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal.policy.margin import widened
from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.projection import project_many

__all__ = ["SignalsAhead"]


class SignalsAhead:
    """A rectangle around each head of a light and each sign that governs the ego.

    `foveal.carla.ego_signals` has a lookup for CARLA.

    The weight is the signal's importance over the seconds until the ego is at its line (at `pace_m_s` at least).
    """

    def __init__(
        self,
        signals: Callable[[Sight], np.ndarray],
        margin_px: float = 4.0,
        margin_share: float = 0.25,
        min_area_px: int = 4,
        weight: float = 1.0,
        pace_m_s: float = 5.0,
    ) -> None:
        """signals: gives (N, 11): world boxes, as `Tick.box` but in the world's frame, then metres along the lane to
        where each applies, then its importance.

        Each side is widened by `margin_px` plus `margin_share` of the rectangle's size along it. A rectangle of fewer
        than `min_area_px` pixels before widening is dropped. weight: of the policy as a whole. Raises ValueError for
        figures that are negative or NaN, and a pace that is not positive.
        """
        if not (all(figure >= 0 for figure in (margin_px, margin_share, min_area_px, weight)) and pace_m_s > 0):
            raise ValueError("margins, area and weight of signals must be numbers >= 0, and their pace above 0")
        self._signals, self._weight, self._pace_m_s = signals, weight, pace_m_s
        self._margin_px, self._margin_share, self._min_area_px = margin_px, margin_share, min_area_px

    def wishes(self, sight: Sight) -> Wishes:
        rows = np.asarray(self._signals(sight), dtype=np.float64).reshape(-1, 11)
        projected = project_many(sight.camera, np.zeros((len(rows), 6)), rows[:, :9])
        size = projected.region[:, 2:] - projected.region[:, :2]
        large = projected.visible & (size[:, 0] * size[:, 1] >= self._min_area_px)
        seconds = np.maximum(rows[:, 9] / max(_speed(sight), self._pace_m_s), 0.01)
        box = widened(projected.region[large], self._margin_px, self._margin_share)
        return Wishes.of(box, self._weight * rows[large, 10] / seconds[large])


def _speed(sight: Sight) -> float:
    """The ego's in m/s; 0 where nobody carries the camera."""
    tick = sight.tick
    own = np.flatnonzero(tick.actor_id == tick.ego_id)
    return float(np.sqrt((tick.velocity[own[0]] ** 2).sum())) if tick.ego_id and len(own) else 0.0
