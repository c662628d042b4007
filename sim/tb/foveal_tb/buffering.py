"""What every stream buffer must do, as bodies of tests."""

from __future__ import annotations

from typing import Any

from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import pauses
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

__all__ = [
    "BufferBench",
    "forgets_at_a_reset",
    "keeps_order",
    "offers_without_being_asked",
    "runs_at_full_rate",
    "takes_the_first_word",
]


class BufferBench:
    """A source and a sink around a buffer with the ports s_t* and m_t*."""

    def __init__(self, dut: Any, in_kind: str = "always", out_kind: str = "always") -> None:
        self.rng = bench_rng(f"{in_kind}-{out_kind}")
        self.width = len(dut.s_tdata)
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s", ["tdata"], pauses(in_kind, self.rng)))
        self.sink = self.loop.add(StreamSink(dut, "m", ["tdata"], pauses(out_kind, self.rng)))

    def beats(self, count: int) -> list[tuple[int]]:
        return [(self.rng.getrandbits(self.width),) for _ in range(count)]


async def keeps_order(dut: Any, in_kind: str, out_kind: str) -> None:
    """What goes in comes out, in order and once, whatever the pauses."""
    bench = BufferBench(dut, in_kind, out_kind)
    await bench.loop.reset()
    beats = bench.beats(60)
    bench.source.send(beats)
    await bench.loop.until(lambda: len(bench.sink.beats) == 60, 60 * 60, "60 beats")
    await bench.loop.step(60)
    assert bench.sink.beats == beats


async def runs_at_full_rate(dut: Any) -> None:
    """A beat a clock without a gap."""
    bench = BufferBench(dut)
    await bench.loop.reset()
    bench.source.send(bench.beats(100))
    await bench.loop.until(lambda: len(bench.sink.beats) == 100, 110, "100 beats")
    assert bench.sink.gaps == 0


async def offers_without_being_asked(dut: Any, latency: int) -> None:
    """Valid does not wait for ready: a word stands at the output `latency` cycles after it was taken."""
    bench = BufferBench(dut)
    bench.sink.active = iter(lambda: False, True)
    await bench.loop.reset()
    await bench.loop.step(2)
    bench.source.send(bench.beats(1))
    await bench.loop.until(lambda: bench.source.sent == 1, 4, "the word to be taken")
    for cycle in range(1, latency + 1):
        await bench.loop.step()
        assert bit(dut.m_tvalid) == (cycle == latency)


async def takes_the_first_word(dut: Any) -> None:
    """A word that is offered in the first cycle after reset is not lost, nor anything taken during reset."""
    bench = BufferBench(dut)
    for _ in range(3):
        bench.sink.beats.clear()
        await release_under_load(bench.loop, bench.source, [(1,), (2,), (3,)])
        assert not bit(dut.m_tvalid)
        await bench.loop.step(12)
        assert bench.sink.beats == [(1,), (2,), (3,)]


async def forgets_at_a_reset(dut: Any, depth: int) -> None:
    """With any number of words inside, wherever they lie: none is offered afterwards, and `depth` others find room."""
    bench = BufferBench(dut)
    for held in range(depth + 1):
        bench.sink.active = pauses("always", bench.rng)
        await bench.loop.reset(1)
        bench.source.send(bench.beats(5))
        await bench.loop.step(12)
        bench.sink.active = iter(lambda: False, True)
        bench.source.send(bench.beats(held))
        await bench.loop.step(held + 3)
        await bench.loop.reset(1)
        assert not bit(dut.m_tvalid), f"{held} words were held"
        bench.sink.beats.clear()
        bench.source.sent = 0
        beats = bench.beats(depth + 2)
        bench.source.send(beats)
        await bench.loop.step(depth + 8)
        assert bench.source.sent == depth, f"{held} words were held"
        bench.sink.active = pauses("always", bench.rng)
        await bench.loop.step(depth + 8)
        assert bench.sink.beats == beats
