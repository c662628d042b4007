"""When the world server waits awake, and what a client may count on when a tick is answered before it is made."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import msgpack
import pytest
from foveal_sim.world import server as server_module
from foveal_sim.world.episode import Population
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.rhythm import Rhythm
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.streams import StreamHub
from foveal_sim.world.wire import ACTOR_RECORD, SNAPSHOT
from foveal_sim.world.world import World
from world_client import Server, ask, world_server

SOON = Rhythm.SOON_S


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight", "--traffic", "2", "--synchronous") as running:
        yield running


def ticks(rhythm: Rhythm, pause_s: float, count: int, start_s: float = 100.0) -> float:
    """So many ticks of 0.1 ms with pauses; when the last one was answered."""
    now = start_s
    for _ in range(count):
        now += pause_s
        rhythm.tick(now)
        now += 1e-4
        rhythm.answered(now)
    return now


def test_it_waits_awake_for_a_client_that_ticks_in_a_row_and_a_bounded_time_only():
    rhythm = Rhythm(cores=2)
    now = ticks(rhythm, SOON / 2, 3)
    assert rhythm.awake(now + SOON / 2)
    assert not rhythm.awake(now + 1.01 * SOON)


@pytest.mark.parametrize("pause_s", [1.1 * SOON, 0.05, 10.0])
def test_it_sleeps_between_the_ticks_of_a_slower_client(pause_s):
    rhythm = Rhythm(cores=2)
    assert not rhythm.awake(ticks(rhythm, pause_s, 3))


def test_the_first_tick_after_a_pause_ends_the_row():
    rhythm = Rhythm(cores=2)
    now = ticks(rhythm, SOON / 2, 3)
    assert not rhythm.awake(ticks(rhythm, 1.0, 1, now))


def test_calls_between_two_ticks_keep_the_row():
    rhythm = Rhythm(cores=2)
    now = ticks(rhythm, SOON / 2, 2)
    for _ in range(5):
        now += 0.8 * SOON
        rhythm.answered(now)
    assert rhythm.awake(ticks(rhythm, SOON / 2, 1, now))


def test_calls_alone_make_no_row():
    rhythm = Rhythm(cores=2)
    rhythm.answered(100.0)
    assert not rhythm.awake(100.0)


def test_it_never_waits_awake_on_a_single_core():
    rhythm = Rhythm(cores=1)
    assert not rhythm.awake(ticks(rhythm, SOON / 2, 3))


def cpu_s(server: Server) -> float:
    """Processor time of the server's process so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_a_server_that_nobody_ticks_any_more_is_at_rest(server):
    with socket.create_connection(("127.0.0.1", server.rpc)) as peer:
        frames = [ask(peer, "tick_cue")[0][1] for _ in range(200)]
        assert frames == list(range(frames[0], frames[0] + 200))
        before = cpu_s(server)
        time.sleep(1.0)
        assert cpu_s(server) - before < 0.2, "it spins"


def hello(port: int) -> socket.socket:
    listener = socket.create_connection(("127.0.0.1", port), timeout=60)
    listener.sendall(struct.pack("<I", 1))
    return listener


def snapshot(listener: socket.socket) -> tuple[int, int]:
    """Frame and number of actors of the next snapshot."""
    data = bytearray()
    while len(data) < 4 or len(data) < 4 + struct.unpack_from("<I", data)[0]:
        missing = 4 - len(data) if len(data) < 4 else 4 + struct.unpack_from("<I", data)[0] - len(data)
        more = listener.recv(missing)
        assert more, "the server closed the stream"
        data += more
    return struct.unpack_from("<Q", data, 12)[0], (len(data) - SNAPSHOT.size) // ACTOR_RECORD.itemsize


