"""Lanes as densely sampled centre lines in their driving direction, and the graph that joins them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from foveal_sim.world.opendrive import LaneSpan, RoadMap

__all__ = ["LaneGraph", "LaneStrip", "lane_strips"]

SAMPLE_M = 0.5
# Waypoints exist strictly inside a lane section only.
_INSIDE_M = 1e-3
_STEP_OVER_M = 0.05


@dataclass(frozen=True, slots=True)
class LaneStrip:
    """One lane's centre line in driving direction.

    xyz: (n, 3) float64 metres, evenly spaced by arc length. yaw: (n,) float64 degrees, continuous (not wrapped).
    width in metres. step: metres between samples. successors: spans that the lane leads into.
    """

    span: LaneSpan
    xyz: np.ndarray
    yaw: np.ndarray
    width: float
    step: float
    successors: tuple[tuple[int, int, int], ...]

    @property
    def key(self) -> tuple[int, int, int]:
        return self.span.road, self.span.section, self.span.lane

    @property
    def length(self) -> float:
        return self.step * (len(self.xyz) - 1)

    def at(self, distance: float) -> tuple[float, float, float, float]:
        """x, y, z and yaw at `distance` metres from the lane's start (clamped to the lane)."""
        position = min(max(distance / self.step, 0.0), len(self.xyz) - 1.0)
        index = min(int(position), len(self.xyz) - 2)
        part = position - index
        x, y, z = (self.xyz[index] * (1 - part) + self.xyz[index + 1] * part).tolist()
        return x, y, z, float(self.yaw[index] * (1 - part) + self.yaw[index + 1] * part)


def lane_strips(road_map: RoadMap) -> list[LaneStrip]:
    """Every lane that has a width, in the file's order; lanes that the client cannot sample are left out."""
    strips = (_sample(road_map, span) for span in road_map.lanes)
    return [strip for strip in strips if strip is not None]


def _sample(road_map: RoadMap, span: LaneSpan) -> LaneStrip | None:
    count = max(2, int(np.ceil((span.s1 - span.s0) / SAMPLE_M)) + 1)
    s = np.linspace(span.s0 + _INSIDE_M, span.s1 - _INSIDE_M, count)
    query = road_map.geometry.get_waypoint_xodr
    points = [query(span.road, span.lane, float(value)) for value in (s if span.lane < 0 else s[::-1])]
    if any(point is None for point in points):
        return None
    width = float(np.median([point.lane_width for point in points]))
    if width <= 0.1:
        return None
    places = [point.transform for point in points]
    xyz = np.array([(t.location.x, t.location.y, t.location.z) for t in places], dtype=np.float64)
    yaw = np.rad2deg(np.unwrap(np.deg2rad([t.rotation.yaw for t in places])))
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(xyz, axis=0), axis=1))])
    if along[-1] <= _STEP_OVER_M:
        return None
    even = np.linspace(0.0, along[-1], count)
    xyz = np.stack([np.interp(even, along, xyz[:, axis]) for axis in range(3)], axis=1)
    yaw = np.interp(even, along, yaw)
    following = points[-1].next(_STEP_OVER_M)
    successors = tuple(sorted({(p.road_id, p.section_id, p.lane_id) for p in following} - {_key(span)}))
    if not successors and following:  # a lane that closes on itself
        start = following[0].transform.location
        if np.hypot(start.x - xyz[0, 0], start.y - xyz[0, 1]) < 1.0:
            successors = (_key(span),)
    return LaneStrip(span, xyz, yaw, width, float(along[-1]) / (count - 1), successors)


def _key(span: LaneSpan) -> tuple[int, int, int]:
    return span.road, span.section, span.lane


@dataclass
class LaneGraph:
    """Strips of one kind, packed for vectorised look-up.

    first, count: (L,) index and number of samples per lane. length, step: (L,) metres.
    xyz: (S, 3), yaw: (S,), lane: (S,) lane index of each sample. successors, predecessors: lane indices per lane.
    """

    strips: list[LaneStrip]
    first: np.ndarray = field(init=False)
    count: np.ndarray = field(init=False)
    length: np.ndarray = field(init=False)
    step: np.ndarray = field(init=False)
    width: np.ndarray = field(init=False)
    xyz: np.ndarray = field(init=False)
    yaw: np.ndarray = field(init=False)
    lane: np.ndarray = field(init=False)
    successors: list[tuple[int, ...]] = field(init=False)
    predecessors: list[tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        strips = self.strips
        self.count = np.array([len(strip.xyz) for strip in strips], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(self.count)[:-1]]).astype(np.int64) if strips else self.count
        self.length = np.array([strip.length for strip in strips])
        self.step = np.array([strip.step for strip in strips])
        self.width = np.array([strip.width for strip in strips])
        self.xyz = np.concatenate([strip.xyz for strip in strips]) if strips else np.empty((0, 3))
        self.yaw = np.concatenate([strip.yaw for strip in strips]) if strips else np.empty(0)
        self.lane = np.repeat(np.arange(len(strips)), self.count)
        index = {strip.key: number for number, strip in enumerate(strips)}
        self.successors = [tuple(index[key] for key in strip.successors if key in index) for strip in strips]
        before: list[list[int]] = [[] for _ in strips]
        for number, following in enumerate(self.successors):
            for lane in following:
                before[lane].append(number)
        self.predecessors = [tuple(lanes) for lanes in before]

    @classmethod
    def of(cls, strips: Iterable[LaneStrip], kind: str) -> LaneGraph:
        """The graph of the strips whose OpenDRIVE type is `kind`."""
        return cls([strip for strip in strips if strip.span.kind == kind])

    def __len__(self) -> int:
        return len(self.strips)

    def pose(self, lane: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) position and (n,) yaw in degrees at `distance` metres along each `lane` (indices)."""
        position = distance / self.step[lane]
        inside = np.clip(position.astype(np.int64), 0, self.count[lane] - 2)
        part = position - inside
        index = self.first[lane] + inside
        xyz = self.xyz[index] + (self.xyz[index + 1] - self.xyz[index]) * part[:, None]
        return xyz, self.yaw[index] + (self.yaw[index + 1] - self.yaw[index]) * part

    def nearest(self, x: float, y: float) -> tuple[int, float, float]:
        """Lane index, metres along it and metres beside its centre line of the point nearest to (x, y).

        Raises ValueError when the graph is empty.
        """
        if not len(self):
            raise ValueError("the map has no such lane")
        offset = self.xyz[:, :2] - (x, y)
        index = int(np.einsum("ij,ij->i", offset, offset).argmin())
        lane = int(self.lane[index])
        heading = np.deg2rad(self.yaw[index])
        along = -float(offset[index] @ (np.cos(heading), np.sin(heading)))
        distance = (index - int(self.first[lane])) * float(self.step[lane]) + along
        beside = -float(offset[index] @ (-np.sin(heading), np.cos(heading)))
        return lane, float(np.clip(distance, 0.0, self.length[lane])), beside
