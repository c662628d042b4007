"""What an actor or a static object looks like, by its CARLA blueprint or semantic label."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial

import numpy as np

from foveal.scene import people, street, vehicles
from foveal.scene.part import Part

__all__ = ["LABEL_KIND", "MIN_EXTENT_M", "Kind", "mesh", "of_type"]

MIN_EXTENT_M = 0.05
"""Half sizes below this are drawn as this (some CARLA bicycles report a width of 0)."""


class Kind(StrEnum):
    """Shape classes; each has a generator that fills its bounding box."""

    CAR = "car"
    VAN = "van"
    TRUCK = "truck"
    BUS = "bus"
    MOTORCYCLE = "motorcycle"
    BICYCLE = "bicycle"
    PEDESTRIAN = "pedestrian"
    TRAFFIC_LIGHT = "traffic_light"
    TRAFFIC_SIGN = "traffic_sign"
    POLE = "pole"
    TREE = "tree"
    BUILDING = "building"
    BOX = "box"


LABEL_KIND: dict[int, Kind] = {
    3: Kind.BUILDING,
    4: Kind.BOX,
    5: Kind.BOX,
    6: Kind.POLE,
    7: Kind.TRAFFIC_LIGHT,
    8: Kind.TRAFFIC_SIGN,
    9: Kind.TREE,
    12: Kind.PEDESTRIAN,
    13: Kind.PEDESTRIAN,
    14: Kind.CAR,
    15: Kind.TRUCK,
    16: Kind.BUS,
    18: Kind.MOTORCYCLE,
    19: Kind.BICYCLE,
    20: Kind.BOX,
    28: Kind.BOX,
}
"""Drawn `CityObjectLabel` values of carla 0.9.16; ground, roads, sky and the like are not objects."""

_VEHICLE_WORDS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.BICYCLE, ("bicycle", "crossbike", "omafiets", "century")),
    (Kind.MOTORCYCLE, ("motorcycle", "low_rider", "kawasaki", "yamaha", "zx125", "yzf", "vespa", "ninja")),
    (Kind.BUS, ("bus", "fusorosa")),
    (Kind.VAN, ("van", "sprinter", "ambulance", ".t2")),
    (Kind.TRUCK, ("truck", "carlacola", "hgv")),
)


@cache
def of_type(type_id: str) -> Kind | None:
    """Shape of a blueprint id; None for what has no body (sensors, controllers, the spectator)."""
    name = type_id.lower()
    if name.startswith("vehicle."):
        for kind, words in _VEHICLE_WORDS:
            if "cybertruck" not in name and any(word in name for word in words):
                return kind
        return Kind.CAR
    if name.startswith("walker."):
        return Kind.PEDESTRIAN
    if name.startswith("traffic.traffic_light"):
        return Kind.TRAFFIC_LIGHT
    if name.startswith("traffic."):
        return Kind.TRAFFIC_SIGN
    if name.startswith("static.prop."):
        return Kind.BOX
    return None


_GENERATORS: dict[Kind, Callable[[np.ndarray, int], Part]] = {
    Kind.CAR: vehicles.car,
    Kind.VAN: vehicles.van,
    Kind.TRUCK: vehicles.truck,
    Kind.BUS: vehicles.bus,
    Kind.MOTORCYCLE: partial(vehicles.two_wheeler, motor=True),
    Kind.BICYCLE: partial(vehicles.two_wheeler, motor=False),
    Kind.PEDESTRIAN: people.pedestrian,
    Kind.TRAFFIC_LIGHT: street.traffic_light,
    Kind.TRAFFIC_SIGN: street.traffic_sign,
    Kind.POLE: street.pole,
    Kind.TREE: street.tree,
    Kind.BUILDING: street.building,
    Kind.BOX: street.plain_box,
}


def mesh(kind: Kind, extent: np.ndarray, number: int) -> Part:
    """The mesh of a kind that fills the box of half sizes `extent` (metres); `number` alone picks its colours."""
    return _GENERATORS[kind](np.maximum(np.abs(np.asarray(extent, dtype=np.float64)), MIN_EXTENT_M), number)
