"""surface_shade: every colour rule of the specification, the table's lanes, pauses and the hold."""

from __future__ import annotations

import itertools
import json
import os
import random
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.stream import StreamSink, StreamSource

PPC = json.loads(os.environ["FOVEAL_PARAMETERS"])["PPC"]
NOTHING = (1 << 24) - 1
LATENCY = 3

Pixel = tuple[int, int]  # depth, surface


def shade(pixel: Pixel, table: list[int] | None, background: int, depth_out: bool) -> int:
    """The output pixel: bytes B, G, R, 255, or depth and material."""
    depth, surface = pixel
    drawn = depth != NOTHING
    if depth_out:
        return depth | ((surface >> 24) if drawn else 0) << 24
    rgb = [(surface if drawn else background) >> 8 * n & 255 for n in range(3)]
    if drawn and table is not None:
        rgb = [min(255, lit * (table[surface >> 24] >> 8 * n & 255) >> 7) for n, lit in enumerate(rgb)]
    return rgb[2] | rgb[1] << 8 | rgb[0] << 16 | 255 << 24


class Hold:
    """Drives `hold` when the other agents drive, since ready depends on it within the cycle."""

    def __init__(self, dut: Any) -> None:
        self.pin = dut.hold
        self.value = 0
        self.reset()

    def reset(self) -> None:
        self.pin.value = 0

    def drive(self) -> None:
        self.pin.value = self.value

    def sample(self) -> None:
        pass


