"""shade_port: records, order and mask, both streams under pauses, shaders that fail."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.reset_release import release_under_load
from foveal_tb.shader import Shader
from foveal_tb.stream import StreamSink, StreamSource

PARAMETERS = json.loads(os.environ["FOVEAL_PARAMETERS"])
PPC = PARAMETERS["PPC"]
FLIGHT = PARAMETERS.get("FLIGHT", 64)
NOTHING = (1 << 24) - 1
ALL = (1 << PPC) - 1
TIMEOUT = 60

Pixel = tuple[int, int]  # depth, surface
Beat = tuple[list[Pixel], int, int, int]  # pixels, keep, user, last


def expected(pixel: Pixel, table: list[int] | None, background: int, depth_out: bool) -> int:
    """The output pixel of hw/SPEC.md section 5: bytes B, G, R, 255, or depth and material."""
    depth, surface = pixel
    if depth_out:
        return depth | (0 if depth == NOTHING else surface >> 24 << 24)
    if depth == NOTHING:
        rgb = background
    elif table is None:
        rgb = surface
    else:
        tint = table[surface >> 24]
        rgb = sum(min(255, (surface >> s & 255) * (tint >> s & 255) // 128) << s for s in (0, 8, 16))
    return 255 << 24 | int.from_bytes((rgb & 0xFFFFFF).to_bytes(3, "big"), "little")


class Bench:
    def __init__(self, dut: Any, name: str, kinds: tuple[str, str, str, str] = ("always",) * 4, **shader: Any) -> None:
        """kinds: pauses of the source, of the shader's two streams, of the sink."""
        self.dut = dut
        self.rng = bench_rng(name)
        self.loop = Clocked(dut)
        payload = ["tdata", "tkeep", "tuser", "tlast"]
        active = [pauses(kind, self.rng) for kind in kinds]
        self.source = self.loop.add(StreamSource(dut, "s_axis", payload, active[0]))
        self.shader = self.loop.add(Shader(dut, PPC, accept=active[1], active=active[2], **shader))
        self.sink = self.loop.add(StreamSink(dut, "m_axis", payload, active[3]))
        self.idle = Idle([dut.mat_waddr, dut.mat_wdata])
        self.idle.rest()
        for pin in ("mat_we", "use_table", "cfg_background", "cfg_depth_out", "hold", "clear"):
            getattr(dut, pin).value = 0
        dut.timeout.value = TIMEOUT

    async def table(self) -> list[int]:
        """Write a random material table."""
        table = [self.rng.getrandbits(24) for _ in range(256)]
        for row in range(16):
            self.dut.mat_we.value = 1
            self.dut.mat_waddr.value = row
            self.dut.mat_wdata.value = sum(table[16 * row + n] << 32 * n for n in range(16))
            await self.loop.step()
        self.dut.mat_we.value = 0
        for _ in range(6):
            self.idle.rest()
            await self.loop.step()
        return table

    def send(self, beats: list[Beat]) -> None:
        for pixels, keep, user, last in beats:
            data = sum((depth << 32 | surface) << 56 * n for n, (depth, surface) in enumerate(pixels))
            self.source.send([(data, keep, user, last)])

    async def finish(self, count: int) -> None:
        await self.loop.until(lambda: len(self.sink.beats) == count, 80 * count + 400, f"{count} beats")


def frame(rng: random.Random, lines: int, blocks: int) -> list[Beat]:
    """Beats of one frame with lines left out, and masks that are often empty or full."""
    beats: list[Beat] = []
    for line in range(lines):
        for block in range(blocks):
            user = rng.choice([0, 0, 1, 5]) << 1 if block == 0 else rng.getrandbits(13) << 1
            user |= line == block == 0
            pixels = [
                (NOTHING if rng.random() < 0.3 else rng.randrange(NOTHING), rng.getrandbits(32)) for _ in range(PPC)
            ]
            beats.append((pixels, rng.choice([0, 0, ALL, rng.getrandbits(PPC)]), user, int(block == blocks - 1)))
    return beats


def check_pixels(bench: Bench, beats: list[Beat], table: list[int] | None, background: int, depth_out: bool) -> None:
    assert len(bench.sink.beats) == len(beats)
    for (pixels, *side), (data, *found) in zip(beats, bench.sink.beats, strict=True):
        assert found == side
        for lane, pixel in enumerate(pixels):
            if side[0] >> lane & 1:
                assert data >> 32 * lane & 0xFFFFFFFF == expected(pixel, table, background, depth_out), (pixel, lane)


