"""Hostile calls to a world server: each is answered or ends its connection, and everybody else stays served.

``python tests/sim/fuzz_world.py --messages 100000 --seed 1``; test_world_fuzz.py runs a part beside a real client.
Methods come from the server's own table. Of a call's arguments some are of the right kind, so that it gets far.
With ``--listeners`` cameras, lidars and all other sensors have listeners, who check each message that they get.
"""

from __future__ import annotations

import argparse
import math
import random
import socket
import struct
import threading
from collections import Counter
from contextlib import suppress
from inspect import signature
from typing import Any

import msgpack
import numpy as np
from foveal_sim.world import Population
from foveal_sim.world.blueprints import LIBRARY
from foveal_sim.world.methods import method_table
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.streams import StreamHub
from foveal_sim.world.wire import ACTOR_RECORD, SNAPSHOT
from foveal_sim.world.world import World
from sensor_listener import SensorListener, messages, subscribe
from world_client import Server, world_server

MAP = "straight"
OPTIONS = ("--map", MAP, "--traffic", "3", "--walkers", "2", "--seed", "4", "--synchronous")
BATCH = 40
DEEP = 300
LEAVES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 7, -1, 255, 256, 65535, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -(2**63)),
    *(0.0, 0.5, -3.25, math.nan, math.inf, -math.inf, 1e7, 3e38, 1e300, 5e-324),
    *("", "x", "x" * 3000, "true", "nan", "127.0.0.1", MAP, "vehicle.audi.tt", b"", b"\xff" * 24),
    *([], [[]], [0] * 300, [math.nan] * 20, [None, None, None], [False], [True, 1.0]),
)
# Half a second each, so seldom.
SLOW = ("load_new_episode", "copy_opendrive_to_file")
SENSORS = tuple(name for name in LIBRARY if name.startswith("sensor."))
SMALL = {"image_size_x": "24", "image_size_y": "16", "points_per_second": "4000"}
LISTENERS = 8
TOGETHER, MOUNT_EVERY = 4, 200
"""So many sensors are mounted at once, between so many calls."""


class Witness(threading.Thread):
    """Listens to the world's stream; fault is what was wrong with a snapshot, and times the seconds by frame."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.fault = ""
        self.times: dict[int, float] = {}
        self.ids: list[int] = [1]
        self._socket = subscribe(port, 1)

    def run(self) -> None:
        with suppress(OSError):
            last = -1
            for body in messages(self._socket):
                kind, frame, time_s = struct.unpack_from("<QQd", body)
                records = body[SNAPSHOT.size - 4 :]
                if kind != 17 or len(records) % ACTOR_RECORD.itemsize or frame < last:
                    self.fault = f"type {kind}, frame {frame} after {last}, {len(records)} bytes of records"
                    return
                actors = np.frombuffer(records, ACTOR_RECORD)
                if not np.isfinite(actors["motion"]).all():
                    self.fault = f"frame {frame} moves somebody out of the world"
                    return
                last, self.times[frame], self.ids = frame, time_s, actors["id"].tolist()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self.join(30)
        self._socket.close()


class Audience:
    """Listeners of the sensors that hostile calls spawned; at most so many at once, the newest."""

    def __init__(self, port: int, most: int) -> None:
        self.count: Counter[str] = Counter()
        self._port, self.most = port, most
        self._present: list[SensorListener] = []
        self._heard: set[tuple[int, float]] = set()

    def come(self, actor: Any) -> None:
        """Listen to what was spawned, if it is a sensor with a stream."""
        if not (self.most and isinstance(actor, list) and len(actor) == 6 and isinstance(actor[5], bytes) and actor[5]):
            return
        if len(self._present) == self.most:
            self._leave(self._present.pop(0))
        listener = SensorListener(self._port, actor)
        listener.start()
        self._present.append(listener)

    def close(self, times: dict[int, float]) -> None:
        """Raises AssertionError for a message that was wrong, or of no frame of the world's."""
        while self._present:
            self._leave(self._present.pop())
        for frame, time_s in self._heard:
            world_s = times.get(frame) if frame <= max(times) else time_s  # the last snapshot may not have come
            assert world_s == time_s, f"a sensor's frame {frame} is of {time_s} s, the world's of {world_s} s"

    def _leave(self, listener: SensorListener) -> None:
        listener.close()
        assert not listener.fault, listener.fault
        self.count[listener.blueprint] += len(listener.seen)
        self._heard.update(listener.seen.items())


