"""stream_fifo: order, exact depth, count, throughput and the first cycles after reset."""

from __future__ import annotations

from typing import Any

import cocotb
from foveal_tb import buffering
from foveal_tb.clocked import bit
from foveal_tb.pauses import PAUSES, pauses


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def pauses_do_not_change_the_data(dut: Any, in_kind: str, out_kind: str) -> None:
    await buffering.keeps_order(dut, in_kind, out_kind)


@cocotb.test
async def a_beat_a_clock(dut: Any) -> None:
    await buffering.runs_at_full_rate(dut)


@cocotb.test
async def valid_does_not_wait_for_ready(dut: Any) -> None:
    await buffering.offers_without_being_asked(dut, 2)


@cocotb.test
async def a_word_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    await buffering.takes_the_first_word(dut)


@cocotb.test
async def a_reset_empties_it_and_leaves_all_of_its_room(dut: Any) -> None:
    await buffering.forgets_at_a_reset(dut, int(dut.DEPTH.value))


@cocotb.test
async def it_holds_exactly_its_depth(dut: Any) -> None:
    bench = buffering.BufferBench(dut)
    depth = int(dut.DEPTH.value)
    bench.sink.active = iter(lambda: False, True)
    await bench.loop.reset()
    beats = bench.beats(depth + 5)
    bench.source.send(beats)
    await bench.loop.step(3 * depth + 10)
    assert bench.source.sent == depth
    assert int(dut.count.value) == depth
    assert not bit(dut.s_tready)
    bench.sink.active = pauses("always", bench.rng)
    await bench.loop.until(lambda: len(bench.sink.beats) == len(beats), 3 * depth + 20, "all beats")
    await bench.loop.step(4)
    assert bench.sink.beats == beats
    assert int(dut.count.value) == 0


@cocotb.test
async def count_is_the_number_of_beats_held(dut: Any) -> None:
    bench = buffering.BufferBench(dut, "bursty", "bursty")
    await bench.loop.reset()
    bench.source.send(bench.beats(120))
    for _ in range(400):
        # The agents have counted the handshakes of the coming edge, `count` shows the state before it.
        before = bench.source.sent - len(bench.sink.beats)
        await bench.loop.step()
        assert int(dut.count.value) == before
    assert len(bench.sink.beats) > 50
