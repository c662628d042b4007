"""The blueprint library: what can be spawned, with the attributes that scripts look for.

Sizes are nominal full sizes of the things named, in metres, rounded to 5 cm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from foveal_sim.world.camera_attributes import CAMERA_ATTRIBUTES
from foveal_sim.world.release import CURRENT, Release
from foveal_sim.world.sensor_attributes import SENSOR_ATTRIBUTES

__all__ = ["KINDS", "LIBRARY", "Attribute", "Blueprint", "library"]

_BOOL, _INT, _FLOAT, _STRING, _COLOUR = 1, 2, 3, 4, 5
KINDS: Mapping[int, str] = MappingProxyType(
    {_BOOL: "bool", _INT: "int", _FLOAT: "float", _STRING: "string", _COLOUR: "color"}
)
"""Names of the attribute types, by the numbers that a client of the current release has for them."""

_CAR, _TRUCK, _BUS, _MOTORCYCLE, _BICYCLE, _PEDESTRIAN, _DYNAMIC = 14, 15, 16, 18, 19, 12, 21


def _truth(value: str) -> bool:
    return {"true": True, "false": False}[value.lower()]


def _whole(value: str) -> None:
    if not -(2**31) <= int(value) < 2**31:
        raise ValueError(value)


def _real(value: str) -> None:
    if not math.isfinite(float(value)):
        raise ValueError(value)


def _colour(value: str) -> None:
    red, green, blue = (int(part) for part in value.split(","))
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError(value)


_READS: Mapping[int, Callable[[str], object]] = {_BOOL: _truth, _INT: _whole, _FLOAT: _real, _COLOUR: _colour}


@dataclass(frozen=True, slots=True)
class Attribute:
    """kind: the client's attribute type number. recommended: values a script may choose from."""

    name: str
    kind: int
    value: str
    recommended: tuple[str, ...] = ()
    modifiable: bool = True
    restricted: bool = False

    def check(self, value: str) -> None:
        """Raise ValueError for a value that is not of this type: a client refuses the whole actor for it."""
        reads = _READS.get(self.kind)
        if reads is None:
            return
        try:
            reads(value)
        except (ValueError, KeyError):
            raise ValueError(f"attribute {self.name} cannot be {value[:40]!r}, expected like {self.value!r}") from None

    def wire(self) -> list[object]:
        return [self.name, self.kind, self.value, list(self.recommended), self.modifiable, self.restricted]


@dataclass(frozen=True, slots=True)
class Blueprint:
    """half: half sizes of the bounding box in metres. lift: height of the box's centre above the actor's origin."""

    id: str
    tags: str
    attributes: tuple[Attribute, ...] = ()
    half: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lift: float = 0.0
    labels: bytes = b""
    defaults: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "defaults", MappingProxyType({a.name: a.value for a in self.attributes}))


def _vehicle(name: str, size: tuple[float, float, float], base: str, label: int, colours: tuple[str, ...]) -> Blueprint:
    wheels = "2" if base in ("motorcycle", "bicycle") else "4"
    attributes = (
        Attribute("number_of_wheels", _INT, wheels, modifiable=False),
        Attribute("sticky_control", _BOOL, "true"),
        Attribute("base_type", _STRING, base, modifiable=False),
        Attribute("generation", _INT, "2", modifiable=False),
        Attribute("special_type", _STRING, "", modifiable=False),
        Attribute("color", _COLOUR, colours[0], colours),
        Attribute("role_name", _STRING, "autopilot", ("autopilot", "scenario", "ego_vehicle", "traffic")),
    )
    half = (size[0] / 2, size[1] / 2, size[2] / 2)
    return Blueprint(f"vehicle.{name}", f"vehicle,{name.replace('.', ',')}", attributes, half, half[2], bytes([label]))


def _walker(number: int, height: float, age: str, gender: str) -> Blueprint:
    attributes = (
        Attribute("age", _STRING, age, modifiable=False),
        Attribute("gender", _STRING, gender, modifiable=False),
        Attribute("generation", _INT, "2", modifiable=False),
        Attribute("is_invincible", _BOOL, "true"),
        Attribute("speed", _FLOAT, "1.4", ("0.0", "1.4", "2.6")),
        Attribute("role_name", _STRING, "pedestrian", ("pedestrian",)),
    )
    # A walker's origin is the middle of the body, a vehicle's is on the ground.
    half = (0.25 if height > 1.4 else 0.2, 0.25 if height > 1.4 else 0.2, height / 2)
    return Blueprint(
        f"walker.pedestrian.{number:04d}",
        f"walker,pedestrian,{number:04d}",
        attributes,
        half,
        0.0,
        bytes([_PEDESTRIAN]),
    )


