"""Servers to time a client against: ``python bench/perf/world_servers.py world|canned [--traffic N]``.

`world` is the world server with a camera whose picture is there already, so that each frame costs its copy alone.
`canned` answers everything but ticks like that one, and ticks with bytes made before, in which it sets two numbers:
what a client can do at most on this machine with a server in Python. It waits for ticks and orders what it sends as the
world server does.
"""

from __future__ import annotations

import argparse
import os
import selectors
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator, Sequence

import msgpack
import numpy as np
from foveal_sim.world import Population, serve, tick_call
from foveal_sim.world.camera import Camera
from foveal_sim.world.episode import Episode
from foveal_sim.world.methods import method_table
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.rhythm import Rhythm
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


class Canned:
    """One client; the first listener gets snapshots, the second images."""

    def __init__(self, traffic: int) -> None:
        self._rpc, self._streams = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        hub = StreamHub(self._streams.getsockname()[1])
        self._world = World(load_map(MAP), Population(vehicles=traffic, seed=1), hub, Still())
        self._world.apply_settings(EpisodeSettings(synchronous=True, fixed_delta_s=0.05))
        self._methods = method_table(self._world)
        self._snapshot = bytearray()
        pixels = np.full((1080, 1920, 4), 128, np.uint8)
        self._image = bytearray(
            b"".join(image_message("sensor.camera.rgb", 0, 0.0, (0.0,) * 6, 1920, 1080, 90.0, pixels))
        )
        self._listeners: list[socket.socket] = []
        self._promised = 0
        self._selector = selectors.DefaultSelector()
        self._rhythm = Rhythm()

    def run(self) -> None:
        print(
            f"world server ready: canned, rpc 127.0.0.1:{self._rpc.getsockname()[1]}, streams 127.0.0.1:0", flush=True
        )
        threading.Thread(target=self._listen, daemon=True).start()
        client = self._accept(self._rpc)
        self._selector.register(client, selectors.EVENT_READ)
        unpacker = msgpack.Unpacker()
        while data := self._receive(client):
            number = tick_call.number(data)
            if number is not None:
                self._tick(client, number)
                continue
            unpacker.feed(data)
            for _, number, method, arguments in unpacker:
                if method == "tick_cue":
                    self._tick(client, msgpack.packb(number))
                else:
                    self._promised += method == "get_sensor_token"
                    client.sendall(self._methods.answer(number, method, arguments[1:]))
                    self._snapshot = bytearray()

    def _receive(self, client: socket.socket) -> bytes:
        while self._rhythm.awake(time.monotonic()):
            if self._selector.select(0):
                break
            os.sched_yield()
        return client.recv(65536)

    def _tick(self, client: socket.socket, number: bytes) -> None:
        """Send the next frame, and the answer to the call with this packed number: last if there is a camera."""
        self._rhythm.tick(time.monotonic())
        while len(self._listeners) < self._promised:
            time.sleep(0.001)
        self._world.frame += 1
        self._snapshot = self._snapshot or bytearray(self._world.snapshot())
        struct.pack_into("<Q", self._snapshot, FRAME_AT, self._world.frame)
        answer = tick_call.answer(number, self._world.frame)
        if len(self._listeners) == 1:
            client.sendall(answer)
        for listener, message in zip(self._listeners[1:], [self._image], strict=False):
            struct.pack_into("<Q", message, FRAME_AT, self._world.frame)
            listener.sendall(message)
        self._listeners[0].sendall(self._snapshot)
        if len(self._listeners) > 1:
            client.sendall(answer)
        self._rhythm.answered(time.monotonic())

    def _listen(self) -> None:
        while True:
            listener = self._accept(self._streams)
            listener.recv(4)
            self._listeners.append(listener)
            listener.sendall(self._world.snapshot() if len(self._listeners) == 1 else b"")

    @staticmethod
    def _accept(server: socket.socket) -> socket.socket:
        accepted, _ = server.accept()
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return accepted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("world", "canned"))
    parser.add_argument("--traffic", type=int, default=0)
    options = parser.parse_args()
    if options.kind == "canned":
        Canned(options.traffic).run()
    else:
        population = Population(vehicles=options.traffic, seed=1)
        serve(
            MAP, port=0, population=population, device=Still(), synchronous=True, ready=lambda s: print(s, flush=True)
        )


if __name__ == "__main__":
    sys.exit(main())
