"""Where ticks come from: a drive on a CARLA server, or a recorded trace."""

from __future__ import annotations

import contextlib
import logging
import math
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from foveal.carla.client import Drive, connect
from foveal.carla.failure import server_lost
from foveal.carla.world_scene import static_scene
from foveal.drawlist import Zone
from foveal.errors import FovealError, SceneError, ServerLost
from foveal.frame import StageTime
from foveal.policy import Policy, Sight, TrackedActors, choose, warm_up
from foveal.provenance import Provenance
from foveal.scene.assemble import SUN, Scene, build_scene, draw_list
from foveal.scene.tick import CameraMount, Tick
from foveal.trace import Trace, TraceWriter
from foveal.zone import zone_around

from foveal_bench.environment import describe
from foveal_bench.loop import Step
from foveal_bench.options import BenchOptions
from foveal_bench.world_process import WorldProcess, world_server

if TYPE_CHECKING:  # importing the package where no HOME is set ends the process; foveal.carla sees to that first
    import carla

__all__ = ["Source", "open_source"]

LOG = logging.getLogger(__name__)

SETTLE_TICKS = 60
"""Ticks before the first recorded one, so that traffic moves."""

STEP_S = 0.05
EGO = "vehicle.tesla.model3"
ZONE_AHEAD_M, ZONE_SIDE_M, ZONE_MARGIN_M = 14.0, 16.0, 4.0
"""The default zone: a square that the ego enters and leaves within a short drive."""

POLICY: Policy = TrackedActors()


@dataclass(slots=True)
class Source:
    """A drive: its meshes and its steps. text: for people. mount: the camera. count: steps to come."""

    text: str
    scene: Scene
    mount: CameraMount
    count: int
    steps: Iterator[Step]
    versions: dict[str, str] = field(default_factory=dict)


@contextlib.contextmanager
def open_source(options: BenchOptions) -> Iterator[Source]:
    """The trace named in `options`, or a live drive that is recorded to `out/drive.trace` as it goes."""
    warm_up()
    if options.trace is not None:
        yield _replay(options)
        return
    with contextlib.ExitStack() as stack:
        host, port = options.host or "127.0.0.1", options.port or 2000
        server: WorldProcess | None = None
        if options.host is None:
            port, server = stack.enter_context(
                world_server(
                    options.map,
                    port=options.port,
                    seed=options.seed,
                    traffic=options.traffic,
                    walkers=options.walkers,
                    log=options.out / "server.log",
                )
            )
        mount = CameraMount(width=options.width, height=options.height)
        client = connect(host, port)
        drive = stack.enter_context(Drive(client, STEP_S, mount))
        try:
            source = _live(options, client, drive, mount, stack, server)
        except RuntimeError as error:  # what the carla package raises for a server that is gone or refuses
            raise server_lost(error) from error
        yield source


def _replay(options: BenchOptions) -> Source:
    assert options.trace is not None
    trace = Trace.load(options.trace, salvage=True)
    if not trace.ticks:
        raise SceneError(f"trace {options.trace} holds no tick; record it again")
    ticks = trace.ticks[: options.ticks]
    scene = trace.scene()
    steps = (_step(n, tick, scene, trace.mount, trace.sun, trace.zone) for n, tick in enumerate(ticks))
    text = f"trace {options.trace.name}"
    if trace.interrupted:
        text += f" ({trace.interrupted})"
    return Source(text, scene, trace.mount, len(ticks), steps, dict(trace.versions))


def _live(
    options: BenchOptions,
    client: carla.Client,
    drive: Drive,
    mount: CameraMount,
    stack: contextlib.ExitStack,
    built_in: WorldProcess | None,
) -> Source:
    world = drive.world
    ego = _spawn_ego(world, options)
    if options.host is not None:  # the built-in server ends with the run
        stack.callback(_destroy, ego)
    drive.ego_id = ego.id
    static = static_scene(world)
    for _ in range(SETTLE_TICKS):
        first = drive.tick()
    zone = _zone_ahead(first)
    scene = build_scene(static, first)
    versions = {"client": client.get_client_version(), "server": client.get_server_version()}
    versions["foveal"] = str(describe()["versions"]["foveal"])  # type: ignore[index]
    writer = stack.enter_context(
        TraceWriter(options.out / "drive.trace", static, mount, SUN, zone, options.seed, versions)
    )

    stack.callback(_note_early_end, writer, options.ticks)

    def steps() -> Iterator[Step]:
        for number in range(options.ticks):
            try:
                tick = drive.tick()
            except ServerLost as error:
                if built_in is None:
                    raise
                raise built_in.lost(error) from error
            writer.append(tick)
            yield _step(number, tick, scene, mount, SUN, zone)

    server = "built-in world server" if options.host is None else f"CARLA server {options.host}"
    return Source(f"{server}, map {static.map_name}", scene, mount, options.ticks, steps(), versions)


def _step(
    number: int,
    tick: Tick,
    scene: Scene,
    mount: CameraMount,
    sun: tuple[float, float, float],
    zone: Zone | None,
) -> Step:
    start = time.perf_counter_ns()
    regions = choose(POLICY, Sight.of(tick, mount)).regions
    between = time.perf_counter_ns()
    draw = draw_list(scene, tick, mount, sun, zone)
    end = time.perf_counter_ns()
    chosen = StageTime("region", between - start, Provenance.MEASURED)
    place = StageTime("scene", end - between, Provenance.MEASURED)
    return Step(number, draw, regions, times=(place,), region_times=(chosen,))


def _spawn_ego(world: carla.World, options: BenchOptions) -> carla.Actor:
    """A car on a free spawn point (the seed chooses where to start looking) that follows its lane."""
    blueprint = world.get_blueprint_library().find(EGO)
    if options.host is None:
        blueprint.set_attribute("role_name", "traffic")
    points = world.get_map().get_spawn_points()
    if not points:
        raise FovealError("the map has no spawn points for an ego vehicle; choose another map")
    for offset in range(len(points)):
        actor = world.try_spawn_actor(blueprint, points[(options.seed + offset) % len(points)])
        if actor is not None:
            if options.host is not None:
                with socket.create_server(("", 0)) as free:  # another script's traffic manager may have 8000
                    port = free.getsockname()[1]
                actor.set_autopilot(True, port)
            return actor
    advice = f"use --traffic {max(0, len(points) - 4)} or less" if options.host is None else "free one on the server"
    raise FovealError(f"none of the map's {len(points)} spawn points is free for an ego vehicle; {advice}")


def _note_early_end(writer: TraceWriter, ticks: int) -> None:
    if writer.count < ticks:
        writer.interrupted = f"the drive ended after {writer.count} of {ticks} ticks"


def _destroy(actor: carla.Actor) -> None:
    with contextlib.suppress(RuntimeError):  # the server may be gone; there is nothing left to tidy then
        actor.destroy()


def _zone_ahead(tick: Tick) -> Zone:
    yaw = math.radians(float(tick.ego[4]))
    x = float(tick.ego[0]) + ZONE_AHEAD_M * math.cos(yaw)
    y = float(tick.ego[1]) + ZONE_AHEAD_M * math.sin(yaw)
    if not np.isfinite((x, y)).all():
        raise SceneError(f"frame {tick.frame}: the ego's transform is not finite; the drive is refused")
    return zone_around(x, y, ZONE_SIDE_M, ZONE_SIDE_M, ZONE_MARGIN_M)
