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
from foveal_sim.world.allowance import Allowance
from foveal_sim.world.episode import Population
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.outbox import Outbox
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
        for _ in range(200):
            ask(peer, "tick_cue")
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


def test_a_tick_that_fails_is_published_and_logged(caplog, monkeypatch):
    """The client has its answer already and waits for the snapshot."""
    sent: list[bytes] = []
    hub = StreamHub(1)
    world = World(load_map("straight"), Population(vehicles=1), hub, None)  # type: ignore[arg-type]
    world.apply_settings(EpisodeSettings(synchronous=True))
    hub.subscribe(world.observer, lambda *parts: sent.append(b"".join(parts)))
    monkeypatch.setattr(world.episode, "step", lambda: 1 // 0)
    rpc, streams = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
    serving = server_module.WorldServer(world, rpc, streams)
    client, served = socket.socketpair()
    with client, served:
        assert serving._serve_tick(b"\x07", Outbox(served, Allowance(1)))
        assert msgpack.unpackb(client.recv(64)) == [1, 7, None, [[1, 1]]]
    serving.stop()
    assert struct.unpack_from("<Q", sent[0], 12)[0] == 1
    assert "division" in caplog.text
    serving.run()  # ends at once, and closes its sockets
