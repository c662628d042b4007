"""The arithmetic of lane following, compiled: one pass per tick over all vehicles."""

from __future__ import annotations

import math

import numpy as np
from foveal.jit import compiled

__all__ = ["advance", "motion"]

_ACCELERATION = 2.0
_COMFORT_BRAKING = 2.5
_HARD_BRAKING = 8.0
_HEADWAY_S = 1.2
_STANDSTILL_M = 2.5
_FREE_ROAD_M = 1e4


@compiled
def advance(
    lane: np.ndarray,
    route: np.ndarray,
    distance: np.ndarray,
    speed: np.ndarray,
    wish: np.ndarray,
    half: np.ndarray,
    first: np.ndarray,
    step: np.ndarray,
    length: np.ndarray,
    limit: np.ndarray,
    delta_s: float,
    new_speed: np.ndarray,
) -> int:
    """New speeds and distances of the first len(wish) vehicles; the rest only stand in the way.

    Intelligent driver model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 1805, 2000), with the wish capped by `limit`
    at the vehicle's place. lane, distance, speed, half: (n + k,) lane index, metres along it, m/s, half length in
    metres. route: (n, 2) the next two lanes. first, step, length: per lane. new_speed: (n,) is written, and distance
    is advanced in place. Returns how many vehicles have passed the end of their lane.
    """
    count = len(wish)
    for i in range(count):
        gap, closing = _FREE_ROAD_M, 0.0
        rest = length[lane[i]] - distance[i]
        for j in range(len(lane)):
            if j == i:
                continue
            if lane[j] == lane[i] and (distance[j] > distance[i] or (distance[j] == distance[i] and j > i)):
                ahead = distance[j] - distance[i]
            elif lane[j] == route[i, 0]:
                ahead = rest + distance[j]
            elif lane[j] == route[i, 1]:
                ahead = rest + length[route[i, 0]] + distance[j]
            else:
                continue
            free = max(ahead - half[i] - half[j], 0.0)
            if free < gap:
                gap, closing = free, speed[i] - speed[j]
        wanted = min(wish[i], limit[first[lane[i]] + int(distance[i] / step[lane[i]])])
        brake = speed[i] * closing / (2.0 * math.sqrt(_ACCELERATION * _COMFORT_BRAKING))
        keep = _STANDSTILL_M + max(speed[i] * _HEADWAY_S + brake, 0.0)
        push = _ACCELERATION * (1.0 - (speed[i] / wanted) ** 4 - (keep / max(gap, 0.1)) ** 2)
        faster = max(speed[i] + min(max(push, -_HARD_BRAKING), _ACCELERATION) * delta_s, 0.0)
        # Never into the one ahead, however long a tick is.
        new_speed[i] = min(faster, max(gap - 0.5, 0.0) / delta_s)
    beyond = 0
    for i in range(count):
        distance[i] += new_speed[i] * delta_s
        if distance[i] > length[lane[i]]:
            beyond += 1
    return beyond


@compiled
def motion(
    lane: np.ndarray,
    distance: np.ndarray,
    speed: np.ndarray,
    first: np.ndarray,
    count: np.ndarray,
    step: np.ndarray,
    xyz: np.ndarray,
    yaw: np.ndarray,
    delta_s: float,
    record: np.ndarray,
) -> None:
    """Turn places on lanes into motion records in place.

    record: (n, 15) float32 x, y, z, pitch, yaw, roll, velocity, angular velocity, acceleration; it holds the motion of
    the tick before.
    """
    for i in range(len(speed)):
        position = distance[i] / step[lane[i]]
        inside = min(int(position), count[lane[i]] - 2)
        part = position - inside
        index = first[lane[i]] + inside
        turned = yaw[index] + (yaw[index + 1] - yaw[index]) * part
        for axis in range(3):
            record[i, axis] = xyz[index, axis] + (xyz[index + 1, axis] - xyz[index, axis]) * part
        turn = (turned - record[i, 4] + 180.0) % 360.0 - 180.0
        record[i, 3] = record[i, 5] = 0.0
        record[i, 4] = (turned + 180.0) % 360.0 - 180.0
        vx, vy = speed[i] * math.cos(math.radians(turned)), speed[i] * math.sin(math.radians(turned))
        record[i, 12] = (vx - record[i, 6]) / delta_s
        record[i, 13] = (vy - record[i, 7]) / delta_s
        record[i, 14] = 0.0
        record[i, 6], record[i, 7], record[i, 8] = vx, vy, 0.0
        record[i, 9] = record[i, 10] = 0.0
        record[i, 11] = turn / delta_s