def check_records(bench: Bench, beats: list[Beat], background: int) -> None:
    """What the shader saw: exactly the beats that keep a pixel or end a line, with their place in the frame."""
    records = iter(bench.shader.records)
    line, block, first, start = -1, 0, True, True
    for pixels, keep, user, last in beats:
        if start:
            line, block = line + 1 + (user >> 1), 0
        start = bool(last)
        if keep or last:
            record, record_last = next(records)
            assert (record.x, record.y, record.keep, record_last) == (block * PPC, line, keep, last)
            assert (record.first, record.background) == (first, background)
            assert [(surface, depth) for surface, depth, _ in record.pixels] == [(s, d) for d, s in pixels]
            first = False
        block += 1
    assert next(records, None) is None


@cocotb.test
@cocotb.parametrize(kind=PAUSES, tinted=[False, True])
async def the_picture_is_that_of_the_internal_shading(dut: Any, kind: str, tinted: bool) -> None:
    rng = random.Random(kind)
    bench = Bench(
        dut, f"{kind}{tinted}", (kind, *(rng.choice(PAUSES) for _ in range(3))), latency=lambda: rng.randrange(9)
    )
    await bench.loop.reset()
    table = await bench.table() if tinted else None
    for depth_out in (False, True):
        background = bench.rng.getrandbits(24)
        dut.use_table.value = int(tinted)
        dut.cfg_background.value = background
        dut.cfg_depth_out.value = int(depth_out)
        beats = frame(bench.rng, 4, 7)
        bench.sink.beats.clear()
        bench.shader.records.clear()
        bench.send(beats)
        await bench.finish(len(beats))
        check_pixels(bench, beats, table, background, depth_out)
        check_records(bench, beats, background)
        await bench.loop.step(2)
        assert not bit(dut.busy)
        assert not bit(dut.error)
        assert not bit(dut.timed_out)


@cocotb.test
async def a_beat_a_clock_through_a_shader_of_some_latency(dut: Any) -> None:
    """No gap as long as fewer beats are inside than FLIGHT."""
    latency = 20 if FLIGHT > 32 else 0
    bench = Bench(dut, "pace", latency=latency)
    await bench.loop.reset()
    beats = [([(5, n)] * PPC, ALL, int(n == 0), int(n % 10 == 9)) for n in range(80)]
    bench.send(beats)
    await bench.finish(len(beats))
    if FLIGHT > 32:
        assert bench.sink.gaps == 0
    check_pixels(bench, beats, None, 0, False)


@cocotb.test
async def beats_that_keep_nothing_cost_the_shader_nothing(dut: Any) -> None:
    bench = Bench(dut, "empty")
    await bench.loop.reset()
    beats = [([(5, 7)] * PPC, 0, int(n == 0), int(n == 9)) for n in range(10)]
    bench.send(beats)
    await bench.finish(10)
    assert [last for _, last in bench.shader.records] == [1]


@cocotb.test
async def every_material_in_every_lane(dut: Any) -> None:
    bench = Bench(dut, "materials")
    await bench.loop.reset()
    table = await bench.table()
    dut.use_table.value = 1
    beats: list[Beat] = [
        ([(1, (n + 37 * lane) % 256 << 24 | 0xFF80FF) for lane in range(PPC)], ALL, int(n == 0), int(n % 16 == 15))
        for n in range(256)
    ]
    bench.send(beats)
    await bench.finish(len(beats))
    check_pixels(bench, beats, table, 0, False)


@cocotb.test
async def a_frame_starts_anew_after_one_that_was_cut_short(dut: Any) -> None:
    bench = Bench(dut, "cut")
    await bench.loop.reset()
    bench.send([([(5, 7)] * PPC, ALL, 3 << 1 | 1, 0), ([(5, 7)] * PPC, ALL, 0, 0)])
    await bench.finish(2)
    bench.sink.beats.clear()
    bench.shader.records.clear()
    beats = frame(bench.rng, 3, 3)
    bench.send(beats)
    await bench.finish(len(beats))
    check_pixels(bench, beats, None, 0, False)
    check_records(bench, beats, 0)


@cocotb.test
async def no_more_beats_are_inside_than_stated(dut: Any) -> None:
    """A sink that takes nothing, and a shader that answers all the same: FLIGHT beats in, then the input waits."""
    bench = Bench(dut, "flight")
    bench.sink.active = iter(lambda: bench.loop.cycle > 200, None)
    await bench.loop.reset()
    beats = [([(5, n)] * PPC, ALL, int(n == 0), 0) for n in range(FLIGHT + 10)]
    bench.send(beats)
    await bench.loop.step(180)
    assert bench.source.sent == FLIGHT
    assert not bit(dut.timed_out), "the shader is not to blame"
    await bench.finish(len(beats))
    check_pixels(bench, beats, None, 0, False)


