"""Where traffic lights and signs stand, what they look like, and the stretches of lanes that they govern."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.blueprints import Blueprint
from foveal_sim.world.lanes import LaneGraph
from foveal_sim.world.signals import LIGHT, SPEED_LIMIT, Signal

__all__ = ["TRIGGER_M", "Face", "Roadside", "governed"]

TRIGGER_M = 5.0
"""Length of a trigger volume; it ends at a light's or sign's line, and begins at a speed limit."""

_TRIGGER_SHARE, _TRIGGER_HALF_HEIGHT_M = 0.9, 1.0
_DEPTH_M = 0.3
_LABEL_LIGHT, _LABEL_SIGN = 7, 8


@dataclass(frozen=True, slots=True)
class Face:
    """The box of a light's head or a sign's plate: centre and half sizes (depth, width, height) in metres, yaw.

    foot: height of the ground below it. lamp: is it a light's?
    """

    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float
    foot: float
    lamp: bool

    @classmethod
    def of(cls, signal: Signal) -> Face:
        """Sizes that a map leaves out, or exaggerates, are those of common ones."""
        x, y, z, yaw = signal.pose
        lamp = signal.kind == LIGHT
        width = signal.width if 0.2 <= signal.width <= 1.0 else (0.4 if lamp else 0.75)
        height = signal.height if 0.2 <= signal.height <= 1.5 else (1.0 if lamp else 0.75)
        above = signal.above if signal.above > 1.0 else (3.0 if lamp else 2.0)
        foot = z - signal.above
        depth = _DEPTH_M if lamp else 0.06
        return cls((x, y, foot + above + height / 2), (depth / 2, width / 2, height / 2), yaw, foot, lamp)

    def wire(self, actor_id: int) -> list[object]:
        """Wire form of the box in the world frame."""
        return [list(self.centre), list(self.half), [0.0, self.yaw, 0.0], actor_id]


class Roadside:
    """The signals of a map, by index, on its driving lanes.

    faces: their boxes. line_first, line_at, line_signal: stop lines and signs of lane l are first[l]..first[l + 1],
    metres along the lane, and index of their signal. volume: (K, 8) float64 trigger volumes, one a line: x, y, z,
    cosine and sine of the lane's direction, half length, half width, half height.
    """

    def __init__(self, signals: Sequence[Signal], graph: LaneGraph) -> None:
        self.signals = tuple(signals)
        self.faces = tuple(Face.of(signal) for signal in signals)
        rows: list[tuple[int, float, int]] = []
        for number, signal in enumerate(signals):
            rows += [(lane, at, number) for lane, at in _places(signal, graph)]
        rows.sort()
        lane = np.array([row[0] for row in rows], dtype=np.int64)
        self.line_first = np.searchsorted(lane, np.arange(len(graph) + 1)).astype(np.int64)
        self.line_at = np.array([row[1] for row in rows])
        self.line_signal = np.array([row[2] for row in rows], dtype=np.int64)
        self.volume = np.array([_volume(graph, lane, at, signals[n].kind) for lane, at, n in rows]).reshape(-1, 8)

    def __len__(self) -> int:
        return len(self.signals)

    @property
    def line_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """(L,) index of each lane's first line, and that behind its last."""
        return self.line_first[:-1], self.line_first[1:]

    def blueprint(self, number: int) -> Blueprint:
        """What the client is told that the actor is."""
        signal = self.signals[number]
        label = _LABEL_LIGHT if signal.kind == LIGHT else _LABEL_SIGN
        return Blueprint(signal.type_id, signal.type_id.replace(".", ","), labels=bytes([label]))

    def pose(self, number: int) -> tuple[float, ...]:
        """The actor's: at the foot, turned so that its x axis lies across the road, as CARLA's are."""
        face = self.faces[number]
        return (*face.centre[:2], face.foot, 0.0, (face.yaw + 90.0 + 180.0) % 360.0 - 180.0, 0.0)

    def trigger(self, number: int) -> tuple[float, ...]:
        """Centre and half sizes of the box around a signal's trigger volumes, in the actor's frame.

        Where a signal has lines on several roads, those of the first count; without any the box is empty.
        """
        mine = self.volume[self.line_signal == number]
        if not len(mine):
            return (0.0,) * 6
        x, y, z, _, yaw, _ = self.pose(number)
        cos, sin = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
        # Lanes side by side: one direction, one line across.
        offset = mine[:, :2] - mine[0, :2]
        beside = (mine[:, 3:5] @ mine[0, 3:5] > 0.99) & (np.abs(offset @ mine[0, 3:5]) < 1.0)
        ahead, across = mine[:, 5:6] * mine[:, 3:5], mine[:, 6:7] * np.stack([-mine[:, 4], mine[:, 3]], axis=1)
        signs = [(i, j) for i in (-1, 1) for j in (-1, 1)]
        corners = np.concatenate([(mine[:, :2] + i * ahead + j * across)[beside] for i, j in signs]) - (x, y)
        local = np.stack([corners @ (cos, sin), corners @ (-sin, cos)], axis=1)
        low, high = local.min(axis=0), local.max(axis=0)
        centre, half = (low + high) / 2, (high - low) / 2
        return (*centre.tolist(), float(mine[0, 2]) - z, *half.tolist(), _TRIGGER_HALF_HEIGHT_M)

    def limits(self, graph: LaneGraph, default_mps: float) -> np.ndarray:
        """(S,) speed limit in m/s at each sample of the graph: the last sign's on the way there, else the default.

        Where ways with different limits join, the lower one counts.
        """
        signs = [
            [(at, self.signals[number].limit_kmh / 3.6) for at, number in self._on(lane) if self._limits_speed(number)]
            for lane in range(len(graph))
        ]
        entry = np.full(len(graph), np.inf)
        waiting = [lane for lane in range(len(graph)) if signs[lane]]
        while waiting:
            lane = waiting.pop()
            leaving = signs[lane][-1][1] if signs[lane] else entry[lane]
            for after in graph.successors[lane]:
                if leaving < entry[after]:
                    entry[after] = leaving
                    if not signs[after]:
                        waiting.append(after)
        limit = np.where(np.isfinite(entry), entry, default_mps)[graph.lane]
        for lane in range(len(graph)):
            mine = limit[graph.first[lane] : graph.first[lane] + graph.count[lane]]
            for at, speed in signs[lane]:
                position = at / graph.step[lane]
                # A place between two samples has the limit of the one before it: never the higher too early.
                lower = speed < mine[int(position)]
                mine[int(position) if lower else math.ceil(position) :] = speed
        return np.asarray(limit, dtype=np.float64)

    def _on(self, lane: int) -> list[tuple[float, int]]:
        part = slice(int(self.line_first[lane]), int(self.line_first[lane + 1]))
        return list(zip(self.line_at[part].tolist(), self.line_signal[part].tolist(), strict=True))

    def _limits_speed(self, number: int) -> bool:
        return self.signals[number].kind == SPEED_LIMIT