def test_calls_that_come_with_a_tick_see_it_made_and_in_order(server):
    """Tick, spawn, tick in one packet: the new actor is in the second snapshot, not in the first."""
    place = [[0.0, 500.0, 0.0], [0.0, 0.0, 0.0]]
    box = [[1, "static.prop.box01", []], place]
    with socket.create_connection(("127.0.0.1", server.rpc)) as peer, hello(server.streams) as listener:
        first, before = snapshot(listener)
        calls = [("tick_cue",), ("spawn_actor", *box), ("tick_cue",)]
        peer.sendall(b"".join(msgpack.packb([0, n, name, [[False], *rest]]) for n, (name, *rest) in enumerate(calls)))
        unpacker, answers = msgpack.Unpacker(), []
        while len(answers) < len(calls):
            unpacker.feed(peer.recv(65536))
            answers += unpacker
        assert [answer[1] for answer in answers] == [0, 1, 2]
        assert answers[0][3] == [[1, first + 1]]
        assert answers[2][3] == [[1, first + 2]]
        assert answers[1][3][0][0] == 1, answers[1]
        assert snapshot(listener) == (first + 1, before)
        assert snapshot(listener) == (first + 2, before + 1)
        ask(peer, "destroy_actor", answers[1][3][0][1][0])


def test_a_tick_is_made_for_a_client_that_has_gone(server):
    with hello(server.streams) as listener:
        first, _ = snapshot(listener)
        with socket.create_connection(("127.0.0.1", server.rpc)) as peer:
            peer.sendall(msgpack.packb([0, 1, "tick_cue", [[False]]]))
        assert snapshot(listener)[0] == first + 1


class InARow:
    """A server of this process with one client that ticks in a row, and what its stream gets."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        hub = StreamHub(1)
        self.world = World(load_map("straight"), Population(vehicles=1), hub, None)  # type: ignore[arg-type]
        self.world.apply_settings(EpisodeSettings(synchronous=True))
        hub.subscribe(self.world.observer, lambda *parts: self.sent.append(b"".join(parts)))
        rpc, streams = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        self.server = server_module.WorldServer(self.world, rpc, streams)
        self.server._rhythm.awake = lambda now_s: True  # type: ignore[method-assign]
        self.client = socket.create_connection(rpc.getsockname(), timeout=60)
        self.turn()
        (self.server._ticking,) = self.server._connections.values()  # type: ignore[assignment]

    def turn(self) -> None:
        """One of the server's loop."""
        for key, events in self.server._selector.select(60):
            key.data(events)

    def end(self) -> None:
        self.client.close()
        self.server.stop()
        self.server.run()  # ends at once, and closes its sockets

    def frames(self) -> list[int]:
        return [struct.unpack_from("<Q", message, 12)[0] for message in self.sent]


@pytest.fixture
def row() -> Iterator[InARow]:
    made = InARow()
    yield made
    made.end()


TICK = msgpack.packb([0, 7, "tick_cue", [[False]]])


def test_a_tick_in_a_row_is_answered_and_made(row):
    row.client.send(TICK)
    assert row.server._ticked()
    assert msgpack.unpackb(row.client.recv(64)) == [1, 7, None, [[1, 1]]]
    assert row.frames() == [1]


def test_a_tick_that_fails_is_published_and_logged(row, caplog, monkeypatch):
    """The client has its answer already and waits for the snapshot."""
    monkeypatch.setattr(row.world.episode, "step", lambda: 1 // 0)
    row.client.send(TICK)
    assert row.server._ticked()
    assert msgpack.unpackb(row.client.recv(64)) == [1, 7, None, [[1, 1]]]
    assert row.frames() == [1]
    assert "division" in caplog.text


@pytest.mark.parametrize("why", ["camera", "asynchronous", "listener to come", "call unfinished"])
def test_a_tick_that_may_wait_or_fail_is_served_as_other_calls_are(row, monkeypatch, why):
    if why == "camera":
        monkeypatch.setattr(World, "measures", True)
    elif why == "asynchronous":
        row.world.apply_settings(EpisodeSettings())
    elif why == "listener to come":
        row.world.hub.expect(row.world.observer, time.monotonic())
    else:
        row.client.send(TICK[:3])
        row.turn()
    row.client.send(TICK[3:] if why == "call unfinished" else TICK)
    assert not row.server._ticked()
    assert row.frames() == []


def test_what_the_socket_does_not_take_of_an_answer_follows(row, monkeypatch):
    monkeypatch.setattr(server_module, "answer_next", lambda *_: b"the rest")
    assert row.server._ticked()
    assert not row.server._ticked(), "the answer before comes first"
    row.turn()
    assert row.client.recv(64) == b"the rest"
    assert row.server._ticked()


def test_a_client_that_leaves_in_a_row_is_forgotten(row):
    row.client.close()
    assert not row.server._ticked()
    row.turn()
    assert row.server._ticking is None
    assert not row.server._ticked()
