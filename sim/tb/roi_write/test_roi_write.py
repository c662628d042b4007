"""roi_write: packed and strided frames, replayed into a byte image and compared with one built in Python."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pattern, pauses
from foveal_tb.stream import StreamSink, StreamSource

PPC = json.loads(os.environ["FOVEAL_PARAMETERS"])["PPC"]
BUS = 4 * PPC
BASE = 0x1_2345_6000

Frame = list[tuple[int, int, int]]  # x, y, value of each kept pixel, in raster order


class Bench:
    def __init__(self, dut: Any, in_active: Any = None, out_active: Any = None) -> None:
        self.dut = dut
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s_axis", ["tdata", "tkeep", "tuser", "tlast"], in_active))
        self.sink = self.loop.add(StreamSink(dut, "m_beat", ["addr", "data", "strb"], out_active, style=""))
        for name in ("frame_start", "frame_end", "cfg_strided", "cfg_stride"):
            getattr(dut, name).value = 0
        dut.cfg_out_base.value = BASE

    async def frame(self, rng: random.Random, width: int, rows: list[int], keep: Callable[[], int]) -> Frame:
        """Send the `rows` of a frame, end it, and return its kept pixels; the addressed beats are in the sink."""
        beats, pixels = [], []
        before = -1
        for row in rows:
            for start in range(0, width, PPC):
                lanes = min(PPC, width - start)
                mask = keep() & ((1 << lanes) - 1)
                values = [rng.getrandbits(32) for _ in range(PPC)]
                pixels += [(start + n, row, values[n]) for n in range(lanes) if mask >> n & 1]
                user = (row - before - 1) << 1 | (before == -1) if start == 0 else 0
                data = sum(value << 32 * n for n, value in enumerate(values))
                beats.append((data, mask, user, int(start + PPC >= width)))
            before = row
        self.sink.beats.clear()
        self.dut.frame_start.value = 1
        await self.loop.step()
        self.dut.frame_start.value = 0
        self.source.send(beats)
        await self.loop.until(lambda: self.source.empty, 60 * len(beats) + 100, "the input")
        assert not bit(self.dut.write_done)
        await self.loop.step()
        self.dut.frame_end.value = 1
        await self.loop.until(lambda: bit(self.dut.write_done), 60 * 8 + 60, "write_done")
        assert bit(self.dut.m_beat_flush)
        self.dut.frame_end.value = 0
        await self.loop.step(2)
        assert bit(self.dut.write_done)
        assert int(self.dut.stat_pixels.value) == len(pixels)
        assert int(self.dut.stat_out_bytes.value) == 4 * len(pixels)
        return pixels

    def image(self) -> dict[int, int]:
        """Bytes by address, as the sunk beats wrote them; no byte may be written twice."""
        written: dict[int, int] = {}
        for addr, data, strb in self.sink.beats:
            assert addr % BUS == 0
            assert strb, "a beat that writes nothing"
            for n in range(BUS):
                if strb >> n & 1:
                    assert addr + n not in written
                    written[addr + n] = data >> 8 * n & 255
        return written


def packed_image(pixels: Frame) -> dict[int, int]:
    return {BASE + 4 * n + b: v >> 8 * b & 255 for n, (_, _, v) in enumerate(pixels) for b in range(4)}


def strided_image(pixels: Frame, stride: int) -> dict[int, int]:
    return {BASE + y * stride + 4 * x + b: v >> 8 * b & 255 for x, y, v in pixels for b in range(4)}


def masks(rng: random.Random, kind: str) -> Callable[[], int]:
    """A source of keep masks: sparse, dense, full, or one run a beat."""
    full = (1 << PPC) - 1
    return {
        "sparse": lambda: rng.getrandbits(PPC) & rng.getrandbits(PPC) & rng.getrandbits(PPC),
        "random": lambda: rng.getrandbits(PPC),
        "dense": lambda: rng.getrandbits(PPC) | rng.getrandbits(PPC),
        "mixed": lambda: rng.choice([0, full, rng.getrandbits(PPC)]),
    }[kind]


async def check(bench: Bench, rng: random.Random, width: int, rows: list[int], kind: str, strided: bool) -> None:
    stride = BUS * (-(-width // PPC) + rng.randint(0, 3))
    bench.dut.cfg_strided.value = int(strided)
    bench.dut.cfg_stride.value = stride
    pixels = await bench.frame(rng, width, rows, masks(rng, kind))
    assert bench.image() == (strided_image(pixels, stride) if strided else packed_image(pixels))
    if not strided:
        assert [addr for addr, _, _ in bench.sink.beats] == [BASE + BUS * n for n in range(-(-len(pixels) // PPC))]
        assert all(strb == (1 << BUS) - 1 for _, _, strb in bench.sink.beats[:-1])


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def random_masks_with_pauses(dut: Any, in_kind: str, out_kind: str) -> None:
    rng = bench_rng(f"{in_kind}-{out_kind}")
    bench = Bench(dut, pauses(in_kind, rng), pauses(out_kind, rng))
    await bench.loop.reset()
    for kind in ("sparse", "random", "dense", "mixed"):
        for strided in (False, True):
            width = rng.randint(1, 3 * PPC + 1)
            await check(bench, rng, width, sorted(rng.sample(range(40), 3)), kind, strided)


@cocotb.test
async def every_mask_follows_every_fill(dut: Any) -> None:
    """For up to 8 lanes all masks, for more those of a run of kept pixels; twice, then before a single pixel."""
    rng = bench_rng("masks")
    bench = Bench(dut)
    await bench.loop.reset()
    if PPC <= 8:
        every = range(1 << PPC)
    else:
        every = [((1 << n) - 1) << first for n in range(1, PPC + 1) for first in range(PPC + 1 - n)]
    sequence = [mask for mask in every for _ in range(2)] + [mask for mask in every for mask in (mask, 1)]
    feed = iter(sequence)
    dut.cfg_strided.value = 0
    pixels = await bench.frame(rng, len(sequence) * PPC, [0], lambda: next(feed))
    assert bench.image() == packed_image(pixels)


@cocotb.test
@cocotb.parametrize(strided=[False, True])
async def a_row_that_is_not_a_multiple_of_the_bus(dut: Any, strided: bool) -> None:
    """426 pixels of 4 bytes are 1704 bytes a row, on 64-byte beats 26 full ones and one of 40 bytes."""
    rng = bench_rng("partial")
    bench = Bench(dut)
    await bench.loop.reset()
    dut.cfg_strided.value = int(strided)
    dut.cfg_stride.value = 2048
    pixels = await bench.frame(rng, 426, [0, 1, 2], lambda: (1 << PPC) - 1)
    assert len(pixels) == 3 * 426
    image = bench.image()
    assert image == (strided_image(pixels, 2048) if strided else packed_image(pixels))
    assert len(image) == 3 * 1704
    if PPC == 16 and strided:
        row = [(addr, strb) for addr, _, strb in bench.sink.beats if addr < BASE + 2048]
        assert len(row) == 27
        assert row[-1] == (BASE + 26 * 64, 0x000000FFFFFFFFFF)
    if not strided:
        assert len(bench.sink.beats) == -(-3 * 1704 // BUS)


@cocotb.test
async def frames_that_keep_nothing_write_nothing(dut: Any) -> None:
    rng = bench_rng("nothing")
    bench = Bench(dut)
    await bench.loop.reset()
    for strided in (0, 1, 0):
        dut.cfg_strided.value = strided
        dut.cfg_stride.value = BUS * 8
        assert await bench.frame(rng, 3 * PPC, [0, 1], lambda: 0) == []
        assert bench.sink.beats == []


@cocotb.test
@cocotb.parametrize(strided=[False, True])
async def a_beat_a_clock(dut: Any, strided: bool) -> None:
    bench = Bench(dut)
    await bench.loop.reset()
    dut.cfg_strided.value = int(strided)
    dut.cfg_stride.value = BUS
    bench.source.send([(0, (1 << PPC) - 1, n == 0, 1) for n in range(80)])
    spent = await bench.loop.until(lambda: len(bench.sink.beats) == 80, 90, "80 beats")
    assert bench.sink.gaps == 0
    assert spent <= 80 + 6


@cocotb.test
async def a_frame_starts_anew_after_one_that_was_cut_short(dut: Any) -> None:
    """The line that was not ended before lends the frame neither its row nor its column."""
    rng = bench_rng("cut")
    bench = Bench(dut)
    await bench.loop.reset()
    dut.cfg_strided.value = 1
    dut.cfg_stride.value = 4 * BUS
    full = (1 << PPC) - 1
    bench.source.send([(0, full, 5 << 1 | 1, 0), (0, full, 0, 0)])
    await bench.loop.until(lambda: len(bench.sink.beats) == 2, 20, "what is left of the first frame")
    assert bench.image().keys() == {BASE + 5 * 4 * BUS + n for n in range(2 * BUS)}
    pixels = await bench.frame(rng, 2 * PPC, [1, 2], lambda: full)
    assert bench.image() == strided_image(pixels, 4 * BUS)


@cocotb.test
async def far_lines_need_all_of_the_address(dut: Any) -> None:
    """Row 4095 of the widest stride lies beyond 32 bits of offset."""
    rng = bench_rng("far")
    bench = Bench(dut)
    await bench.loop.reset()
    stride = (1 << 32) - BUS
    dut.cfg_strided.value = 1
    dut.cfg_stride.value = stride
    pixels = await bench.frame(rng, PPC, [3, 4095], lambda: (1 << PPC) - 1)
    assert bench.image() == strided_image(pixels, stride)


@cocotb.test
async def reset_forgets_a_partial_beat(dut: Any) -> None:
    rng = bench_rng("reset")
    bench = Bench(dut, None, pattern("10"))
    for strided in (False, True):
        for cycles in range(1, 8):
            await bench.loop.reset()
            dut.frame_end.value = 0
            bench.source.send([(0, 1, 1, 0), (0, (1 << PPC) - 1, 0, 0), (0, 1, 0, 0)])
            await bench.loop.step(cycles)
            await bench.loop.reset()
            assert not bit(dut.m_beat_valid)
            assert not bit(dut.write_done)
            await check(bench, rng, 2 * PPC + 1, [0, 1], "random", strided)


@cocotb.test
async def no_beat_is_lost_in_the_first_cycle_after_reset(dut: Any) -> None:
    bench = Bench(dut)
    for strided in (0, 1):
        dut.cfg_strided.value = strided
        dut.cfg_stride.value = BUS
        await bench.loop.step()
        dut.rst_n.value = 0
        await bench.loop.step(3)
        assert not bit(dut.s_axis_tready)
        bench.sink.beats.clear()
        bench.source.send([(n, (1 << PPC) - 1, n == 1, 1) for n in (1, 2, 3)])
        dut.rst_n.value = 1
        await bench.loop.step(12)
        assert [data for _, data, _ in bench.sink.beats] == [1, 2, 3]


@cocotb.test
@cocotb.parametrize(strided=[False, True])
async def marks_on_beats_that_keep_nothing_are_not_lost(dut: Any, strided: bool) -> None:
    """Start of frame, line ends and lines left out come on beats that are dropped; every pixel is in its place."""
    rng = bench_rng(f"marks-{strided}")
    bench = Bench(dut)
    await bench.loop.reset()
    stride = 5 * BUS
    dut.cfg_strided.value, dut.cfg_stride.value = int(strided), stride
    keeps = ((0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1, 0))  # by line and beat
    for rows in ([0, 1, 2, 3, 4], [3, 4, 9, 10, 40]):
        masks_in_turn = iter([keep for row in keeps for keep in row])
        pixels = await bench.frame(rng, 4 * PPC, rows, lambda turn=masks_in_turn: next(turn))
        assert [(x, y) for x, y, _ in pixels] == [
            (PPC * row.index(1), rows[n]) for n, row in enumerate(keeps) if any(row)
        ]
        assert bench.image() == (strided_image(pixels, stride) if strided else packed_image(pixels))
