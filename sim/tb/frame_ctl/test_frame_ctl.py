"""frame_ctl: which bands run, on which bank, in what overlap, and that every frame ends."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit

NUM_ROI = json.loads(os.environ["FOVEAL_PARAMETERS"])["NUM_ROI"]
ROWS = 32

Box = tuple[int, int, int, int]


def pack_set(boxes: list[Box]) -> int:
    """The `roi_set` value of (x0, y0, x1, y1) boxes."""
    return sum((x0 | y0 << 13 | x1 << 26 | y1 << 39) << 52 * n for n, (x0, y0, x1, y1) in enumerate(boxes))


def planned_bands(boxes: list[Box], height: int, every: bool = False) -> list[tuple[int, int]]:
    """(band, row mask) of each band with an active row."""
    active = [every or any(x0 < x1 and y0 <= y < y1 for x0, y0, x1, y1 in boxes) for y in range(height)]
    bands = []
    for first in range(0, height, ROWS):
        mask = sum(1 << n for n, on in enumerate(active[first : first + ROWS]) if on)
        if mask:
            bands.append((first // ROWS, mask))
    return bands


class Surroundings:
    """Plays fetch, raster, scan and write with random delays; a band's raster ends after its token."""

    def __init__(self, dut: Any, rng: random.Random) -> None:
        self.dut = dut
        self.rng = rng
        self.longest = 30  # cycles of the longest delay
        self.stuck: set[str] = set()  # parts that never move on
        self.reset()

    def reset(self) -> None:
        dut = self.dut
        self.loads: list[int] = []
        self.fetched: list[int] = []
        self.drawn: list[tuple[int, int]] = []  # first row, bank
        self.scanned: list[tuple[int, int, int]] = []  # first row, rows, bank
        self.overlap = 0
        self.load_wait = self.band_wait = self.token_wait = self.done_wait = self.scan_wait = self.write_wait = -1
        self.records = 0  # bands whose records wait at or before the gate
        self.end_seen = False
        self.frames_done = 0
        self.now: dict[str, int] = {}
        for name in ("frame_start", "load_ready", "band_ready", "gate_valid", "gate_token", "blk_done"):
            getattr(dut, name).value = 0
        for name in ("raster_busy", "scan_ready", "scan_busy", "pipe_busy", "write_done"):
            getattr(dut, name).value = 0
        dut.write_idle.value = 1
        self.level = {"dma_pending": 0, "aborted": 0, "write_failed": 0, "init_done": 1}
        for name, value in self.level.items():
            getattr(dut, name).value = value

    def start(self) -> None:
        self.loads, self.fetched, self.drawn, self.scanned = [], [], [], []
        self.end_seen = False
        self.records = 0
        self.token_wait = self.done_wait = self.scan_wait = self.write_wait = -1

    def delay(self, part: str) -> int:
        return 1 << 30 if part in self.stuck else self.rng.randint(0, self.longest)

    def drive(self) -> None:
        dut = self.dut
        for name, value in self.level.items():
            getattr(dut, name).value = value
        self.load_offer = self.load_wait == 0
        self.band_offer = self.band_wait == 0 and bool(self.loads)
        self.gate = self.records > 0 and self.token_wait <= 0
        self.done = self.done_wait == 0
        self.scanning = self.scan_wait > 0
        dut.load_ready.value = int(self.load_offer)
        dut.band_ready.value = int(self.band_offer)
        dut.gate_valid.value = int(self.gate)
        dut.blk_done.value = int(self.done)
        dut.raster_busy.value = int(self.done_wait > 0)
        dut.scan_ready.value = int(not self.scanning)
        dut.scan_busy.value = int(self.scanning)
        dut.write_done.value = int(self.end_seen)
        dut.write_idle.value = int(self.write_wait == 0)

    def sample(self) -> None:
        dut = self.dut
        for name in ("load_wait", "band_wait", "token_wait", "done_wait", "scan_wait", "write_wait"):
            value = getattr(self, name)
            if value >= 0:
                setattr(self, name, max(0, value - 1) if name not in ("done_wait",) else value - 1)
        if bit(dut.load_valid):
            if self.load_offer:
                self.loads.append(int(dut.load_bands.value))
                self.load_wait = -1
                self.band_wait = self.delay("band")
            elif self.load_wait < 0:
                self.load_wait = self.delay("load")
        if bit(dut.band_valid) and self.band_offer:
            self.fetched.append(int(dut.band_index.value))
            self.records += 1
            self.band_wait = self.delay("band")
            if self.records == 1:
                self.token_wait = self.delay("token")
        # The gate is combinational: the token passes when it waits and the gate is open.
        self.pass_token = self.gate and bool(bit(dut.gate_open))
        if self.pass_token:
            self.records -= 1
            self.drawn.append((int(dut.band_y0.value), bit(dut.wr_bank)))
            self.done_wait = 1 + self.delay("done")
            self.token_wait = self.delay("token")
        if bit(dut.scan_valid) and not self.scanning:
            assert not bit(dut.dma_pending)
            self.scanned.append((int(dut.scan_y0.value), int(dut.scan_rows.value), bit(dut.scan_bank)))
            self.scan_wait = 2 + self.delay("scan")
        if self.scanning and self.done_wait > 0:
            self.overlap += 1
            assert self.scanned[-1][2] != self.drawn[-1][1], "raster and scan share a bank"
        if bit(dut.frame_end):
            if not self.end_seen:
                self.write_wait = self.delay("write")
            self.end_seen = True
            assert not self.scanning
        self.frames_done += bit(dut.frame_done)
        now = {name: bit(getattr(dut, f"now_{name}")) for name in CYCLES}
        for name, on in now.items():
            self.now[name] = self.now.get(name, 0) + on
        # Every cycle of a frame, and no other, is accounted for exactly once in each of the two sums.
        work = now["raster"] & ~now["raster_stall"]
        serial = now["fetch_wait"] + work + now["scan_alone"] + now["dma_alone"] + now["drain"]
        assert serial == now["running"], now
        assert now["scan"] + now["dma_wait"] + now["scan_idle"] == now["running"], now


