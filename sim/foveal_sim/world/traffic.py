"""Vehicles that follow lanes, keep their distance and obey lights and signs; the same seed drives the same way."""

from __future__ import annotations

import numpy as np

from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.following import CAR, LANE, LINE, OTHER, SAMPLE, advance, motion, moved
from foveal_sim.world.lanes import LaneGraph
from foveal_sim.world.roadside import Roadside
from foveal_sim.world.traffic_control import TrafficControl
from foveal_sim.world.traffic_lights import OFF

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
        self._cars = np.empty(0, CAR)
        self._version = -1
        self._control = control
        legal = control.limit_mps if control is not None else np.full(len(graph.xyz), speed_limit_mps)
        self._signs = control is not None and control.limits_speed
        roadside = control.roadside if control is not None else Roadside((), graph)
        self._lanes = _packed(LANE, graph.first, graph.count, graph.step, graph.length, *roadside.line_ranges)
        self._samples = _packed(SAMPLE, *graph.xyz.T, graph.yaw, _speed_profile(graph, legal), legal)
        self._lines = _packed(LINE, roadside.line_at, OFF, OFF)
        self._line_signal = roadside.line_signal
        self._shown_version = -1
        self._show()
        self._lines["before"] = self._lines["shown"]
        self._others = np.empty(0, dtype=np.int64)
        self._other_xy, self._other_place = np.empty((0, 2), np.float32), np.empty((0, 2))
        self._changed = np.empty(0, dtype=np.int64)
        self._in_the_way = np.empty(0, OTHER)

    def __len__(self) -> int:
        return len(self._ids)

    def adopt(self, actor: Actor, x: float, y: float) -> bool:
        """Take over a vehicle standing near (x, y). False when the map has no driving lane."""
        if not len(self._graph):
            return False
        lane, distance, _ = self._graph.nearest(x, y)
        route = self._route(lane)
        wish = self._random.uniform(0.65, 0.95)
        self._ids.append(actor.id)
        car = np.array([(actor.slot, lane, route, distance, 0.0, actor.blueprint.half[0], wish, -1, 0.0)], CAR)
        self._cars = np.append(self._cars, car)
        return True

    def release(self, actor_id: int) -> None:
        """Forget a vehicle (it was destroyed)."""
        if actor_id in self._ids:
            index = self._ids.index(actor_id)
            del self._ids[index]
            self._cars = np.delete(self._cars, index)

    def __contains__(self, actor_id: int) -> bool:
        return actor_id in self._ids

    def move(self, actor_id: int, x: float, y: float) -> None:
        """Put a vehicle on the lane nearest to (x, y), at rest."""
        lane, distance, _ = self._graph.nearest(x, y)
        car = self._cars[self._ids.index(actor_id)]
        car["lane"], car["distance"], car["route"] = lane, distance, self._route(lane)
        car["speed"], car["passing"], car["stood_s"] = 0.0, -1, 0.0

    def step(self, table: ActorTable, others: np.ndarray, delta_s: float) -> None:
        """Advance by `delta_s` seconds and write the records. others: slots of vehicles that are in the way."""
        if self._ids:
            self._advance(table, others, delta_s)

    def warm_up(self, table: ActorTable) -> None:
        """Compile what `step` needs by a step with nobody to move."""
        self._advance(table, np.empty(0, dtype=np.int64), 1.0)

    def _advance(self, table: ActorTable, others: np.ndarray, delta_s: float) -> None:
        if self._version != table.version:
            slots, self._version = table.slots(self._ids), table.version
            self._cars["slot"], self._cars["half"] = slots, table.half[slots, 0]
        records = table.records
        self._place(records["pose"], others)
        self._show()
        place = self._lanes, self._samples
        write = table.speed, records["motion"], records["speed_limit"], self._signs, delta_s
        if advance(self._cars, self._in_the_way, *place, self._lines, table.half, *write):
            for index in np.flatnonzero(self._cars["distance"] > self._graph.length[self._cars["lane"]]):
                self._change_lane(int(index))
            motion(self._cars, *place, *write)

    def _show(self) -> None:
        """Bring up to date what the lines show."""
        if self._control is not None and self._control.lights.version != self._shown_version:
            self._shown_version = self._control.lights.version
            self._lines["shown"] = self._control.shown()[self._line_signal]

    def _change_lane(self, index: int) -> None:
        car = self._cars[index]
        while car["distance"] > self._graph.length[car["lane"]]:
            car["distance"] -= self._graph.length[car["lane"]]
            lane, after = car["route"].tolist()
            car["lane"], car["route"] = lane, (after, self._next(after))

    def _route(self, lane: int) -> tuple[int, int]:
        """The next two lanes."""
        first = self._next(lane)
        return first, self._next(first)

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
        self._others, self._in_the_way = others, _packed(OTHER, others[on_lane], *self._other_place[on_lane].T)


def _packed(kind: np.dtype, *columns: np.ndarray | int) -> np.ndarray:
    """(n,) records of these columns, in the order of the fields."""
    records = np.empty(len(columns[0]), kind)  # type: ignore[arg-type]
    for name, column in zip(kind.names or (), columns, strict=True):
        records[name] = column
    return records


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
