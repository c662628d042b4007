"""band_scan: raster order, frame and line marks, any stall pattern, a beat a clock."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.records import BAND_ROWS
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

STORE_LATENCY = 2
FILL = 8  # cycles from a start to its first beat, at most
Beat = tuple[int, int, int]


class Store:
    """Answers reads two cycles later with a word that tells bank, row, column and how often it was read."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.bits = len(dut.scan_data)
        self.idle = Idle([dut.scan_data])
        self.reset()

    def reset(self) -> None:
        self.flight: list[int | None] = [None] * STORE_LATENCY
        self.reads: list[tuple[int, int, int]] = []
        self.idle.rest()

    def word(self, bank: int, row: int, col: int) -> int:
        return random.Random(bank << 20 | row << 13 | col).getrandbits(self.bits)

    def drive(self) -> None:
        word = self.flight.pop(0)
        if word is None:
            self.idle.rest()
        else:
            self.dut.scan_data.value = word

    def sample(self) -> None:
        word = None
        if bit(self.dut.scan_en):
            place = tuple(int(getattr(self.dut, f"scan_{name}").value) for name in ("bank", "row", "col"))
            self.reads.append(place)
            word = self.word(*place)
        self.flight.append(word)


class Watch:
    """Checks `stalled` in each cycle and counts busy cycles."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.reset()

    def reset(self) -> None:
        self.busy = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.busy += bit(self.dut.busy)
        waits = bit(self.dut.m_axis_tvalid) and not bit(self.dut.m_axis_tready)
        assert bit(self.dut.stalled) == int(waits)
        assert bit(self.dut.busy) or not bit(self.dut.m_axis_tvalid)


class Bench:
    def __init__(self, dut: Any, name: str, start_kind: str = "always", out_kind: str = "always") -> None:
        self.dut = dut
        self.rng: random.Random = bench_rng(f"{name}-{start_kind}-{out_kind}")
        self.ppc = int(dut.PPC.value)
        self.loop = Clocked(dut)
        self.store = self.loop.add(Store(dut))
        self.source = self.loop.add(
            StreamSource(dut, "start", ["bank", "y0", "rows"], pauses(start_kind, self.rng), style="")
        )
        self.sink = self.loop.add(StreamSink(dut, "m_axis", ["tdata", "tuser", "tlast"], pauses(out_kind, self.rng)))
        self.watch = self.loop.add(Watch(dut))
        dut.cfg_width.value = 1
        dut.frame_start.value = 0

    async def new_frame(self, width: int) -> None:
        self.dut.cfg_width.value = width
        self.dut.frame_start.value = 1
        await self.loop.step()
        self.dut.frame_start.value = 0
        self.sink.beats.clear()
        self.store.reads.clear()

    def expected(self, bands: list[tuple[int, int, int]], width: int) -> list[Beat]:
        beats: list[Beat] = []
        count, following = -(-width // self.ppc), 0
        for bank, y0, rows in bands:
            for row in (r for r in range(BAND_ROWS) if rows >> r & 1):
                for col in range(count):
                    first = (y0 + row - following) << 1 | (not beats) if col == 0 else 0
                    beats.append((self.store.word(bank, row, col), first, int(col == count - 1)))
                following = y0 + row + 1
        return beats

    async def scan(self, bands: list[tuple[int, int, int]], width: int) -> None:
        """A frame of these bands: everything that comes out is compared."""
        await self.new_frame(width)
        expected = self.expected(bands, width)
        self.source.send(bands)
        limit = 12 * len(expected) + 60 * len(bands) + 60
        await self.loop.until(lambda: self.source.empty and len(self.sink.beats) >= len(expected), limit, "all beats")
        await self.loop.step(8)
        assert self.sink.beats == expected
        assert len(self.store.reads) == len(expected)
        assert not bit(self.dut.busy)
        assert bit(self.dut.start_ready)


def random_rows(rng: random.Random) -> int:
    choice = rng.randrange(5)
    if choice == 0:
        return 0
    if choice == 1:
        return 1 << rng.randrange(BAND_ROWS)
    if choice == 2:
        return 1 | 1 << BAND_ROWS - 1
    return rng.getrandbits(BAND_ROWS) & rng.getrandbits(BAND_ROWS)


@cocotb.test
@cocotb.parametrize(start_kind=("always", "rare"), out_kind=PAUSES)
async def rows_come_in_raster_order_with_their_marks(dut: Any, start_kind: str, out_kind: str) -> None:
    """Bands may be left out; the lines left out count across rows and bands, from the frame's top."""
    bench = Bench(dut, "order", start_kind, out_kind)
    rng = bench.rng
    await bench.loop.reset()
    for _ in range(2):
        width = rng.randint(1, 4 * bench.ppc)
        bands = [(rng.randrange(2), BAND_ROWS * n, random_rows(rng)) for n in range(6) if rng.random() < 0.7]
        await bench.scan(bands, width)