CYCLES = (
    *("running", "fetch_wait", "raster", "raster_stall", "scan", "drain", "dma_wait"),
    *("scan_alone", "dma_alone", "scan_idle"),
)


class Token:
    """Drives gate_token in the cycle in which the surroundings' token meets the open gate."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings

    def reset(self) -> None:
        pass

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        # Sampled at the falling edge, so that the next rising edge sees it.
        self.surroundings.dut.gate_token.value = int(self.surroundings.pass_token)


class Bench:
    def __init__(self, dut: Any, name: str) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.loop = Clocked(dut)
        self.parts = self.loop.add(Surroundings(dut, self.rng))
        self.loop.add(Token(self.parts))
        dut.cfg_immediate.value = 0
        dut.cfg_height.value = 1
        dut.roi_set.value = 0

    async def start(self, boxes: list[Box], height: int, immediate: bool = False) -> None:
        self.dut.roi_set.value = pack_set(boxes)
        self.dut.cfg_height.value = height
        self.dut.cfg_immediate.value = int(immediate)
        self.parts.start()
        self.dut.frame_start.value = 1
        await self.loop.step()
        self.dut.frame_start.value = 0

    async def finish(self, limit: int) -> int:
        """Wait for frame_done; the cycles it took."""
        before = self.parts.frames_done
        taken = await self.loop.until(lambda: self.parts.frames_done > before, limit, "frame_done")
        await self.loop.step(3)
        assert self.parts.frames_done == before + 1
        assert not bit(self.dut.now_running)
        return taken

    async def frame(self, boxes: list[Box], height: int, immediate: bool = False) -> list[tuple[int, int]]:
        """Run a frame and hold it to its plan; the plan."""
        await self.start(boxes, height, immediate)
        plan = planned_bands(boxes, height, immediate)
        await self.finish(400 + 200 * (len(plan) + 1) + height)
        parts = self.parts
        total = -(-height // ROWS)
        assert parts.loads == ([total] if plan else [])
        assert parts.fetched == [band for band, _ in plan]
        assert [y0 // ROWS for y0, _ in parts.drawn] == parts.fetched
        assert [(y0 // ROWS, rows) for y0, rows, _ in parts.scanned] == plan
        assert [bank for _, _, bank in parts.scanned] == [bank for _, bank in parts.drawn]
        assert int(self.dut.bands_skipped.value) == total - len(plan)
        return plan


@cocotb.test
async def random_frames_follow_their_plan(dut: Any) -> None:
    bench = Bench(dut, "plan")
    await bench.loop.reset()
    for _ in range(12):
        height = bench.rng.choice([1, 31, 32, 33, 64, 100, 400])
        boxes = [
            (
                bench.rng.randint(0, 40),
                bench.rng.randint(0, height + 40),
                bench.rng.randint(0, 40),
                bench.rng.randint(0, height + 40),
            )
            for _ in range(bench.rng.choice([1, 3, NUM_ROI]))
        ]
        bench.parts.longest = bench.rng.choice([0, 4, 30])
        await bench.frame(boxes, height)


@cocotb.test
async def every_bit_of_a_coordinate_counts(dut: Any) -> None:
    """In the tallest frame each region has a band of its own; its sides, right way round or not, differ in one bit."""
    bench = Bench(dut, "bits")
    rng = bench.rng
    await bench.loop.reset()
    bench.parts.longest = 0
    held = 0
    for turn in range(13):
        boxes = []
        for n, band in enumerate(rng.sample(range(128), NUM_ROI)):
            side, place = 1 << (n + turn) % 13, rng.randrange(1 << 13)
            x = (place & ~side, place | side)
            x0, x1 = x if rng.random() < 0.8 else x[::-1]
            y0 = ROWS * band
            boxes.append((x0, y0, x1, y0 + (1 << rng.randrange(5))))
        held += len(await bench.frame(boxes, 4096))
    assert 6 * NUM_ROI < held < 13 * NUM_ROI


@cocotb.test
async def the_tallest_frame_has_128_bands(dut: Any) -> None:
    bench = Bench(dut, "tallest")
    await bench.loop.reset()
    bench.parts.longest = 0
    every = [(band, (1 << ROWS) - 1) for band in range(128)]
    for first in ([], [(0, 0, 0, 0)]):
        assert await bench.frame([*first, (0, 0, 1, 4096)], 4096) == every


@cocotb.test
async def plans_worked_by_hand(dut: Any) -> None:
    bench = Bench(dut, "hand")
    await bench.loop.reset()
    assert await bench.frame([(0, 0, 1, 1)], 64) == [(0, 1)]
    assert await bench.frame([(0, 31, 1, 33)], 64) == [(0, 1 << 31), (1, 1)]
    assert await bench.frame([(0, 40, 5, 8191)], 41) == [(1, 1 << 8)]
    assert await bench.frame([(0, 4095, 1, 4096)], 4096) == [(127, 1 << 31)]


@cocotb.test
async def a_set_that_holds_nothing_touches_no_memory(dut: Any) -> None:
    bench = Bench(dut, "nothing")
    await bench.loop.reset()
    for boxes in ([], [(5, 5, 5, 9)], [(9, 0, 3, 20)], [(0, 9, 5, 3)], [(0, 100, 8191, 8191)]):
        assert await bench.frame(boxes, 100) == []
        assert bench.parts.loads == bench.parts.scanned == []


@cocotb.test
async def immediate_scans_every_row(dut: Any) -> None:
    bench = Bench(dut, "immediate")
    await bench.loop.reset()
    full = (1 << 32) - 1
    assert await bench.frame([(0, 3, 9, 5)], 70, immediate=True) == [(0, full), (1, full), (2, 63)]
    assert await bench.frame([], 5, immediate=True) == [(0, 31)]


@cocotb.test
async def raster_overlaps_the_scan(dut: Any) -> None:
    """With slow scans the raster is one band ahead, and its waits for a bank are counted."""
    bench = Bench(dut, "overlap")
    await bench.loop.reset()
    bench.parts.longest = 3
    await bench.start([(0, 0, 9, 320)], 320)
    parts = bench.parts
    for _ in range(4000):
        if parts.frames_done:
            break
        before = len(parts.scanned)
        await bench.loop.step()
        if len(parts.scanned) > before:
            parts.scan_wait = 60
    assert len(parts.scanned) == 10
    assert parts.overlap > 0
    assert parts.now["raster_stall"] > 100
    assert parts.now["raster_stall"] <= parts.now["raster"]
    assert parts.now["scan"] >= 10 * 50


@cocotb.test
async def the_scan_waits_for_the_material_table(dut: Any) -> None:
    bench = Bench(dut, "dma")
    await bench.loop.reset()
    await bench.start([(0, 0, 9, 64)], 64)
    bench.parts.level["dma_pending"] = 1
    await bench.loop.step(400)
    assert len(bench.parts.drawn) == 2
    assert bench.parts.scanned == []
    assert bench.parts.now["dma_wait"] > 200
    bench.parts.level["dma_pending"] = 0
    await bench.finish(300)
    assert len(bench.parts.scanned) == 2


@cocotb.test
async def an_empty_frame_waits_for_a_running_load(dut: Any) -> None:
    """The next frame must not find the material read still on its way."""
    bench = Bench(dut, "dma-empty")
    await bench.loop.reset()
    await bench.start([], 64)
    bench.parts.level["dma_pending"] = 1
    await bench.loop.step(200)
    assert bench.parts.frames_done == 0
    bench.parts.level["dma_pending"] = 0
    await bench.finish(20)


@cocotb.test
async def raster_waits_for_clear_banks(dut: Any) -> None:
    bench = Bench(dut, "init")
    await bench.loop.reset()
    bench.parts.level["init_done"] = 0
    await bench.start([(0, 0, 9, 32)], 32)
    await bench.loop.step(300)
    assert bench.parts.drawn == []
    assert bench.parts.fetched == [0]
    bench.parts.level["init_done"] = 1
    await bench.finish(300)
    assert bench.parts.drawn[0][0] == 0


@cocotb.test
async def the_frame_ends_after_the_last_answer(dut: Any) -> None:
    bench = Bench(dut, "drain")
    await bench.loop.reset()
    bench.parts.stuck = {"write"}
    await bench.start([(0, 0, 9, 32)], 32)
    await bench.loop.step(500)
    assert bit(dut.frame_end)
    assert bench.parts.frames_done == 0
    bench.parts.write_wait = 0
    await bench.finish(10)
    assert bench.parts.now["drain"] > 200


@cocotb.test
@cocotb.parametrize(stuck=["load", "band", "token", "done"])
async def an_abort_ends_the_frame(dut: Any, stuck: str) -> None:
    """Whatever hangs in front of the scan, and whenever the engine gives up."""
    bench = Bench(dut, f"abort-{stuck}")
    for wait in (0, 1, 20, 60, 150, 300):
        await bench.loop.reset()
        bench.parts.stuck = set()
        await bench.start([(0, 0, 9, 1000)], 1000)
        await bench.loop.step(wait)
        bench.parts.stuck = {stuck}
        await bench.loop.step(bench.rng.randint(0, 40))
        bench.parts.level["aborted"] = 1
        await bench.finish(120)
        bench.parts.level["aborted"] = 0


@cocotb.test
async def an_abort_does_not_wait_for_a_dead_write_port(dut: Any) -> None:
    bench = Bench(dut, "dead-write")
    await bench.loop.reset()
    bench.parts.stuck = {"write"}
    await bench.start([(0, 0, 9, 64)], 64)
    await bench.loop.step(150)
    bench.parts.level["aborted"] = 1
    bench.parts.level["write_failed"] = 1
    await bench.finish(120)


@cocotb.test
async def reset_inside_a_frame(dut: Any) -> None:
    bench = Bench(dut, "reset")
    for cycles in (1, 30, 60, 120):
        await bench.loop.reset()
        await bench.start([(0, 0, 9, 200)], 200)
        await bench.loop.step(cycles)
        await bench.loop.reset()
        assert not any(bit(pin) for pin in (dut.now_running, dut.load_valid, dut.scan_valid))
        await bench.frame([(0, 10, 9, 80)], 100)
