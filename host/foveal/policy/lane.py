"""Regions along the lane that the ego is about to drive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes
from foveal.projection import project_many

__all__ = ["LaneAhead"]

_THIN_M = 0.05


class LaneAhead:
    """The lane's surface ahead, and a little above it, as a few rectangles.

    `foveal.carla.lane_ahead` has a path for CARLA.

    The weight of a stretch is the reciprocal of the seconds until the ego is there (at `pace_m_s` at least).
    """

    def __init__(
        self,
        path: Callable[[Sight], np.ndarray],
        height_m: float = 1.0,
        pieces: int = 4,
        weight: float = 1.0,
        pace_m_s: float = 5.0,
    ) -> None:
        """path: gives (N, 7): poses x, y, z, pitch, yaw, roll along the lane, nearest first, and its width, in metres.

        height_m: what stands on the lane is seen up to here. pieces: rectangles to make of it. weight: of the policy
        as a whole. Raises ValueError for figures that are not positive.
        """
        if not all(figure > 0 for figure in (height_m, weight, pace_m_s, pieces)):
            raise ValueError("height, pieces, weight and pace of the lane ahead must be positive")
        self._path, self._height_m, self._pieces = path, height_m, pieces
        self._weight, self._pace_m_s = weight, pace_m_s

    def wishes(self, sight: Sight) -> Wishes:
        path = np.asarray(self._path(sight), dtype=np.float64).reshape(-1, 7)
        if len(path) < 2:
            return Wishes.of(np.zeros((0, 4), np.int64))
        step = np.sqrt(((path[1:, :3] - path[:-1, :3]) ** 2).sum(axis=1))
        pose = path[:-1, :6].copy()
        pose[:, :3] = (path[1:, :3] + path[:-1, :3]) / 2
        half = (self._height_m + _THIN_M) / 2
        box = np.zeros((len(pose), 9))
        box[:, 2] = half - _THIN_M
        box[:, 3], box[:, 4], box[:, 5] = step / 2, path[:-1, 6] / 2, half
        projected = project_many(sight.camera, pose, box)
        reached = np.cumsum(step) - step
        seen = np.flatnonzero(projected.visible)
        # A stretch looks the smaller the farther it is: the pieces' lengths grow geometrically.
        ends = np.unique(np.geomspace(1, len(seen) + 1, self._pieces + 1)[1:-1].astype(int) - 1)
        groups = [group for group in np.split(seen, ends) if len(group)]
        region = [(*projected.region[g, :2].min(axis=0), *projected.region[g, 2:].max(axis=0)) for g in groups]
        seconds = np.array([max(reached[g[0]] / self._pace_m_s, 0.01) for g in groups])
        return Wishes.of(np.array(region, np.int64).reshape(-1, 4), self._weight / seconds)
