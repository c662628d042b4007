"""The lights and signs that govern the ego, from a CARLA server; a lookup for :class:`foveal.policy.SignalsAhead`."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import carla
import numpy as np

from foveal.carla.boxes import box_row, pose_row
from foveal.carla.failure import server_lost
from foveal.carla.lane_ahead import EgoLane
from foveal.policy.sight import Sight
from foveal.scene.axes import carla_matrix

__all__ = ["EgoSignals"]

_LOG = logging.getLogger(__name__)

_BEHIND_M = 4.0
"""Who waits a little past a light's trigger volume still waits at it."""

_SAMPLE_M = 0.5
_SAME_LINE_M = 5.0
_SIGN_M = 3.0
_SIGN_BOX = (0.0, 0.0, 2.5, 0.4, 0.4, 0.5, 0.0, 0.0, 0.0)
"""Where a server lists no box near a sign, it is taken to be this, in the actor's frame."""


class EgoSignals:
    """Those whose trigger volumes lie on the ego's lane up to a horizon: of lights the next, of signs all.

    Volumes, poses and boxes do not change while a map is loaded: each is asked for once. Make another one after loading
    a map.
    """

    def __init__(
        self, world: carla.World, horizon_m: float = 60.0, importance: Mapping[str, float] | None = None
    ) -> None:
        """importance: by prefix of the type, the first that fits; 1 for traffic lights and 0.5 for signs unless given,
        and none for what nothing fits.

        Raises ValueError for a horizon that is not positive, an importance below 0, or NaN.
        """
        self._importance = (
            dict(importance) if importance is not None else {"traffic.traffic_light": 1.0, "traffic.": 0.5}
        )
        if not all(value >= 0 for value in self._importance.values()):
            raise ValueError("the importance of a light or sign must be a number >= 0")
        self._world = world
        self._lane = EgoLane(world.get_map(), horizon_m)
        self._actors: list[carla.TrafficSign] = []
        self._weight = self._light = self._to_volume = self._half = np.empty(0)
        self._boxes: dict[int, np.ndarray] = {}
        self._plates: np.ndarray | None = None

    def __call__(self, sight: Sight) -> np.ndarray:
        """(N, 11) float64 world boxes, metres along the lane from the ego, importance.

        No row where the ego is on no lane. Raises ServerLost when the server is gone.
        """
        path = self._lane(sight)
        try:
            if not self._actors:  # a world shows no actor before its first tick
                self._meet()
            if len(path) < 2 or not self._actors:
                return np.zeros((0, 11))
            away = self._reached(path)
            near = np.flatnonzero(np.isfinite(away))
            lights = near[self._light[near]]
            later = lights[away[lights] > away[lights].min(initial=np.inf) + _SAME_LINE_M]
            parts = [self._rows(int(k), float(away[k])) for k in np.setdiff1d(near, later)]
        except RuntimeError as error:
            raise server_lost(error) from error
        return np.concatenate([np.zeros((0, 11)), *parts])

    def _reached(self, path: np.ndarray) -> np.ndarray:
        """(V,) metres along `path` to the first point in each volume, infinite for none."""
        first = path[0, :3] - _BEHIND_M * carla_matrix(path[0, :6])[:3, 0]
        points = np.concatenate([first[None], path[:, :3]])
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        at = np.arange(0.0, along[-1], _SAMPLE_M)
        fine = np.stack([*(np.interp(at, along, points[:, axis]) for axis in range(3)), np.ones_like(at)])
        local = (self._to_volume @ fine)[:, :3]
        # The lane's height and the volume's may differ by a slope; a sample may miss a thin volume by half a step.
        room = np.array([_SAMPLE_M, _SAMPLE_M, 2.0])
        inside = (np.abs(local) <= (self._half + room)[:, :, None]).all(axis=1)
        return np.where(inside.any(axis=1), np.maximum(at[inside.argmax(axis=1)] - _BEHIND_M, 0.0), np.inf)

    def _meet(self) -> None:
        weights, volumes = [], []
        for actor in sorted(self._world.get_actors().filter("traffic.*"), key=lambda actor: int(actor.id)):
            weight = next((w for prefix, w in self._importance.items() if actor.type_id.startswith(prefix)), None)
            volume = box_row(actor.trigger_volume)
            if weight is not None and all(volume[3:5]):
                self._actors.append(actor)
                weights.append(weight)
                volumes.append((pose_row(actor.get_transform()), volume))
        if not self._actors:
            return
        pose, box = (np.array(part) for part in zip(*volumes, strict=True))
        self._weight = np.array(weights)
        self._light = np.array([actor.type_id.startswith("traffic.traffic_light") for actor in self._actors])
        self._to_volume = np.linalg.inv(carla_matrix(pose) @ carla_matrix(box[:, [0, 1, 2, 6, 7, 8]]))
        self._half = box[:, 3:6]

    def _rows(self, index: int, away_m: float) -> np.ndarray:
        if index not in self._boxes:
            actor = self._actors[index]
            self._boxes[index] = self._heads(actor) if self._light[index] else self._plate(actor)
        box = self._boxes[index]
        return np.column_stack([box, np.full(len(box), away_m), np.full(len(box), self._weight[index])])

    def _heads(self, light: carla.TrafficLight) -> np.ndarray:
        """(N, 9) boxes of a light's heads, which CARLA gives in the world's frame."""
        return np.array([box_row(box) for box in light.get_light_boxes()]).reshape(-1, 9)

    def _plate(self, sign: carla.TrafficSign) -> np.ndarray:
        """(1, 9) box of a sign: the map's box of one next to the actor, which itself has none."""
        if self._plates is None:
            listed = self._world.get_level_bbs(carla.CityObjectLabel.TrafficSigns)
            self._plates = np.array([box_row(box) for box in listed]).reshape(-1, 9)
        pose = np.array(pose_row(sign.get_transform()))
        away = np.linalg.norm(self._plates[:, :2] - pose[:2], axis=1)
        if len(away) and away.min() < _SIGN_M:
            return self._plates[[away.argmin()]]
        _LOG.info("no box of a sign near actor %d (%s); taking a common one", sign.id, sign.type_id)
        plate = np.array(_SIGN_BOX)
        plate[:3] += pose[:3]
        plate[7] = pose[4]
        return plate[None]
