"""The part of a world that does not move, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from foveal.errors import SceneError

__all__ = ["Lane", "Mark", "StaticScene"]


class Lane(IntEnum):
    """Use of a lane, as far as its looks go."""

    DRIVING = 0
    SIDEWALK = 1
    PAVED = 2
    GREEN = 3


class Mark(IntEnum):
    """Line along a lane's edge."""

    NONE = 0
    SOLID = 1
    BROKEN = 2


@dataclass(frozen=True, slots=True)
class StaticScene:
    """Lane samples and objects, in CARLA's axes, metres and degrees.

    map_name: as the server reports it. step_m: distance of neighbouring samples of a lane.
    Lane samples, sorted by road, section, lane and s:
    lane_key: (L, 4) int32 road, section, lane id, junction (-1: none). lane_s: (L,) float64 metres along the road.
    lane_pose: (L, 6) float64 centre of the lane, yaw in its direction of travel. lane_width: (L,) float64.
    lane_use: (L,) uint8 `Lane`. lane_mark: (L, 2) uint8 `Mark` of the left and the right edge.
    lane_yellow: (L, 2) bool. lane_open: (L, 2) bool: no further lane lies on that side.
    Objects: object_id: (K,) uint64. object_label: (K,) uint8 `CityObjectLabel`.
    object_box: (K, 9) float64 in the world: centre 3, extent (half sizes) 3, rotation pitch, yaw, roll.
    Raises SceneError when a shape is wrong or a value is not finite.
    """

    map_name: str
    step_m: float
    lane_key: np.ndarray
    lane_s: np.ndarray
    lane_pose: np.ndarray
    lane_width: np.ndarray
    lane_use: np.ndarray
    lane_mark: np.ndarray
    lane_yellow: np.ndarray
    lane_open: np.ndarray
    object_id: np.ndarray
    object_label: np.ndarray
    object_box: np.ndarray

    def __post_init__(self) -> None:
        lanes, objects = len(self.lane_s), len(self.object_id)
        expected = {
            "lane_key": ((lanes, 4), np.int32),
            "lane_s": ((lanes,), np.float64),
            "lane_pose": ((lanes, 6), np.float64),
            "lane_width": ((lanes,), np.float64),
            "lane_use": ((lanes,), np.uint8),
            "lane_mark": ((lanes, 2), np.uint8),
            "lane_yellow": ((lanes, 2), np.bool_),
            "lane_open": ((lanes, 2), np.bool_),
            "object_id": ((objects,), np.uint64),
            "object_label": ((objects,), np.uint8),
            "object_box": ((objects, 9), np.float64),
        }
        for name, (shape, dtype) in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype:
                raise SceneError(f"StaticScene.{name} is {array.dtype}{array.shape}, expected {np.dtype(dtype)}{shape}")
            if np.dtype(dtype).kind == "f" and not np.isfinite(array).all():
                raise SceneError(f"StaticScene.{name} of map {self.map_name!r} is not finite (NaN or infinity)")

    @classmethod
    def empty(cls, map_name: str = "") -> StaticScene:
        """A world of nothing but ground."""
        none = np.zeros(0)
        return cls(
            map_name=map_name,
            step_m=2.0,
            lane_key=np.zeros((0, 4), dtype=np.int32),
            lane_s=none,
            lane_pose=np.zeros((0, 6)),
            lane_width=none,
            lane_use=none.astype(np.uint8),
            lane_mark=np.zeros((0, 2), dtype=np.uint8),
            lane_yellow=np.zeros((0, 2), dtype=np.bool_),
            lane_open=np.zeros((0, 2), dtype=np.bool_),
            object_id=none.astype(np.uint64),
            object_label=none.astype(np.uint8),
            object_box=np.zeros((0, 9)),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """The array fields by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("map_name", "step_m")}
