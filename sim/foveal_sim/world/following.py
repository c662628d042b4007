"""The arithmetic of lane following, compiled: one pass per tick over all vehicles."""

from __future__ import annotations

import math

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.traffic_lights import GREEN, OFF, UNKNOWN, YELLOW

__all__ = ["MUST_GIVE_WAY", "MUST_STOP", "advance", "motion"]

MUST_STOP, MUST_GIVE_WAY = 10, 11
"""What a stop or a yield sign shows, beside the states of traffic lights."""

_ACCELERATION = 2.0
_COMFORT_BRAKING = 2.5
_HARD_BRAKING = 8.0
_LIMIT_BRAKING = 3.0
_HEADWAY_S = 1.2
_STANDSTILL_M = 2.5
_FREE_ROAD_M = 1e4
_LINE_M, _JOIN_M = 1.0, 40.0
# At yellow whoever would have to brake harder goes on, and whoever cannot stop at a sudden red.
_YELLOW_BRAKING = 3.0
_LINE_LOOK_M = 150.0
_STOPPED_M_S, _STOPPED_M, _STOP_S = 0.2, 2.0, 1.0
_GIVE_WAY_M_S = 15.0 / 3.6


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
    legal: np.ndarray,
    line_first: np.ndarray,
    line_at: np.ndarray,
    line_shown: np.ndarray,
    line_before: np.ndarray,
    passing: np.ndarray,
    stood_s: np.ndarray,
    delta_s: float,
    new_speed: np.ndarray,
) -> int:
    """New speeds and distances of the first len(wish) vehicles; the rest only stand in the way.

    Intelligent driver model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 1805, 2000): the wish is a share of the
    `legal` speed at the vehicle's place, capped by `limit` there; a line to stop at is an obstacle at rest. lane,
    distance, speed, half: (n + k,) lane index, metres along it, m/s, half length in metres. route: (n, 2) the next two
    lanes. first, step, length: per lane. line_first, line_at: as `Roadside` has them; line_shown, line_before: what
    each line shows now and showed a tick ago. passing: (n,) the line that a vehicle may pass although it is not green,
    -1 for none; stood_s: (n,) seconds at rest before a stop sign; both are kept from tick to tick. new_speed: (n,) is
    written, and distance is advanced in place. Returns how many vehicles have passed the end of their lane.
    """
    count = len(wish)
    for i in range(count):
        gap, closing = _FREE_ROAD_M, 0.0
        beside = _FREE_ROAD_M
        rest = length[lane[i]] - distance[i]
        mine, next_lane, after = lane[i], route[i, 0], route[i, 1]
        for j in range(len(lane)):
            other = lane[j]
            if other == mine:
                if distance[j] < distance[i] or (distance[j] == distance[i] and j <= i):
                    # It is behind, or comes to the way round: the vehicle itself is never in its way.
                    if j == i or (other != next_lane and other != after):
                        continue
                    ahead = rest + distance[j] + (0.0 if other == next_lane else length[next_lane])
                else:
                    ahead = distance[j] - distance[i]
            elif other == next_lane:
                ahead = rest + distance[j]
            elif other == after:
                ahead = rest + length[next_lane] + distance[j]
            elif rest < _JOIN_M and j < count and route[j, 0] == next_lane and speed[j] >= _STOPPED_M_S:
                # It joins the same lane and does not wait: follow it from now on, if it is nearer to where they meet.
                nearer = rest - (length[other] - distance[j])
                if nearer > 0.0 or (nearer == 0.0 and j > i):
                    beside = min(beside, max(nearer - half[i] - half[j], 0.0))
                continue
            else:
                continue
            free = max(ahead - half[i] - half[j], 0.0)
            if free < gap:
                gap, closing = free, speed[i] - speed[j]
        here = first[lane[i]] + int(distance[i] / step[lane[i]])
        line, slow = _line(
            i,
            lane,
            route,
            distance,
            speed,
            half,
            length,
            line_first,
            line_at,
            line_shown,
            line_before,
            passing,
            stood_s,
            delta_s,
        )
        last = first[lane[i]] + int(length[lane[i]] / step[lane[i]] + 0.5)
        most = min(min(limit[here], limit[min(here + 1, last)]), slow)
        wanted = min(wish[i] * legal[here], most)
        brake = speed[i] * closing / (2.0 * math.sqrt(_ACCELERATION * _COMFORT_BRAKING))
        keep = _STANDSTILL_M + max(speed[i] * _HEADWAY_S + brake, 0.0)
        halt = _LINE_M + speed[i] * speed[i] / (2.0 * math.sqrt(_ACCELERATION * _COMFORT_BRAKING))
        near = max(keep / max(gap, 0.1), halt / max(line, 0.1))
        near = max(near, (_STANDSTILL_M + speed[i] * _HEADWAY_S) / max(beside, 1.0))
        push = _ACCELERATION * (1.0 - (speed[i] / wanted) ** 4 - near**2)
        faster = max(speed[i] + min(max(push, -_HARD_BRAKING), _ACCELERATION) * delta_s, 0.0)
        # The model would only drift towards a lower limit.
        faster = min(faster, max(most, speed[i] - _LIMIT_BRAKING * delta_s))
        # Never into the one ahead, nor over the line, however long a tick is.
        new_speed[i] = min(faster, max(min(gap - 0.5, line - 0.1), 0.0) / delta_s)
    beyond = 0
    for i in range(count):
        distance[i] += new_speed[i] * delta_s
        if distance[i] > length[lane[i]]:
            beyond += 1
    return beyond


