"""Buildings, poles, trees, parked cars, lights and signs along a map's roads: a client's environment objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import KDTree

from foveal_sim.world.geometry import footprint, overlaps
from foveal_sim.world.lanes import LaneStrip
from foveal_sim.world.roadside import Face

__all__ = [
    "ANY",
    "BUILDINGS",
    "CAR",
    "POLES",
    "SIGNAL_POLE",
    "TRAFFIC_LIGHT",
    "TRAFFIC_SIGN",
    "VEGETATION",
    "EnvironmentObject",
    "outermost",
    "place_scenery",
]

BUILDINGS, POLES, TRAFFIC_LIGHT, TRAFFIC_SIGN, VEGETATION, CAR, ANY = 3, 6, 7, 8, 9, 14, 255
"""Labels as `carla.CityObjectLabel` numbers them."""

SIGNAL_POLE = "SignalPole"
"""How names of poles under lights and signs begin."""

_SETBACK_M = 3.0
_CLEARANCE_M = 0.4
_POLE_M = 0.06
_MOST_OBJECTS = 10_000
_CELL_M = 16.0
# Scenery belongs to the map: the same file always gets the same street, whatever the traffic's seed is.
_SEED = 20240501


@dataclass(frozen=True, slots=True)
class EnvironmentObject:
    """A static box in the world: centre (x, y, z) and half sizes in metres, yaw in degrees."""

    id: int
    label: int
    name: str
    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float

    def transform(self) -> list[list[float]]:
        """Wire form of the object's own transform: at its foot."""
        x, y, z = self.centre
        return [[x, y, z - self.half[2]], [0.0, self.yaw, 0.0]]

    def bounding_box(self) -> list[object]:
        """Wire form of the box in the world frame."""
        return [list(self.centre), list(self.half), [0.0, self.yaw, 0.0], 0]


class _Plot:
    """Collects objects and refuses those that would stand on a road or inside another object."""

    def __init__(self, strips: Sequence[LaneStrip]) -> None:
        self.objects: list[EnvironmentObject] = []
        self._corners: list[np.ndarray] = []
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._road = np.concatenate([strip.xyz[:, :2] for strip in strips])
        self._reach = np.concatenate([np.full(len(strip.xyz), strip.width / 2 + _CLEARANCE_M) for strip in strips])
        self._widest = float(self._reach.max())
        self._near = KDTree(self._road)

    def add(
        self, label: int, name: str, place: tuple[float, float, float, float], half: tuple[float, float, float]
    ) -> bool:
        """Stand a box with its foot at x, y, z, turned by yaw. False when there is no room, or enough stands."""
        if len(self.objects) >= _MOST_OBJECTS:
            return False
        x, y, z, yaw = place
        corners = _corners(x, y, yaw, half)
        if (label != CAR and self._on_road(x, y, yaw, half)) or self._hits(corners):
            return False
        self._stand(label, name, (x, y, z + half[2]), half, yaw)
        return True

    def add_face(self, face: Face) -> None:
        """Stand a light or sign where the map has it, on a pole."""
        label, name = (TRAFFIC_LIGHT, "TrafficLight") if face.lamp else (TRAFFIC_SIGN, "TrafficSign")
        self._stand(label, name, face.centre, face.half, face.yaw)
        x, y, z = face.centre
        high = (z - face.half[2] - face.foot) / 2
        self._stand(POLES, SIGNAL_POLE, (x, y, face.foot + high), (_POLE_M, _POLE_M, high), face.yaw)

    def _stand(
        self, label: int, name: str, centre: tuple[float, float, float], half: tuple[float, float, float], yaw: float
    ) -> None:
        corners, number = _corners(*centre[:2], yaw, half), len(self.objects) + 1
        for cell in _cells(corners):
            self._cells[cell].append(len(self._corners))
        self._corners.append(corners)
        self.objects.append(EnvironmentObject(number, label, f"{name}_{number}", centre, half, yaw))

    def _hits(self, corners: np.ndarray) -> bool:
        """Whether another object stands there; only those that share a square with it are asked."""
        near = {number for cell in _cells(corners) for number in self._cells.get(cell, ())}
        return bool(near) and bool(overlaps(corners, np.array([self._corners[number] for number in near])).any())

    def _on_road(self, x: float, y: float, yaw: float, half: tuple[float, float, float]) -> bool:
        angle = np.deg2rad(yaw)
        near = self._near.query_ball_point((x, y), np.hypot(half[0], half[1]) + self._widest)
        offset = self._road[near] - (x, y)
        along = np.abs(offset @ (np.cos(angle), np.sin(angle))) - half[0]
        beside = np.abs(offset @ (-np.sin(angle), np.cos(angle))) - half[1]
        gap = np.hypot(np.maximum(along, 0.0), np.maximum(beside, 0.0))
        return bool((gap < self._reach[near]).any())


