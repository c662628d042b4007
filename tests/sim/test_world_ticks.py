"""The wait between ticks in a row: a plain tick is told from its bytes, and answered as any call is."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterator

import msgpack
import pytest
from foveal_sim.world._ticks import answer_next
from foveal_sim.world.rpc import MethodTable

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFFFFFF)
FRAMES = (1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFFFFFF, 1 << 32, (1 << 64) - 1)
SOON_S = 0.001


def tick(number: object) -> bytes:
    return msgpack.packb([0, number, "tick_cue", [[False]]])


class Pair:
    """A client's end, the server's, and what watches that."""

    def __init__(self) -> None:
        self.client, self.served = socket.socketpair()
        self.epoll = select.epoll()
        self.watch(self.served)
        for sock in (self.client, self.served):
            sock.setblocking(False)

    def watch(self, sock: socket.socket) -> None:
        self.epoll.register(sock.fileno(), select.EPOLLIN)

    def next(self, frame: int, seconds: float = SOON_S) -> bytes | None:
        return answer_next(self.epoll.fileno(), self.served.fileno(), seconds, frame)

    def left(self) -> bytes:
        """What lies in the server's end."""
        try:
            return self.served.recv(4096)
        except BlockingIOError:
            return b""


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    with made.client, made.served, made.epoll:
        yield made


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_answer_is_that_of_any_call(pair, number, frame):
    methods = MethodTable()
    methods.value("tick_cue", lambda: frame)
    pair.client.send(tick(number))
    assert pair.next(frame) == b""
    assert pair.client.recv(64) == methods.answer(number, "tick_cue", [])
    assert pair.left() == b""


@pytest.mark.parametrize(
    "data",
    [
        b"\x94",
        tick(7)[:-1],
        tick(7)[1:],
        tick(7) + tick(8),
        tick(7) + b"\x94",
        b"\xc0" + tick(7),
        tick(-1),
        tick(None),
        tick("a"),
        tick(1.0),
        tick([0]),
        tick(1 << 40),
        b"\x94\x00\xcf" + bytes(4) + tick(7)[3:],
        b"\x94\x00\xcd\x01" + tick(7)[3:],
        msgpack.packb([1, 7, "tick_cue", [[False]]]),
        msgpack.packb([0, 7, "tick_cue", [[True]]]),
        msgpack.packb([0, 7, "tick_cue", [[False], 1]]),
        msgpack.packb([0, 7, "tick_cut", [[False]]]),
        msgpack.packb([0, 7, "get_episode_info", [[False]]]),
        b"\x94\x00\xa8tick_cue\x91\x91\xc2",
    ],
)
def test_nothing_else_is_taken_for_one(pair, data):
    pair.client.send(data)
    assert pair.next(5) is None
    assert pair.left() == data
    with pytest.raises(BlockingIOError):
        pair.client.recv(64)


def test_without_a_frame_it_only_waits(pair):
    pair.client.send(tick(7))
    assert pair.next(0) is None
    assert pair.left() == tick(7)


def test_whoever_else_is_ready_comes_first(pair):
    one, other = socket.socketpair()
    with one, other:
        pair.watch(one)
        other.send(b"x")
        pair.client.send(tick(7))
        assert pair.next(5, 1.0) is None
        assert pair.left() == tick(7)


def test_it_waits_as_long_as_it_may(pair):
    start = time.monotonic()
    assert pair.next(5, 0.05) is None
    assert time.monotonic() - start >= 0.05


@pytest.mark.parametrize("seconds", [-1.0, 1.5, float("nan")])
def test_no_other_time_is_waited(pair, seconds):
    with pytest.raises(ValueError, match="0 to 1 s"):
        pair.next(5, seconds)


def test_a_client_that_has_gone_is_left_to_be_noticed(pair):
    pair.client.send(tick(7))
    pair.client.close()
    assert pair.next(5) is None
    assert pair.left() == tick(7)


def test_a_client_that_takes_in_nothing_is_not_answered(pair):
    with contextlib.suppress(BlockingIOError):
        while pair.served.send(bytes(4096)):
            pass
    pair.client.send(tick(7))
    assert pair.next(5) is None
    assert pair.left() == tick(7)
