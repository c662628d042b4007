"""roi_cull: no record that touches a region is lost, exactly the others are; bounds are the smallest that serve."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
import numpy as np
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.records import BAND_ROWS, Box, cull, pack_boxes, random_boxes
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

REGIONS = json.loads(os.environ["FOVEAL_PARAMETERS"]).get("NUM_ROI", 16)
LATENCY = 4
END = (0, 1)


class Counts:
    """Sums the statistics pulses."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.reset()

    def reset(self) -> None:
        self.culled = 0
        self.fetched = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.culled += bit(self.dut.stat_culled)
        self.fetched += bit(self.dut.stat_fetched)


class Bench:
    def __init__(self, dut: Any, name: str, in_kind: str = "always", out_kind: str = "always") -> None:
        self.dut = dut
        self.rng: random.Random = bench_rng(f"{name}-{in_kind}-{out_kind}")
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s_tri", ["tdata", "tuser"], pauses(in_kind, self.rng)))
        self.sink = self.loop.add(StreamSink(dut, "m_tri", ["tdata", "tuser", "bounds"], pauses(out_kind, self.rng)))
        self.counts = self.loop.add(Counts(dut))
        dut.roi_set.value = 0
        dut.band_y0.value = 0

    def beat(self, bounds: Box) -> int:
        """A record of these bounds; the cull passes the other fields on, so they are noise."""
        x0, y0, x1, y1 = bounds
        return x0 | y0 << 16 | x1 << 32 | y1 << 48 | self.rng.getrandbits(448) << 64

    async def run(self, bounds: list[Box], regions: list[Box], band_y0: int) -> list[Box | None]:
        """The bounds that came out, None for each record that did not; asserts that records pass unchanged in order."""
        self.dut.roi_set.value = pack_boxes(regions)
        self.dut.band_y0.value = band_y0
        self.sink.beats.clear()
        self.counts.reset()
        sent = [self.beat(box) for box in bounds]
        self.source.send([(beat, 0) for beat in sent])
        self.source.send([END])
        limit = 40 * (len(sent) + 10)
        await self.loop.until(lambda: self.sink.beats and self.sink.beats[-1][1], limit, "the end token")
        await self.loop.step(2)
        assert self.sink.beats[-1] == (0, 1, 0)
        passed = dict(
            (beat, (packed & 0x1FFF, packed >> 13 & 0x1FFF, packed >> 26 & 0x1FFF, packed >> 39))
            for beat, _, packed in self.sink.beats[:-1]
        )
        assert [beat for beat, _, _ in self.sink.beats[:-1]] == [beat for beat in sent if beat in passed]
        assert self.counts.fetched == len(sent)
        assert self.counts.culled == len(sent) - len(passed)
        return [passed.get(beat) for beat in sent]


def random_bounds(rng: random.Random, width: int, height: int) -> Box:
    x0, y0 = rng.randrange(width), rng.randrange(height)
    if rng.random() < 0.3:
        return x0, y0, x0 + 1, y0 + 1
    return x0, y0, rng.randint(x0 + 1, width), rng.randint(y0 + 1, height)


