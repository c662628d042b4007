"""What the scenarios share: a world whose clock they have, actors that are gone at the end, a table."""

from __future__ import annotations

import argparse
import logging
import queue
import random
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from foveal.carla import RoiCamera  # before carla: it finds the client a cache folder where no home is set

# isort: split
import carla
from foveal.carla.client import Drive, connect
from foveal.carla.image import RoiImage
from foveal.counted import counted
from foveal.errors import FovealError, ServerLost
from foveal.policy import Policy
from foveal.scene.tick import Tick
from foveal_bench.progress import Progress
from foveal_bench.world_process import world_server
from rich.console import Console

IMAGE_S = 300.0
"""A frame that takes longer than this will not come: a co-simulated one takes seconds."""


@dataclass
class Stage:
    """A world in synchronous mode. seen: each image so far. lost: the server no longer answers."""

    chosen: argparse.Namespace
    progress: Progress
    client: carla.Client
    drive: Drive
    stack: ExitStack
    random: random.Random
    seen: list[RoiImage] = field(default_factory=list)
    camera: RoiCamera | None = None
    lost: bool = False

    @property
    def world(self) -> carla.World:
        return self.drive.world

    def starts(self) -> list[carla.Waypoint]:
        """Where a car may stand, in an order that the seed decides."""
        world_map = self.world.get_map()
        points = world_map.get_spawn_points()
        self.random.shuffle(points)
        return [world_map.get_waypoint(point.location) for point in points]

    def spawn(self, blueprint: str, place: carla.Transform, lift_m: float = 0.5) -> carla.Actor | None:
        """An actor a little above `place`, destroyed at the end; None where something stands already."""
        above = carla.Transform(place.location + carla.Location(z=lift_m), place.rotation)
        actor = self.world.try_spawn_actor(self.world.get_blueprint_library().find(blueprint), above)
        if actor is not None:
            # Not actor.destroy(): cars were seen to stay behind, because the package took them for dead already.
            self.at_end(self.client.apply_batch_sync, [carla.command.DestroyActor(actor.id)])
        return actor

    def at_end(self, undo: Callable[..., object], *arguments: object) -> None:
        """Call `undo` when all is over, the last one first; not where the server is gone, each would wait for it."""
        self.stack.callback(self._undo, undo, *arguments)

    def _undo(self, undo: Callable[..., object], *arguments: object) -> None:
        try:
            if not self.lost:
                undo(*arguments)
        except RuntimeError as error:  # an actor that is gone already needs nothing
            self.lost = "time-out" in str(error)

    def look(self, car: carla.Actor, policy: Policy, **more: Any) -> Iterator[tuple[Tick, RoiImage]]:
        """Ticks, each with the state of its frame and the image of a camera behind the windscreen of `car`."""
        blueprint = self.world.get_blueprint_library().find("sensor.camera.rgb")
        for name, value in zip(("image_size_x", "image_size_y"), map(str, self.chosen.size), strict=True):
            blueprint.set_attribute(name, value)
        mount = carla.Transform(carla.Location(x=1.5, z=1.7))
        # The line that differs from a script with sensor.camera.rgb.
        self.camera = RoiCamera(self.world, blueprint, mount, car, policy=policy, device=self.chosen.device, **more)
        self.stack.callback(self.camera.destroy)
        images: queue.Queue[RoiImage] = queue.Queue()
        self.camera.listen(images.put)
        self.drive.ego_id = car.id
        ticks = self.progress.track(range(self.chosen.ticks), self.chosen.ticks)
        self.stack.callback(ticks.close)
        for _ in ticks:
            tick = self.drive.tick()
            image = _next(images, self.camera)
            self.seen.append(image)
            if self.chosen.save:
                _save(image, self.chosen.save / f"{image.frame:06d}.png")
            yield tick, image

    def print_table(self) -> None:
        """Frames, share of the picture, drops, and the median time of each stage with its provenance."""
        assert self.camera is not None
        share = [float(image.mask.mean()) for image in self.seen]
        print(f"frames        {len(self.seen)} on {self.chosen.device}, {self.camera.dropped} dropped")
        print(f"regions       {median(share):.1%} of the picture in the median, {max(share):.1%} at most")
        times: dict[tuple[str, str], list[float]] = defaultdict(list)
        for image in self.seen:
            for name, provenance in dict.fromkeys((stage.name, str(stage.provenance)) for stage in image.record):
                of_it = (s.time_ns for s in image.record if (s.name, str(s.provenance)) == (name, provenance))
                times[name, provenance].append(sum(of_it) / 1e6)
        print(f"{'stage':14}{'median ms':>10}  provenance")
        for (name, provenance), values in times.items():
            print(f"{name:14}{median(values):10.3f}  {provenance}")
        if self.chosen.save:
            print(f"saved         {counted(len(self.seen), 'image')} in {self.chosen.save}")


@contextmanager
def stage(chosen: argparse.Namespace, traffic: int = 0, walkers: int = 0) -> Iterator[Stage]:
    """The server of `chosen.host`, or a built-in one with `chosen.map` and traffic; all as it was on leaving."""
    progress, scene = Progress(Console(stderr=True)), None
    try:
        with ExitStack() as stack:
            host, port = chosen.host, chosen.port
            if host is None:
                _announce(progress, chosen, chosen.map)
                built_in = world_server(chosen.map, seed=chosen.seed, traffic=traffic, walkers=walkers)
                host, (port, _) = "127.0.0.1", stack.enter_context(built_in)
            client = connect(host, port)
            drive = stack.enter_context(Drive(client))
            if chosen.host:
                _announce(progress, chosen, f"{drive.world.get_map().name} of {host}:{port}")
            scene = Stage(chosen, progress, client, drive, stack, random.Random(chosen.seed))
            try:
                yield scene
            except ServerLost:
                scene.lost = True
                raise
    except KeyboardInterrupt:
        print(f"interrupted after {counted(len(scene.seen) if scene else 0, 'tick')}", flush=True)
        if scene and scene.seen:
            scene.print_table()
        raise


def _announce(progress: Progress, chosen: argparse.Namespace, place: str) -> None:
    ticks = counted(chosen.ticks, "tick")
    progress.say(f"driving {ticks} of {chosen.scenario} on map {place} with device {chosen.device}")


def run(main: Callable[[], Stage]) -> None:
    """Call `main`; what goes wrong is one line, and everything is tidied away before that."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # What ends a camera or a drive is raised, too, and then nothing more can be restored.
    logging.getLogger("foveal.carla.camera").addFilter(lambda record: record.levelno < logging.ERROR)
    logging.getLogger("foveal.carla.client").setLevel(logging.CRITICAL)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except (FovealError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, ServerLost) else 1)


def _next(images: queue.Queue[RoiImage], camera: RoiCamera) -> RoiImage:
    for _ in range(int(IMAGE_S)):
        with suppress(queue.Empty):
            return images.get(timeout=1.0)
        if camera.failure is not None:
            raise camera.failure
    raise FovealError(f"no image within {IMAGE_S:.0f} s; try a smaller --size")


def _save(image: RoiImage, path: Path) -> None:
    try:
        image.save_to_disk(path)
    except OSError as error:
        raise FovealError(f"--save: {path} cannot be written ({error.strerror or error})") from error