def place_scenery(strips: Sequence[LaneStrip], faces: Sequence[Face] = ()) -> list[EnvironmentObject]:
    """Objects beside every road's outer edge, cars on every parking lane, and lights and signs where the map has them.

    The same map gives the same list, of at most 10,000 without lights and signs: everybody waits while it is made.
    """
    if not strips:
        return []
    random = np.random.default_rng(_SEED)
    plot = _Plot(strips)
    for strip in strips:
        if strip.span.kind == "parking":
            _parked_cars(plot, strip, random)
    outer = outermost(strips)
    for strip in outer:
        _buildings(plot, strip, random)
    for strip in outer:
        _street_furniture(plot, strip, random)
    for face in faces:
        plot.add_face(face)
    return plot.objects


def outermost(strips: Sequence[LaneStrip]) -> list[LaneStrip]:
    """The last lane on each side of each road section."""
    last: dict[tuple[int, int, bool], LaneStrip] = {}
    for strip in strips:
        road, section, lane = strip.key
        side = road, section, lane > 0
        if side not in last or abs(lane) > abs(last[side].key[2]):
            last[side] = strip
    return list(last.values())


def _beside(strip: LaneStrip, distance: float, outwards: float) -> tuple[float, float, float, float]:
    """Pose `outwards` metres beyond the lane's outer edge (its right, seen in driving direction)."""
    x, y, z, yaw = strip.at(distance)
    reach = strip.width / 2 + outwards
    angle = np.deg2rad(yaw)
    return x - float(np.sin(angle)) * reach, y + float(np.cos(angle)) * reach, z, yaw


def _buildings(plot: _Plot, strip: LaneStrip, random: np.random.Generator) -> None:
    distance = 1.0
    while distance < strip.length - 6.0:
        width, depth = float(random.uniform(10.0, 20.0)), float(random.uniform(9.0, 14.0))
        height = float(random.uniform(6.0, 20.0))
        place = _beside(strip, distance + width / 2, _SETBACK_M + depth / 2)
        plot.add(BUILDINGS, "Building", place, (width / 2, depth / 2, height / 2))
        distance += width + float(random.uniform(1.0, 4.0))


def _street_furniture(plot: _Plot, strip: LaneStrip, random: np.random.Generator) -> None:
    for distance in np.arange(8.0, strip.length, 25.0):
        plot.add(POLES, "StreetPole", _beside(strip, float(distance), 0.6), (0.1, 0.1, 3.0))
    for distance in np.arange(3.0, strip.length, 12.0):
        crown, height = float(random.uniform(0.7, 1.0)), float(random.uniform(4.0, 7.0))
        place = _beside(strip, float(distance + random.uniform(0.0, 3.0)), 1.6)
        plot.add(VEGETATION, "Tree", place, (crown, crown, height / 2))


def _parked_cars(plot: _Plot, strip: LaneStrip, random: np.random.Generator) -> None:
    half_width = min(0.9, strip.width / 2 - 0.1)
    for distance in np.arange(4.0, strip.length - 4.0, 6.5):
        bend = abs(strip.at(float(distance) + 3.0)[3] - strip.at(float(distance) - 3.0)[3])
        if half_width > 0.6 and bend < 2.0 and random.random() < 0.45:
            half = (float(random.uniform(1.9, 2.4)), half_width, float(random.uniform(0.7, 0.9)))
            plot.add(CAR, "ParkedCar", strip.at(float(distance)), half)


def _cells(corners: np.ndarray) -> Iterator[tuple[int, int]]:
    """The squares of `_CELL_M` that the bounds of (4, 2) `corners` touch."""
    low, high = (np.floor(edge / _CELL_M).astype(int).tolist() for edge in (corners.min(axis=0), corners.max(axis=0)))
    return product(range(low[0], high[0] + 1), range(low[1], high[1] + 1))


def _corners(x: float, y: float, yaw: float, half: tuple[float, float, float]) -> np.ndarray:
    as_array = np.asarray
    return footprint(as_array([x]), as_array([y]), as_array([yaw]), as_array([half[0]]), as_array([half[1]]))[0]
