"""Vehicles that follow lanes, keep their distance and obey lights and signs; the same seed drives the same way."""

from __future__ import annotations

import numpy as np

from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.following import advance, motion, moved
from foveal_sim.world.lanes import LaneGraph
from foveal_sim.world.roadside import Roadside
from foveal_sim.world.traffic_control import TrafficControl

__all__ = ["Traffic"]

_LATERAL_ACCELERATION = 2.0
_BRAKING = 2.5


class Traffic:
    """Lane followers; `foveal_sim.world.following` holds the car-following model.

    Each drives a share of its own of the speed limit. Curves limit the speed to 2 m/s2 across; where a lane forks a
    vehicle draws its way from the seeded generator; where a lane ends without a successor the vehicle comes in again at
    the far start of the same street. Vehicles look ahead along their own lane and the next two. They stop at red, at
    yellow where they can, and for a second at a stop sign; they come slowly to a yield sign. Where lanes join, who is
    nearer goes first; crossing paths in a junction are not negotiated.
    """

    def __init__(
        self, graph: LaneGraph, speed_limit_mps: float, seed: int, control: TrafficControl | None = None
    ) -> None:
        """speed_limit_mps: where no sign of `control` says otherwise."""
        self._graph = graph
        self._random = np.random.default_rng(seed)
        self._ids: list[int] = []
        self._lane = np.empty(0, dtype=np.int64)
        self._route = np.empty((0, 2), dtype=np.int64)
        self._distance = np.empty(0)
        self._speed = np.empty(0)
        self._wish = np.empty(0)
        self._passing = np.empty(0, dtype=np.int64)
        self._stood_s = np.empty(0)
        self._half = np.empty(0)
        self._slots = np.empty(0, dtype=np.int64)
        self._version = -1
        self._control = control
        legal = control.limit_mps if control is not None else np.full(len(graph.xyz), speed_limit_mps)
        self._legal, self._limit = legal, _speed_profile(graph, legal)
        self._signs = control is not None and control.limits_speed
        roadside = control.roadside if control is not None else Roadside((), graph)
        self._line_first, self._line_at, self._line_signal = roadside.line_first, roadside.line_at, roadside.line_signal
        self._nothing = self._showing = np.empty(0, dtype=np.uint8)
        self._shown_version = -1
        self._shown = self._lines_show()
        self._others = np.empty(0, dtype=np.int64)
        self._other_xy, self._other_place = np.empty((0, 2), np.float32), np.empty((0, 2))
        self._changed = np.empty(0, dtype=np.int64)
        # Of those that stand on a driving lane: slot, lane, metres along it.
        self._in_the_way = self._slots, self._lane, self._distance

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
        self._wish = np.append(self._wish, self._random.uniform(0.65, 0.95))
        self._passing = np.append(self._passing, -1)
        self._stood_s = np.append(self._stood_s, 0.0)
        return True

    def release(self, actor_id: int) -> None:
        """Forget a vehicle (it was destroyed)."""
        if actor_id not in self._ids:
            return
        index = self._ids.index(actor_id)
        del self._ids[index]
        for name in ("_lane", "_route", "_distance", "_speed", "_wish", "_passing", "_stood_s"):
            setattr(self, name, np.delete(getattr(self, name), index, axis=0))

    def __contains__(self, actor_id: int) -> bool:
        return actor_id in self._ids

    def move(self, actor_id: int, x: float, y: float) -> None:
        """Put a vehicle on the lane nearest to (x, y), at rest."""
        index = self._ids.index(actor_id)
        lane, self._distance[index], _ = self._graph.nearest(x, y)
        self._lane[index], self._speed[index] = lane, 0.0
        self._passing[index], self._stood_s[index] = -1, 0.0
        first = self._next(lane)
        self._route[index] = first, self._next(first)

    def step(self, table: ActorTable, others: np.ndarray, delta_s: float) -> None:
        """Advance by `delta_s` seconds and write the records. others: slots of vehicles that are in the way."""
        if self._ids:
            self._advance(table, others, delta_s)

    def warm_up(self, table: ActorTable) -> None:
        """Compile what `step` needs by a step with nobody to move."""
        self._advance(table, np.empty(0, dtype=np.int64), 1.0)

    def _advance(self, table: ActorTable, others: np.ndarray, delta_s: float) -> None:
        if self._version != table.version:
            self._slots, self._version = table.slots(self._ids), table.version
            self._half = table.half[self._slots, 0].astype(np.float64)
        graph, records = self._graph, table.records
        self._place(records["pose"], others)
        shown = self._lines_show()
        beyond = advance(
            self._lane,
            self._route,
            self._distance,
            self._speed,
            self._wish,
            self._half,
            self._passing,
            self._stood_s,
            *self._in_the_way,
            table.speed,
            table.half,
            graph.first,
            graph.step,
            graph.length,
            self._limit,
            self._legal,
            self._line_first,
            self._line_at,
            shown,
            self._shown,
            delta_s,
        )
        self._shown = shown
        if beyond:
            for index in np.flatnonzero(self._distance > graph.length[self._lane]):
                self._change_lane(int(index))
        motion(
            self._lane,
            self._distance,
            self._speed,
            self._slots,
            graph.first,
            graph.count,
            graph.step,
            graph.xyz,
            graph.yaw,
            self._legal,
            self._signs,
            delta_s,
            records["motion"],
            table.speed,
            records["speed_limit"],
        )

    def _lines_show(self) -> np.ndarray:
        """(K,) uint8 what each line shows; the same array as long as nothing changes."""
        if self._control is None or not len(self._line_signal):
            return self._nothing
        if self._control.lights.version != self._shown_version:
            self._shown_version = self._control.lights.version
            self._showing = self._control.shown()[self._line_signal]
        return self._showing

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
        """The far start of the street that ends with `lane`; of several, one that is drawn."""
        seen = {lane}
        while before := [other for other in self._graph.predecessors[lane] if other not in seen]:
            lane = before[self._random.integers(len(before))] if len(before) > 1 else before[0]
            seen.add(lane)
        return lane

    def _place(self, pose: np.ndarray, others: np.ndarray) -> None:
        """Find the lanes of the other vehicles, of those alone that have moved."""
        if not len(others) and others is self._others:
            return
        if len(others) != len(self._other_xy):
            self._other_xy = np.full((len(others), 2), np.nan, np.float32)
            self._other_place = np.empty((len(others), 2))
            self._changed = np.empty(len(others), dtype=np.int64)
        count = moved(pose, others, self._other_xy, self._changed)
        if not count and others is self._others:
            return
        for index in self._changed[:count]:
            lane, distance, beside = self._graph.nearest(*self._other_xy[index].tolist())
            on_lane = abs(beside) < self._graph.width[lane] / 2
            self._other_place[index] = (lane, distance) if on_lane else (-1, 0)
        on_lane = self._other_place[:, 0] >= 0
        lane, distance = self._other_place[on_lane].T.copy()
        self._others, self._in_the_way = others, (others[on_lane], lane.astype(np.int64), distance)


def _speed_profile(graph: LaneGraph, legal_mps: np.ndarray) -> np.ndarray:
    """(S,) highest speed at each sample, at most `legal_mps` (S,), so that lower ones and curves ahead, also on the
    following lanes, are met slowly enough."""
    profile = legal_mps.copy()
    for _ in range(3):  # each pass carries a curve's limit one lane further back
        for lane in range(len(graph)):
            first, count, step = int(graph.first[lane]), int(graph.count[lane]), float(graph.step[lane])
            bend = np.abs(np.gradient(np.deg2rad(graph.yaw[first : first + count]), step))
            own = np.minimum(legal_mps[first : first + count] ** 2, _LATERAL_ACCELERATION / np.maximum(bend, 1e-6))
            after = [profile[graph.first[following]] for following in graph.successors[lane]]
            if after:
                own[-1] = min(own[-1], float(min(after)) ** 2)
            ramp = 2 * _BRAKING * step * np.arange(count)
            slowest = np.minimum.accumulate((own + ramp)[::-1])[::-1] - ramp
            profile[first : first + count] = np.sqrt(slowest)
    return profile
