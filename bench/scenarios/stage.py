"""What the scenarios share: their options, a world whose clock they have, actors that are gone at the end, a table."""

from __future__ import annotations

import argparse
import queue
import random
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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
from foveal.errors import FovealError
from foveal.policy import Policy
from foveal.scene.tick import Tick
from foveal_bench.world_process import world_server

IMAGE_S = 300.0
"""A frame that takes longer than this will not come: a co-simulated one takes seconds."""


def options(text: str, arguments: Sequence[str] | None, ticks: int, **more: int) -> argparse.Namespace:
    """The options of every scenario, and a whole number for each of `more` with that default."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--ticks", type=int, default=ticks, help="steps of 0.05 s to drive")
    parser.add_argument("--seed", type=int, default=1, help="where it takes place, and what traffic does")
    parser.add_argument("--device", default="opencl", help="what renders: opencl, cosim, model (`foveal devices`)")
    parser.add_argument("--size", default="1280x720", help="of the camera's image, WxH")
    parser.add_argument("--host", help="a CARLA server; the built-in one unless given")
    parser.add_argument("--port", type=int, default=2000, help="its RPC port")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write each image there")
    for name, value in more.items():
        parser.add_argument(f"--{name}", type=int, default=value, help=f"how much {name} there is")
    return parser.parse_args(arguments)


@dataclass
class Stage:
    """A world in synchronous mode. seen: frame, regions and stage times of each image so far."""

    chosen: argparse.Namespace
    client: carla.Client
    drive: Drive
    stack: ExitStack
    random: random.Random
    seen: list[RoiImage] = field(default_factory=list)
    camera: RoiCamera | None = None

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
            self.stack.callback(_destroy, actor)
        return actor

    def look(self, car: carla.Actor, policy: Policy, **more: Any) -> Iterator[tuple[Tick, RoiImage]]:
        """Ticks, each with the state of its frame and the image of a camera behind the windscreen of `car`."""
        blueprint = self.world.get_blueprint_library().find("sensor.camera.rgb")
        for name, value in zip(("image_size_x", "image_size_y"), self.chosen.size.split("x"), strict=True):
            blueprint.set_attribute(name, value)
        mount = carla.Transform(carla.Location(x=1.5, z=1.7))
        # The line that differs from a script with sensor.camera.rgb.
        self.camera = RoiCamera(self.world, blueprint, mount, car, policy=policy, device=self.chosen.device, **more)
        self.stack.callback(self.camera.destroy)
        images: queue.Queue[RoiImage] = queue.Queue()
        self.camera.listen(images.put)
        self.drive.ego_id = car.id
        for _ in range(self.chosen.ticks):
            tick = self.drive.tick()
            image = _next(images, self.camera)
            self.seen.append(image)
            if self.chosen.save:
                image.save_to_disk(self.chosen.save / f"{image.frame:06d}.png")
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


@contextmanager
def stage(chosen: argparse.Namespace, map_name: str, traffic: int = 0, walkers: int = 0) -> Iterator[Stage]:
    """The server of `chosen.host`, or a built-in one with a map and traffic; all as it was on leaving."""
    with ExitStack() as stack:
        host, port = chosen.host, chosen.port
        if host is None:
            built_in = world_server(map_name, seed=chosen.seed, traffic=traffic, walkers=walkers)
            host, (port, _) = "127.0.0.1", stack.enter_context(built_in)
        client = connect(host, port)
        yield Stage(chosen, client, stack.enter_context(Drive(client)), stack, random.Random(chosen.seed))


def run(main: Callable[[], Stage]) -> None:
    """Call `main`; what goes wrong is one line, and everything is tidied away before that."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except (FovealError, RuntimeError, OSError) as error:
        sys.exit(f"error: {error}")


def _next(images: queue.Queue[RoiImage], camera: RoiCamera) -> RoiImage:
    for _ in range(int(IMAGE_S)):
        with suppress(queue.Empty):
            return images.get(timeout=1.0)
        if camera.failure is not None:
            raise camera.failure
    raise FovealError(f"no image within {IMAGE_S:.0f} s; try a smaller --size")


def _destroy(actor: carla.Actor) -> None:
    with suppress(RuntimeError):  # the server may be gone; there is nothing left to tidy then
        actor.destroy()
