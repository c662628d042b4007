"""What peers hold, keep waiting or occupy stays within limits, and others are served meanwhile."""

from __future__ import annotations

import os
import resource
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import msgpack
import pytest
from foveal_sim.maps import map_path
from foveal_sim.world.allowance import Allowance
from foveal_sim.world.arguments import like
from foveal_sim.world.outbox import LISTENER_BYTES, Outbox
from world_client import Server, ask, run_client, world_server

MIB = 1 << 20


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight", "--traffic", "2", "--synchronous") as running:
        yield running


def memory(server: Server, kind: str = "VmRSS") -> int:
    """Bytes of the server's memory; VmHWM: the most that it ever was."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith(kind))
    return int(line.split()[1]) * 1024


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def read(peer: socket.socket) -> bytes:
    """One message of a stream."""

    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += (more := peer.recv(count - len(data)))
            assert more, "the server closed the stream"
        return data

    return exactly(struct.unpack("<I", exactly(4))[0])


def fill(peer: socket.socket, data: bytes, limit: int) -> int:
    """Send `data` again and again until the server takes no more for two seconds; bytes that were taken."""
    peer.settimeout(2.0)
    taken = 0
    with suppress(OSError):
        while taken < limit:
            taken += peer.send(data)
    peer.settimeout(60.0)
    return taken


def test_fifty_clients_and_fifty_listeners_are_served_alike(server):
    with ExitStack() as stack:
        peers = [stack.enter_context(connect(server.rpc)) for _ in range(50)]
        listeners = [stack.enter_context(connect(server.streams)) for _ in range(50)]
        for listener in listeners:
            listener.sendall(struct.pack("<I", 1))
            read(listener)  # the snapshot that greets a listener
        asked = [ask(peer, "tick_cue")[0][1] for peer in peers]
        assert asked == list(range(asked[0], asked[0] + 50)), "each tick is one frame, whoever asks for it"
        for listener in listeners:
            seen = [struct.unpack_from("<Q", read(listener), 8)[0] for _ in asked]
            assert seen == asked
        facts = run_client("facts['frames'] = [world.tick(), world.tick()]", server.rpc)
        assert facts["frames"] == [asked[-1] + 1, asked[-1] + 2]


def test_a_tick_of_another_client_is_a_frame_of_its_own(server):
    facts = run_client(
        """
        other = carla.Client("127.0.0.1", port)
        other.set_timeout(60.0)
        theirs = other.get_world()
        frames = [step() for _ in range(20) for step in (world.tick, theirs.tick)]
        facts["frames"], facts["seen"] = frames, [world.get_snapshot().frame, theirs.get_snapshot().frame]
        """,
        server.rpc,
    )
    first = facts["frames"][0]
    assert facts["frames"] == list(range(first, first + 40))
    assert facts["seen"][1] == first + 39
    assert facts["seen"][0] >= first + 38


def test_connections_beyond_the_descriptors_are_turned_away_until_others_go():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The server inherits the limit, but this process must be able to start it.
    few = 192 + max(int(entry) for entry in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
    try:
        stack = ExitStack()
        server = stack.enter_context(world_server("--map", "straight"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with stack:
        peers = [connect(server.rpc) for _ in range(few - 64)]
        for peer in peers:
            assert ask(peer, "version") == [[1, "0.9.16"]]
        with connect(server.rpc) as surplus:
            assert surplus.recv(1) == b""
        assert ask(peers[0], "version") == [[1, "0.9.16"]]
        peers.pop().close()
        with connect(server.rpc) as late:
            assert ask(late, "version") == [[1, "0.9.16"]]
        for peer in peers:
            peer.close()


def test_it_binds_loopback_unless_told_otherwise(server):
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    hosts = {host for host, port in (entry.split(":") for entry in listening)
             if int(port, 16) in (server.rpc, server.streams)}  # fmt: skip
    assert hosts == {"0100007F"}


def test_a_client_that_reads_no_answers_is_not_answered_further(server):
    request = msgpack.packb([0, 1, "get_actor_definitions", [[False]]])
    with connect(server.rpc) as other:
        answer = len(msgpack.packb(ask(other, "get_actor_definitions")))
        before = memory(server, "VmHWM")
        with connect(server.rpc) as lazy:
            taken = fill(lazy, request * 1000, 64 * MIB)
            assert taken // len(request) * answer > 500 * MIB, "its answers would not fit into any memory"
            assert ask(other, "version") == [[1, "0.9.16"]]
            assert memory(server, "VmHWM") - before < 64 * MIB
            assert ask(other, "tick_cue")[0][0] == 1


def test_unfinished_messages_of_many_clients_stay_within_a_limit(server):
    # Each byte asks for a list of its own: 56 bytes of Python, and 8 to point to it.
    lists = b"\xdc\xff\xff" + b"\x90" * 65535
    before = memory(server, "VmHWM")
    with ExitStack() as stack:
        for _ in range(20):
            peer = stack.enter_context(connect(server.rpc))
            with suppress(OSError):
                peer.sendall(b"\xdc\xff\xff" + lists * 32)
        with connect(server.rpc) as other:
            assert ask(other, "version") == [[1, "0.9.16"]]
            # 20 * 32 * 65535 lists would take 2.6 GB; 256 MiB are allowed, and what one read brings.
            assert memory(server, "VmHWM") - before < 400 * MIB
    with connect(server.rpc) as other:
        assert ask(other, "tick_cue")[0][0] == 1


def test_a_long_message_that_is_in_order_is_taken(server):
    with connect(server.rpc) as peer:
        assert ask(peer, "copy_opendrive_to_file", "<x>" + " " * 20 * MIB, [])[0][0] is True
        spawn = [[14, [1, False]]]
        assert len(ask(peer, "apply_batch", [spawn] * 20_000, False)) == 20_000


def test_a_flood_of_calls_keeps_nobody_waiting(server):
    flood = msgpack.packb([0, 1, "get_actor_definitions", [[True]]]) * 500
    with connect(server.rpc) as busy, connect(server.rpc) as other:
        busy.sendall(flood)
        assert ask(other, "version") == [[1, "0.9.16"]]
        busy.settimeout(0.0)
        with suppress(BlockingIOError):
            while busy.recv(MIB):
                pass
        assert ask(other, "tick_cue")[0][0] == 1


def test_what_goes_wrong_again_and_again_is_logged_a_few_times():
    with world_server("--map", "straight") as server:
        with connect(server.rpc) as peer:
            for _ in range(300):
                ask(peer, "get_actor_bounding_box", "x" * 1000, 2, 3)
        server.stop()
        assert server.process.stderr
        lines = server.process.stderr.read().splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) < 600
    assert "logged no more" in lines[-1]


def drain(reader: socket.socket, outbox: Outbox) -> bytes:
    """Everything that the outbox holds."""
    got = bytearray()
    reader.setblocking(False)
    while True:
        outbox.flush()
        try:
            got += reader.recv(MIB)
        except BlockingIOError:
            if not outbox:
                return bytes(got)


def test_a_listener_that_does_not_read_loses_whole_messages_beyond_its_share():
    writer, reader = socket.socketpair()
    with writer, reader:
        writer.setblocking(False)
        allowance = Allowance(1 << 40)
        outbox = Outbox(writer, allowance)
        for number in range(100):
            outbox.send(struct.pack("<I", number), bytes([number]) * MIB)
        assert LISTENER_BYTES < outbox.bytes < LISTENER_BYTES + 2 * MIB
        assert allowance.used == outbox.bytes
        kept = 100 - outbox.dropped
        assert 64 <= kept < 70
        got = drain(reader, outbox)
        assert got == b"".join(struct.pack("<I", n) + bytes([n]) * MIB for n in range(kept))
        assert (outbox.bytes, allowance.used) == (0, 0)
        outbox.send(b"again")
        assert drain(reader, outbox) == b"again"


def test_listeners_share_what_may_wait_and_give_it_back():
    allowance = Allowance(8 * MIB)
    with ExitStack() as stack:
        pairs = [socket.socketpair() for _ in range(10)]
        for pair in pairs:
            pair[0].setblocking(False)
            for side in pair:
                stack.enter_context(side)
        outboxes = [Outbox(writer, allowance) for writer, _ in pairs]
        for _ in range(5):
            for outbox in outboxes:
                outbox.send(bytes(MIB))
        # Each gets its first message, and the others are lost once 8 MiB wait.
        assert allowance.used <= 8 * MIB + 10 * MIB
        assert sum(outbox.dropped for outbox in outboxes) >= 50 - 19
        for outbox in outboxes:
            outbox.clear()
        assert allowance.used == 0


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [
        ([1, 2.5, True], [0, 0.0, False], [1, 2.5, True]),
        ([1], [0, 0.5, True], [1, 0.5, True]),
        ([1, 2, 3, 4], [0, 0.0], [1, 2]),
        ([[1, 2], [3], []], [[0, 7.0]], [[1, 2], [3, 7.0], [0, 7.0]]),
    ],
)
def test_values_take_the_types_of_a_pattern(value, pattern, expected):
    assert like(value, pattern) == expected


@pytest.mark.parametrize(
    ("value", "pattern"),
    [(["1"], [0]), ([2**31], [0]), ([float("nan")], [0.0]), ([1e9], [0.0]), (5, [0]), ([[1], 2], [[0]]), ([None], [0])],
)
def test_values_of_other_types_are_refused(value, pattern):
    with pytest.raises((TypeError, ValueError)):
        like(value, pattern)


SPOILT = {
    "endless road": ('length="', 'length="1e12" was="'),
    "far start": ('hdg="', 'hdg="1e300" was="'),
    "wide lane": ('a="', 'a="1e300" was="'),
}


def spoilt(kind: str) -> str:
    old, new = SPOILT[kind]
    return map_path("straight").read_text().replace(old, new)


def test_the_server_outlives_maps_that_no_world_can_be_made_from():
    good = map_path("curve").read_text()
    with (
        world_server("--map", "straight", "--synchronous") as server,
        socket.create_connection(("127.0.0.1", server.rpc), timeout=120) as peer,
    ):
        refused = ask(peer, "copy_opendrive_to_file", spoilt("endless road"), [])
        assert refused[0][0] is True
        assert "uploaded map" in refused[0][1][0]
        for kind in SPOILT:
            ask(peer, "copy_opendrive_to_file", spoilt(kind), [])
            assert ask(peer, "tick_cue")[0][0] == 1, kind
        assert ask(peer, "copy_opendrive_to_file", good, []) == [[False]]
        assert ask(peer, "load_new_episode", "OpenDriveMap", True, 65535) == [[False]]
        assert ask(peer, "tick_cue")[0][0] == 1
        assert server.process.poll() is None
