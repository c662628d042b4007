"""The arithmetic of lane following, compiled: one pass per tick over all vehicles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.traffic_lights import GREEN, OFF, UNKNOWN, YELLOW

__all__ = ["CAR", "LANE", "LINE", "MUST_GIVE_WAY", "MUST_STOP", "OTHER", "SAMPLE", "advance", "motion", "moved"]

MUST_STOP, MUST_GIVE_WAY = 10, 11
"""What a stop or a yield sign shows, beside the states of traffic lights."""

CAR = np.dtype(
    [
        ("slot", np.int64),
        ("lane", np.int64),
        ("route", np.int64, 2),
        ("distance", np.float64),
        ("speed", np.float64),
        ("half", np.float64),
        ("wish", np.float64),
        ("passing", np.int64),
        ("stood_s", np.float64),
    ]
)
"""A vehicle that follows lanes: its row among the actors, its lane and the next two, metres along the lane, m/s, half
length in metres, share of the legal speed that it drives, the line that it may pass although it is not green (-1 for
none), and seconds at rest before a stop sign."""

OTHER = np.dtype([("slot", np.int64), ("lane", np.int64), ("distance", np.float64)])
"""A vehicle that only stands in the way: its row among the actors, its lane and metres along it."""

LANE = np.dtype(
    [
        ("first", np.int64),
        ("count", np.int64),
        ("step", np.float64),
        ("length", np.float64),
        ("line", np.int64),
        ("line_end", np.int64),
    ]
)
"""A lane: its first sample and how many there are, metres between two, metres in all, its lines from `line` on."""

SAMPLE = np.dtype([(name, np.float64) for name in ("x", "y", "z", "yaw", "limit", "legal")])
"""A place on a lane: metres, degrees, m/s that a vehicle can drive there, and m/s that it may."""

LINE = np.dtype([("at", np.float64), ("shown", np.uint8), ("before", np.uint8)], align=True)
"""A stop line or sign: metres along its lane, what it shows, and what it showed a tick ago."""

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
def motion(
    cars: np.ndarray,
    lanes: np.ndarray,
    samples: np.ndarray,
    actor_speed: np.ndarray,
    record: np.ndarray,
    limit_kmh: np.ndarray,
    signs: bool,
    delta_s: float,
) -> None:
    """Turn places of `cars` (n,) CAR on lanes into their rows of the actors' records, in place.

    record: (capacity, 15) float32 x, y, z, pitch, yaw, roll, velocity, angular velocity, acceleration; it holds the
    motion of the tick before. actor_speed, limit_kmh: (capacity,) float32; the limit is the legal one at the place if
    there are `signs`, else it is left as it is.
    """
    for i in range(len(cars)):
        car, lane = cars[i], lanes[cars[i].lane]
        row = car.slot
        position = car.distance / lane.step
        inside = min(int(position), lane.count - 2)
        part = position - inside
        here, there = samples[lane.first + inside], samples[lane.first + inside + 1]
        record[row, 0] = here.x + (there.x - here.x) * part
        record[row, 1] = here.y + (there.y - here.y) * part
        record[row, 2] = here.z + (there.z - here.z) * part
        turned = here.yaw + (there.yaw - here.yaw) * part
        turn = (turned - record[row, 4] + 180.0) % 360.0 - 180.0
        record[row, 3] = record[row, 5] = 0.0
        record[row, 4] = (turned + 180.0) % 360.0 - 180.0
        vx, vy = car.speed * math.cos(math.radians(turned)), car.speed * math.sin(math.radians(turned))
        record[row, 12] = (vx - record[row, 6]) / delta_s
        record[row, 13] = (vy - record[row, 7]) / delta_s
        record[row, 14] = 0.0
        record[row, 6], record[row, 7], record[row, 8] = vx, vy, 0.0
        record[row, 9] = record[row, 10] = 0.0
        record[row, 11] = turn / delta_s
        actor_speed[row] = car.speed
        if signs:
            limit_kmh[row] = samples[lane.first + int(position)].legal * 3.6


@compiled
def advance(
    cars: np.ndarray,
    others: np.ndarray,
    lanes: np.ndarray,
    samples: np.ndarray,
    lines: np.ndarray,
    actor_half: np.ndarray,
    actor_speed: np.ndarray,
    record: np.ndarray,
    limit_kmh: np.ndarray,
    signs: bool,
    delta_s: float,
) -> int:
    """New speeds and distances of `cars` (n,) CAR, in place; `others` (k,) OTHER only stand in the way.

    Intelligent driver model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 1805, 2000): the wish is a share of the
    legal speed at the vehicle's place, capped by the limit there; a line to stop at is an obstacle at rest. lanes: (L,)
    LANE. samples: (S,) SAMPLE. lines: (K,) LINE; what they show becomes what they showed before. actor_speed:
    (capacity,), actor_half: (capacity, 2). Returns how many vehicles have passed the end of their lane; when none has,
    `motion` is done.
    """
    count = len(cars)
    # Everybody by lane, and vehicles by the lane that they come to: chains of indices that end with -1.
    on_lane, coming = np.full(len(lanes), -1), np.full(len(lanes), -1)
    every = count + len(others)
    behind, beside_it = np.empty(every, np.int64), np.empty(count, np.int64)
    at, now, reach = np.empty(every), np.empty(every), np.empty(every)
    for j in range(every):
        if j < count:
            here, at[j], now[j], reach[j] = cars[j].lane, cars[j].distance, cars[j].speed, cars[j].half
        else:
            other = others[j - count]
            here, at[j] = other.lane, other.distance
            now[j], reach[j] = max(actor_speed[other.slot], 0.0), actor_half[other.slot, 0]
        behind[j], on_lane[here] = on_lane[here], j
    for j in range(count):
        beside_it[j], coming[cars[j].route[0]] = coming[cars[j].route[0]], j
    for i in range(count):
        gap, closing, leader = _FREE_ROAD_M, 0.0, -1
        beside = _FREE_ROAD_M
        mine, next_lane, after = cars[i].lane, cars[i].route[0], cars[i].route[1]
        rest = lanes[mine].length - at[i]
        for part in range(3):
            here = mine if part == 0 else cars[i].route[part - 1]
            if part > 0 and (here == mine or (part == 2 and here == next_lane)):
                continue
            j = on_lane[here]
            while j >= 0:
                if part == 1:
                    ahead = rest + at[j]
                elif part == 2:
                    ahead = rest + lanes[next_lane].length + at[j]
                elif at[j] > at[i] or (at[j] == at[i] and j > i):
                    ahead = at[j] - at[i]
                elif j != i and mine in (next_lane, after):
                    # It is behind, and comes to the way round: the vehicle itself is never in its way.
                    ahead = rest + at[j] + (0.0 if mine == next_lane else lanes[next_lane].length)
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
            from_lane = cars[j].lane
            if from_lane not in (mine, next_lane, after) and now[j] >= _STOPPED_M_S:
                # It joins the same lane and does not wait: follow it from now on, if it is nearer to where they meet.
                nearer = rest - (lanes[from_lane].length - at[j])
                if nearer > 0.0 or (nearer == 0.0 and j > i):
                    beside = min(beside, max(nearer - reach[i] - reach[j], 0.0))
            j = beside_it[j]
        place = lanes[mine].first + int(at[i] / lanes[mine].step)
        line, slow = _line(cars[i], now[i], lanes, lines, delta_s)
        last = lanes[mine].first + int(lanes[mine].length / lanes[mine].step + 0.5)
        most = min(min(samples[place].limit, samples[min(place + 1, last)].limit), slow)
        wanted = min(cars[i].wish * samples[place].legal, most)
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
        cars[i].speed = min(faster, max(min(gap - 0.5, line - 0.1), 0.0) / delta_s)
    beyond = 0
    for i in range(count):
        cars[i].distance += cars[i].speed * delta_s
        if cars[i].distance > lanes[cars[i].lane].length:
            beyond += 1
    for k in range(len(lines)):
        lines[k].before = lines[k].shown
    if beyond == 0:
        motion(cars, lanes, samples, actor_speed, record, limit_kmh, signs, delta_s)
    return beyond


@compiled
def _line(car: Any, speed: float, lanes: np.ndarray, lines: np.ndarray, delta_s: float) -> tuple[float, float]:
    """Metres from the front of a vehicle to the next line that it must stop at, and the speed to come to a yield line.

    Decides, when a light turns from green, who goes on: see `advance`.
    """
    stop, slow = _FREE_ROAD_M, _FREE_ROAD_M
    still_ahead = False
    offset = -(car.distance + car.half)
    for part in range(3):
        here = car.lane if part == 0 else car.route[part - 1]
        for k in range(lanes[here].line, lanes[here].line_end):
            gap = offset + lines[k].at
            shown, before = lines[k].shown, lines[k].before
            if gap < 0.0 or gap > _LINE_LOOK_M or shown in (GREEN, OFF, UNKNOWN):
                continue
            if shown == MUST_GIVE_WAY:
                slow = min(slow, math.sqrt(_GIVE_WAY_M_S**2 + 2.0 * _COMFORT_BRAKING * gap))
                continue
            braking = speed * speed / (2.0 * max(gap, 0.01))
            if shown == MUST_STOP:
                if car.passing != k and gap < _STOPPED_M and speed < _STOPPED_M_S:
                    car.stood_s += delta_s
                    if car.stood_s > _STOP_S:
                        car.passing, car.stood_s = k, 0.0
            elif shown != before:
                hardest = _YELLOW_BRAKING if shown == YELLOW else _HARD_BRAKING
                came_from_yellow = before == YELLOW
                if braking > hardest and (not came_from_yellow or car.passing == k):
                    car.passing = k
                elif car.passing == k:
                    car.passing = -1
            if car.passing == k:
                still_ahead = True
            else:
                stop = min(stop, gap)
        offset += lanes[here].length
    if not still_ahead:
        car.passing = -1
    return stop, slow


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
