"""tile_raster: every block, cover bit and depth against the record's formulas; each shared pixel once; cycles.

Blocks may be missing only with all of their tile, and only where the depths drawn before hide each of their pixels.
"""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cocotb
import numpy as np
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.lopsided import lopsided
from foveal_tb.pauses import pauses
from foveal_tb.records import (
    BAND_ROWS,
    FAR,
    Box,
    Record,
    build_record,
    cull,
    front,
    meeting_blocks,
    pack_boxes,
    random_boxes,
    random_corners,
)
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

REGIONS = json.loads(os.environ["FOVEAL_PARAMETERS"]).get("NUM_ROI", 16)
KINDS = ("any", "small", "pixel", "sliver", "horizontal", "vertical", "cover", "huge")
END = (0, 1, 0)
TILE_ROWS = 8


@dataclass(frozen=True)
class Block:
    """A block as it came out."""

    row: int
    col: int
    cover: int
    depth: tuple[int, ...]
    surface: int


class Counts:
    """Sums the statistics pulses and the busy cycles: every one from the token's entry to its exit."""

    def __init__(self, dut: Any, source: StreamSource, sink: StreamSink) -> None:
        self.dut = dut
        self.source = source
        self.sink = sink
        self.pins = {name: getattr(dut, f"stat_{name}") for name in ("walked", "outside", "empty", "hidden")}
        self.busy_pin = dut.busy
        self.reset()

    def reset(self) -> None:
        self.count = dict.fromkeys(self.pins, 0)
        self.busy = 0
        self.first: int | None = None  # of the records sent, where a band is drawn
        self.inside = False

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        busy = bit(self.busy_pin)
        self.busy += busy
        assert busy or not self.inside
        ended = bool(self.sink.beats and self.sink.beats[-1][5])
        self.inside = self.first is not None and self.source.sent > self.first and self.source.empty and not ended
        for name, pin in self.pins.items():
            self.count[name] += bit(pin)
        assert bit(self.dut.busy) or not bit(self.dut.m_blk_tvalid)