def _places(signal: Signal, graph: LaneGraph) -> list[tuple[int, float]]:
    """Lane index and metres along it of each of the signal's lines."""
    places = []
    for number, strip in enumerate(graph.strips):
        span = strip.span
        for road, lane, s in signal.lines:
            if (span.road, span.lane) == (road, lane) and span.s0 <= s <= span.s1:
                share = (s - span.s0) / (span.s1 - span.s0)
                places.append((number, (share if lane < 0 else 1.0 - share) * strip.length))
    return places


def _volume(graph: LaneGraph, lane: int, at: float, kind: str) -> tuple[float, ...]:
    strip = graph.strips[lane]
    x, y, z, yaw = strip.at(at)
    cos, sin = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    half = TRIGGER_M / 2
    ahead = half if kind == SPEED_LIMIT else -half
    centre = (x + ahead * cos, y + ahead * sin, z + _TRIGGER_HALF_HEIGHT_M)
    return (*centre, cos, sin, half, _TRIGGER_SHARE * strip.width / 2, _TRIGGER_HALF_HEIGHT_M)


@compiled
def governed(
    pose: np.ndarray, half: np.ndarray, slot: np.ndarray, volume: np.ndarray, found: np.ndarray
) -> tuple[bool, int]:
    """found: (n,) int64 is brought up to date: the first trigger volume that each vehicle is in, or -1.

    It is in one where its box on the ground overlaps it, it heads the same way, and its origin is not past the end.
    Separating axes. slot: (n,) the vehicles' rows in pose: (capacity, 6) x, y, z, pitch, yaw, roll and half:
    (capacity, 2) half length and width. Returns whether `found` has changed, and how many are in a volume.
    """
    changed, inside = False, 0
    for i in range(len(slot)):
        x, y, long, wide = pose[slot[i], 0], pose[slot[i], 1], half[slot[i], 0], half[slot[i], 1]
        at = -1
        for k in range(len(volume)):
            dx, dy = x - volume[k, 0], y - volume[k, 1]
            # Boxes this far apart along one axis overlap in no direction.
            reach = 2.0 * (volume[k, 5] + volume[k, 6] + long + wide)
            if abs(dx) > reach or abs(dy) > reach:
                continue
            yaw = math.radians(pose[slot[i], 4])
            cos, sin = math.cos(yaw), math.sin(yaw)
            along = dx * volume[k, 3] + dy * volume[k, 4]
            same = cos * volume[k, 3] + sin * volume[k, 4]
            if same <= 0.0 or along > volume[k, 5]:
                continue
            if abs(pose[slot[i], 2] - volume[k, 2]) > 2.0 + volume[k, 7]:
                continue
            beside = -dx * volume[k, 4] + dy * volume[k, 3]
            cross = abs(-cos * volume[k, 4] + sin * volume[k, 3])
            own_x, own_y = abs(dx * cos + dy * sin), abs(-dx * sin + dy * cos)
            if (
                -along < volume[k, 5] + long * same + wide * cross
                and abs(beside) < volume[k, 6] + long * cross + wide * same
                and own_x < long + volume[k, 5] * same + volume[k, 6] * cross
                and own_y < wide + volume[k, 5] * cross + volume[k, 6] * same
            ):
                at = k
                break
        changed = changed or at != found[i]
        inside += at >= 0
        found[i] = at
    return changed, inside