@compiled
def _line(
    i: int,
    lane: np.ndarray,
    route: np.ndarray,
    distance: np.ndarray,
    speed: np.ndarray,
    half: np.ndarray,
    length: np.ndarray,
    line_first: np.ndarray,
    line_at: np.ndarray,
    line_shown: np.ndarray,
    line_before: np.ndarray,
    passing: np.ndarray,
    stood_s: np.ndarray,
    delta_s: float,
) -> tuple[float, float]:
    """Metres from the front of vehicle i to the next line that it must stop at, and the speed to come to a yield line.

    Decides, when a light turns from green, who goes on: see `advance`.
    """
    stop, slow = _FREE_ROAD_M, _FREE_ROAD_M
    still_ahead = False
    offset = -(distance[i] + half[i])
    for part in range(3):
        here = lane[i] if part == 0 else route[i, part - 1]
        for k in range(line_first[here], line_first[here + 1]):
            gap = offset + line_at[k]
            shown = line_shown[k]
            if gap < 0.0 or gap > _LINE_LOOK_M or shown in (GREEN, OFF, UNKNOWN):
                continue
            if shown == MUST_GIVE_WAY:
                slow = min(slow, math.sqrt(_GIVE_WAY_M_S**2 + 2.0 * _COMFORT_BRAKING * gap))
                continue
            braking = speed[i] * speed[i] / (2.0 * max(gap, 0.01))
            if shown == MUST_STOP:
                if passing[i] != k and gap < _STOPPED_M and speed[i] < _STOPPED_M_S:
                    stood_s[i] += delta_s
                    if stood_s[i] > _STOP_S:
                        passing[i], stood_s[i] = k, 0.0
            elif shown != line_before[k]:
                hardest = _YELLOW_BRAKING if shown == YELLOW else _HARD_BRAKING
                came_from_yellow = line_before[k] == YELLOW
                if braking > hardest and (not came_from_yellow or passing[i] == k):
                    passing[i] = k
                elif passing[i] == k:
                    passing[i] = -1
            if passing[i] == k:
                still_ahead = True
            else:
                stop = min(stop, gap)
        offset += length[here]
    if not still_ahead:
        passing[i] = -1
    return stop, slow


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
