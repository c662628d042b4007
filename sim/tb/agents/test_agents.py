"""The benches' own agents: when they look, what they refuse, and what they drive while an interface rests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from cocotb.types import LogicArray
from cocotb.utils import get_sim_time
from foveal_tb.axi_rules import Held
from foveal_tb.clocked import PERIOD_NS, Clocked, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import pattern
from foveal_tb.stream import StreamSink, StreamSource

FOUR_STATE = not cocotb.SIM_NAME.startswith("Verilator")


class Follower:
    """Drives `d` with 1, 2, 3, ... and notes `q` whenever the loop samples."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.seen: list[int] = []
        self.reset()

    def reset(self) -> None:
        self.now = 0
        self.dut.d.value = 0

    def drive(self) -> None:
        self.now += 1
        self.dut.d.value = self.now

    def sample(self) -> None:
        self.seen.append(int(self.dut.q.value))


@cocotb.test
async def a_register_shows_its_new_value_where_the_benches_sample(dut: Any) -> None:
    """A read right behind the edge is the old or the new value as the simulator likes; both safe places see the new."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    dut.d.value = 0
    await FallingEdge(dut.clk)
    stable, opposite = [], []
    for value in range(1, 6):
        dut.d.value = value
        await RisingEdge(dut.clk)
        await ReadOnly()
        stable.append(int(dut.q.value))
        await FallingEdge(dut.clk)
        opposite.append(int(dut.q.value))
    assert stable == opposite == [1, 2, 3, 4, 5]


@cocotb.test
async def agents_sample_what_the_next_edge_acts_upon(dut: Any) -> None:
    """What is driven behind one edge is in the register behind the next one, in each cycle."""
    loop = Clocked(dut)
    follower = loop.add(Follower(dut))
    await loop.reset()
    await loop.step(5)
    assert follower.seen == [0, 1, 2, 3, 4, 5]


@cocotb.test
async def cycles_of_the_loop_are_periods_of_its_clock(dut: Any) -> None:
    """By the simulator's time: a wait on another clock, or on an edge too few, would show here."""
    loop = Clocked(dut)
    for cycles in (1, 2, 7):
        await loop.reset(cycles)
        start = get_sim_time("ns")
        await loop.step(cycles)
        assert get_sim_time("ns") - start == cycles * PERIOD_NS
        assert await loop.until(lambda first=start: get_sim_time("ns") - first >= 20 * PERIOD_NS, 30, "20 periods") == (
            20 - cycles
        )
    low = None

    async def measure() -> None:
        nonlocal low
        await FallingEdge(dut.rst_n)
        start = get_sim_time("ns")
        await RisingEdge(dut.rst_n)
        low = get_sim_time("ns") - start

    cocotb.start_soon(measure())
    await loop.reset(5)
    assert low == 5 * PERIOD_NS


@cocotb.test
@cocotb.parametrize((("text", "number"), [("1X10", None), ("ZZZZ", None), ("0110", 6)]))
async def an_unknown_bit_is_never_taken_for_a_number(dut: Any, text: str, number: int | None) -> None:
    value = LogicArray(text)
    assert value.is_resolvable == (number is not None)
    if number is None:
        with pytest.raises(ValueError, match="non-0/1"):
            int(value)
    else:
        assert int(value) == number


@cocotb.test(skip=not FOUR_STATE)
async def an_unknown_pin_fails_by_its_name(dut: Any) -> None:
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    held = Held(dut, "m_t", ["data"])
    for valid, ready, data, where in (
        *(("X", 1, 3, "m_tvalid"), ("Z", 1, 3, "m_tvalid"), (1, "X", 3, "m_tready")),
        *((1, 1, "0000X000", "m_tdata"), (1, 0, "ZZZZZZZZ", "m_tdata")),
    ):
        dut.m_tvalid.value, dut.m_tready.value, dut.m_tdata.value = valid, ready, data
        await FallingEdge(dut.clk)
        with pytest.raises(AssertionError, match=where):
            held.sample()
        held.reset()


