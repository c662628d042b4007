"""Regions around vehicles and walkers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foveal.policy.margin import widened
from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.projection import BoxFlag, project_many
from foveal.scene.tick import Tick

__all__ = ["TrackedActors"]

PACE_M_S = 1.5
"""What stands still is weighted as if it came nearer at a walk."""


class TrackedActors:
    """A rectangle around each actor of some classes but the ego, within a distance of the camera.

    The weight is the class's weight over the seconds until the actor is reached at its present closing speed (at
    PACE_M_S at least): near and fast things first.
    """

    def __init__(
        self,
        distance_m: float = 80.0,
        margin_px: float = 4.0,
        margin_share: float = 0.1,
        min_area_px: int = 4,
        classes: Mapping[str, float] | None = None,
    ) -> None:
        """classes: weight by prefix of the blueprint id, the first that fits; vehicles 1 and walkers 2 unless given.

        Each side is widened by `margin_px` plus `margin_share` of the rectangle's size along it. A rectangle of fewer
        than `min_area_px` pixels before widening is dropped. Raises ValueError for figures that are negative or NaN.
        """
        if not all(figure >= 0 for figure in (distance_m, margin_px, margin_share, min_area_px)):
            raise ValueError("distance, margins and area of tracked actors must be numbers >= 0")
        self._classes = dict(classes) if classes is not None else {"vehicle.": 1.0, "walker.": 2.0}
        if not all(weight >= 0 for weight in self._classes.values()):
            raise ValueError("the weight of a class must be a number >= 0")
        self._distance_m = distance_m
        self._margin_px, self._margin_share, self._min_area_px = margin_px, margin_share, min_area_px

    def wishes(self, sight: Sight) -> Wishes:
        tick, camera = sight.tick, sight.camera
        importance = np.array([self._importance(name) for name in tick.types])[tick.actor_type]
        rows = np.flatnonzero((importance >= 0) & (tick.actor_id != tick.ego_id))
        offset = tick.transform[rows, :3] - camera.transform[:3]
        away = np.sqrt((offset * offset).sum(axis=1))
        close = away <= self._distance_m
        near, away, offset = rows[close], away[close], offset[close]
        projected = project_many(camera, tick.transform[near], tick.box[near], tick.actor_id[near])
        size = projected.region[:, 2:] - projected.region[:, :2]
        large = projected.visible & (size[:, 0] * size[:, 1] >= self._min_area_px)
        box = widened(projected.region, self._margin_px, self._margin_share)
        weight = importance[near] / _seconds(tick, near, offset, away)
        dropped = _dropped(projected.flags, projected.visible, large) | {"too_far": len(rows) - len(near)}
        return Wishes(box[large], weight[large], tick.actor_id[near[large]].astype(np.int64), dropped)

    def _importance(self, name: str) -> float:
        """Weight of a blueprint, -1 for one that is not tracked."""
        return next((weight for prefix, weight in self._classes.items() if name.startswith(prefix)), -1.0)


def _seconds(tick: Tick, rows: np.ndarray, offset: np.ndarray, away: np.ndarray) -> np.ndarray:
    """(N,) seconds until actors at `offset` (N, 3) from the camera would be reached, at least a hundredth."""
    own = np.flatnonzero(tick.actor_id == tick.ego_id)
    ego_velocity = tick.velocity[own[0]] if tick.ego_id and len(own) else np.zeros(3)
    approach = ((ego_velocity - tick.velocity[rows]) * offset).sum(axis=1) / np.maximum(away, 1e-6)
    return np.asarray(np.maximum(away / np.maximum(approach, PACE_M_S), 0.01))


def _dropped(flags: np.ndarray, visible: np.ndarray, large: np.ndarray) -> dict[str, int]:
    behind, outside = (flags & BoxFlag.BEHIND) > 0, (flags & BoxFlag.OUTSIDE_FRAME) > 0
    return {
        "behind": int(behind.sum()),
        "outside_frame": int(outside.sum()),
        "degenerate_extent": int((~visible & ~behind & ~outside).sum()),
        "too_small": int((visible & ~large).sum()),
    }
