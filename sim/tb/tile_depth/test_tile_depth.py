"""tile_depth: no tile with a pixel that would be written is dropped; what must be dropped is; banks, scan, reset."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import pauses
from foveal_tb.points import Points
from foveal_tb.records import FAR
from foveal_tb.stream import StreamSink, StreamSource

ROWS = 8
LATENCY = 3
FIELDS = ["end", "col", "trow", "any", "cover", "z", "dzdx", "dzdy", "surface"]
STEP = 2**39 - 1  # the steepest plane
Place = tuple[int, int]
"""(row of tiles, column)."""

points = Points(
    ("dropped", "passed behind a part", "hidden by a mosaic", "plane over the far end", "plane under the near end")
)


@dataclass(frozen=True)
class Tile:
    """A covered tile; z is the plane at its first pixel, cover has pixel (i, j) at bit ppc * j + i."""

    place: Place
    cover: int
    z: int
    dzdx: int = 0
    dzdy: int = 0
    surface: int = 0

    def beat(self, ppc: int) -> tuple[int, ...]:
        rows = sum(1 << j for j in range(ROWS) if self.cover >> ppc * j & (1 << ppc) - 1)
        trow, col = self.place
        z, dzdx, dzdy = self.z % 2**56, self.dzdx % 2**40, self.dzdy % 2**40
        return 0, col, trow, rows, self.cover, z, dzdx, dzdy, self.surface

    def depths(self, ppc: int) -> list[int]:
        """Of every pixel, by the formula of the depth plane."""
        places = itertools.product(range(ROWS), range(ppc))
        return [max(0, min(FAR, (self.z + self.dzdx * i + self.dzdy * j) >> 16)) for j, i in places]

    def covered(self, ppc: int) -> list[bool]:
        return [bool(self.cover >> n & 1) for n in range(ROWS * ppc)]


class Store:
    """Depths of the pixels, as the band store would hold them: {place: depth of each pixel} of one bank."""

    def __init__(self, ppc: int) -> None:
        self.ppc = ppc
        self.depth: dict[Place, list[int]] = {}

    def draw(self, tile: Tile) -> bool:
        """Put the tile in; whether a pixel of it is written."""
        stored = self.depth.setdefault(tile.place, [FAR] * (ROWS * self.ppc))
        writes = False
        for n, (depth, covered) in enumerate(zip(tile.depths(self.ppc), tile.covered(self.ppc), strict=True)):
            if covered and depth < stored[n]:
                stored[n] = depth
                writes = True
        return writes


class Rule:
    """What is kept of each tile, and which tiles go, when each has gone through before the next one comes."""

    def __init__(self, ppc: int) -> None:
        self.ppc = ppc
        self.kept: dict[Place, tuple[int, int, int]] = {}

    def drops(self, tile: Tile) -> bool:
        far, near, seen = self.kept.get(tile.place, (FAR, 0, 0))
        depths = tile.depths(self.ppc)  # a plane has its ends in the tile's corners
        if min(depths) >= far:
            return True
        everything = (1 << ROWS * self.ppc) - 1
        if max(depths) < far:
            if tile.cover == everything:
                self.kept[tile.place] = max(depths), 0, 0
            else:
                near, seen = max(near, max(depths)), seen | tile.cover
                self.kept[tile.place] = (near, 0, 0) if seen == everything else (far, near, seen)
        return False


class Hidden:
    """Counts stat_hidden."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.reset()

    def reset(self) -> None:
        self.count = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.count += bit(self.dut.stat_hidden)