async def play(dut: Any, cycles: Iterable[tuple[int, int, int]]) -> tuple[list[tuple[int, ...]], str]:
    """Drive (valid, ready, data) for a cycle each; what a monitor took over, and what it objected to."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    held, taken = Held(dut, "m_t", ["data"]), []
    for cycle, (valid, ready, data) in enumerate(cycles, 1):
        dut.m_tvalid.value, dut.m_tready.value, dut.m_tdata.value = valid, ready, data
        await FallingEdge(dut.clk)
        try:
            payload = held.sample()
        except AssertionError as error:
            return taken, f"cycle {cycle}: {error}".split("\n")[0]
        if payload is not None:
            taken.append(payload)
    return taken, ""


@cocotb.test
async def valid_that_is_withdrawn_fails_the_run(dut: Any) -> None:
    """Offered for a cycle, ready only three cycles later: nothing was handed over, and that is a violation."""
    taken, objection = await play(dut, [(1, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9)])
    assert taken == []
    assert objection == "cycle 2: m_t: valid withdrawn before ready"


@cocotb.test
async def a_payload_that_changes_fails_the_run(dut: Any) -> None:
    taken, objection = await play(dut, [(1, 1, 8), (1, 0, 9), (1, 0, 9), (1, 1, 10)])
    assert taken == [(8,)]
    assert objection == "cycle 4: m_t: payload changed before ready"


@cocotb.test
async def a_patient_master_is_left_alone(dut: Any) -> None:
    """Ready first, valid first, both at once, and back to back."""
    cycles = [(0, 1, 0), (1, 1, 1), (1, 1, 2), (1, 0, 3), (1, 0, 3), (1, 1, 3), (0, 0, 0), (1, 0, 4), (1, 1, 4)]
    assert await play(dut, cycles) == ([(1,), (2,), (3,), (4,)], "")


@cocotb.test
@cocotb.parametrize((("valid", "data"), [((1, 0), (9, 9)), ((1, 1), (9, 8))]))
async def a_sink_objects_as_well(dut: Any, valid: tuple[int, int], data: tuple[int, int]) -> None:
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    sink = StreamSink(dut, "m", ["tdata"], pattern("001"))
    for now in range(2):
        dut.m_tvalid.value, dut.m_tdata.value = valid[now], data[now]
        sink.drive()
        await FallingEdge(dut.clk)
        if now == 0:
            sink.sample()
    with pytest.raises(AssertionError, match="before ready"):
        sink.sample()
    assert sink.beats == []


@cocotb.test
async def a_module_that_looks_at_an_idle_payload_is_found_out(dut: Any) -> None:
    """Nine beats with gaps: the sum over the beats is right, the one that leaks is unknown, or random on Verilator."""
    loop = Clocked(dut)
    source = loop.add(StreamSource(dut, "s", ["tdata"], pattern("100")))
    await loop.reset()
    source.send((n,) for n in range(1, 10))
    await loop.until(lambda: source.empty, 60, "nine beats")
    await loop.step(2)
    assert int(dut.sum.value) == 45
    if FOUR_STATE:
        assert not dut.leak.value.is_resolvable
    else:
        assert int(dut.leak.value) != 45


@cocotb.test
async def a_payload_is_idle_before_between_and_behind_its_beats(dut: Any) -> None:
    loop = Clocked(dut)
    source = loop.add(StreamSource(dut, "s", ["tdata"], pattern("010")))
    await loop.reset()
    source.send([(1,), (2,)])
    seen = []
    for _ in range(9):
        await loop.step()
        seen.append(str(dut.s_tdata.value) if bit(dut.s_tvalid) else None if FOUR_STATE else "idle")
        if FOUR_STATE and seen[-1] is None:
            assert str(dut.s_tdata.value) == "X" * 8
    assert [text for text in seen if text not in (None, "idle")] == ["00000001", "00000010"]


@cocotb.test(skip=FOUR_STATE)
async def without_an_x_the_idle_payload_differs_from_rest_to_rest(dut: Any) -> None:
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    idle = Idle([dut.d, dut.m_tdata])
    values = set()
    for _ in range(16):
        idle.rest()
        await FallingEdge(dut.clk)
        values.add((int(dut.d.value), int(dut.m_tdata.value)))
    assert len(values) > 8
