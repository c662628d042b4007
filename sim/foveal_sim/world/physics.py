"""Nominal bodies of vehicles as `VehiclePhysicsControl`, and what of it the kinematic model uses: mass and steering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from foveal_sim.world.actors import Actor
from foveal_sim.world.arguments import number, vector
from foveal_sim.world.bicycle import MAX_STEER_DEG, WHEELBASE_SHARE

__all__ = ["GRAVITY_MPS2", "Physics"]

GRAVITY_MPS2 = 9.81

# Nominal kerb masses of the kinds in kg, a rider or a person with 75.
_MASS_KG = {"car": 1500.0, "van": 2500.0, "truck": 8000.0, "bus": 11000.0, "motorcycle": 275.0, "bicycle": 90.0}
_PERSON_KG = 75.0
_PROP_KG = 20.0
_FINAL_RATIO, _MASS, _WHEELS = 9, 11, 15
_STEER, _RADIUS = 2, 3
# Wheel radii in metres: a car's, a bus's or truck's, a two-wheeler's.
_WHEEL_RADIUS_M = {"truck": 0.5, "bus": 0.5}
_TWO_WHEELER_RADIUS_M = 0.3
_CAR_RADIUS_M = 0.35
_LONGEST = 100


class Physics:
    """Physics controls by actor. Only the mass and the steering angle of the front wheels change what happens."""

    def __init__(self) -> None:
        self._applied: dict[int, list[Any]] = {}

    def control(self, actor: Actor) -> list[Any]:
        """Wire form of the control that was applied, or of a nominal one. Wheels stand at the actor's pose in cm, as in
        CARLA, but of an actor at the world's origin.
        """
        return self._applied.get(actor.id) or _nominal(actor)

    def apply(self, actor: Actor, control: Sequence[Any]) -> None:
        """Keep a control. Raises TypeError, ValueError or IndexError for one that no vehicle has."""
        kept = _parse(control)
        mass, wheels = kept[_MASS], kept[_WHEELS]
        steer, radius = ([wheel[field] for wheel in wheels] for field in (_STEER, _RADIUS))
        if len(wheels) < 2:
            raise ValueError(f"physics control of actor {actor.id} has {len(wheels)} wheels, expected two or more")
        if mass <= 0.0 or min(radius) <= 0.0:
            raise ValueError(f"mass and wheel radii of actor {actor.id} must be positive, got {mass} and {radius}")
        if not all(0.0 <= angle < 90.0 for angle in steer):
            raise ValueError(f"max_steer_angle of actor {actor.id} must be 0 or more and below 90 degrees, got {steer}")
        self._applied[actor.id] = kept

    def forget(self, actor_id: int) -> None:
        self._applied.pop(actor_id, None)

    def mass(self, actor: Actor) -> float:
        """kg."""
        applied = self._applied.get(actor.id)
        return applied[_MASS] if applied else _mass(actor)

    def max_steer_rad(self, actor: Actor) -> float:
        """Steering angle of the front wheels at full steer."""
        applied = self._applied.get(actor.id)
        wheels = applied[_WHEELS] if applied else ()
        return math.radians(max((wheel[_STEER] for wheel in wheels), default=MAX_STEER_DEG))

    def telemetry(self, actor: Actor, speed: float, pedals: Sequence[float], gear: int) -> list[object]:
        """Wire form of `VehicleTelemetryData`. pedals: throttle, steer, brake.

        Wheels roll without slip and share the weight; what a kinematic model has not (slip, forces, torque) is 0. The
        engine turns as the wheels do times the final ratio.
        """
        control = self.control(actor)
        wheels = control[_WHEELS]
        load = control[_MASS] * GRAVITY_MPS2 / len(wheels)
        records = []
        for wheel in wheels:
            omega = speed / (wheel[_RADIUS] / 100.0)
            records.append([wheel[0], 0.0, 0.0, omega, load, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        rpm = abs(records[0][3]) * control[_FINAL_RATIO] * 60.0 / (2.0 * math.pi)
        throttle, steer, brake = pedals
        return [abs(speed), steer, throttle, brake, rpm, gear, 0.0, records]


def _mass(actor: Actor) -> float:
    if actor.category == "walker":
        return _PERSON_KG
    return _MASS_KG.get(actor.attributes.get("base_type", ""), _PROP_KG)


def _nominal(actor: Actor) -> list[Any]:
    """Numbers without a meaning here are round ones of a passenger car; wheel radii are in cm."""
    kind = actor.attributes.get("base_type", "")
    two_wheels = actor.attributes.get("number_of_wheels") == "2"
    radius = _TWO_WHEELER_RADIUS_M if two_wheels else _WHEEL_RADIUS_M.get(kind, _CAR_RADIUS_M)
    half = actor.blueprint.half
    axle = WHEELBASE_SHARE * half[0]
    beside = (0.0,) if two_wheels else (-0.8 * half[1], 0.8 * half[1])
    wheels = [_wheel(x, y, radius) for x in (axle, -axle) for y in beside]
    gears = [[ratio, 0.5, 0.65] for ratio in (3.5, 2.1, 1.4, 1.0, 0.8)]
    torque, steering = [[0.0, 400.0], [5000.0, 400.0]], [[0.0, 1.0], [120.0, 1.0]]
    engine = [torque, 5000.0, 1.0, 0.15, 2.0, 0.35, True, 0.0, 10.0, 4.0, gears]
    return [*engine, _mass(actor), 0.3, [0.0, 0.0, 0.0], steering, wheels, False]


def _wheel(x: float, y: float, radius: float) -> list[Any]:
    steer, hand_brake = (MAX_STEER_DEG, 0.0) if x > 0 else (0.0, 3000.0)
    place = [100.0 * x, 100.0 * y, 100.0 * radius]
    return [3.5, 0.25, steer, 100.0 * radius, 1500.0, hand_brake, 2.0, 17.0, 1000.0, place]


def _parse(control: Sequence[Any]) -> list[Any]:
    """A control of the wire with every number and list checked: it goes back to every client that asks."""
    torque, *engine, automatic, switch, clutch, ratio, gears, mass, drag, centre, steering, wheels, sweep = control
    return [
        _curve(torque),
        *_numbers(engine, 5),
        bool(automatic),
        *_numbers((switch, clutch, ratio), 3),
        [_numbers(gear, 3) for gear in _short(gears)],
        number(mass),
        number(drag),
        list(vector(centre)),
        _curve(steering),
        [[*_numbers(wheel[:-1], 9), list(vector(wheel[-1]))] for wheel in _short(wheels)],
        bool(sweep),
    ]


def _numbers(values: Sequence[Any], count: int) -> list[float]:
    if len(values) != count:
        raise ValueError(f"a part of a physics control has {len(values)} numbers, expected {count}")
    return [number(value) for value in values]


def _curve(points: Sequence[Any]) -> list[list[float]]:
    return [_numbers(point, 2) for point in _short(points)]


def _short(items: Sequence[Any]) -> Sequence[Any]:
    if len(items) > _LONGEST:
        raise ValueError(f"a list of a physics control has {len(items)} items, more than {_LONGEST}")
    return items
