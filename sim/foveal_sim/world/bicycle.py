"""Vehicles under `apply_control`: a kinematic bicycle model."""

from __future__ import annotations

import numpy as np

from foveal_sim.world.actors import ActorTable

__all__ = ["drive"]

MAX_STEER_RAD = np.deg2rad(35.0)
MAX_ACCELERATION = 4.0
MAX_BRAKING = 8.0
TOP_SPEED = 45.0
_ROLLING = 0.15
# Axle distance as a share of the vehicle's length; typical passenger cars lie at 0.57 .. 0.62.
_WHEELBASE_SHARE = 0.6


def drive(table: ActorTable, slots: np.ndarray, constant_speed: np.ndarray, delta_s: float) -> None:
    """Advance the vehicles in `slots` by `delta_s` seconds from the controls in their records.

    constant_speed: (n,) m/s that replaces throttle and brake, NaN for none. Centre-of-mass bicycle with the mass in
    the middle (R. Rajamani, Vehicle Dynamics and Control, ch. 2.2): slip = atan(tan(steer) / 2),
    yaw rate = 2 v sin(slip) / wheelbase. Throttle fades linearly to 0 at TOP_SPEED. There is no gravity and no
    collision.
    """
    records, before = table.records, table.speed[slots]
    throttle = records["throttle"][slots]
    if not before.any() and not throttle.any() and np.isnan(constant_speed).all():
        for name in ("velocity", "angular_velocity", "acceleration"):
            records[name][slots] = 0.0
        return
    direction = np.where(records["reverse"][slots], -1.0, 1.0)
    braking = MAX_BRAKING * np.maximum(records["brake"][slots], records["hand_brake"][slots])
    push = direction * throttle * MAX_ACCELERATION * np.maximum(1.0 - np.abs(before) / TOP_SPEED, 0.0)
    speed = before + push * delta_s
    slowed = np.maximum(np.abs(speed) - (braking + _ROLLING * (throttle == 0)) * delta_s, 0.0)
    speed = np.where(np.isnan(constant_speed), np.copysign(slowed, speed), constant_speed)
    slip = np.arctan(np.tan(records["steer"][slots] * MAX_STEER_RAD) / 2.0)
    turn = 2.0 * speed * np.sin(slip) / (_WHEELBASE_SHARE * 2.0 * table.half[slots, 0])
    pose = records["pose"][slots].astype(np.float64)
    heading = np.deg2rad(pose[:, 4]) + slip + turn * (delta_s / 2)  # midpoint rule
    velocity = np.zeros((len(slots), 3))
    velocity[:, 0], velocity[:, 1] = speed * np.cos(heading), speed * np.sin(heading)
    pose[:, :3] += velocity * delta_s
    pose[:, 4] = (pose[:, 4] + np.rad2deg(turn) * delta_s + 180.0) % 360.0 - 180.0
    records["acceleration"][slots] = (velocity - records["velocity"][slots]) / delta_s
    records["velocity"][slots] = velocity
    records["angular_velocity"][slots, 2] = np.rad2deg(turn)
    records["pose"][slots] = pose
    records["gear"][slots] = np.sign(speed)
    table.speed[slots] = speed
