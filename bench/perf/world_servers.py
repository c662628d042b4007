"""Servers to time a client against: ``python bench/perf/world_servers.py world|canned [--traffic N]``.

`world` is the world server with a camera whose picture is there already, so that each frame costs its copy alone.
`canned` is the same server with a world that stands still: a tick sends bytes made before, in which it sets the frame.
What is slower than that is the world's own part; the rest is the client's, the sockets' and the server's loop.
"""

from __future__ import annotations

import argparse
import socket
import struct
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from foveal_sim.world import Population, serve
from foveal_sim.world.camera import Camera
from foveal_sim.world.episode import Episode
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.server import WorldServer
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.streams import StreamHub
from foveal_sim.world.wire import image_message
from foveal_sim.world.world import World

MAP = "town_block"
FRAME_AT = 12
"""Offset of the frame in a message: behind its length and type."""


class Still:
    """A `CameraRenderer` with one grey picture for each size."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], np.ndarray] = {}

    def render(
        self, episode: Episode, cameras: Sequence[Camera], frame: int, elapsed_s: float
    ) -> Iterator[tuple[Camera, np.ndarray]]:
        for camera in cameras:
            size = camera.height, camera.width
            if size not in self._made:
                self._made[size] = np.full((*size, 4), 128, np.uint8)
            yield camera, self._made[size]


class Canned(World):
    """Sends the snapshot of its start, and one image to all cameras, with the number of the frame."""

    def __init__(self, traffic: int, hub: StreamHub) -> None:
        super().__init__(load_map(MAP), Population(vehicles=traffic, seed=1), hub, Still())
        self._pixels = np.full((1080, 1920, 4), 128, np.uint8)
        self._made = bytearray()
        self._of = -1

    def tick(self) -> int:
        self.frame += 1
        if self._of != self.episode.table.version:
            self._made, self._of = bytearray(self.snapshot()), self.episode.table.version
        for camera in self._cameras.values():
            image = image_message(camera.blueprint, self.frame, 0.0, (0.0,) * 6, 1920, 1080, 90.0, self._pixels)
            self.hub.publish(camera.stream_id, *image)
        struct.pack_into("<Q", self._made, FRAME_AT, self.frame)
        self.hub.publish(self.observer, bytes(self._made))
        return self.frame


def serve_canned(traffic: int) -> None:
    rpc, streams = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
    for sock in (rpc, streams):
        sock.setblocking(False)
    world = Canned(traffic, StreamHub(streams.getsockname()[1]))
    world.apply_settings(EpisodeSettings(synchronous=True, fixed_delta_s=0.05))
    print(f"world server ready: canned, rpc 127.0.0.1:{rpc.getsockname()[1]}, streams 127.0.0.1:0", flush=True)
    WorldServer(world, rpc, streams).run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("world", "canned"))
    parser.add_argument("--traffic", type=int, default=0)
    options = parser.parse_args()
    if options.kind == "canned":
        serve_canned(options.traffic)
    else:
        population = Population(vehicles=options.traffic, seed=1)
        serve(
            MAP, port=0, population=population, device=Still(), synchronous=True, ready=lambda s: print(s, flush=True)
        )


if __name__ == "__main__":
    sys.exit(main())
