"""Vehicles that follow lanes, keep their distance and never stop for good; the same seed drives the same way."""

from __future__ import annotations

import numpy as np

from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.lanes import LaneGraph

__all__ = ["Traffic"]

_ACCELERATION = 2.0
_COMFORT_BRAKING = 2.5
_HARD_BRAKING = 8.0
_HEADWAY_S = 1.2
_STANDSTILL_M = 2.5
_LATERAL_ACCELERATION = 2.0
_FREE_ROAD_M = 1e4


class Traffic:
    """Lane followers after the intelligent driver model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 1805, 2000).

    Curves limit the speed to 2 m/s2 across; where a lane forks a vehicle draws its way from the seeded generator;
    where a lane ends without a successor the vehicle comes in again at the far start of the same street. Vehicles look
    ahead along their own lane and the next two. Crossing paths in a junction are not negotiated.
    """

    def __init__(self, graph: LaneGraph, speed_limit_mps: float, seed: int) -> None:
        self._graph = graph
        self._random = np.random.default_rng(seed)
        self._ids: list[int] = []
        self._lane = np.empty(0, dtype=np.int64)
        self._route = np.empty((0, 2), dtype=np.int64)
        self._distance = np.empty(0)
        self._speed = np.empty(0)
        self._wish = np.empty(0)
        self._slots = np.empty(0, dtype=np.int64)
        self._version = -1
        self._limit = _speed_profile(graph, speed_limit_mps)
        self._cruise = speed_limit_mps
        self._other_xy = np.full((0, 2), np.nan)
        self._other_place = np.empty((0, 2))

    def __len__(self) -> int:
        return len(self._ids)

    def adopt(self, actor: Actor, x: float, y: float) -> bool:
        """Take over a vehicle standing near (x, y). False when the map has no driving lane."""
        if not len(self._graph):
            return False
        lane, distance, _ = self._graph.nearest(x, y)
        self._ids.append(actor.id)
        self._lane = np.append(self._lane, lane)
        first = self._next(lane)
        self._route = np.concatenate([self._route, [[first, self._next(first)]]])
        self._distance = np.append(self._distance, distance)
        self._speed = np.append(self._speed, 0.0)
        self._wish = np.append(self._wish, self._cruise * self._random.uniform(0.65, 0.95))
        return True

    def release(self, actor_id: int) -> None:
        """Forget a vehicle (it was destroyed)."""
        if actor_id not in self._ids:
            return
        index = self._ids.index(actor_id)
        del self._ids[index]
        for name in ("_lane", "_route", "_distance", "_speed", "_wish"):
            setattr(self, name, np.delete(getattr(self, name), index, axis=0))

    def __contains__(self, actor_id: int) -> bool:
        return actor_id in self._ids

    def move(self, actor_id: int, x: float, y: float) -> None:
        """Put a vehicle on the lane nearest to (x, y), at rest."""
        index = self._ids.index(actor_id)
        lane, self._distance[index], _ = self._graph.nearest(x, y)
        self._lane[index], self._speed[index] = lane, 0.0
        first = self._next(lane)
        self._route[index] = first, self._next(first)

    def step(self, table: ActorTable, others: np.ndarray, delta_s: float) -> None:
        """Advance by `delta_s` seconds and write the records. others: slots of vehicles that are in the way."""
        if not self._ids:
            return
        if self._version != table.version:
            self._slots, self._version = table.slots(self._ids), table.version
        gap, closing = self._ahead(table, others)
        sample = self._graph.first[self._lane] + (self._distance / self._graph.step[self._lane]).astype(np.int64)
        wish = np.minimum(self._wish, self._limit[sample])
        keep = _STANDSTILL_M + np.maximum(
            self._speed * _HEADWAY_S + self._speed * closing / (2 * np.sqrt(_ACCELERATION * _COMFORT_BRAKING)), 0.0
        )
        push = _ACCELERATION * (1 - (self._speed / wish) ** 4 - (keep / np.maximum(gap, 0.1)) ** 2)
        speed = np.maximum(self._speed + np.clip(push, -_HARD_BRAKING, _ACCELERATION) * delta_s, 0.0)
        speed = np.minimum(speed, np.maximum(gap - 0.5, 0.0) / delta_s)  # never into the one ahead, however long a tick
        self._distance = self._distance + speed * delta_s
        for index in np.flatnonzero(self._distance > self._graph.length[self._lane]):
            self._change_lane(int(index))
        self._write(table, speed, delta_s)

    def _change_lane(self, index: int) -> None:
        lane = int(self._lane[index])
        while self._distance[index] > self._graph.length[lane]:
            self._distance[index] -= self._graph.length[lane]
            lane = int(self._route[index, 0])
            self._route[index] = self._route[index, 1], self._next(int(self._route[index, 1]))
        self._lane[index] = lane

    def _next(self, lane: int) -> int:
        choices = self._graph.successors[lane] or (self._entry(lane),)
        return int(choices[self._random.integers(len(choices))]) if len(choices) > 1 else int(choices[0])

    def _entry(self, lane: int) -> int:
        seen = {lane}
        while before := [other for other in self._graph.predecessors[lane] if other not in seen]:
            lane = before[0]
            seen.add(lane)
        return lane

    def _write(self, table: ActorTable, speed: np.ndarray, delta_s: float) -> None:
        xyz, yaw = self._graph.pose(self._lane, self._distance)
        angle, records, slots = np.deg2rad(yaw), table.records, self._slots
        pose = np.zeros((len(slots), 6))
        pose[:, :3], pose[:, 4] = xyz, (yaw + 180.0) % 360.0 - 180.0
        velocity = np.zeros((len(slots), 3))
        velocity[:, 0], velocity[:, 1] = speed * np.cos(angle), speed * np.sin(angle)
        turned = (pose[:, 4] - records["pose"][slots, 4] + 180.0) % 360.0 - 180.0
        records["acceleration"][slots] = (velocity - records["velocity"][slots]) / delta_s
        records["angular_velocity"][slots, 2] = turned / delta_s
        records["velocity"][slots] = velocity
        records["pose"][slots] = pose
        push = (speed - self._speed) / (delta_s * _ACCELERATION)
        records["throttle"][slots] = np.clip(push, 0.0, 1.0)
        records["brake"][slots] = np.clip(-push, 0.0, 1.0)
        records["gear"][slots] = 1
        table.speed[slots] = speed
        self._speed = speed

    def _ahead(self, table: ActorTable, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) metres to the next vehicle's tail and (n,) closing speed in m/s."""
        mine = len(self._ids)
        half = table.half[self._slots, 0].astype(np.float64)
        lane, distance, speed, length = self._lane, self._distance, self._speed, half
        placed = self._place(table, others)
        if len(placed):
            lane = np.concatenate([lane, placed[:, 0].astype(np.int64)])
            distance = np.concatenate([distance, placed[:, 1]])
            speed = np.concatenate([speed, placed[:, 2]])
            length = np.concatenate([length, placed[:, 3]])
        order = np.lexsort((distance, lane))
        sorted_lane = lane[order]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        gap, closing = np.full(mine, _FREE_ROAD_M), np.zeros(mine)
        # The first vehicle ahead on the own lane, else the last one on the next lane, else on the one after.
        start = rank[:mine] + 1
        reach = -distance[:mine]
        for hop in range(3):
            target = self._lane if hop == 0 else self._route[:, hop - 1]
            candidate = start if hop == 0 else np.searchsorted(sorted_lane, target)
            inside = np.minimum(candidate, len(order) - 1)
            leader = order[inside]
            found = (candidate < len(order)) & (sorted_lane[inside] == target) & (leader != np.arange(mine))
            free = reach + distance[leader] - half - length[leader]
            found &= gap == _FREE_ROAD_M
            gap = np.where(found, np.maximum(free, 0.0), gap)
            closing = np.where(found, self._speed - speed[leader], closing)
            reach = reach + self._graph.length[target]
        return gap, closing

    def _place(self, table: ActorTable, others: np.ndarray) -> np.ndarray:
        """(k, 4) lane, distance, speed, half length of the other vehicles that stand on a driving lane."""
        xy = table.records["pose"][others, :2]
        if len(xy) != len(self._other_xy):
            self._other_xy, self._other_place = np.full(xy.shape, np.nan), np.full(xy.shape, -1.0)
        for index in np.flatnonzero((xy != self._other_xy).any(axis=1)):
            lane, distance, beside = self._graph.nearest(*xy[index].tolist())
            on_lane = abs(beside) < self._graph.width[lane] / 2
            self._other_place[index] = (lane, distance) if on_lane else (-1, 0)
        self._other_xy = xy.astype(np.float64)
        speed, half = table.speed[others].astype(np.float64), table.half[others, 0].astype(np.float64)
        placed = np.column_stack([self._other_place, np.maximum(speed, 0.0), half])
        return placed[placed[:, 0] >= 0]


def _speed_profile(graph: LaneGraph, limit_mps: float) -> np.ndarray:
    """(S,) highest speed at each sample so that curves ahead, also on the following lanes, are met slowly enough."""
    profile = np.full(len(graph.xyz), limit_mps)
    for _ in range(3):  # each pass carries a curve's limit one lane further back
        for lane in range(len(graph)):
            first, count, step = int(graph.first[lane]), int(graph.count[lane]), float(graph.step[lane])
            bend = np.abs(np.gradient(np.deg2rad(graph.yaw[first : first + count]), step))
            own = np.minimum(limit_mps**2, _LATERAL_ACCELERATION / np.maximum(bend, 1e-6))
            after = [profile[graph.first[following]] for following in graph.successors[lane]]
            if after:
                own[-1] = min(own[-1], float(min(after)) ** 2)
            ramp = 2 * _COMFORT_BRAKING * step * np.arange(count)
            slowest = np.minimum.accumulate((own + ramp)[::-1])[::-1] - ramp
            profile[first : first + count] = np.sqrt(slowest)
    return profile
