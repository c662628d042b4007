"""A plain tick is told from its bytes, and answered, as MessagePack-RPC in general would have it."""

from __future__ import annotations

import msgpack
import pytest
from foveal_sim.world import tick_call
from foveal_sim.world.rpc import MethodTable

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFFFFFF)


def tick(number: object) -> bytes:
    return msgpack.packb([0, number, "tick_cue", [[False]]])


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("frame", [1, 0x80, 70_000, 1 << 40])
def test_the_answer_is_that_of_any_call(number, frame):
    methods = MethodTable()
    methods.value("tick_cue", lambda: frame)
    packed = tick_call.number(tick(number))
    assert packed == msgpack.packb(number)
    assert tick_call.answer(packed, frame) == methods.answer(number, "tick_cue", [])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        tick(7)[:-1],
        tick(7)[1:],
        tick(7) + tick(8),
        b"\xc0" + tick(7),
        tick(-1),
        tick(None),
        tick("a"),
        tick(1.0),
        tick([0]),
        tick(1 << 40),
        msgpack.packb([1, 7, "tick_cue", [[False]]]),
        msgpack.packb([0, 7, "tick_cue", [[True]]]),
        msgpack.packb([0, 7, "tick_cue", [[False], 1]]),
        msgpack.packb([0, 7, "tick_cute", [[False]]]),
        b"\x94\x00\xa8tick_cue\x91\x91\xc2",
    ],
)
def test_nothing_else_is_taken_for_one(data):
    assert tick_call.number(data) is None
