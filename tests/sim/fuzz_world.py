"""Hostile calls to a world server: each is answered or ends its connection, and everybody else stays served.

``python tests/sim/fuzz_world.py --messages 100000 --seed 1``; test_world_fuzz.py runs a part beside a real client.
Methods come from the server's own table. Of a call's arguments some are of the right kind, so that it gets far.
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


class Witness(threading.Thread):
    """Listens to the world's stream; fault is what was wrong with a snapshot, and frames how many came."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.fault = ""
        self.frames = 0
        self.ids: list[int] = [1]
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.sendall(struct.pack("<I", 1))

    def run(self) -> None:
        with suppress(OSError), self._socket.makefile("rb") as stream:
            last = -1
            while head := stream.read(4):
                body = stream.read(struct.unpack("<I", head)[0])
                kind, frame = struct.unpack_from("<QQ", body)
                records = body[SNAPSHOT.size - 4 :]
                if kind != 17 or len(records) % ACTOR_RECORD.itemsize or frame < last:
                    self.fault = f"type {kind}, frame {frame} after {last}, {len(records)} bytes of records"
                    return
                actors = np.frombuffer(records, ACTOR_RECORD)
                if not np.isfinite(actors["motion"]).all():
                    self.fault = f"frame {frame} moves somebody out of the world"
                    return
                last, self.frames, self.ids = frame, self.frames + 1, actors["id"].tolist()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class Fuzzer:
    """count: of answers by kind. Raises AssertionError for an answer that is none, or that admits a fault."""

    def __init__(self, port: int, seed: int, witness: Witness) -> None:
        self.count: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._port = port
        world = World(load_map(MAP), Population(), StreamHub(1), None)
        self._handlers = method_table(world).handlers
        self._methods = sorted(self._handlers)
        self._witness = witness
        self._socket = self._connect()

    def run(self, messages: int) -> None:
        for sent in range(0, messages, BATCH):
            if sent % 4000 == 0:  # whatever was spawned before
                self.ask(packed(1, "load_new_episode", [MAP, True, 0]), 1)
            if self._random.random() < 0.9:
                calls = [self._call(number) for number in range(BATCH)]
                self.ask(b"".join(calls), BATCH)
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
        blueprint = self._random.choice(list(LIBRARY.values()))
        attributes = [[a.name, a.kind, a.value] for a in blueprint.attributes]
        if attributes and self._random.random() < 0.3:
            attributes[self._random.randrange(len(attributes))][2] = str(self._leaf())[:50]
        return [1, blueprint.id, attributes]


def packed(number: int, method: str, arguments: list[Any]) -> bytes:
    return msgpack.packb([0, number, method, [[False], *arguments]])


def fuzz(server: Server, messages: int, seed: int) -> Counter[str]:
    """Counts of answers. Raises AssertionError when the server admits a fault, ends, or shows a spoilt world."""
    witness = Witness(server.streams)
    witness.start()
    fuzzer = Fuzzer(server.rpc, seed, witness)
    fuzzer.run(messages)
    fuzzer.ask(packed(1, "tick_cue", []), 1)
    fuzzer.close()
    witness.close()
    assert not witness.fault, witness.fault
    assert server.process.poll() is None
    fuzzer.count["snapshots seen"] = witness.frames
    return fuzzer.count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with world_server(*OPTIONS) as server:
        count = fuzz(server, options.messages, options.seed)
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())))


if __name__ == "__main__":
    main()