class Scan:
    """Reads tiles of a bank, one a clock, as the scan does: they are forgotten."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.reset()

    def reset(self) -> None:
        self.queue: list[tuple[int, Place]] = []
        self.dut.clear_en.value = 0

    def drive(self) -> None:
        self.dut.clear_en.value = int(bool(self.queue))
        if self.queue:
            self.dut.clear_bank.value, place = self.queue.pop(0)
            self.dut.clear_trow.value, self.dut.clear_col.value = place

    def sample(self) -> None:
        pass


class Bench:
    def __init__(self, dut: Any, name: str, in_kind: str = "always", out_kind: str = "always") -> None:
        self.dut = dut
        self.rng: random.Random = bench_rng(f"{name}-{in_kind}-{out_kind}")
        self.ppc = int(dut.PPC.value)
        self.columns = 1 << int(dut.COLW.value)
        self.all = (1 << ROWS * self.ppc) - 1
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s", FIELDS, pauses(in_kind, self.rng), style=""))
        self.sink = self.loop.add(StreamSink(dut, "m", FIELDS, pauses(out_kind, self.rng), style=""))
        self.hidden = self.loop.add(Hidden(dut))
        self.scan = self.loop.add(Scan(dut))
        for pin in ("wr_bank", "clear_bank", "clear_trow", "clear_col"):
            getattr(dut, pin).value = 0

    async def start(self) -> None:
        """Reset, and wait for the sweep's end."""
        await self.loop.reset()
        await self.loop.step(4 * self.columns + 2)

    async def run(self, tiles: list[Tile]) -> list[bool]:
        """Which tiles came out; asserts that they did in order and unchanged."""
        before = self.hidden.count
        self.sink.beats.clear()
        surfaces = [self.rng.getrandbits(22) << 10 | n for n in range(len(tiles))]
        sent = [replace(tile, surface=s).beat(self.ppc) for s, tile in zip(surfaces, tiles, strict=True)]
        self.source.send(sent)
        token = (1, *self.source_noise())
        self.source.send([token])
        await self.loop.until(lambda: self.sink.beats and self.sink.beats[-1][0], 100 + 40 * len(sent), "the token")
        out = self.sink.beats[:-1]
        assert self.sink.beats[-1] == token
        passed = {beat[-1] for beat in out}
        assert out == [beat for beat in sent if beat[-1] in passed]
        await self.loop.step()
        assert not bit(self.dut.busy)
        assert self.hidden.count - before == len(sent) - len(out)
        return [surface in passed for surface in surfaces]

    def source_noise(self) -> tuple[int, ...]:
        """A token's other fields mean nothing, whatever they are."""
        full = (1 << 8) - 1
        return 0, 0, full, self.all, self.rng.choice((0, 2**40)), 0, 0, 0

    async def forget(self, places: list[Place], bank: int) -> None:
        """The scan reads these tiles."""
        self.scan.queue += [(bank, place) for place in places]
        await self.loop.step(len(places) + 1)

    def places(self, count: int) -> list[Place]:
        corners = [(0, 0), (3, self.columns - 1)]
        return (corners + [(self.rng.randrange(4), self.rng.randrange(self.columns)) for _ in range(count)])[:count]

    def cover(self) -> int:
        rng = self.rng
        part = rng.randint(1, ROWS)
        low = (1 << self.ppc * part) - 1
        return rng.choice((self.all, low, self.all & ~low or 1, rng.getrandbits(ROWS * self.ppc) or 1, 1 << self.ppc))

    def tile(self, places: list[Place]) -> Tile:
        """Planes that are flat, sloped, and steep enough to leave the range of depths within the tile."""
        rng = self.rng
        level = rng.choice((0, 1, 2, 7, 8, FAR - 1, FAR, rng.randrange(FAR), -3, FAR + 3)) << 16
        steep = rng.choice((0, 0, 3 << 15, 5 << 16, 2**34, STEP))
        slopes = [rng.randint(-steep, steep) for _ in range(2)]
        z = level + rng.choice((0, 0, rng.randrange(1 << 16)))
        if abs(z + ROWS * slopes[0] + ROWS * slopes[1]) > FAR << 16:
            points.hit("plane over the far end" if z + slopes[0] + slopes[1] > 0 else "plane under the near end")
        return Tile(rng.choice(places), self.cover(), z, *slopes)

    def flat(self, depth: int, cover: int | None = None, place: Place = (0, 0)) -> Tile:
        return Tile(place, self.all if cover is None else cover, depth << 16)


