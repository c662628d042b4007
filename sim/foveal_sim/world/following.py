"""The arithmetic of lane following, compiled: one pass per tick over all vehicles."""

from __future__ import annotations

import math

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.traffic_lights import GREEN, OFF, UNKNOWN, YELLOW

__all__ = ["MUST_GIVE_WAY", "MUST_STOP", "advance", "motion", "moved"]

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
    passing: np.ndarray,
    stood_s: np.ndarray,
    other_slot: np.ndarray,
    other_lane: np.ndarray,
    other_distance: np.ndarray,
    actor_speed: np.ndarray,
    actor_half: np.ndarray,
    first: np.ndarray,
    step: np.ndarray,
    length: np.ndarray,
    limit: np.ndarray,
    legal: np.ndarray,
    line_first: np.ndarray,
    line_at: np.ndarray,
    line_shown: np.ndarray,
    line_before: np.ndarray,
    delta_s: float,
) -> int:
    """New speeds and distances of n vehicles, in place; k others only stand in the way.

    Intelligent driver model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 1805, 2000): the wish is a share of the
    `legal` speed at the vehicle's place, capped by `limit` there; a line to stop at is an obstacle at rest. lane,
    distance, speed, half: (n,) lane index, metres along it, m/s, half length in metres. route: (n, 2) the next two
    lanes. other_slot, other_lane, other_distance: (k,), with speed and half length in the rows other_slot of
    actor_speed and actor_half. first, step, length: per lane. line_first, line_at: as `Roadside` has them; line_shown,
    line_before: what each line shows now and showed a tick ago. passing: (n,) the line that a vehicle may pass although
    it is not green, -1 for none; stood_s: (n,) seconds at rest before a stop sign; both are kept from tick to tick.
    Returns how many vehicles have passed the end of their lane.
    """
    count = len(wish)
    # Everybody by lane, and vehicles by the lane that they come to: chains of indices that end with -1.
    on_lane, coming = np.full(len(first), -1), np.full(len(first), -1)
    behind, beside_it = np.empty(count + len(other_lane), np.int64), np.empty(count, np.int64)
    every_lane, at = np.concatenate((lane, other_lane)), np.concatenate((distance, other_distance))
    now, reach = np.empty(len(at)), np.empty(len(at))
    now[:count], reach[:count] = speed, half
    for k in range(len(other_lane)):
        now[count + k] = max(actor_speed[other_slot[k]], 0.0)
        reach[count + k] = actor_half[other_slot[k], 0]
    for j in range(len(at)):
        behind[j], on_lane[every_lane[j]] = on_lane[every_lane[j]], j
    for j in range(count):
        beside_it[j], coming[route[j, 0]] = coming[route[j, 0]], j
    for i in range(count):
        gap, closing, leader = _FREE_ROAD_M, 0.0, -1
        beside = _FREE_ROAD_M
        rest = length[lane[i]] - at[i]
        mine, next_lane, after = lane[i], route[i, 0], route[i, 1]
        for part in range(3):
            here = mine if part == 0 else route[i, part - 1]
            if part > 0 and (here == mine or (part == 2 and here == next_lane)):
                continue
            j = on_lane[here]
            while j >= 0:
                if part == 1:
                    ahead = rest + at[j]
                elif part == 2:
                    ahead = rest + length[next_lane] + at[j]
                elif at[j] > at[i] or (at[j] == at[i] and j > i):
                    ahead = at[j] - at[i]
                elif j != i and mine in (next_lane, after):
                    # It is behind, and comes to the way round: the vehicle itself is never in its way.
                    ahead = rest + at[j] + (0.0 if mine == next_lane else length[next_lane])
                else:
                    j = behind[j]
                    continue
                free = max(ahead - reach[i] - reach[j], 0.0)
                # Of several as near, the first.
                if free < gap or (free == gap and j < leader):
                    gap, closing, leader = free, now[i] - now[j], j
                j = behind[j]
        j = coming[next_lane] if rest < _JOIN_M else -1
        while j >= 0:
            other = lane[j]
            if other != mine and other != next_lane and other != after and now[j] >= _STOPPED_M_S:
                # It joins the same lane and does not wait: follow it from now on, if it is nearer to where they meet.
                nearer = rest - (length[other] - at[j])
                if nearer > 0.0 or (nearer == 0.0 and j > i):
                    beside = min(beside, max(nearer - reach[i] - reach[j], 0.0))
            j = beside_it[j]
        place = first[mine] + int(at[i] / step[mine])
        line, slow = _line(
            i,
            lane,
            route,
            at,
            now,
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
        last = first[mine] + int(length[mine] / step[mine] + 0.5)
        most = min(min(limit[place], limit[min(place + 1, last)]), slow)
        wanted = min(wish[i] * legal[place], most)
        brake = now[i] * closing / (2.0 * math.sqrt(_ACCELERATION * _COMFORT_BRAKING))
        keep = _STANDSTILL_M + max(now[i] * _HEADWAY_S + brake, 0.0)
        halt = _LINE_M + now[i] * now[i] / (2.0 * math.sqrt(_ACCELERATION * _COMFORT_BRAKING))
        near = max(keep / max(gap, 0.1), halt / max(line, 0.1))
        near = max(near, (_STANDSTILL_M + now[i] * _HEADWAY_S) / max(beside, 1.0))
        push = _ACCELERATION * (1.0 - (now[i] / wanted) ** 4 - near**2)
        faster = max(now[i] + min(max(push, -_HARD_BRAKING), _ACCELERATION) * delta_s, 0.0)
        # The model would only drift towards a lower limit.
        faster = min(faster, max(most, now[i] - _LIMIT_BRAKING * delta_s))
        # Never into the one ahead, nor over the line, however long a tick is.
        speed[i] = min(faster, max(min(gap - 0.5, line - 0.1), 0.0) / delta_s)
    beyond = 0
    for i in range(count):
        distance[i] += speed[i] * delta_s
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
    slot: np.ndarray,
    first: np.ndarray,
    count: np.ndarray,
    step: np.ndarray,
    xyz: np.ndarray,
    yaw: np.ndarray,
    legal: np.ndarray,
    signs: bool,
    delta_s: float,
    record: np.ndarray,
    actor_speed: np.ndarray,
    limit_kmh: np.ndarray,
) -> None:
    """Turn places on lanes into the rows `slot` (n,) of the actors' records, in place.

    record: (capacity, 15) float32 x, y, z, pitch, yaw, roll, velocity, angular velocity, acceleration; it holds the
    motion of the tick before. actor_speed, limit_kmh: (capacity,) float32; the limit is `legal` at the place if there
    are `signs`, else it is left as it is.
    """
    for i in range(len(speed)):
        row = slot[i]
        position = distance[i] / step[lane[i]]
        inside = min(int(position), count[lane[i]] - 2)
        part = position - inside
        index = first[lane[i]] + inside
        turned = yaw[index] + (yaw[index + 1] - yaw[index]) * part
        for axis in range(3):
            record[row, axis] = xyz[index, axis] + (xyz[index + 1, axis] - xyz[index, axis]) * part
        turn = (turned - record[row, 4] + 180.0) % 360.0 - 180.0
        record[row, 3] = record[row, 5] = 0.0
        record[row, 4] = (turned + 180.0) % 360.0 - 180.0
        vx, vy = speed[i] * math.cos(math.radians(turned)), speed[i] * math.sin(math.radians(turned))
        record[row, 12] = (vx - record[row, 6]) / delta_s
        record[row, 13] = (vy - record[row, 7]) / delta_s
        record[row, 14] = 0.0
        record[row, 6], record[row, 7], record[row, 8] = vx, vy, 0.0
        record[row, 9] = record[row, 10] = 0.0
        record[row, 11] = turn / delta_s
        actor_speed[row] = speed[i]
        if signs:
            limit_kmh[row] = legal[first[lane[i]] + int(position)] * 3.6


@compiled
def moved(pose: np.ndarray, slot: np.ndarray, seen: np.ndarray, which: np.ndarray) -> int:
    """How many of the actors in rows `slot` (k,) of `pose` are not at `seen` (k, 2) x, y any more; seen is updated.

    The first so many of `which` (k,) int64 become their indices.
    """
    count = 0
    for k in range(len(slot)):
        x, y = pose[slot[k], 0], pose[slot[k], 1]
        if x != seen[k, 0] or y != seen[k, 1]:
            seen[k, 0], seen[k, 1] = x, y
            which[count] = k
            count += 1
    return count
