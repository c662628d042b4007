"""What touches or comes close: `sensor.other.collision` and `sensor.other.obstacle`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from foveal_sim.world.actors import Actor
from foveal_sim.world.attribute_values import flag, number
from foveal_sim.world.moment import Moment
from foveal_sim.world.scenery import EnvironmentObject
from foveal_sim.world.sensor_wire import COLLISION, OBSTACLE, contact_body, obstacle_body
from foveal_sim.world.solids import Solids

__all__ = ["Collision", "Obstacle", "separation"]

_NEAR_M = 20.0
_TERNARY, _BISECTION = 45, 26  # 10 km down to 0.2 mm
_TOUCH_M = 1e-6

Key = tuple[bool, int]


class Collision:
    """Reports each contact of its parent's box with another box once, when it begins.

    Nothing stops the parent: motion is kinematic. The impulse is what would take away the closing speed along the
    axis of least overlap without bouncing: m1 m2 / (m1 + m2) of it, m1 against scenery. It points away from the other.
    """

    kind = COLLISION

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self._touching: set[Key] = set()

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """A body for each new contact."""
        actor = moment.carrier
        if actor is None or not actor.blueprint.half[0]:
            return
        near = _near(moment.solids.without(moment.carried()), moment.episode.table.pose(actor)[:3], _NEAR_M)
        mine = moment.solids.chosen(moment.solids.actor == actor.id)
        touching = set()
        for number_, normal in separation(mine, near):
            thing = near.things[number_]
            key = isinstance(thing, Actor), thing.id
            touching.add(key)
            if key not in self._touching:
                yield contact_body(actor.wire(), other_wire(thing), self._impulse(moment, actor, thing, normal))
        self._touching = touching

    @staticmethod
    def _impulse(moment: Moment, actor: Actor, thing: Actor | EnvironmentObject, normal: np.ndarray) -> np.ndarray:
        mass = moment.episode.mass(actor)
        closing = moment.motion(actor)[0]
        if isinstance(thing, Actor):
            other = moment.episode.mass(thing)
            mass = mass * other / (mass + other)
            closing = closing - moment.motion(thing)[0]
        return normal * mass * max(-float(closing @ normal), 0.0)


class Obstacle:
    """The nearest box that a ball of `hit_radius` meets on `distance` metres straight ahead; the ground is none.

    only_dynamics: vehicles and walkers alone. What carries the sensor is not met.
    """

    kind = OBSTACLE

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for sizes that are negative or not finite."""
        self._distance = number(attributes, "distance", 0.0)
        self._radius = number(attributes, "hit_radius", 0.0)
        self._only_dynamics = flag(attributes, "only_dynamics")

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body where something is met."""
        solids = moment.solids.without(moment.carried())
        start = np.array(moment.pose[:3])
        solids = _near(solids, start, self._distance + self._radius)
        if self._only_dynamics:
            solids = solids.chosen(np.array([_dynamic(thing) for thing in solids.things], dtype=bool))
        if not len(solids):
            return
        free = _free_way(solids, start, moment.turn[:, 0], self._radius, self._distance)
        if not np.isfinite(free).any():
            return
        owner = moment.carrier or moment.sensor
        yield obstacle_body(owner.wire(), other_wire(solids.things[int(free.argmin())]), float(free.min()))


def _dynamic(thing: Actor | EnvironmentObject) -> bool:
    return isinstance(thing, Actor) and thing.category in ("vehicle", "walker")


def other_wire(thing: Actor | EnvironmentObject) -> list[object]:
    """An actor's wire form, or that of the nameless actor (id 0) by which CARLA reports scenery: its type is
    "static." with the object's kind, its tag the object's label.
    """
    if isinstance(thing, Actor):
        return thing.wire()
    kind = thing.name.rpartition("_")[0].lower()
    return [0, 0, [0, f"static.{kind}", []], thing.bounding_box(), bytes([thing.label]), b""]


def separation(mine: Solids, others: Solids) -> list[tuple[int, np.ndarray]]:
    """Which of `others` the one box `mine` overlaps, and for each the unit vector of least overlap, away from it.

    Separating axes: the three of each box and their nine cross products (Gottschalk, Lin, Manocha, SIGGRAPH 1996).
    """
    count = len(others)
    if not count:
        return []
    own = np.broadcast_to(mine.axes[0], (count, 3, 3))
    crossed = np.cross(own[:, :, None], others.axes[:, None, :]).reshape(count, 9, 3)
    axes = np.concatenate([own, others.axes, crossed], axis=1)
    length = np.linalg.norm(axes, axis=2, keepdims=True)
    parallel = length[..., 0] < 1e-6
    axes = axes / np.where(length < 1e-6, 1.0, length)
    gap = np.einsum("nad,nd->na", axes, mine.centre[0] - others.centre)
    reach = np.abs(np.einsum("nad,kd->nak", axes, mine.axes[0])) @ mine.half[0]
    reach += np.einsum("nak,nk->na", np.abs(np.einsum("nad,nkd->nak", axes, others.axes)), others.half)
    depth = np.where(parallel, np.inf, reach - np.abs(gap))
    best = depth.argmin(axis=1)
    return [
        (index, axes[index, best[index]] * (1.0 if gap[index, best[index]] >= 0.0 else -1.0))
        for index in np.flatnonzero(depth.min(axis=1) > 0.0).tolist()
    ]


def _near(solids: Solids, place: tuple[float, ...] | np.ndarray, reach_m: float) -> Solids:
    """Boxes of which some part may lie within `reach_m` of `place`."""
    away = np.linalg.norm(solids.centre - np.asarray(place), axis=1) - np.linalg.norm(solids.half, axis=1)
    return solids.chosen(away <= reach_m)


def _free_way(solids: Solids, start: np.ndarray, ahead: np.ndarray, radius: float, distance: float) -> np.ndarray:
    """(n,) metres until a ball from `start` along the unit vector `ahead` touches each box; inf beyond `distance`.

    A point's distance to a convex body is convex along a line: its least value is found by ternary search, the first
    place within `radius` by bisection before it.
    """
    local = np.einsum("nkd,nd->nk", solids.axes, start - solids.centre)
    turned = np.einsum("nkd,d->nk", solids.axes, ahead)

    def gap(along: np.ndarray) -> np.ndarray:
        beside = np.maximum(np.abs(local + turned * along[:, None]) - solids.half, 0.0)
        return np.linalg.norm(beside, axis=1) - radius

    low, high = np.zeros(len(local)), np.full(len(local), distance)
    for _ in range(_TERNARY):
        third = (high - low) / 3.0
        nearer = gap(low + third) <= gap(high - third)
        low, high = np.where(nearer, low, low + third), np.where(nearer, high - third, high)
    touched = gap(low) <= _TOUCH_M
    before, after = np.zeros(len(local)), low
    after = np.where(gap(before) <= _TOUCH_M, before, after)
    for _ in range(_BISECTION):
        middle = (before + after) / 2.0
        inside = gap(middle) <= _TOUCH_M
        before, after = np.where(inside, before, middle), np.where(inside, middle, after)
    return np.where(touched, after, np.inf)