def one_in(period: int) -> Iterator[bool]:
    return (n % period == 0 for n in itertools.count())


@cocotb.test
@cocotb.parametrize(paused=(("always", "always"), ("geometric", "bursty"), ("bursty", "geometric")))
async def no_tile_that_would_be_written_is_dropped(dut: Any, paused: tuple[str, str]) -> None:
    """Tiles on few places, in both banks, the scan forgetting the other bank meanwhile."""
    bench = Bench(dut, "never", *paused)
    await bench.start()
    stores = [Store(bench.ppc), Store(bench.ppc)]
    dropped = 0
    for band in range(8):
        bank = band % 2
        places = bench.places(bench.rng.randint(1, 4))
        dut.wr_bank.value = bank
        bench.scan.queue += [(1 - bank, place) for place in stores[1 - bank].depth]
        stores[1 - bank] = Store(bench.ppc)
        tiles = [bench.tile(places) for _ in range(60)]
        writes = [stores[bank].draw(tile) for tile in tiles]
        passed = await bench.run(tiles)
        for tile, wrote, came in zip(tiles, writes, passed, strict=True):
            assert came or not wrote, f"{tile} is seen, and was dropped"
        dropped += passed.count(False)
    assert dropped
    points.hit("dropped")


@cocotb.test
async def tiles_apart_follow_the_rule_exactly(dut: Any) -> None:
    bench = Bench(dut, "rule")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    places = bench.places(3)
    rule, store = Rule(bench.ppc), Store(bench.ppc)
    tiles = [bench.tile(places) for _ in range(250)]
    expected = [not rule.drops(tile) for tile in tiles]
    assert await bench.run(tiles) == expected
    for tile, came in zip(tiles, expected, strict=True):
        if not store.draw(tile) and came:
            points.hit("passed behind a part")


@cocotb.test
async def equal_depth_is_hidden_and_one_less_is_seen(dut: Any) -> None:
    bench = Bench(dut, "equal")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    for n, depth in enumerate((1, 1000, FAR - 1)):
        place = (n, 0)
        tiles = [bench.flat(depth, place=place), bench.flat(depth, 1, place), bench.flat(depth - 1, 1, place)]
        assert await bench.run(tiles) == [True, False, True]
    # Nothing is stored at the far end, so a tile there is hidden by the empty store; depth 0 hides everything.
    assert await bench.run([bench.flat(FAR, place=(3, 0))]) == [False]
    assert await bench.run([bench.flat(0, place=(3, 0)), bench.flat(0, place=(3, 0))]) == [True, False]


@cocotb.test
async def tiles_that_cover_it_together_hide_what_is_behind_both(dut: Any) -> None:
    bench = Bench(dut, "mosaic")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    upper = (1 << 4 * bench.ppc) - 1
    lower = bench.all & ~upper
    missing = bench.all & ~1
    mosaic = [bench.flat(50, upper), bench.flat(70, lower), bench.flat(70), bench.flat(69)]
    assert await bench.run(mosaic) == [True, True, False, True]
    points.hit("hidden by a mosaic")
    place = (1, 0)
    almost = [bench.flat(50, missing, place), bench.flat(90, place=place), bench.flat(60, place=place)]
    assert await bench.run(almost) == [True, True, True]


@cocotb.test
async def a_layer_is_complete_with_its_last_pixel_whichever_it_is(dut: Any) -> None:
    bench = Bench(dut, "pixels")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    for n in range(ROWS * bench.ppc):
        place = bench.rng.choice(bench.places(4))
        others = bench.all & ~(1 << n)
        layer = [(50, others), (60, others), (70, 1 << n), (70, bench.all), (69, bench.all)]
        tiles = [bench.flat(depth, cover, place) for depth, cover in layer]
        assert await bench.run(tiles) == [True, True, True, False, True], f"pixel {n}"
        await bench.forget([place], 0)