@cocotb.test
async def every_width_of_the_last_beat(dut: Any) -> None:
    bench = Bench(dut, "widths")
    await bench.loop.reset()
    for width in range(1, 2 * bench.ppc + 2):
        await bench.scan([(1, 32, 0b101)], width)


@cocotb.test
async def the_largest_frame(dut: Any) -> None:
    """Row 4,095 alone in a frame of 4,096: 4,095 lines are left out before it."""
    bench = Bench(dut, "largest")
    await bench.loop.reset()
    await bench.scan([(0, 4096 - BAND_ROWS, 1 << BAND_ROWS - 1)], 4096)
    assert bench.sink.beats[0][1] == 4095 << 1 | 1
    assert bench.store.reads[-1] == (0, BAND_ROWS - 1, 4096 // bench.ppc - 1)


@cocotb.test
async def a_beat_a_clock_across_rows(dut: Any) -> None:
    bench = Bench(dut, "rate")
    await bench.loop.reset()
    width = 3 * bench.ppc
    await bench.new_frame(width)
    bench.watch.reset()
    bands = [(0, 0, 0xFFFFFFFF), (1, 32, 0xFFFF0001)]
    expected = bench.expected(bands, width)
    bench.source.send(bands)
    await bench.loop.until(lambda: len(bench.sink.beats) == len(expected), len(expected) + 30, "all beats")
    await bench.loop.step(4)
    assert bench.sink.beats == expected
    assert bench.sink.gaps <= 2  # between the two bands
    assert bench.watch.busy <= len(expected) + FILL


@cocotb.test
async def a_stalled_output_stops_the_reads(dut: Any) -> None:
    """Every read word has a place: nothing is lost however long the output stalls."""
    bench = Bench(dut, "stall")
    bench.sink.active = iter(lambda: False, True)
    await bench.loop.reset()
    width = 40 * bench.ppc
    await bench.new_frame(width)
    bands = [(1, 64, 0b1011)]
    bench.source.send(bands)
    await bench.loop.step(50)
    assert 0 < len(bench.store.reads) <= 16
    assert bit(dut.stalled)
    bench.sink.active = pauses("always", bench.rng)
    expected = bench.expected(bands, width)
    await bench.loop.until(lambda: len(bench.sink.beats) == len(expected), len(expected) + 30, "all beats")
    assert bench.sink.beats == expected


@cocotb.test
async def a_band_without_rows_is_taken_and_gives_nothing(dut: Any) -> None:
    bench = Bench(dut, "nothing")
    await bench.loop.reset()
    await bench.scan([(0, 0, 0), (1, 32, 0), (0, 64, 0b10)], 2 * bench.ppc)
    assert bench.sink.beats[0][1] == 65 << 1 | 1
    await bench.scan([(0, 0, 0)], 2 * bench.ppc)


@cocotb.test
async def a_reset_in_the_middle_forgets_everything(dut: Any) -> None:
    bench = Bench(dut, "reset")
    await bench.loop.reset()
    await bench.new_frame(60 * bench.ppc)
    bench.source.send([(0, 0, 0xFFFFFFFF)])
    await bench.loop.step(30)
    assert bit(dut.busy)
    await bench.loop.reset()
    await bench.loop.step(10)
    assert not bit(dut.busy)
    bench.sink.beats.clear()
    await bench.scan([(1, 0, 0b11)], bench.ppc)


@cocotb.test
async def a_band_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, "first")
    for _ in range(2):
        bench.sink.beats.clear()
        dut.cfg_width.value = bench.ppc
        await release_under_load(bench.loop, bench.source, [(0, 32 * n, 1 << n) for n in range(3)])
        await bench.loop.step(60)
        assert len(bench.sink.beats) == 3