class Inside:
    """Asserts, from the first reset on, that `busy` tells whether a beat is inside."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.beats: int | None = None

    def reset(self) -> None:
        self.beats = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        dut = self.dut
        if self.beats is None:
            return
        assert bit(dut.busy) == (self.beats > 0), f"{self.beats} beats are inside"
        self.beats += bit(dut.s_axis_tvalid) & bit(dut.s_axis_tready)
        self.beats -= bit(dut.m_axis_tvalid) & bit(dut.m_axis_tready)


class Bench:
    def __init__(self, dut: Any, in_active: Any = None, out_active: Any = None) -> None:
        self.dut = dut
        self.loop = Clocked(dut)
        self.loop.add(Inside(dut))
        payload = ["tdata", "tkeep", "tuser", "tlast"]
        self.source = self.loop.add(StreamSource(dut, "s_axis", payload, in_active))
        self.sink = self.loop.add(StreamSink(dut, "m_axis", payload, out_active))
        self.hold = self.loop.add(Hold(dut))
        self.idle = Idle([dut.mat_waddr, dut.mat_wdata])
        self.idle.rest()
        for name in ("mat_we", "use_table", "cfg_background", "cfg_depth_out"):
            getattr(dut, name).value = 0

    async def load(self, table: list[int]) -> None:
        """Write the table a row of 16 materials at a time."""
        for row in range(16):
            self.dut.mat_we.value = 1
            self.dut.mat_waddr.value = row
            self.dut.mat_wdata.value = sum(table[16 * row + n] << 32 * n for n in range(16))
            await self.loop.step()
        self.dut.mat_we.value = 0
        self.idle.rest()

    async def run(self, pixels: list[Pixel], keeps: list[int], side: list[tuple[int, int]]) -> None:
        """Send beats of PPC pixels each."""
        for start, keep, (user, last) in zip(range(0, len(pixels), PPC), keeps, side, strict=True):
            data = sum((d << 32 | s) << 56 * n for n, (d, s) in enumerate(pixels[start : start + PPC]))
            self.source.send([(data, keep, user, last)])
        count = len(keeps)
        self.sink.beats.clear()
        await self.loop.until(lambda: len(self.sink.beats) == count, 60 * count + 200, f"{count} beats")


def random_pixels(rng: random.Random, count: int) -> list[Pixel]:
    """A third background, surfaces of random bits."""
    return [(NOTHING if rng.random() < 0.3 else rng.randrange(NOTHING), rng.getrandbits(32)) for _ in range(count)]


async def check(bench: Bench, rng: random.Random, beats: int, table: list[int] | None) -> None:
    """Random beats with the present configuration; kept lanes, keep, user and last must be right."""
    dut = bench.dut
    background = rng.getrandbits(24)
    depth_out = rng.random() < 0.3
    dut.cfg_background.value = background
    dut.cfg_depth_out.value = int(depth_out)
    dut.use_table.value = int(table is not None)
    pixels = random_pixels(rng, beats * PPC)
    keeps = [rng.choice([0, (1 << PPC) - 1, rng.getrandbits(PPC)]) for _ in range(beats)]
    side = [(rng.getrandbits(14), rng.getrandbits(1)) for _ in range(beats)]
    await bench.run(pixels, keeps, side)
    for n, (data, keep, user, last) in enumerate(bench.sink.beats):
        assert (keep, user, last) == (keeps[n], *side[n])
        for lane in range(PPC):
            if keep >> lane & 1:
                pixel = pixels[n * PPC + lane]
                assert data >> 32 * lane & 0xFFFFFFFF == shade(pixel, table, background, depth_out), (pixel, lane)


@cocotb.test
async def hand_worked_pixels(dut: Any) -> None:
    """Values worked out by hand, so that the model of this bench is itself held."""
    bench = Bench(dut)
    await bench.loop.reset()
    await bench.load([(128 | 64 << 8 | 255 << 16) if n == 7 else 0 for n in range(256)])
    surface = 200 | 101 << 8 | 129 << 16 | 7 << 24  # R 200, G 101, B 129, material 7
    dut.cfg_background.value = 0x00332211  # R 0x11, G 0x22, B 0x33
    cases = [
        (5, 1, 0, 0xFF << 24 | 200 << 16 | 50 << 8 | 255),  # R * 1.0, G * 0.5 rounds down, B saturates
        (5, 0, 0, 0xFF << 24 | 200 << 16 | 101 << 8 | 129),
        (NOTHING, 1, 0, 0xFF112233),
        (5, 1, 1, 0x07000005),
        (NOTHING, 0, 1, 0x00FFFFFF),
    ]
    for depth, use_table, depth_out, wanted in cases:
        dut.use_table.value = use_table
        dut.cfg_depth_out.value = depth_out
        await bench.run([(depth, surface)] * PPC, [(1 << PPC) - 1], [(1, 1)])
        assert bench.sink.beats[0][0] == sum(wanted << 32 * n for n in range(PPC))


@cocotb.test
async def every_material_in_every_lane(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench_rng("materials")
    await bench.loop.reset()
    table = [rng.getrandbits(24) for _ in range(256)]
    await bench.load(table)
    dut.use_table.value = 1
    pixels = [(1, (beat + 37 * lane) % 256 << 24 | 0xFF80FF) for beat in range(256) for lane in range(PPC)]
    await bench.run(pixels, [(1 << PPC) - 1] * 256, [(0, 0)] * 256)
    wanted = [shade(pixel, table, 0, False) for pixel in pixels]
    assert [data >> 32 * n & 0xFFFFFFFF for data, *_ in bench.sink.beats for n in range(PPC)] == wanted


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def random_beats_with_pauses(dut: Any, in_kind: str, out_kind: str) -> None:
    rng = bench_rng(f"{in_kind}-{out_kind}")
    bench = Bench(dut, pauses(in_kind, rng), pauses(out_kind, rng))
    await bench.loop.reset()
    table = [rng.getrandbits(24) for _ in range(256)]
    await check(bench, rng, 8, None)  # the table was not written since reset
    await bench.load(table)
    await check(bench, rng, 12, table)
    await check(bench, rng, 8, None)


@cocotb.test
async def a_beat_a_clock_and_the_stated_latency(dut: Any) -> None:
    bench = Bench(dut)
    await bench.loop.reset()
    await bench.loop.step(2)
    for n in range(64):
        bench.source.send([(n, (1 << PPC) - 1, n, 0)])
    first = await bench.loop.until(lambda: bench.sink.beats, 20, "first beat")
    assert first == LATENCY + 1  # the cycle that offers the beat, then LATENCY registers
    await bench.loop.until(lambda: len(bench.sink.beats) == 64, 66, "the rest")
    assert bench.sink.gaps == 0


@cocotb.test
async def the_stages_fill_while_the_output_stalls(dut: Any) -> None:
    bench = Bench(dut)
    bench.sink.active = itertools.repeat(False)
    await bench.loop.reset()
    await bench.loop.step(2)
    for n in range(2):
        bench.source.send([(n, 1, n, 0)])
        await bench.loop.step(6)
    bench.source.send([(n, 1, n, 0) for n in range(2, 6)])
    await bench.loop.step(6)
    assert bench.source.sent == LATENCY
    bench.sink.active = itertools.repeat(True)
    await bench.loop.until(lambda: len(bench.sink.beats) == 6, 20, "all beats")
    assert [user for _, _, user, _ in bench.sink.beats] == list(range(6))


@cocotb.test
async def hold_stops_the_input_alone(dut: Any) -> None:
    bench = Bench(dut)
    await bench.loop.reset()
    bench.source.send([(n, 1, n, 0) for n in range(20)])
    await bench.loop.step(6)
    bench.hold.value = 1
    await bench.loop.step(8)
    held = bench.source.sent
    assert 0 < held < 20
    assert len(bench.sink.beats) == held
    assert not bit(dut.busy)
    await bench.loop.step(10)
    assert bench.source.sent == held
    bench.hold.value = 0
    await bench.loop.until(lambda: len(bench.sink.beats) == 20, 40, "the rest")
    assert [user for _, _, user, _ in bench.sink.beats] == list(range(20))


@cocotb.test
async def reset_empties_the_stages(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench_rng("reset")
    for cycles in range(1, 8):
        await bench.loop.reset()
        bench.source.send([(7, 1, 99, 1)] * 10)
        await bench.loop.step(cycles)
        await bench.loop.reset()
        assert not bit(dut.m_axis_tvalid)
        assert not bit(dut.busy)
        await check(bench, rng, 4, None)


@cocotb.test
async def no_beat_is_lost_in_the_first_cycle_after_reset(dut: Any) -> None:
    bench = Bench(dut)
    await bench.loop.step()
    dut.rst_n.value = 0
    await bench.loop.step(4)
    assert not bit(dut.s_axis_tready)
    bench.sink.beats.clear()
    bench.source.send([(0, 0, n, 0) for n in (1, 2, 3)])
    dut.rst_n.value = 1
    await bench.loop.step(10)
    assert [user for _, _, user, _ in bench.sink.beats] == [1, 2, 3]