@cocotb.test
async def the_least_and_the_greatest_depth_of_a_plane_are_those_of_its_corners(dut: Any) -> None:
    """Slopes of every size and sign, and a corner that lies on a step of depth, just below the next, or between."""
    bench = Bench(dut, "corners")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    rng = bench.rng
    for _ in range(100):
        place = rng.choice(bench.places(4))
        slopes = [rng.choice((-1, 1)) * rng.getrandbits(rng.randint(1, 39)) for _ in range(2)]
        rises = [slope * (size - 1) for slope, size in zip(slopes, (bench.ppc, ROWS), strict=True)]
        falls, climbs = (sum(pick(rise, 0) for rise in rises) for pick in (min, max))
        depth = rng.randint(1, FAR - 1)
        at = depth << 16 | rng.choice((0, 0xFFFF, rng.getrandbits(16)))
        wall = bench.flat(depth, place=place)
        behind, before = (Tile(place, bench.all, at - step - falls, *slopes) for step in (0, 1 << 16))
        assert await bench.run([wall, behind, before]) == [True, False, True]
        await bench.forget([place], 0)
        before = bench.flat(depth - 1, place=place)
        assert await bench.run([Tile(place, bench.all, at - climbs, *slopes), wall, before]) == [True, False, True]
        await bench.forget([place], 0)


@cocotb.test
async def the_scan_forgets_its_bank_alone(dut: Any) -> None:
    bench = Bench(dut, "scan")
    bench.source.active = one_in(LATENCY + 2)
    await bench.start()
    places = [(0, 0), (3, bench.columns - 1)]
    near = [bench.flat(5, place=place) for place in places]
    behind = [bench.flat(6, place=place) for place in places]
    for bank in (0, 1):
        dut.wr_bank.value = bank
        assert await bench.run(near + behind) == [True, True, False, False]
    await bench.forget(places[1:], 0)
    assert await bench.run(behind) == [False, False]  # bank 1
    dut.wr_bank.value = 0
    assert await bench.run(behind) == [False, True]


@cocotb.test
async def reset_forgets_everything_at_once(dut: Any) -> None:
    """The sweep is never too late, at whatever distance from the reset a tile comes."""
    bench = Bench(dut, "reset")
    await bench.start()
    last = (3, bench.columns - 1)
    sweep = 4 * bench.columns
    for wait in (0, 1, 2, *range(sweep - 5, sweep + 4)):
        await bench.run([bench.flat(5, place=last), bench.flat(5, place=(0, 0))])
        await bench.loop.step(4)
        assert await bench.run([bench.flat(6, place=last)]) == [False]
        await bench.loop.reset()
        await bench.loop.step(wait)
        assert await bench.run([bench.flat(6, place=last)]) == [True], f"{wait} cycles after reset"
        await bench.loop.step(sweep)


@cocotb.test
async def a_tile_a_clock(dut: Any) -> None:
    bench = Bench(dut, "rate")
    await bench.start()
    tiles = [bench.flat(1000 - n, place=(n % 4, n % bench.columns)) for n in range(100)]
    bench.source.send([replace(tile, surface=n).beat(bench.ppc) for n, tile in enumerate(tiles)])
    cycles = await bench.loop.until(lambda: len(bench.sink.beats) == 100, 130, "100 tiles")
    assert bench.sink.gaps == 0
    assert cycles <= 100 + LATENCY + 1


@cocotb.test
async def dropped_tiles_cost_a_clock_each_even_when_the_output_stalls(dut: Any) -> None:
    bench = Bench(dut, "stalled")
    await bench.start()
    assert await bench.run([bench.flat(5)]) == [True]
    before = bench.hidden.count
    bench.sink.active = iter(lambda: False, True)
    bench.source.send([bench.flat(9).beat(bench.ppc)] * 50)
    await bench.loop.step(50 + LATENCY)
    assert bench.hidden.count - before == 50


@cocotb.test
async def every_point_was_met(dut: Any) -> None:
    points.require()
