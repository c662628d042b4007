"""Drives a car along a path with `apply_control`, and keeps its distance to what stands on the path."""

from __future__ import annotations

import math

import quiet  # noqa: F401  # before what takes long to import

# isort: split
import foveal.carla  # noqa: F401  # before carla: it finds the client a cache folder where no home is set
import numpy as np
from foveal.policy import Sight
from foveal.scene.tick import Tick

# isort: split
import carla

STEP_M = 1.0
BRAKING_M_S2, KEEP_M, BESIDE_M, AHEAD_M = 2.5, 5.0, 2.2, 8
OUT_OF_RANGE = 35.0
"""Steering angle of the front wheels at the stop, where a server does not tell it, in degrees."""

STRAIGHT, LEFT, RIGHT = 0.0, -90.0, 90.0


def path(start: carla.Waypoint, length_m: float, turn: float = STRAIGHT) -> list[carla.Waypoint]:
    """Waypoints each metre along the lane; where it divides, the way that bends most like `turn` (degrees a metre)."""
    ways = [start]
    while len(ways) * STEP_M < length_m and (following := ways[-1].next(STEP_M)):
        yaw = ways[-1].transform.rotation.yaw
        ways.append(min(following, key=lambda way: abs(degrees(way.transform.rotation.yaw - yaw) - turn)))
    return ways


def degrees(angle: float) -> float:
    """The same angle, -180 to 180."""
    return (angle + 180.0) % 360.0 - 180.0


class Driver:
    """Pure pursuit (R. C. Coulter, CMU-RI-TR-92-01) and the speed from which it can still stop."""

    def __init__(self, car: carla.Actor, ways: list[carla.Waypoint]) -> None:
        self.car, self.along = car, 0
        places = [(w.transform.location, w.transform.rotation, w.lane_width) for w in ways]
        self.path = np.array([(p.x, p.y, p.z, r.pitch, r.yaw, r.roll, width) for p, r, width in places])
        self._length_m = 2.0 * car.bounding_box.extent.x
        try:
            self._steer_max = max(wheel.max_steer_angle for wheel in car.get_physics_control().wheels)
        except RuntimeError:
            self._steer_max = OUT_OF_RANGE

    def ahead(self, sight: Sight, horizon_m: float = 50.0) -> np.ndarray:
        """(N, 7) the path from AHEAD_M on, for `foveal.policy.LaneAhead`: nearer asphalt only takes pixels."""
        return self.path[self.along + int(AHEAD_M / STEP_M) : self.along + int(horizon_m / STEP_M)]

    def gap_m(self, tick: Tick) -> float:
        """Free metres on the path ahead; infinite where nobody is on it."""
        others = tick.actor_id != self.car.id
        away = self.path[self.along : self.along + 60, None, :2] - tick.transform[None, others, :2]
        on_path = (away**2).sum(axis=2) < BESIDE_M**2
        met = on_path.any(axis=0)
        free = on_path.argmax(axis=0)[met] * STEP_M - tick.box[others, 3][met] - self._length_m / 2
        return float(free.min()) if met.any() else math.inf

    def drive(self, tick: Tick, speed_m_s: float, stop_at_m: float = math.inf) -> None:
        """One step of control. stop_at_m: metres along the path to stand at; its end without one."""
        row = int(np.flatnonzero(tick.actor_id == self.car.id)[0])
        x, y, yaw = tick.transform[row, [0, 1, 4]]
        speed = float(np.hypot(*tick.velocity[row, :2]))
        near = self.path[self.along : self.along + 20, :2]
        self.along += int(((near - (x, y)) ** 2).sum(axis=1).argmin())
        tx, ty = self.path[min(self.along + int(4.0 + 0.5 * speed), len(self.path) - 1), :2]
        bend = 2.0 * math.sin(math.atan2(ty - y, tx - x) - math.radians(yaw)) / max(math.hypot(tx - x, ty - y), 1.0)
        steer = math.degrees(math.atan(bend * 0.6 * self._length_m)) / self._steer_max
        free = min(self.gap_m(tick), stop_at_m - self.along, len(self.path) - self.along)
        wanted = min(speed_m_s, math.sqrt(2.0 * BRAKING_M_S2 * max(free - KEEP_M, 0.0)))
        push = 0.5 * (wanted - speed)
        control = carla.VehicleControl(
            throttle=min(max(push, 0.0), 0.8), steer=min(max(steer, -1.0), 1.0), brake=min(max(-push, 0.0), 1.0)
        )
        self.car.apply_control(control)
