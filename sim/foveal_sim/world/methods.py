"""The methods a client may call, bound to one world."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from foveal_sim.world.arguments import number, text, unsigned
from foveal_sim.world.commands import Commands
from foveal_sim.world.map_layers import ALL_LAYERS, in_layers
from foveal_sim.world.physics import GRAVITY_MPS2
from foveal_sim.world.ray_methods import register_rays
from foveal_sim.world.rpc import CallError, MethodTable
from foveal_sim.world.scenery import ANY, EnvironmentObject
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.traffic_lights import GREEN, RED, YELLOW
from foveal_sim.world.world import World

__all__ = ["method_table"]

_BACK_WHEELS = 2
_HOST_NAME = 255
# The numbers among the parameters of a generated world, in the client's order.
_GENERATION = ("vertex_distance", "max_road_length", "wall_height", "additional_width")
_MAY_BE_0 = ("wall_height", "additional_width")


def method_table(world: World) -> MethodTable:
    """Everything that this server answers."""
    table = MethodTable()
    commands = Commands(world)
    commands.register(table)
    _session(table, world)
    _maps(table, world)
    _actors(table, world, commands)
    _surroundings(table, world)
    _traffic_lights(table, world, commands)
    _traffic_manager(table)
    _vehicles(table, world, commands)
    register_rays(table, world)
    return table


def _session(table: MethodTable, world: World) -> None:
    def set_settings(fields: Sequence[Any]) -> int:
        world.apply_settings(EpisodeSettings.parse(fields))
        return world.frame

    def sensor_token(stream_id: int) -> list[bytes]:
        stream_id = unsigned(stream_id)
        world.hub.expect(stream_id, time.monotonic())
        return [world.hub.token(stream_id)]

    def tick(*_: Any) -> int:
        return world.tick() if world.episode.settings.synchronous else world.frame

    table.value("version", lambda: world.release.version)
    table.value("get_episode_info", lambda: [world.episode.number, [world.hub.token(world.observer)]])
    table.value("get_sensor_token", sensor_token)
    table.value("get_episode_settings", lambda: world.episode.settings.wire())
    table.value("set_episode_settings", set_settings)
    table.value("tick_cue", tick)


def _maps(table: MethodTable, world: World) -> None:
    def info() -> list[object]:
        points = [[list(p[:3]), list(p[3:])] for p in world.episode.spawn_points]
        return [world.episode.road_map.name, points]

    def load(name: str, reset: bool = True, layers: int = ALL_LAYERS, *_: Any) -> None:
        world.load(text(name), bool(reset))
        world.episode.hidden.update(in_layers(world.episode.scenery, ALL_LAYERS & ~int(layers)))

    def upload(source: str, parameters: Sequence[Any] = (), *_: Any) -> None:
        for name, value in zip(_GENERATION, map(number, parameters[: len(_GENERATION)]), strict=False):
            if value < 0.0 or (value == 0.0 and name not in _MAY_BE_0):
                raise CallError(f"generate_opendrive_world: {name} of {value} makes no world")
        world.upload(text(source))

    def show_layers(layers: int, visible: bool) -> None:
        change = world.episode.hidden.difference_update if visible else world.episode.hidden.update
        change(in_layers(world.episode.scenery, int(layers)))

    table.value("get_map_info", info)
    table.value("get_map_data", lambda: world.episode.road_map.text)
    table.value("get_required_files", lambda *_: [])
    table.value("get_available_maps", world.available_maps)
    table.command("load_new_episode", load)
    table.command("copy_opendrive_to_file", upload)
    table.command("load_map_layer", lambda layers: show_layers(layers, True))
    table.command("unload_map_layer", lambda layers: show_layers(layers, False))


def _actors(table: MethodTable, world: World, commands: Commands) -> None:
    def blueprints() -> list[object]:
        library = enumerate(world.episode.library.values(), start=1)
        return [[n, b.id, b.tags, [a.wire() for a in b.attributes]] for n, b in library]

    def by_id(ids: Iterable[int]) -> list[object]:
        actors = (world.episode.table.get(actor_id) for actor_id in ids)
        return [actor.wire() for actor in actors if actor is not None]

    table.value("get_actor_definitions", blueprints)
    table.value("get_actors_by_id", by_id)
    table.value("get_spectator", lambda: world.episode.spectator.wire())
    table.value("get_actor_bounding_box", lambda actor_id: commands.actor(actor_id).bounding_box())
    table.value("spawn_actor", lambda description, transform: commands.spawn(description, transform).wire())
    table.value("spawn_actor_with_parent", lambda *arguments: commands.spawn(*arguments).wire())
    table.value("get_vehicle_light_state", lambda actor_id: [world.episode.lights.get(commands.actor(actor_id).id, 0)])
    table.value("get_vehicle_light_states", lambda: [[actor, flags] for actor, flags in world.episode.lights.items()])


def _vehicles(table: MethodTable, world: World, commands: Commands) -> None:
    def telemetry(actor_id: int) -> list[object]:
        actor = commands.vehicle(actor_id)
        live = world.episode.table
        pedals, gear = live.records["pedals"][actor.slot].tolist(), int(live.records["gear"][actor.slot])
        return world.episode.physics.telemetry(actor, float(live.speed[actor.slot]), pedals, gear)

    def wheel_angle(actor_id: int, wheel: int) -> float:
        """Degrees; the wheels at the back do not turn."""
        actor = commands.vehicle(actor_id)
        if wheel >= _BACK_WHEELS:
            return 0.0
        full = math.degrees(world.episode.physics.max_steer_rad(actor))
        return full * float(world.episode.table.records["steer"][actor.slot])

    def set_gains(actor_id: int, gains: Sequence[Any]) -> None:
        world.episode.set_ackermann_gains(commands.vehicle(actor_id), gains)

    table.value("get_physics_control", lambda actor_id: world.episode.physics.control(commands.vehicle(actor_id)))
    table.value("get_telemetry_data", telemetry)
    table.value("get_wheel_steer_angle", wheel_angle)
    table.value(
        "get_ackermann_controller_settings", lambda actor_id: world.episode.ackermann_gains(commands.vehicle(actor_id))
    )
    table.command("apply_ackermann_controller_settings", set_gains)


def _surroundings(table: MethodTable, world: World) -> None:
    def objects(label: int) -> list[EnvironmentObject]:
        return [thing for thing in world.episode.scenery if label in (ANY, thing.label)]

    def show(ids: Iterable[int], visible: bool) -> None:
        known = {thing.id for thing in world.episode.scenery}.intersection(ids)
        (world.episode.hidden.difference_update if visible else world.episode.hidden.update)(known)

    def set_weather(fields: Sequence[Any]) -> None:
        values = [number(value) for value in fields]
        if len(values) != len(world.episode.weather):
            raise ValueError(f"weather has {len(world.episode.weather)} figures, not {len(values)}")
        world.episode.weather = values

    table.value("get_all_level_BBs", lambda label: [thing.bounding_box() for thing in objects(label)])
    table.value("get_environment_objects", lambda label: [_environment_object(thing) for thing in objects(label)])
    table.command("enable_environment_objects", show)
    table.value("get_names_of_all_objects", lambda: [thing.name for thing in world.episode.scenery])
    table.value("get_weather_parameters", lambda: world.episode.weather)
    table.command("set_weather_parameters", set_weather)
    table.value("query_lights_state", lambda *_: [])
    table.value("get_imui_gravity", lambda: GRAVITY_MPS2)
    for name in ("draw_debug_shape", "clear_debug_shape", "clear_debug_string", "update_lights_state"):
        table.command(name, lambda *_: None)


def _environment_object(thing: EnvironmentObject) -> list[object]:
    return [thing.transform(), thing.bounding_box(), thing.id, thing.name, thing.label]


def _traffic_lights(table: MethodTable, world: World, commands: Commands) -> None:
    def boxes(actor_id: int) -> list[object]:
        control = world.episode.control
        return [control.roadside.faces[control.light_signal[commands.light(actor_id)]].wire(actor_id)]

    def duration(stage: int) -> Callable[[int, float], None]:
        def set_time(actor_id: int, seconds: float) -> None:
            world.episode.control.lights.set_time(commands.light(actor_id), stage, number(seconds))

        return set_time

    def freeze(actor_id: int, frozen: bool) -> None:
        lights = world.episode.control.lights
        lights.freeze(bool(frozen), int(lights.group[commands.light(actor_id)]))

    def reset(actor_id: int) -> None:
        lights = world.episode.control.lights
        lights.reset(int(lights.group[commands.light(actor_id)]))

    table.value("get_light_boxes", boxes)
    table.value("get_group_traffic_lights", lambda actor_id: world.episode.control.group(commands.light(actor_id)))
    for name, stage in (("green", GREEN), ("yellow", YELLOW), ("red", RED)):
        table.command(f"set_traffic_light_{name}_time", duration(stage))
    table.command("freeze_traffic_light", freeze)
    table.command("reset_traffic_light_group", reset)
    table.command("freeze_all_traffic_lights", lambda frozen: world.episode.control.lights.freeze(bool(frozen)))
    table.command("reset_all_traffic_lights", lambda *_: world.episode.control.lights.reset())


def _traffic_manager(table: MethodTable) -> None:
    """The client's own traffic manager asks here whether another client runs one already."""
    running: dict[int, tuple[str, int]] = {}

    def find(port: int) -> tuple[str, int]:
        if port not in running:
            raise CallError(f"no traffic manager runs on port {port}")
        return running[port]

    def add(place: Sequence[Any]) -> bool:
        host, port = place
        address = (str(host)[:_HOST_NAME], unsigned(port, 16))
        return running.setdefault(address[1], address) == address

    table.value("is_traffic_manager_running", lambda port: port in running)
    table.value("get_traffic_manager_running", find)
    table.value("add_traffic_manager_running", add)
    table.value("destroy_traffic_manager", lambda port: running.pop(port, None) is not None)
