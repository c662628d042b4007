"""The lane that the ego is about to drive, from a CARLA map; a path for :class:`foveal.policy.LaneAhead`."""

from __future__ import annotations

import carla
import numpy as np

from foveal.policy.sight import Sight

__all__ = ["EgoLane"]

ON_LANE_M = 1.0
"""`get_waypoint` finds a lane however far away it is; farther than this beside it, the ego is on none."""


class EgoLane:
    """Waypoints from the ego along its lane to a horizon, straight on where the lane divides. Talks to no server."""

    def __init__(self, world_map: carla.Map, horizon_m: float = 60.0, step_m: float = 2.0) -> None:
        """step_m: distance of waypoints. Raises ValueError for figures that are not positive."""
        if not (step_m > 0 and horizon_m > 0):
            raise ValueError(f"a lane needs a positive horizon and step, got {horizon_m} and {step_m}")
        self._map = world_map
        self._steps, self._step_m = round(horizon_m / step_m), step_m

    def __call__(self, sight: Sight) -> np.ndarray:
        """(N, 7) float64 x, y, z, pitch, yaw, roll and width, nearest first; no row where the ego is on no lane."""
        x, y, z = sight.tick.ego[:3].tolist()
        here = self._map.get_waypoint(carla.Location(x, y, z))
        if here is None:
            return np.zeros((0, 7))
        place = here.transform.location
        if np.hypot(place.x - x, place.y - y) > here.lane_width / 2 + ON_LANE_M:
            return np.zeros((0, 7))
        rows = [_row(here)]
        for _ in range(self._steps):
            ways = here.next(self._step_m)
            if not ways:
                break
            yaw = here.transform.rotation.yaw
            here = min(ways, key=lambda way: abs((way.transform.rotation.yaw - yaw + 180.0) % 360.0 - 180.0))
            rows.append(_row(here))
        return np.array(rows)


def _row(waypoint: carla.Waypoint) -> tuple[float, ...]:
    place, turn = waypoint.transform.location, waypoint.transform.rotation
    return (place.x, place.y, place.z, turn.pitch, turn.yaw, turn.roll, waypoint.lane_width)