class Fuzzer:
    """count: of answers by kind. Raises AssertionError for an answer that is none, or that admits a fault."""

    def __init__(self, port: int, seed: int, witness: Witness, audience: Audience) -> None:
        self.count: Counter[str] = Counter()
        self._audience = audience
        self._random = random.Random(seed)
        self._port = port
        world = World(load_map(MAP), Population(), StreamHub(1), None)
        self._handlers = method_table(world).handlers
        self._methods = sorted(self._handlers)
        self._witness = witness
        self._socket = self._connect()

    def run(self, calls: int) -> None:
        for sent in range(0, calls, BATCH):
            if sent % 4000 == 0:  # whatever was spawned before
                self.ask(packed(1, "load_new_episode", [MAP, True, 0]), 1)
            if sent % MOUNT_EVERY == 0 and self._audience.most:
                self._mount(sent // MOUNT_EVERY)
            if self._random.random() < 0.9:
                self.ask(b"".join(self._call(number) for number in range(BATCH)), BATCH)
            else:
                self._spoil(b"".join(self._call(number) for number in range(BATCH)))

    def ask(self, data: bytes, answers: int) -> None:
        """Send calls and take in all answers."""
        self._socket.sendall(data)
        unpacker = msgpack.Unpacker(strict_map_key=False)
        while answers:
            chunk = self._socket.recv(1 << 20)
            assert chunk, "the server closed the connection of a client that keeps to the protocol"
            unpacker.feed(chunk)
            for answer in unpacker:
                answers -= 1
                self._judge(answer)

    def close(self) -> None:
        self._socket.close()

    def _judge(self, answer: Any) -> None:
        kind, _, error, result = answer
        assert kind == 1
        if error is not None:
            self.count["no such method"] += 1
        elif result and (result[0][0] is True or (result[0][0] is not False and result[0][0] == 0)):
            ((_, (reason, *_)), *_) = result
            assert "internal error" not in reason, reason
            self.count["refused"] += 1
        else:
            self.count["done"] += 1
            self._audience.come(result[0][1] if result and len(result[0]) == 2 else None)

    def _mount(self, turn: int) -> None:
        """Sensors of the next kinds on somebody, then two ticks before hostile calls reach them."""
        owner, kinds = self._id(), [SENSORS[(turn * TOGETHER + k) % len(SENSORS)] for k in range(TOGETHER)]
        calls = [
            packed(number, "spawn_actor_with_parent", [self._of(kind), self._transform(), owner, 0, ""])
            for number, kind in enumerate(kinds)
        ]
        calls += [packed(number, "tick_cue", []) for number in range(2)]
        self.ask(b"".join(calls), len(calls))

    def _connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), timeout=60)

    def _spoil(self, data: bytes) -> None:
        """Send changed or truncated bytes and vanish."""
        draw = self._random
        changed = bytearray(data)
        for _ in range(draw.randint(1, 8)):
            at = draw.randrange(len(changed))
            match draw.randrange(4):
                case 0:
                    changed[at] ^= 1 << draw.randrange(8)
                case 1:
                    changed[at] = draw.choice((0xC1, 0xDC, 0xDD, 0xDE, 0xDF, 0xC6, 0xC9, 0xDB, 0x9F, 0x8F, 0xFF))
                case 2:
                    del changed[at:]
                    changed += b"\x00"
                case _:
                    changed[at:at] = draw.randbytes(draw.randint(1, 40))
        with suppress(OSError):
            self._socket.sendall(changed)
        self._socket.close()
        self.count["spoilt"] += BATCH
        self._socket = self._connect()

    def _call(self, number: int) -> bytes:
        draw = self._random
        method = draw.choice(self._methods)
        if method in SLOW and draw.random() < 0.9:
            method = "tick_cue"
        arguments = self._arguments(method)
        if draw.random() < 0.02:
            method = draw.choice(("", "x" * 500, method[:-1]))
        if draw.random() < 0.3 and arguments:
            self._replace(arguments)
        if draw.random() < 0.002:
            nested: list[Any] = []
            for _ in range(DEEP):
                nested = [nested]
            arguments.append(nested)
        return packed(number, method, arguments)

    def _arguments(self, method: str) -> list[Any]:
        draw = self._random
        if method == "apply_batch":
            return [[self._command() for _ in range(draw.randint(0, 4))], False]
        if method == "spawn_actor":
            return [self._description(), self._transform()]
        if method == "spawn_actor_with_parent":
            return [self._description(), self._transform(), self._id(), 0, ""]
        if method == "set_episode_settings":
            return [[True, False, [True, draw.choice((0.05, 0.1, 10.0))], True, 0.01, 10, 0.0, False, 3e3, 2e3, True]]
        if method == "set_weather_parameters":
            return [[draw.uniform(0, 100) for _ in range(14)]]
        if method == "load_new_episode":
            return [draw.choice(("", MAP, "nowhere")), True, 65535]
        kinds = (self._id, self._id, self._vector, self._transform, self._control, self._flag, self._ids, self._leaf)
        wanted = [p for p in signature(self._handlers[method]).parameters.values() if p.kind is not p.VAR_POSITIONAL]
        arguments = [self._id(), *(draw.choice(kinds)() for _ in wanted)]
        return arguments[: len(wanted) + draw.choice((-1, 0, 0, 0, 0, 0, 0, 1))]

    def _command(self) -> list[Any]:
        draw = self._random
        kind = draw.randrange(24)
        if kind == 0:
            later = [[[14, [0, False]]], [[6, [0, self._transform()]]]][: draw.randint(0, 2)]
            return [[0, [self._description(), self._transform(), [False], 128, "", later]]]
        return [[kind, [self._id(), draw.choice((self._vector, self._transform, self._control, self._flag))()]]]

    def _replace(self, values: list[Any]) -> None:
        """Put a hostile value somewhere into nested lists."""
        draw = self._random
        while True:
            at = draw.randrange(len(values))
            if not isinstance(values[at], list) or not values[at] or draw.random() < 0.2:
                values[at] = draw.choice(LEAVES)
                return
            values[at] = values = list(values[at])

    def _id(self) -> int:
        return self._random.choice(self._witness.ids)

    def _ids(self) -> list[int]:
        return [self._id() for _ in range(self._random.randint(0, 5))]

    def _leaf(self) -> Any:
        return self._random.choice(LEAVES)

    def _flag(self) -> bool:
        return self._random.random() < 0.5

    def _vector(self) -> list[float]:
        return [self._random.choice((0.0, self._random.uniform(-300, 300))) for _ in range(3)]

    def _transform(self) -> list[Any]:
        return [self._vector(), self._vector()]

    def _control(self) -> list[Any]:
        return [*(self._random.uniform(-2, 2) for _ in range(3)), False, self._flag(), False, 1]

    def _description(self) -> list[Any]:
        return self._of(self._random.choice(list(LIBRARY)))

    def _of(self, name: str) -> list[Any]:
        """A blueprint, small where it is a camera, and sometimes with a hostile attribute."""
        blueprint = LIBRARY[name]
        attributes = [[a.name, a.kind, SMALL.get(a.name, a.value)] for a in blueprint.attributes]
        if attributes and self._random.random() < 0.3:
            attributes[self._random.randrange(len(attributes))][2] = str(self._leaf())[:50]
        return [1, blueprint.id, attributes]


def packed(number: int, method: str, arguments: list[Any]) -> bytes:
    return msgpack.packb([0, number, method, [[False], *arguments]])


def fuzz(server: Server, calls: int, seed: int, listeners: int = 0) -> Counter[str]:
    """Counts of answers, and of the messages of each sensor. listeners: how many may be there at once.

    Raises AssertionError when the server admits a fault, ends, shows a spoilt world or sends a wrong message.
    """
    witness, audience = Witness(server.streams), Audience(server.streams, listeners)
    witness.start()
    fuzzer = Fuzzer(server.rpc, seed, witness, audience)
    fuzzer.run(calls)
    fuzzer.ask(packed(1, "tick_cue", []), 1)
    fuzzer.close()
    witness.close()
    assert not witness.fault, witness.fault
    audience.close(witness.times)
    assert server.process.poll() is None
    fuzzer.count["snapshots seen"] = len(witness.times)
    return fuzzer.count + audience.count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--listeners", type=int, default=0, help=f"at once, e.g. {LISTENERS}")
    options = parser.parse_args()
    with world_server(*OPTIONS) as server:
        count = fuzz(server, options.messages, options.seed, options.listeners)
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())))


if __name__ == "__main__":
    main()