class Bench:
    def __init__(self, dut: Any, name: str, in_kind: str = "always", out_kind: str = "always") -> None:
        self.dut = dut
        self.rng: random.Random = bench_rng(f"{name}-{in_kind}-{out_kind}")
        self.ppc = int(dut.PPC.value)
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s_tri", ["tdata", "tuser", "bounds"], pauses(in_kind, self.rng)))
        payload = ["row", "col", "cover", "depth", "surface", "end"]
        self.sink = self.loop.add(StreamSink(dut, "m_blk", payload, pauses(out_kind, self.rng)))
        self.counts = self.loop.add(Counts(dut, self.source, self.sink))
        for pin in ("roi_set", "band_y0", "wr_bank", "scan_en", "scan_bank", "scan_trow", "scan_col"):
            getattr(dut, pin).value = 0

    async def sweep(self) -> None:
        """Wait until depth bounds are kept; before, no tile is hidden."""
        await self.loop.step(4 * 4096 // self.ppc)

    async def scan(self, tiles: Iterable[tuple[int, int]]) -> None:
        """Read these (row, column) of tiles, as the scan of the finished band does; then take the other bank."""
        bank = bit(self.dut.wr_bank)
        self.dut.wr_bank.value = 1 - bank
        self.dut.scan_bank.value = bank
        self.dut.scan_en.value = 1
        for trow, col in sorted(tiles):
            self.dut.scan_trow.value = trow
            self.dut.scan_col.value = col
            await self.loop.step()
        self.dut.scan_en.value = 0

    async def draw(self, records: list[Record], regions: list[Box], band_y0: int) -> tuple[list[Block], list[Box]]:
        """Send the records that the cull keeps, then the token; the blocks and the bounds of the records sent.

        Records have different surfaces.
        """
        self.dut.roi_set.value = pack_boxes(regions)
        self.dut.band_y0.value = band_y0
        self.sink.beats.clear()
        self.counts.reset()
        self.counts.first = self.source.sent
        sent = {}
        for record in records:
            bounds = cull(record.bounds, regions, band_y0)
            if bounds is not None:
                sent[record.surface] = bounds
                x0, y0, x1, y1 = bounds
                self.source.send([(record.pack(), 0, x0 | y0 << 13 | x1 << 26 | y1 << 39)])
        self.source.send([END])
        tiles = sum((x1 // self.ppc - x0 // self.ppc + 1) * (BAND_ROWS // TILE_ROWS) for x0, _, x1, _ in sent.values())
        limit = 200 + 40 * (tiles * (TILE_ROWS + 1) + len(sent))
        await self.loop.until(lambda: self.sink.beats and self.sink.beats[-1][5], limit, "the end token")
        assert self.source.empty
        assert not any(beat[5] for beat in self.sink.beats[:-1]), "a token came before the last block"
        blocks = [self.block(beat) for beat in self.sink.beats[:-1]]
        self.check(records, sent, regions, band_y0, blocks)
        await self.loop.step(2)
        assert not bit(self.dut.busy)
        if sent:
            await self.scan({(block.row // TILE_ROWS, block.col) for block in blocks})
        return blocks, list(sent.values())

    def block(self, beat: tuple[int, ...]) -> Block:
        row, col, cover, depth, surface, _ = beat
        lanes = tuple(depth >> 24 * lane & 0xFFFFFF for lane in range(self.ppc))
        return Block(row, col, cover, lanes, surface)

    def check(
        self, records: list[Record], sent: dict[int, Box], regions: list[Box], band_y0: int, blocks: list[Block]
    ) -> None:
        numbers = {record.surface: number for number, record in enumerate(records)}
        order = [numbers[block.surface] for block in blocks]
        assert order == sorted(order), "triangles out of order"
        by_surface: dict[int, list[Block]] = {}
        for block in blocks:
            by_surface.setdefault(block.surface, []).append(block)
        assert set(by_surface) <= set(sent)
        stored: dict[tuple[int, int, int], int] = {}  # (row, column, lane): depth
        hidden = 0
        for surface, bounds in sent.items():
            expected = self.expected(records[numbers[surface]], bounds, regions, band_y0)
            got = {(block.row, block.col): block for block in by_surface.get(surface, [])}
            assert len(got) == len(by_surface.get(surface, [])), f"triangle {surface}: a block came twice"
            missing = set(expected) - set(got)
            assert set(got) <= set(expected), f"triangle {surface}, bounds {bounds}: {sorted(set(got) - set(expected))}"
            dropped = {(row // TILE_ROWS, col) for row, col in missing}
            assert not dropped & {(row // TILE_ROWS, col) for row, col in got}, f"triangle {surface}: part of a tile"
            hidden += len(dropped)
            for place, (cover, depth) in expected.items():
                seen = {
                    lane: z for lane, z in enumerate(depth) if z is not None and z < stored.get((*place, lane), FAR)
                }
                stored.update({(*place, lane): z for lane, z in seen.items()})
                if place in missing:
                    assert not seen, f"triangle {surface}, block {place} is seen, and was dropped"
                    continue
                lanes = tuple(value if cover >> lane & 1 else None for lane, value in enumerate(got[place].depth))
                assert (got[place].cover, lanes) == (cover, depth), f"triangle {surface}, block {place}"
        assert self.counts.count["hidden"] == hidden

    def expected(
        self, record: Record, bounds: Box, regions: list[Box], band_y0: int
    ) -> dict[tuple[int, int], tuple[int, tuple[int | None, ...]]]:
        """{(row in the band, column): (cover, depth of covered lanes)}."""
        x0, y0, x1, _ = bounds
        first = x0 // self.ppc
        meets = meeting_blocks(bounds, regions, self.ppc)
        rows, columns = meets.shape
        cover = np.zeros((rows, columns * self.ppc), dtype=bool)
        depth = np.zeros_like(cover, dtype=np.int64)
        at = slice(x0 - first * self.ppc, x1 - first * self.ppc)
        cover[:, at], depth[:, at] = record.pixels(bounds)
        cover = cover.reshape(rows, columns, self.ppc) & meets[:, :, None]
        depth = depth.reshape(rows, columns, self.ppc)
        blocks = {}
        for row, column in np.argwhere(cover.any(axis=2)):
            lanes = cover[row, column]
            bits = sum(1 << int(lane) for lane in np.flatnonzero(lanes))
            values = tuple(int(z) if c else None for z, c in zip(depth[row, column], lanes, strict=True))
            blocks[int(y0 + row - band_y0), int(first + column)] = (bits, values)
        return blocks


def make_records(rng: random.Random, count: int, kinds: tuple[str, ...], window: Box, size: Box) -> list[Record]:
    """`count` records that are not dropped, each with a surface of its own."""
    records: list[Record] = []
    while len(records) < count:
        record = build_record(random_corners(rng, rng.choice(kinds), window), size[2], size[3], rng.getrandbits(32))
        if record is not None:
            assert Record.unpack(record.pack()) == record
            records.append(record)
    return records


@cocotb.test
@cocotb.parametrize(
    regions=("full", "few", "tiny", "many", "wild"),
    paused=(("always", "always"), ("bursty", "geometric"), ("geometric", "bursty")),
)
async def blocks_are_those_of_the_formulas(dut: Any, regions: str, paused: tuple[str, str]) -> None:
    bench = Bench(dut, f"formulas-{regions}", *paused)
    rng = bench.rng
    await bench.loop.reset()
    drawn = 0
    for turn in range(20):
        if turn >= 3 and (drawn or regions in ("tiny", "wild")):
            break
        # A frame whose band holds at most some 400 blocks, so that a triangle that covers it stays affordable.
        width = rng.randint(1, 14 * bench.ppc + 5)
        band_y0 = BAND_ROWS * rng.randrange(4)
        height = band_y0 + rng.randint(1, 2 * BAND_ROWS)
        window = (0, max(0, band_y0 - 8), width, min(height, band_y0 + 40))
        records = make_records(rng, 12, KINDS, window, (0, 0, width, height))
        blocks, _ = await bench.draw(records, random_boxes(rng, width, height, regions, REGIONS), band_y0)
        drawn += len(blocks)
    assert drawn or regions in ("few", "tiny", "wild") or REGIONS < 16, "nothing was drawn"


@cocotb.test
async def far_corners_of_a_large_frame(dut: Any) -> None:
    """Coordinates near 4,096 and edges out to the guard band, through a small region."""
    bench = Bench(dut, "corners")
    rng = bench.rng
    await bench.loop.reset()
    for corner in ((4096, 4096), (4095, 4077), (20, 4096), (4096, 40)):
        x1, y1 = corner
        band_y0 = (y1 - 1) // BAND_ROWS * BAND_ROWS
        box = (x1 - 19, y1 - 9, x1, y1)
        window = (max(0, x1 - 60), max(0, y1 - 40), x1, y1)
        records = make_records(rng, 25, ("huge", "through", "through", "any", "cover"), window, (0, 0, 4096, 4096))
        blocks, _ = await bench.draw(records, [box], band_y0)
        assert blocks


@cocotb.test
async def a_wide_triangle_between_distant_regions(dut: Any) -> None:
    """A walk across the whole width of the largest frame; the tiles between the regions cost a clock each."""
    bench = Bench(dut, "distant")
    await bench.loop.reset()
    record = build_record(front([(-900000, -3000, 5), (1900000, -9000, 9000), (60000, 900000, FAR_Z)]), 4096, 96, 0)
    assert record is not None
    regions = [(3, 33, 9, 34), (4090, 37, 4096, 38)]
    blocks, _ = await bench.draw([record], regions, BAND_ROWS)
    assert {block.row for block in blocks} == {1, 5}
    tiles = 4096 // bench.ppc - 3 // bench.ppc
    assert bench.counts.count["walked"] == tiles
    assert bench.counts.count["outside"] == tiles - len({block.col for block in blocks})
    assert bench.counts.busy < tiles + 40 + len(blocks)


FAR_Z = 2**24 - 1


def plate(box: Box, surface: int, depth: int) -> Record:
    """A record that covers all of `box`, at one depth."""
    holds = {f"{name}{edge}": 0 for name in "abc" for edge in range(3)}
    return Record(*box, surface, **holds, dzdx=0, dzdy=0, z0=depth << 16, number=0)


@cocotb.test
async def every_bit_of_every_region_counts(dut: Any) -> None:
    """All regions side by side: in a strip across the largest frame for their columns, in a band for their rows."""
    bench = Bench(dut, "bits")
    rng = bench.rng
    await bench.loop.reset()

    async def draw(edges: list[int], y: int, rows: int) -> None:
        regions = []
        for x0, x1 in zip(edges[::2], edges[1::2], strict=True):
            y0, y1 = sorted(rng.sample(range(rows + 1), 2))
            regions.append((x0, y + y0, x1, y + y1))
        rng.shuffle(regions)
        record = plate((0, y, max(edges), y + rows), 5, 1)
        blocks, _ = await bench.draw([record], regions, y // BAND_ROWS * BAND_ROWS)
        assert blocks

    for turn in range(2 if bench.ppc < 8 else 6):
        ones = turn % 2 == 0
        y = TILE_ROWS * lopsided(rng, 4096 // TILE_ROWS, 1, ones)[0]
        await draw(lopsided(rng, 4097, 2 * REGIONS, ones), y, TILE_ROWS)
    for _ in range(8):
        await draw(list(range(2 * REGIONS)), BAND_ROWS * rng.randrange(128), BAND_ROWS)


@cocotb.test
async def a_shared_edge_gives_each_pixel_once(dut: Any) -> None:
    """A jittered mesh over the whole frame: every pixel is drawn by exactly one triangle."""
    bench = Bench(dut, "mesh")
    rng = bench.rng
    await bench.loop.reset()
    for _ in range(2):
        width, height = rng.randint(3, 9 * bench.ppc + 3), rng.randint(3, BAND_ROWS)
        columns, rows = 5, 4
        grid: dict[tuple[int, int], tuple[int, int, int]] = {}
        for i in range(columns + 1):
            for j in range(rows + 1):
                # Some corners fall exactly on pixel centres, where only the top-left rule decides.
                snap = 256 if rng.random() < 0.4 else 1
                x = (-300 + i * (256 * width + 600) // columns) // snap * snap + (128 if snap > 1 else 0)
                y = (-300 + j * (256 * height + 600) // rows) // snap * snap + (128 if snap > 1 else 0)
                inner_x, inner_y = 0 < i < columns, 0 < j < rows
                x = x if inner_x else (-400 if i == 0 else 256 * width + 400)
                y = y if inner_y else (-400 if j == 0 else 256 * height + 400)
                grid[i, j] = (x, y, rng.randrange(2**24))
        records = []
        for i in range(columns):
            for j in range(rows):
                p, q, r, s = grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]
                pairs = ((p, q, r), (p, r, s)) if rng.random() < 0.5 else ((p, q, s), (q, r, s))
                for corners in pairs:
                    record = build_record(front(corners), width, height, len(records))
                    if record is not None:
                        records.append(record)
        blocks, _ = await bench.draw(records, [(0, 0, width, height)], 0)
        count = np.zeros((BAND_ROWS, -(-width // bench.ppc) * bench.ppc), dtype=int)
        for block in blocks:
            for lane in range(bench.ppc):
                count[block.row, block.col * bench.ppc + lane] += block.cover >> lane & 1
        assert (count[:height, :width] == 1).all()
        assert count.sum() == width * height


@cocotb.test
async def a_tile_whose_last_pixel_alone_is_covered(dut: Any) -> None:
    """A corner on that pixel's centre, under a level top edge: nothing is left to an early rejection's rounding."""
    bench = Bench(dut, "last")
    rng = bench.rng
    await bench.loop.reset()
    width = 4 * bench.ppc + 30
    for turn in range(30):
        column = bench.ppc * rng.randint(1, 3) - 1
        x, y = 256 * column + 128, 256 * 7 + 128
        corners = [
            (x, y, 5),
            (x + rng.randint(600, 6000), y, 5),
            (x - rng.randint(0, 900), y + rng.randint(600, 5000), 5),
        ]
        record = build_record(front(corners[turn % 3 :] + corners[: turn % 3]), width, BAND_ROWS, turn)
        assert record is not None
        blocks, _ = await bench.draw([record], [(0, 0, width, BAND_ROWS)], 0)
        assert (7, column // bench.ppc, 1 << bench.ppc - 1) in {(b.row, b.col, b.cover) for b in blocks}


@cocotb.test
@cocotb.parametrize(edge=(0, 1, 2), out_kind=("always", "bursty"))
async def an_edge_rejects_a_tile_exactly_if_its_best_corner_is_outside(dut: Any, edge: int, out_kind: str) -> None:
    """On the line, the corner's pixel is drawn alone; a step outside, the tile is one that an edge rejected.

    Steps of every size and sign; what is left of and above the tile belongs to the record, but to no region.
    """
    bench = Bench(dut, f"corner-{edge}", out_kind=out_kind)
    rng = bench.rng
    await bench.loop.reset()

    def slope() -> int:
        return rng.choice((-1, 1)) * rng.randint(1, 2 ** rng.choice((2, 8, 16, 22, 23)) - 1)

    for turn in range(6):
        column, row = rng.randrange(1, 4096 // bench.ppc), rng.randrange(1, 4096 // TILE_ROWS)
        x, y = bench.ppc * column, TILE_ROWS * row
        box = (x, y, x + bench.ppc, y + TILE_ROWS)
        records, drawn = [], []
        for number in range(24):
            bx0, by0 = rng.randint(max(0, x - 300), x), rng.randint(max(0, y - 300), y)
            a, b = slope(), slope()
            across, down = (bench.ppc - 1) * (a > 0), (TILE_ROWS - 1) * (b > 0)
            inside = rng.random() < 0.5
            if inside:
                drawn.append((y % BAND_ROWS + down, column, 1 << across, number))
            fields = {f"a{edge}": a, f"b{edge}": b}
            fields[f"c{edge}"] = (0 if inside else -1) - a * (x + across - bx0) - b * (y + down - by0)
            # The other edges hold everything; each record lies before the ones sent earlier.
            names = [f"{name}{k}" for k in range(3) for name in "abc"]
            edges = {name: fields.get(name, 2**30 if name[0] == "c" else 0) for name in names}
            z0 = (24 * (6 - turn) - number) << 16
            records.append(Record(bx0, by0, *box[2:], number, **edges, dzdx=0, dzdy=0, z0=z0, number=0))
        blocks, _ = await bench.draw(records, [box], y // BAND_ROWS * BAND_ROWS)
        assert [(block.row, block.col, block.cover, block.surface) for block in blocks] == drawn
        assert bench.counts.count == {"walked": 24, "outside": 0, "empty": 24 - len(drawn), "hidden": 0}


@cocotb.test
async def tiles_are_counted(dut: Any) -> None:
    """Walked = passed on + outside + empty; no tile with a block is left out; none beyond the bounds is walked."""
    bench = Bench(dut, "counts")
    rng = bench.rng
    await bench.loop.reset()
    width, height = 20 * bench.ppc, BAND_ROWS
    for kind in ("few", "tiny", "full"):
        for record in make_records(rng, 6, ("any", "small", "sliver"), (0, 0, width, height), (0, 0, width, height)):
            regions = random_boxes(rng, width, height, kind, REGIONS)
            records = [Record.unpack(record.pack() & ~(0xFFFFFFFF << 64))]
            blocks, sent = await bench.draw(records, regions, 0)
            count = bench.counts.count
            tiles = {(block.col, block.row // TILE_ROWS) for block in blocks}
            for x0, y0, x1, y1 in sent:
                everything = ((x1 - 1) // bench.ppc - x0 // bench.ppc + 1) * ((y1 - 1) // 8 - y0 // 8 + 1)
                assert count["walked"] in range(1, everything + 1)
                # Tiles that pass the edges one by one but hold no covered pixel are neither outside nor empty.
                assert len(tiles) <= count["walked"] - count["outside"] - count["empty"] - count["hidden"]


@cocotb.test
async def bands_follow_each_other(dut: Any) -> None:
    """Bands without a triangle are a token alone; the next band's rows and regions take effect."""
    bench = Bench(dut, "bands", "three_of_four", "three_of_four")
    rng = bench.rng
    await bench.loop.reset()
    width, height = 6 * bench.ppc, 5 * BAND_ROWS
    records = make_records(rng, 10, ("any", "cover", "small"), (0, 0, width, height), (0, 0, width, height))
    for band in range(5):
        regions = random_boxes(rng, width, height, rng.choice(("few", "many")), REGIONS)
        await bench.draw(records, regions, BAND_ROWS * band)
        blocks, _ = await bench.draw([], regions, BAND_ROWS * band)
        assert not blocks


@cocotb.test
async def a_reset_in_the_middle_forgets_everything(dut: Any) -> None:
    bench = Bench(dut, "reset")
    await bench.loop.reset()
    width = 10 * bench.ppc
    records = make_records(bench.rng, 8, ("cover",), (0, 0, width, BAND_ROWS), (0, 0, width, BAND_ROWS))
    full = [(0, 0, width, BAND_ROWS)]
    dut.roi_set.value = pack_boxes(full)
    box = width << 26 | BAND_ROWS << 39
    bench.source.send([(record.pack(), 0, box) for record in records])
    await bench.loop.step(60)
    assert bench.sink.beats
    assert bit(dut.busy)
    await bench.loop.reset()
    assert not bit(dut.m_blk_tvalid)
    await bench.loop.step(30)
    bench.sink.beats.clear()
    await bench.draw(records[:2], full, 0)


@cocotb.test
async def cycles_of_a_large_pair(dut: Any) -> None:
    """Two triangles that share a 256 x 32 rectangle: a block a clock, and a few clocks to fill the pipeline."""
    bench = Bench(dut, "pair")
    await bench.loop.reset()
    a, b, c, d = (0, 0, 100), (256 * 256, 0, 100), (256 * 256, 32 * 256, 100), (0, 32 * 256, 100)
    pair = [build_record(front(corners), 256, 32, n) for n, corners in enumerate(((a, b, c), (a, c, d)))]
    blocks, _ = await bench.draw([record for record in pair if record], [(0, 0, 256, 32)], 0)
    cycles = bench.counts.busy
    cocotb.log.info(
        "PPC %d: 256x32 pair: %d blocks, %d tiles walked, %d cycles, %.3f cycles a block",
        bench.ppc, len(blocks), bench.counts.count["walked"], cycles, cycles / len(blocks),
    )  # fmt: skip
    assert bench.sink.gaps <= 2
    assert cycles <= len(blocks) + 25


@cocotb.test
async def cycles_of_a_hundred_small_triangles(dut: Any) -> None:
    """About 10 x 10 pixels each: emission, not set-up, sets the pace."""
    bench = Bench(dut, "hundred")
    await bench.loop.reset()
    records: list[Record] = []
    while len(records) < 100:
        x, y = bench.rng.randint(0, 256 * 245), bench.rng.randint(0, 256 * 21)
        around = [(x + bench.rng.randint(0, 2560), y + bench.rng.randint(0, 2560), 7) for _ in range(3)]
        area2 = abs(
            (around[1][0] - around[0][0]) * (around[2][1] - around[0][1])
            - (around[2][0] - around[0][0]) * (around[1][1] - around[0][1])
        )
        record = build_record(front(around), 256, 32, len(records))
        if record is not None and area2 > 30 * 65536:
            records.append(record)
    blocks, _ = await bench.draw(records, [(0, 0, 256, 32)], 0)
    cycles, walked = bench.counts.busy, bench.counts.count["walked"]
    cocotb.log.info(
        "PPC %d: 100 small triangles: %d blocks, %d tiles walked, %d cycles, %.2f cycles a triangle, %.3f a block",
        bench.ppc, len(blocks), walked, cycles, cycles / 100, cycles / len(blocks),
    )  # fmt: skip
    assert cycles <= max(len(blocks), walked) * 1.15 + 40


@cocotb.test
async def a_stalled_output_lets_every_stage_fill_up(dut: Any) -> None:
    """As many tiles go in at once as far apart, or with tiles between that no region meets: no stage stays empty."""
    bench = Bench(dut, "full")
    bench.sink.active = itertools.repeat(False)
    width, columns = bench.ppc, 32

    async def tiles_inside(boxes: list[Box], regions: list[Box], period: int) -> int:
        await bench.loop.reset()
        bench.source.active = (n % period == 0 for n in itertools.count())
        dut.roi_set.value = pack_boxes(regions)
        for number, box in enumerate(boxes):
            x0, y0, x1, y1 = box
            bench.source.send([(plate(box, number, 1).pack(), 0, x0 | y0 << 13 | x1 << 26 | y1 << 39)])
        await bench.loop.step(len(boxes) * period + 4 * columns + 60)
        return bench.counts.count["walked"] - bench.counts.count["outside"]

    whole = [(0, 0, columns * width, BAND_ROWS)]
    apart = [
        (width * n, TILE_ROWS * row, width * (n + 1), TILE_ROWS * (row + 1)) for row in range(4) for n in range(columns)
    ]
    fence = [(2 * width * n, 0, 2 * width * n + width, BAND_ROWS) for n in range(columns // 2)]
    full = await tiles_inside(whole, whole, 1)
    assert full < 2 * columns, "the output stalls before all tiles are in"
    if len(fence) <= REGIONS:
        assert await tiles_inside(whole, fence, 1) == full
    assert await tiles_inside(apart, whole, 8) == full


LATENCY = 15


@cocotb.test
@cocotb.parametrize(tiles=(1, 3))
async def no_dead_cycle_between_triangles(dut: Any, tiles: int) -> None:
    """Slivers of one row in `tiles` tiles: a block a clock from the first to the last, whoever it belongs to."""
    bench = Bench(dut, f"dead-{tiles}")
    await bench.loop.reset()
    width = tiles * bench.ppc
    sliver = build_record(front([(-9000, 0, 7), (256 * width + 9000, 0, 7), (128 * width, 300, 7)]), width, 32, 0)
    assert sliver is not None
    records = [Record.unpack(sliver.pack() & ~(0xFFFFFFFF << 64) | n << 64) for n in range(60)]
    blocks, _ = await bench.draw(records, [(0, 0, width, 1)], 0)
    assert len(blocks) == bench.counts.count["walked"] == 60 * tiles
    assert bench.sink.gaps == 0
    # the token is one more
    assert bench.counts.busy <= 60 * tiles + LATENCY + 1


@cocotb.test
async def what_lies_behind_costs_a_clock_a_tile(dut: Any) -> None:
    """A wall, and ten triangles behind it, band by band; no block of theirs comes out."""
    bench = Bench(dut, "behind")
    await bench.loop.reset()
    await bench.sweep()
    width, height = 8 * bench.ppc, BAND_ROWS
    around = [(-256 * width, -999), (512 * width, -999), (128 * width, 512 * BAND_ROWS)]
    for _ in range(3):
        records = []
        for n in range(11):
            near, far = (50, 60) if n == 0 else (60, 1000 * n)
            record = build_record(front([(x, y, bench.rng.randint(near, far)) for x, y in around]), width, height, n)
            assert record is not None
            records.append(record)
        blocks, _ = await bench.draw(records, [(0, 0, width, height)], 0)
        assert {block.surface for block in blocks} == {0}
        assert bench.counts.count["hidden"] == 10 * 8 * 4
        assert bench.counts.busy <= len(blocks) + 10 * 8 * 4 + LATENCY + 1


@cocotb.test
async def a_token_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, "first")
    for _ in range(2):
        bench.sink.beats.clear()
        await release_under_load(bench.loop, bench.source, [(0, 1, 0)] * 3)
        await bench.loop.step(40)
        assert len(bench.sink.beats) == 3
