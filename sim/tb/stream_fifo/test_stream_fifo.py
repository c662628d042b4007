"""stream_fifo: order, exact depth, count, throughput and the first cycles after reset."""

from __future__ import annotations

from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.stream import StreamSink, StreamSource


class Bench:
    def __init__(self, dut: Any, in_kind: str = "always", out_kind: str = "always") -> None:
        self.rng = bench_rng(f"{in_kind}-{out_kind}")
        self.width = len(dut.s_tdata)
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s", ["tdata"], pauses(in_kind, self.rng)))
        self.sink = self.loop.add(StreamSink(dut, "m", ["tdata"], pauses(out_kind, self.rng)))

    def beats(self, count: int) -> list[tuple[int]]:
        return [(self.rng.getrandbits(self.width),) for _ in range(count)]


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def pauses_do_not_change_the_data(dut: Any, in_kind: str, out_kind: str) -> None:
    bench = Bench(dut, in_kind, out_kind)
    await bench.loop.reset()
    beats = bench.beats(60)
    bench.source.send(beats)
    await bench.loop.until(lambda: len(bench.sink.beats) == 60, 60 * 60, "60 beats")
    await bench.loop.step(60)
    assert bench.sink.beats == beats


@cocotb.test
async def a_beat_a_clock(dut: Any) -> None:
    bench = Bench(dut)
    await bench.loop.reset()
    bench.source.send(bench.beats(100))
    await bench.loop.until(lambda: len(bench.sink.beats) == 100, 110, "100 beats")
    assert bench.sink.gaps == 0


@cocotb.test
async def a_word_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut)
    for _ in range(3):
        bench.sink.beats.clear()
        bench.source.reset()
        dut.rst_n.value = 0
        await bench.loop.step(3)
        assert not bit(dut.s_tready)
        assert not bit(dut.m_tvalid)
        bench.source.send([(1,), (2,), (3,)])
        await bench.loop.step()  # valid is up before the first edge that sees no reset
        dut.rst_n.value = 1
        await bench.loop.step(12)
        assert bench.sink.beats == [(1,), (2,), (3,)]


@cocotb.test
async def it_holds_exactly_its_depth(dut: Any) -> None:
    bench = Bench(dut)
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
    bench = Bench(dut, "bursty", "bursty")
    await bench.loop.reset()
    bench.source.send(bench.beats(120))
    for _ in range(400):
        # The agents have counted the handshakes of the coming edge, `count` shows the state before it.
        before = bench.source.sent - len(bench.sink.beats)
        await bench.loop.step()
        assert int(dut.count.value) == before
    assert len(bench.sink.beats) > 50