def _prop(name: str, size: tuple[float, float, float]) -> Blueprint:
    half = (size[0] / 2, size[1] / 2, size[2] / 2)
    role = (Attribute("role_name", _STRING, "prop", ("prop",)),)
    return Blueprint(f"static.prop.{name}", f"static,prop,{name}", role, half, half[2], bytes([_DYNAMIC]))


def _sensor(name: str, rows: Sequence[tuple[str, type, str]]) -> Blueprint:
    kinds = {bool: _BOOL, int: _INT, float: _FLOAT, str: _STRING}
    attributes = (*(Attribute(row, kinds[kind], value) for row, kind, value in rows), _SENSOR_ROLE)
    return Blueprint(name, name.replace(".", ","), attributes)


_SENSOR_ROLE = Attribute("role_name", _STRING, "front", ("front", "back", "left", "right"))
_PAINT = ("180,30,30", "30,60,140", "220,220,220", "40,40,45", "200,170,40", "60,120,70")
_BLUEPRINTS = (
    _vehicle("audi.tt", (4.20, 1.85, 1.35), "car", _CAR, _PAINT),
    _vehicle("bh.crossbike", (1.80, 0.60, 1.70), "bicycle", _BICYCLE, _PAINT),
    _vehicle("carlamotors.carlacola", (5.20, 2.60, 2.45), "truck", _TRUCK, ("200,20,20",)),
    _vehicle("carlamotors.firetruck", (8.50, 2.50, 3.45), "truck", _TRUCK, ("200,20,20",)),
    _vehicle("diamondback.century", (1.65, 0.60, 1.70), "bicycle", _BICYCLE, _PAINT),
    _vehicle("ford.mustang", (4.80, 1.90, 1.40), "car", _CAR, _PAINT),
    _vehicle("kawasaki.ninja", (2.05, 0.80, 1.55), "motorcycle", _MOTORCYCLE, ("30,150,60",)),
    _vehicle("lincoln.mkz_2020", (4.90, 1.85, 1.50), "car", _CAR, _PAINT),
    _vehicle("mercedes.sprinter", (5.90, 2.00, 2.60), "van", _CAR, _PAINT),
    _vehicle("mini.cooper_s", (3.80, 1.75, 1.45), "car", _CAR, _PAINT),
    _vehicle("mitsubishi.fusorosa", (8.00, 2.35, 3.10), "bus", _BUS, _PAINT),
    _vehicle("nissan.patrol", (4.60, 1.95, 1.85), "car", _CAR, _PAINT),
    _vehicle("tesla.model3", (4.70, 1.85, 1.45), "car", _CAR, _PAINT),
    _vehicle("vespa.zx125", (1.80, 0.75, 1.60), "motorcycle", _MOTORCYCLE, _PAINT),
    _walker(1, 1.85, "adult", "male"),
    _walker(2, 1.70, "adult", "female"),
    _walker(3, 1.75, "adult", "male"),
    _walker(4, 1.65, "elderly", "female"),
    _walker(5, 1.30, "child", "female"),
    _walker(6, 1.25, "child", "male"),
    _prop("streetbarrier", (1.20, 0.35, 1.05)),
    _prop("trafficcone01", (0.45, 0.45, 0.75)),
    _prop("box01", (0.60, 0.60, 0.60)),
    _prop("bin", (0.55, 0.55, 1.10)),
    *(_sensor(name, rows) for name, rows in {**CAMERA_ATTRIBUTES, **SENSOR_ATTRIBUTES}.items()),
    Blueprint("controller.ai.walker", "controller,ai,walker", (Attribute("role_name", _STRING, "default"),)),
)
LIBRARY: Mapping[str, Blueprint] = MappingProxyType({blueprint.id: blueprint for blueprint in _BLUEPRINTS})
"""Blueprints by id, in the library's order, with the attribute types of the current release."""


def library(release: Release) -> Mapping[str, Blueprint]:
    """`LIBRARY` as a client of `release` numbers the types of attributes."""
    shift = release.first_kind - CURRENT.first_kind
    return MappingProxyType({blueprint.id: _shifted(blueprint, shift) for blueprint in _BLUEPRINTS})


def _shifted(blueprint: Blueprint, shift: int) -> Blueprint:
    attributes = tuple(replace(attribute, kind=attribute.kind + shift) for attribute in blueprint.attributes)
    return replace(blueprint, attributes=attributes)
