"""One loaded map with everything that lives on it, and how it advances."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from foveal.errors import FovealError

from foveal_sim.world.ackermann import DEFAULT_GAINS, Ackermann
from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.bicycle import drive
from foveal_sim.world.blueprints import LIBRARY, Blueprint
from foveal_sim.world.ground import Ground, make_ground
from foveal_sim.world.lanes import LaneGraph, lane_strips
from foveal_sim.world.opendrive import RoadMap
from foveal_sim.world.physics import Physics
from foveal_sim.world.scenery import EnvironmentObject, place_scenery
from foveal_sim.world.settings import EpisodeSettings, default_weather
from foveal_sim.world.traffic import Traffic
from foveal_sim.world.traffic_control import TrafficControl
from foveal_sim.world.traffic_lights import GREEN
from foveal_sim.world.walkers import Strollers, walk

__all__ = ["Episode", "Population", "SpawnError"]

_log = logging.getLogger(__name__)
_SPECTATOR = Blueprint("spectator", "spectator")
_VEHICLES = [blueprint for blueprint in LIBRARY.values() if blueprint.id.startswith("vehicle.")]
_PEOPLE = [blueprint for blueprint in LIBRARY.values() if blueprint.id.startswith("walker.")]
_SPAWN_SPACING_M = 10.0
_TRIES = 10
_MOST_ACTORS = 10_000
# A vehicle spawned up to this far above its lane is set on it: there is no gravity to let it fall.
_DROP_M = 2.0
_FASTEST_MPS = 1e7


class SpawnError(FovealError):
    """An actor cannot be spawned; the text is for the client."""


@dataclass(frozen=True, slots=True)
class Population:
    """What the server spawns by itself when a map is loaded: lane-following vehicles and strolling walkers."""

    vehicles: int = 0
    walkers: int = 0
    seed: int = 0


class Episode:
    """World state of one map. Actor ids start at `first_id` and are never used twice."""

    def __init__(
        self,
        number: int,
        road_map: RoadMap,
        population: Population,
        first_id: int,
        library: Mapping[str, Blueprint] = LIBRARY,
    ) -> None:
        strips = lane_strips(road_map)
        self.number = number
        self.road_map = road_map
        self.population = population
        self.library = library
        self.settings = EpisodeSettings()
        self.weather = default_weather()
        self.table = ActorTable()
        self.lights: dict[int, int] = {}
        self.driving = LaneGraph.of(strips, "driving")
        self.hidden: set[int] = set()
        self.physics = Physics()
        self.next_id = first_id
        self.control = TrafficControl(road_map, self.driving)
        self.scenery: list[EnvironmentObject] = place_scenery(strips, self.control.roadside.faces)
        self._traffic = Traffic(self.driving, road_map.speed_limit_mps, population.seed, self.control)
        self._sidewalks = LaneGraph.of(strips, "sidewalk")
        self._strollers = Strollers(self._sidewalks, population.seed)
        self._strips = strips
        self._still: set[int] = set()
        self._constant: dict[int, float] = {}
        self._ackermann: dict[int, Ackermann] = {}
        self._gains: dict[int, tuple[float, ...]] = {}
        self._version = -1
        nobody = np.empty(0, dtype=np.int64)
        self._driven = self._walked = self._obstacles = self._vehicles = self._readers = nobody
        self._speeds = self._steers = np.empty(0)
        uid = len(library) + 1
        self.spectator = self._add(
            lambda slot: Actor(self.next_id, slot, uid, _SPECTATOR, {}), (0.0, 0.0, 10.0, 0.0, 0.0, 0.0)
        )
        self.control.spawn(self.table, self._add_signal)
        self.spawn_points = self._spawn_points()
        self._populate(population)

    @cached_property
    def ground(self) -> Ground:
        """The ground as rays meet it; made when first asked for."""
        return make_ground(self._strips)

    # -- spawning ------------------------------------------------------------------------------------------------

    def spawn(
        self,
        blueprint_id: str,
        attributes: Mapping[str, str],
        pose: Sequence[float],
        parent: int = 0,
        token: bytes = b"",
    ) -> Actor:
        """Spawn an actor; pose is relative to the parent when there is one. Raises SpawnError."""
        blueprint = self.library.get(blueprint_id)
        if blueprint is None:
            raise SpawnError(f"spawn_actor: no blueprint {blueprint_id!r} in this world's library")
        if not all(math.isfinite(value) for value in pose):
            raise SpawnError(f"spawn_actor: the transform is not finite: {list(pose)}")
        if len(self.table) >= _MOST_ACTORS:
            raise SpawnError(f"spawn_actor: {_MOST_ACTORS} actors live in this world; destroy some first")
        if parent:
            owner = self.table.get(parent)
            if owner is None:
                raise SpawnError(f"spawn_actor: there is no actor {parent} to attach to")
            parent = owner.id  # an equal number of another type would reach other clients
        unknown = set(attributes) - set(blueprint.defaults)
        if unknown:
            raise SpawnError(f"spawn_actor: {blueprint_id} has no attribute {', '.join(sorted(unknown))}")
        try:
            for attribute in LIBRARY[blueprint_id].attributes:
                attribute.check(attributes.get(attribute.name, attribute.value))
        except ValueError as error:
            raise SpawnError(f"spawn_actor: {blueprint_id}: {error}") from None
        merged = {**blueprint.defaults, **attributes}
        place = tuple(pose)
        if blueprint.half[0] and not parent:
            place = self._on_ground(blueprint, place)
            if self.table.collides(place, blueprint.half, blueprint.lift):
                raise SpawnError("Spawn failed because of collision at spawn position")
        uid = list(self.library).index(blueprint_id) + 1
        actor = self._add(lambda slot: Actor(self.next_id, slot, uid, blueprint, merged, parent, token), place, parent)
        if actor.category == "vehicle":
            self.table.records["speed_limit"][actor.slot] = self._speed_limit_kmh(place)
            self.table.records["light_state"][actor.slot] = GREEN  # as CARLA says where a vehicle is at no light
            if merged["role_name"] == "traffic":
                self._traffic.adopt(actor, place[0], place[1])
        return actor

    def destroy(self, actor_id: int) -> list[Actor]:
        """Destroy an actor and what is attached to it; returns what is gone. Lights, signs and the spectator stay."""
        if actor_id == self.spectator.id or actor_id in self.control:
            return []
        gone = self.table.remove(actor_id)
        for actor in gone:
            self._traffic.release(actor.id)
            self._strollers.release(actor.id)
            self._still.discard(actor.id)
            self._constant.pop(actor.id, None)
            self._ackermann.pop(actor.id, None)
            self._gains.pop(actor.id, None)
            self.physics.forget(actor.id)
            self.lights.pop(actor.id, None)
        return gone

    # -- commands ------------------------------------------------------------------------------------------------

    def place(self, actor: Actor, pose: tuple[float, ...]) -> None:
        """Teleport an actor (an attached one in its parent's frame); its speed is kept."""
        self.table.set_pose(actor, pose)
        if actor.id in self._traffic:
            self._traffic.move(actor.id, pose[0], pose[1])
        if self.control.limits_speed and actor.category == "vehicle" and not actor.parent:
            self.table.records["speed_limit"][actor.slot] = self._speed_limit_kmh(pose)

    def simulate_physics(self, actor_id: int, enabled: bool) -> None:
        """Switch an actor's own motion off or on."""
        (self._still.discard if enabled else self._still.add)(actor_id)
        self._version = -1

    def set_velocity(self, actor: Actor, velocity: Sequence[float]) -> None:
        """Give a vehicle the forward part of `velocity` (world, m/s)."""
        yaw = math.radians(float(self.table.records["pose"][actor.slot, 4]))
        self.table.records["velocity"][actor.slot] = velocity
        self.table.speed[actor.slot] = velocity[0] * math.cos(yaw) + velocity[1] * math.sin(yaw)

    def set_constant_speed(self, actor_id: int, speed_mps: float | None) -> None:
        """Hold a vehicle's forward speed, or (None) return it to its controls."""
        if speed_mps is None:
            self._constant.pop(actor_id, None)
        else:
            self._constant[actor_id] = speed_mps
        self._version = -1

    def push(self, actor: Actor, momentum: Sequence[float]) -> None:
        """Change a vehicle's forward speed by the forward part of `momentum` (world, N s) over its mass."""
        if actor.category != "vehicle":
            return
        yaw = math.radians(float(self.table.records["pose"][actor.slot, 4]))
        along = momentum[0] * math.cos(yaw) + momentum[1] * math.sin(yaw)
        speed = float(self.table.speed[actor.slot]) + along / self.mass(actor)
        self.table.speed[actor.slot] = min(max(speed, -_FASTEST_MPS), _FASTEST_MPS)

    def mass(self, actor: Actor) -> float:
        """kg."""
        return self.physics.mass(actor)

    def apply_physics(self, actor: Actor, control: Sequence[object]) -> None:
        """Give a vehicle another physics control. Raises ValueError."""
        self.physics.apply(actor, control)
        self._version = -1

    def steer_by(self, actor: Actor, target: Sequence[float] | None) -> None:
        """Drive a vehicle by Ackermann control from now on, or (None) by its pedals again. Raises ValueError."""
        if target is None:
            self._ackermann.pop(actor.id, None)
        else:
            fresh = Ackermann(self._gains.get(actor.id, DEFAULT_GAINS))
            self._ackermann.setdefault(actor.id, fresh).aim(target)

    def ackermann_gains(self, actor: Actor) -> tuple[float, ...]:
        """The gains of a vehicle's Ackermann controllers."""
        return self._gains.get(actor.id, DEFAULT_GAINS)

    def set_ackermann_gains(self, actor: Actor, gains: Sequence[float]) -> None:
        """Raises ValueError when they are not six finite numbers."""
        self._gains[actor.id] = Ackermann(gains).gains
        if actor.id in self._ackermann:
            self._ackermann[actor.id].set_gains(gains)

    # -- time ----------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Advance by one settings step."""
        delta = self.settings.step_s
        if self._version != self.table.version:
            self._look_up()
        self.control.step(self.table, delta)
        self._traffic.step(self.table, self._obstacles, delta)
        self._strollers.step(self.table, delta)
        if self._ackermann:
            self._press_pedals(delta)
        if len(self._driven):
            drive(self.table, self._driven, self._speeds, self._steers, delta)
        if len(self._walked):
            walk(self.table, self._walked, delta)
        self.table.follow_parents()
        self.control.inform(self.table, self._vehicles, self._readers)

    def warm_up(self) -> None:
        """Compile what `step` needs, so that no client waits for it at the first tick."""
        Traffic(self.driving, self.road_map.speed_limit_mps, 0, self.control).warm_up(self.table)
        self.control.warm_up(self.table)
        drive(self.table, np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), 1.0)

    def _press_pedals(self, delta_s: float) -> None:
        records = self.table.records
        for actor_id, driver in self._ackermann.items():
            actor = self.table.get(actor_id)
            if actor is None:
                continue
            speed, max_steer = float(self.table.speed[actor.slot]), self.physics.max_steer_rad(actor)
            throttle, steer, brake, reverse = driver.pedals(speed, max_steer, delta_s)
            records["pedals"][actor.slot] = throttle, steer, brake
            records["reverse"][actor.slot] = reverse

    def _look_up(self) -> None:
        every = [actor for actor in self.table if actor.category == "vehicle"]
        self._vehicles = np.array([actor.slot for actor in every], dtype=np.int64)
        # Vehicles of the traffic know the limit of their lane.
        readers = [actor.slot for actor in every if actor.id not in self._traffic]
        self._readers = np.array(readers, dtype=np.int64)
        vehicles = [a for a in self.table if a.category == "vehicle" and not a.parent and a.id not in self._traffic]
        moved = [actor for actor in vehicles if actor.id not in self._still]
        people = [a for a in self.table if a.category == "walker" and a.id not in self._strollers]
        self._obstacles = np.array([actor.slot for actor in vehicles], dtype=np.int64)
        self._driven = np.array([actor.slot for actor in moved], dtype=np.int64)
        self._walked = np.array([actor.slot for actor in people if actor.id not in self._still], dtype=np.int64)
        self._speeds = np.array([self._constant.get(actor.id, math.nan) for actor in moved])
        self._steers = np.array([self.physics.max_steer_rad(actor) for actor in moved])
        self._version = self.table.version

    # -- set-up --------------------------------------------------------------------------------------------------

    def _add(self, make: Callable[[int], Actor], pose: tuple[float, ...], parent: int = 0) -> Actor:
        actor = self.table.add(self.next_id, make, pose, parent)
        self.next_id += 1
        return actor

    def _add_signal(self, blueprint: Blueprint, pose: tuple[float, ...], box: tuple[float, ...]) -> Actor:
        return self._add(lambda slot: Actor(self.next_id, slot, 0, blueprint, {}, box=box), pose)

    def _speed_limit_kmh(self, pose: Sequence[float]) -> float:
        """What holds on the lane nearest to `pose`."""
        if not len(self.driving):
            return self.road_map.speed_limit_mps * 3.6
        lane, distance, _ = self.driving.nearest(pose[0], pose[1])
        return float(self.control.limit_mps[self.driving.first[lane] + int(distance / self.driving.step[lane])]) * 3.6

    def _on_ground(self, blueprint: Blueprint, pose: tuple[float, ...]) -> tuple[float, ...]:
        if not len(self.driving) or not blueprint.id.startswith("vehicle."):
            return pose
        lane, distance, beside = self.driving.nearest(pose[0], pose[1])
        ground = self.driving.strips[lane].at(distance)[2]
        if abs(beside) < self.driving.width[lane] and 0.0 < pose[2] - ground <= _DROP_M:
            return (*pose[:2], ground, *pose[3:])
        return pose

    def _spawn_points(self) -> list[tuple[float, ...]]:
        points: list[tuple[float, ...]] = []
        for strip in self.driving.strips:
            for distance in np.arange(_SPAWN_SPACING_M / 2, strip.length - 2.0, _SPAWN_SPACING_M):
                x, y, z, yaw = strip.at(float(distance))
                points.append((x, y, z, 0.0, (yaw + 180.0) % 360.0 - 180.0, 0.0))
        return points

    def _populate(self, population: Population) -> None:
        random = np.random.default_rng((population.seed, 2))
        found = sum(self._spawn_traffic(place, random) for place in self._some_places(population.vehicles, random))
        if found < population.vehicles:
            _log.warning("the map has room for %d of %d traffic vehicles", found, population.vehicles)
        found = sum(self._spawn_stroller(random) for _ in range(population.walkers))
        if found < population.walkers:
            _log.warning("the map has room for %d of %d walkers on sidewalks", found, population.walkers)

    def _some_places(self, count: int, random: np.random.Generator) -> Iterator[tuple[float, ...]]:
        """Spawn points in random order until `count` vehicles stand."""
        standing = len(self._traffic)
        for place in random.permutation(len(self.spawn_points)):
            if len(self._traffic) - standing == count:
                return
            yield self.spawn_points[place]

    def _spawn_traffic(self, place: tuple[float, ...], random: np.random.Generator) -> bool:
        blueprint = _VEHICLES[len(self._traffic) % len(_VEHICLES)]
        colours = next(a.recommended for a in blueprint.attributes if a.name == "color")
        attributes = {"role_name": "traffic", "color": colours[random.integers(len(colours))]}
        try:
            self.spawn(blueprint.id, attributes, place)
        except SpawnError:  # spawn points of crossing lanes may lie close together
            return False
        return True

    def _spawn_stroller(self, random: np.random.Generator) -> bool:
        if not len(self._sidewalks):
            return False
        blueprint = _PEOPLE[len(self._strollers) % len(_PEOPLE)]
        share = self._sidewalks.length / self._sidewalks.length.sum()
        for _ in range(_TRIES):
            lane = int(random.choice(len(self._sidewalks), p=share))
            distance = float(random.uniform(0.0, self._sidewalks.length[lane]))
            x, y, z, yaw = self._sidewalks.strips[lane].at(distance)
            try:
                walker = self.spawn(blueprint.id, {}, (x, y, z + blueprint.half[2], 0.0, yaw, 0.0))
            except SpawnError:
                continue
            self._strollers.adopt(walker, lane, distance)
            return True
        return False