@cocotb.test
@cocotb.parametrize(refuses=[False, True], after=[0, 1, 3])
async def a_dead_shader_is_given_up(dut: Any, refuses: bool, after: int) -> None:
    """The input is let go, the output stays silent, and after a reset with a live shader all is well."""
    bench = Bench(dut, f"dead{refuses}{after}", dies_after=after, refuses=refuses)
    await bench.loop.reset()
    beats = [([(5, n)] * PPC, ALL, int(n == 0), int(n % 4 == 3)) for n in range(FLIGHT + 40)]
    bench.send(beats)
    await bench.loop.until(lambda: bit(dut.timed_out), TIMEOUT + FLIGHT + 40, "the timeout")
    assert bit(dut.busy) == 0
    held = len(bench.sink.beats)
    assert held == after
    await bench.loop.until(lambda: bench.source.empty, FLIGHT + 60, "the input")
    assert len(bench.sink.beats) == held
    bench.shader.dies_after = None
    await bench.loop.reset()
    assert not bit(dut.timed_out)
    bench.sink.beats.clear()
    bench.send(beats[:8])
    await bench.finish(8)
    check_pixels(bench, beats[:8], None, 0, False)


@cocotb.test
async def a_slow_shader_is_not_given_up(dut: Any) -> None:
    bench = Bench(dut, "slow", latency=TIMEOUT - 5)
    await bench.loop.reset()
    beats = [([(5, n)] * PPC, ALL, int(n == 0), 1) for n in range(6)]
    bench.send(beats)
    await bench.finish(6)
    assert not bit(dut.timed_out)


@cocotb.test
async def a_wrong_line_end_is_an_error_until_cleared(dut: Any) -> None:
    bench = Bench(dut, "order")
    await bench.loop.reset()
    beats = [([(5, n)] * PPC, ALL, int(n == 0), int(n == 3)) for n in range(4)]
    bench.send(beats)
    await bench.loop.until(lambda: len(bench.shader.records) == 4, 40, "the records")
    await bench.loop.step(20)
    assert not bit(dut.error)
    bench.shader.source.send([(0, 0)])  # nobody asked
    await bench.loop.step(5)
    assert bit(dut.error)
    dut.clear.value = 1
    await bench.loop.step()
    dut.clear.value = 0
    await bench.loop.step()
    assert not bit(dut.error)
    bench.shader.dies_after = 0
    bench.sink.beats.clear()
    bench.send(beats)
    await bench.loop.step(10)
    bench.shader.source.send([(0, 0), (0, 1), (0, 0), (0, 1)])
    await bench.finish(4)
    assert bit(dut.error)


@cocotb.test
async def hold_stops_the_input_alone(dut: Any) -> None:
    bench = Bench(dut, "hold")
    await bench.loop.reset()
    dut.hold.value = 1
    await bench.loop.step(2)
    bench.send([([(5, n)] * PPC, ALL, int(n == 0), 1) for n in range(3)])
    await bench.loop.step(TIMEOUT * 2)
    assert bench.source.sent == 0
    assert not bit(dut.timed_out)
    dut.hold.value = 0
    await bench.finish(3)


@cocotb.test
async def a_beat_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, "first")
    for _ in range(2):
        bench.sink.beats.clear()
        await release_under_load(bench.loop, bench.source, [(n, 0, n << 1 | (n == 0), 1) for n in range(3)])
        await bench.loop.step(40)
        assert [beat[1:] for beat in bench.sink.beats] == [(0, n << 1 | (n == 0), 1) for n in range(3)]


@cocotb.test
async def marks_on_beats_that_are_not_sent_are_not_lost(dut: Any) -> None:
    """The shader sees the frame's start with the first beat it gets, and each line's end; the picture keeps its own."""
    bench = Bench(dut, "marks")
    await bench.loop.reset()
    pixels = [(1, 2)] * PPC
    keeps = ((0, 0, ALL, 0), (0, ALL, 0, 0), (ALL, 0, 0, 0))  # by line; nothing is kept where the frame starts
    beats = [
        (pixels, keep, int((line, block) == (0, 0)), int(block == 3))
        for line, row in enumerate(keeps)
        for block, keep in enumerate(row)
    ]
    for _ in range(2):
        bench.sink.beats.clear()
        bench.shader.records.clear()
        bench.send(beats)
        await bench.finish(len(beats))
        seen = [(record.y, record.x // PPC, record.first, last) for record, last in bench.shader.records]
        assert seen == [
            (0, 2, True, 0),
            (0, 3, False, 1),
            (1, 1, False, 0),
            (1, 3, False, 1),
            (2, 0, False, 0),
            (2, 3, False, 1),
        ]
        assert [beat[1:] for beat in bench.sink.beats] == [(keep, user, last) for _, keep, user, last in beats]
