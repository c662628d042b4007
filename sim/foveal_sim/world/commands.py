"""What a client can order an actor to do, by itself or in a batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from foveal.errors import FovealError

from foveal_sim.world.actors import Actor
from foveal_sim.world.arguments import attributes, number, pose, unsigned, vector
from foveal_sim.world.rpc import CallError, MethodTable, failure, success
from foveal_sim.world.world import World

__all__ = ["Commands"]

_CONSOLE = 20
# Orders that make sense to a client and change nothing in a kinematic world without doors.
_WITHOUT_EFFECT = (
    "add_actor_angular_impulse",
    "add_actor_torque",
    "set_actor_target_angular_velocity",
    "set_actor_collisions",
    "set_actor_enable_gravity",
    "set_actor_dead",
    "open_vehicle_door",
    "close_vehicle_door",
    "set_wheel_steer_direction",
    "set_wheel_pitch_angle",
    "show_vehicle_debug_telemetry",
)


class Commands:
    """Commands on actors of `world`. An unknown actor is refused with CallError."""

    def __init__(self, world: World) -> None:
        self._world = world
        # In the client's order of command variants; what has no effect in a kinematic world is accepted.
        self._batch: dict[int, Callable[..., object]] = {
            1: self.destroy,
            2: self.control,
            3: self.ackermann,
            4: self.walker_control,
            5: self.physics,
            6: self.transform,
            7: self.walker_state,
            8: self.velocity,
            9: self.accept,
            10: self.impulse,
            11: self.force,
            12: self.accept,
            13: self.accept,
            14: self.simulate_physics,
            15: self.accept,
            16: self.accept,
            17: self.accept,
            18: self.lights,
            19: self.location,
            21: self.traffic_light_state,
        }

    def register(self, table: MethodTable) -> None:
        """Offer the single commands."""
        table.value("destroy_actor", self.destroy)
        table.bare("apply_batch", self.batch)
        table.command("set_actor_transform", self.transform)
        table.command("set_actor_location", self.location)
        table.command("set_actor_target_velocity", self.velocity)
        table.command("enable_actor_constant_velocity", self.constant_velocity)
        table.command("disable_actor_constant_velocity", self.no_constant_velocity)
        table.command("set_actor_simulate_physics", self.simulate_physics)
        table.command("apply_control_to_vehicle", self.control)
        table.command("apply_control_to_walker", self.walker_control)
        table.command("set_vehicle_light_state", self.lights)
        table.command("add_actor_impulse", self.impulse)
        table.command("add_actor_impulse_at_location", self.impulse)
        table.command("add_actor_force", self.force)
        table.command("add_actor_force_at_location", self.force)
        table.command("apply_physics_control", self.physics)
        table.command("apply_ackermann_control_to_vehicle", self.ackermann)
        for name in _WITHOUT_EFFECT:
            table.command(name, self.accept)
        table.command("set_traffic_light_state", self.traffic_light_state)

    def actor(self, actor_id: int) -> Actor:
        """The live actor with this id. Raises CallError."""
        actor = self._world.episode.table.get(actor_id)
        if actor is None:
            raise CallError(f"unable to find actor {actor_id}: it was destroyed or never existed")
        return actor

    def vehicle(self, actor_id: int) -> Actor:
        """The live vehicle with this id. Raises CallError."""
        return self._of("vehicle", actor_id)

    def destroy(self, actor_id: int) -> bool:
        self.actor(actor_id)
        return self._world.destroy(actor_id)

    def transform(self, actor_id: int, transform: Sequence[Any]) -> None:
        self._world.episode.place(self.actor(actor_id), pose(transform))

    def location(self, actor_id: int, location: Sequence[Any]) -> None:
        actor = self.actor(actor_id)
        turned = self._world.episode.table.own_pose(actor)[3:]
        self._world.episode.place(actor, (*vector(location), *turned))

    def velocity(self, actor_id: int, velocity: Sequence[Any]) -> None:
        self._world.episode.set_velocity(self.actor(actor_id), vector(velocity))

    def constant_velocity(self, actor_id: int, velocity: Sequence[Any]) -> None:
        """Vehicles only roll forward: the vector's x in the vehicle's frame counts."""
        self._world.episode.set_constant_speed(self.actor(actor_id).id, vector(velocity)[0])

    def no_constant_velocity(self, actor_id: int) -> None:
        self._world.episode.set_constant_speed(self.actor(actor_id).id, None)

    def simulate_physics(self, actor_id: int, enabled: bool) -> None:
        self._world.episode.simulate_physics(self.actor(actor_id).id, bool(enabled))

    def impulse(self, actor_id: int, impulse: Sequence[Any], *_: Any) -> None:
        """N s in the world; where it acts makes no difference."""
        self._world.episode.push(self.actor(actor_id), vector(impulse))

    def force(self, actor_id: int, force: Sequence[Any], *_: Any) -> None:
        """N in the world, for one step."""
        step = self._world.episode.settings.step_s
        x, y, z = vector(force)
        self._world.episode.push(self.actor(actor_id), (x * step, y * step, z * step))

    def physics(self, actor_id: int, control: Sequence[Any]) -> None:
        self._world.episode.apply_physics(self.vehicle(actor_id), control)

    def ackermann(self, actor_id: int, control: Sequence[Any]) -> None:
        self._world.episode.steer_by(self.vehicle(actor_id), control)

    def control(self, actor_id: int, control: Sequence[Any]) -> None:
        actor = self.vehicle(actor_id)
        slot = actor.slot
        records = self._world.episode.table.records
        throttle, steer, brake = (number(value) for value in control[:3])
        self._world.episode.steer_by(actor, None)
        records["throttle"][slot] = min(max(throttle, 0.0), 1.0)
        records["steer"][slot] = min(max(steer, -1.0), 1.0)
        records["brake"][slot] = min(max(brake, 0.0), 1.0)
        records["hand_brake"][slot] = bool(control[3])
        records["reverse"][slot] = bool(control[4])
        records["manual_gear_shift"][slot] = bool(control[5])
        records["gear"][slot] = int(control[6])

    def walker_control(self, actor_id: int, control: Sequence[Any]) -> None:
        slot = self._of("walker", actor_id).slot
        records = self._world.episode.table.records
        speed = number(control[1])
        records["walker_direction"][slot] = vector(control[0])
        records["walker_speed"][slot] = speed
        records["walker_jump"][slot] = bool(control[2])

    def walker_state(self, actor_id: int, transform: Sequence[Any], speed: float) -> None:
        """Place a walker and let it walk on the way it faces."""
        self.transform(actor_id, transform)
        yaw = math.radians(float(transform[1][1]))
        self.walker_control(actor_id, [[math.cos(yaw), math.sin(yaw), 0.0], speed, False])

    def lights(self, actor_id: int, flags: Any) -> None:
        self._world.episode.lights[self.actor(actor_id).id] = unsigned(flags[0] if isinstance(flags, list) else flags)

    def light(self, actor_id: int) -> int:
        """Index of the traffic light that an actor is. Raises CallError."""
        light = self._world.episode.control.light(actor_id)
        if light is None:
            raise CallError(f"actor {actor_id} is {self.actor(actor_id).blueprint.id}, not a traffic light")
        return light

    def traffic_light_state(self, actor_id: int, state: int) -> None:
        self._world.episode.control.lights.set_state(self.light(actor_id), int(state))

    def accept(self, actor_id: int, *_: Any) -> None:
        """There is no gravity and no contact here: switching them changes nothing."""
        self.actor(actor_id)

    def spawn(self, description: Sequence[Any], transform: Sequence[Any], parent: int = 0, *_: Any) -> Actor:
        """Spawn an actor; the attachment's kind makes no difference, all are rigid."""
        return self._world.spawn(str(description[1]), attributes(description[2]), pose(transform), parent)

    def batch(self, commands: Sequence[Any], *_: Any) -> list[object]:
        """Carry out a batch; one envelope a command."""
        return [self._one(command[0][0], command[0][1], 0) for command in commands]

    def _one(self, kind: int, payload: Sequence[Any], spawned: int) -> list[object]:
        try:
            if kind == 0:
                return success(self._spawn_in_batch(payload))
            if kind == _CONSOLE:
                return failure("this server has no console")
            actor_id = payload[0] or spawned
            command = self._batch.get(kind)
            if command is None:
                return failure(f"command {kind} of a batch is not supported by this server")
            command(actor_id, *payload[1:])
            return success(actor_id)
        except FovealError as refusal:
            return failure(str(refusal))
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
            return failure(f"command {kind} of a batch is malformed: {error}")

    def _spawn_in_batch(self, payload: Sequence[Any]) -> int:
        description, transform, parent = payload[:3]
        actor = self.spawn(description, transform, parent[1] if parent[0] else 0)
        for command in payload[-1]:
            self._one(command[0][0], command[0][1], actor.id)
        return actor.id

    def _of(self, category: str, actor_id: int) -> Actor:
        actor = self.actor(actor_id)
        if actor.category != category:
            raise CallError(f"actor {actor_id} is {actor.blueprint.id}, not a {category}")
        return actor
