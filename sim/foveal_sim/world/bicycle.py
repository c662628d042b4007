"""Vehicles under `apply_control`: a kinematic bicycle model."""

from __future__ import annotations

import math

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.actors import ActorTable

__all__ = ["MAX_ACCELERATION", "MAX_BRAKING", "MAX_STEER_DEG", "WHEELBASE_SHARE", "bicycle", "drive"]

MAX_STEER_DEG = 35.0
"""Steering angle of the front wheels at full steer, unless a physics control says otherwise."""
MAX_ACCELERATION = 4.0
MAX_BRAKING = 8.0
TOP_SPEED = 45.0
_ROLLING = 0.15
# Axle distance as a share of the vehicle's length; typical passenger cars lie at 0.57 .. 0.62.
WHEELBASE_SHARE = 0.6


def drive(
    table: ActorTable, slots: np.ndarray, constant_speed: np.ndarray, max_steer_rad: np.ndarray, delta_s: float
) -> None:
    """Advance the vehicles in `slots` by `delta_s` seconds from the controls in their records.

    constant_speed: (n,) m/s that replaces throttle and brake, NaN for none. max_steer_rad: (n,) angle at full steer.
    """
    records = table.records
    bicycle(
        slots,
        records["motion"],
        table.speed,
        records["pedals"],
        records["hand_brake"],
        records["reverse"],
        records["gear"],
        table.half,
        constant_speed,
        max_steer_rad,
        delta_s,
    )


@compiled
def bicycle(
    slots: np.ndarray,
    motion: np.ndarray,
    speed: np.ndarray,
    pedals: np.ndarray,
    hand_brake: np.ndarray,
    reverse: np.ndarray,
    gear: np.ndarray,
    half: np.ndarray,
    constant_speed: np.ndarray,
    max_steer_rad: np.ndarray,
    delta_s: float,
) -> None:
    """Centre-of-mass bicycle with the mass in the middle (R. Rajamani, Vehicle Dynamics and Control, ch. 2.2).

    slip = atan(tan(steer) / 2), yaw rate = 2 v sin(slip) / wheelbase. Throttle fades linearly to 0 at TOP_SPEED.
    There is no gravity and no collision. slots: (n,) rows in the columns of all actors, of which motion (15 float32
    pose, velocity, angular velocity, acceleration), speed in m/s and gear are changed in place. pedals: throttle,
    steer, brake. half: half length, half width. constant_speed, max_steer_rad: (n,).
    """
    for n in range(len(slots)):
        i = slots[n]
        v = speed[i]
        if math.isnan(constant_speed[n]):
            throttle = -pedals[i, 0] if reverse[i] else pedals[i, 0]
            v += throttle * MAX_ACCELERATION * max(1.0 - abs(v) / TOP_SPEED, 0.0) * delta_s
            slowing = MAX_BRAKING * max(pedals[i, 2], 1.0 if hand_brake[i] else 0.0)
            if throttle == 0.0:
                slowing += _ROLLING
            v = math.copysign(max(abs(v) - slowing * delta_s, 0.0), v)
        else:
            v = constant_speed[n]
        slip = math.atan(math.tan(pedals[i, 1] * max_steer_rad[n]) / 2.0)
        turn = 2.0 * v * math.sin(slip) / (WHEELBASE_SHARE * 2.0 * half[i, 0])
        heading = math.radians(motion[i, 4]) + slip + turn * (delta_s / 2.0)  # midpoint rule
        vx, vy = v * math.cos(heading), v * math.sin(heading)
        motion[i, 0] += vx * delta_s
        motion[i, 1] += vy * delta_s
        if turn != 0.0:
            motion[i, 4] = (motion[i, 4] + math.degrees(turn) * delta_s + 180.0) % 360.0 - 180.0
        motion[i, 12] = (vx - motion[i, 6]) / delta_s
        motion[i, 13] = (vy - motion[i, 7]) / delta_s
        motion[i, 14] = 0.0
        motion[i, 6], motion[i, 7], motion[i, 8] = vx, vy, 0.0
        motion[i, 9], motion[i, 10], motion[i, 11] = 0.0, 0.0, math.degrees(turn)
        speed[i] = v
        gear[i] = (speed[i] > 0.0) - (speed[i] < 0.0)