@cocotb.test
@cocotb.parametrize(regions=("full", "none", "few", "tiny", "many", "wild"))
async def exactly_the_records_that_touch_a_region_pass(dut: Any, regions: str) -> None:
    """Brute force, pixel by pixel, on small frames: touched if a pixel of the bounds in the band is in a region."""
    bench = Bench(dut, f"brute-{regions}", "geometric", "geometric")
    rng = bench.rng
    await bench.loop.reset()
    for _ in range(3):
        width, height = rng.randint(1, 70), rng.randint(1, 4 * BAND_ROWS)
        band_y0 = BAND_ROWS * rng.randrange(-(-height // BAND_ROWS))
        boxes = random_boxes(rng, width, height, regions, REGIONS)
        mask = np.zeros((height, width), dtype=bool)
        for x0, y0, x1, y1 in boxes:
            mask[y0:y1, x0:x1] = True
        bounds = [random_bounds(rng, width, height) for _ in range(25)]
        for (x0, y0, x1, y1), out in zip(bounds, await bench.run(bounds, boxes, band_y0), strict=True):
            inside = np.zeros_like(mask)
            inside[max(y0, band_y0) : max(0, min(y1, band_y0 + BAND_ROWS)), x0:x1] = True
            rows, columns = np.nonzero(mask & inside)
            assert (out is None) == (rows.size == 0), f"bounds {(x0, y0, x1, y1)}, band {band_y0}"
            if out is not None:
                assert out[0] <= columns.min()
                assert out[1] <= rows.min()
                assert columns.max() < out[2]
                assert rows.max() < out[3]


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=("always", "geometric", "bursty"))
async def bounds_are_the_joint_box_of_what_is_touched(dut: Any, in_kind: str, out_kind: str) -> None:
    """Large frames, by interval arithmetic; region coordinates up to 8,191."""
    bench = Bench(dut, "joint", in_kind, out_kind)
    rng = bench.rng
    await bench.loop.reset()
    width, height = rng.randint(100, 4096), rng.randint(100, 4096)
    for kind in ("few", "wild"):
        band_y0 = BAND_ROWS * rng.randrange(-(-height // BAND_ROWS))
        boxes = random_boxes(rng, width, height, kind, REGIONS)
        bounds = [random_bounds(rng, width, min(height, band_y0 + 80)) for _ in range(30)]
        assert await bench.run(bounds, boxes, band_y0) == [cull(box, boxes, band_y0) for box in bounds]


@cocotb.test
async def a_single_pixel_at_every_edge_of_a_region(dut: Any) -> None:
    """Half-open on all four sides, for each of the registers, at odd and even places of the largest frame."""
    bench = Bench(dut, "edges")
    await bench.loop.reset()
    for n in range(REGIONS):
        for corner in range(4):
            band_y0 = BAND_ROWS * bench.rng.randrange(4096 // BAND_ROWS)
            x0 = bench.rng.randrange(2, 4000) & ~1 | corner & 1
            y0 = band_y0 + (bench.rng.randrange(20) & ~1 | corner >> 1)
            x1 = (x0 | 1) + 2 * bench.rng.randint(1, 45) - (corner >> 1)
            y1 = (y0 | 1) + 2 * bench.rng.randint(1, 4) - (corner & 1)
            inside = [(x0, y0), (x1 - 1, y0), (x0, y1 - 1), (x1 - 1, y1 - 1)]
            outside = [(x0 - 1, y0), (x1, y0), (x0, y0 - 1), (x0, y1), (x0 - 1, y0 - 1), (x1, y1)]
            outside = [(x, y) for x, y in outside if y >= band_y0]
            bounds = [(x, y, x + 1, y + 1) for x, y in inside + outside]
            regions = [(0, 0, 0, 0)] * n + [(x0, y0, x1, y1)]
            assert await bench.run(bounds, regions, band_y0) == bounds[:4] + [None] * len(outside)


@cocotb.test
async def each_register_takes_part_in_the_joint_box(dut: Any) -> None:
    """Two regions anywhere in a frame of 4,096, in each register and another one, under bounds that hold both."""
    bench = Bench(dut, "registers")
    rng = bench.rng
    await bench.loop.reset()
    for n in range(REGIONS):
        for _ in range(4):
            regions = [(0, 0, 0, 0)] * REGIONS
            for place in (n, rng.randrange(REGIONS)):
                x0, y0 = rng.randrange(4095), rng.randrange(4095)
                regions[place] = (x0, y0, rng.randint(x0 + 1, 4096), rng.randint(y0 + 1, 4096))
            band_y0 = regions[n][1] // BAND_ROWS * BAND_ROWS
            bounds = [(0, 0, 4096, 4096), random_bounds(rng, 4096, 4096)]
            assert await bench.run(bounds, regions, band_y0) == [cull(box, regions, band_y0) for box in bounds]


@cocotb.test
async def a_record_a_clock_and_the_token_behind_them(dut: Any) -> None:
    bench = Bench(dut, "rate")
    await bench.loop.reset()
    bounds = [(5, 5, 9, 9)] * 100
    dut.roi_set.value = pack_boxes([(0, 0, 64, 32)])
    bench.source.send([(bench.beat(box), 0) for box in bounds])
    bench.source.send([END])
    cycles = await bench.loop.until(lambda: len(bench.sink.beats) == 101, 130, "101 beats")
    assert bench.sink.gaps == 0
    assert cycles <= 101 + LATENCY + 2


@cocotb.test
async def culled_records_cost_a_clock_each_even_when_the_output_stalls(dut: Any) -> None:
    bench = Bench(dut, "culled")
    bench.sink.active = iter(lambda: False, True)
    await bench.loop.reset()
    dut.roi_set.value = pack_boxes([(0, 0, 64, 32)])
    bench.source.send([(bench.beat((100, 0, 101, 1)), 0) for _ in range(50)])
    await bench.loop.step(60)
    assert bench.counts.culled == 50


@cocotb.test
async def ready_is_low_in_reset(dut: Any) -> None:
    bench = Bench(dut, "reset")
    await bench.loop.reset()
    dut.roi_set.value = pack_boxes([(0, 0, 64, 32)])
    bench.source.send([(bench.beat((1, 1, 2, 2)), 0) for _ in range(20)])
    await bench.loop.step(10)
    dut.rst_n.value = 0
    await bench.loop.step(2)
    assert not bit(dut.s_tri_tready)
    assert not bit(dut.m_tri_tvalid)
    await bench.loop.reset()
    await bench.loop.step(10)
    assert not bit(dut.m_tri_tvalid)


@cocotb.test
async def a_record_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, "first")
    dut.roi_set.value = pack_boxes([(0, 0, 64, 32)])
    records = [(bench.beat((n, 1, n + 1, 2)), 0) for n in range(3)]
    for _ in range(2):
        bench.sink.beats.clear()
        await release_under_load(bench.loop, bench.source, records)
        await bench.loop.step(20)
        assert [beat[0] for beat in bench.sink.beats] == [record for record, _ in records]
