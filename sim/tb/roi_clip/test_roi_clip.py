"""roi_clip: the mask against one built in Python, under pauses, odd lines and sets that change."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.injection import InjectionWatch
from foveal_tb.lopsided import lopsided
from foveal_tb.pauses import PAUSES, geometric, pattern, pauses
from foveal_tb.points import REGION_KINDS, Points, region_kinds
from foveal_tb.stream import StreamSink, StreamSource

PARAMETERS = json.loads(os.environ["FOVEAL_PARAMETERS"])
PPC = PARAMETERS["PPC"]
PIX_W = PARAMETERS.get("PIX_W", 56)
NUM_ROI = PARAMETERS.get("NUM_ROI", 16)
LATENCY = 4
PHASES = ("before a line's first beat", "inside a line", "before a line's last beat")
POINTS = Points(
    [
        *(f"region {kind}" for kind in REGION_KINDS),
        *(f"{edge} edge at lane {lane}" for edge in ("left", "right") for lane in range(PPC)),
        *(f"{what} {phase}" for what in ("set changes", "reset") for phase in PHASES),
    ]
)

Box = tuple[int, int, int, int]
Beat = tuple[int, int, int]  # tdata, tuser, tlast
OutBeat = tuple[int, int, int, int]  # tdata, tkeep, tuser, tlast


def pack_set(boxes: Sequence[Box]) -> int:
    """The `roi_set` value of (x0, y0, x1, y1) boxes; the rest of the set is empty."""
    word = 0
    for n, (x0, y0, x1, y1) in enumerate(boxes):
        word |= (x0 | y0 << 13 | x1 << 26 | y1 << 39) << 52 * n
    return word


def inside(boxes: Sequence[Box], width: int, x: int, y: int) -> bool:
    """What the clip must keep: a pixel of the frame that some box holds."""
    return x < width and any(x0 <= x < x1 and y0 <= y < y1 for x0, y0, x1, y1 in boxes)


def line_beats(values: list[int], skip: int = 0, sof: bool = False, last: bool = True) -> list[Beat]:
    """Beats (tdata, tuser, tlast) of a line; the lanes after its last pixel are zero."""
    beats = []
    for start in range(0, len(values), PPC):
        data = sum(value << PIX_W * lane for lane, value in enumerate(values[start : start + PPC]))
        user = (skip << 1 | int(sof)) if start == 0 else 0
        beats.append((data, user, int(last and start + PPC >= len(values))))
    return beats


def frame_beats(rng: random.Random, width: int, rows: Sequence[int]) -> list[Beat]:
    """A frame that sends `rows` (ascending); the others count as left out. Pixels are random."""
    beats: list[Beat] = []
    before = -1
    for row in rows:
        values = [rng.getrandbits(PIX_W) for _ in range(width)]
        beats += line_beats(values, row - before - 1, sof=before == -1)
        before = row
    return beats


def expected(beats: list[Beat], rows: Sequence[int], boxes: Sequence[Box], width: int) -> list[OutBeat]:
    """Output beats (tdata, tkeep, tuser, tlast) for the input beats of a regular frame."""
    result = []
    at_row, block = 0, 0
    for data, user, last in beats:
        keep = sum(inside(boxes, width, block * PPC + n, rows[at_row]) << n for n in range(PPC))
        result.append((data, keep, user, last))
        at_row, block = (at_row + 1, 0) if last else (at_row, block + 1)
    return result


class Bench:
    """A clip with a source and a sink. The set is driven directly."""

    def __init__(self, dut: Any, in_active: Any = None, out_active: Any = None) -> None:
        self.dut = dut
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s_axis", ["tdata", "tuser", "tlast"], in_active))
        self.sink = self.loop.add(StreamSink(dut, "m_axis", ["tdata", "tkeep", "tuser", "tlast"], out_active))
        for name in ("frame_start", "roi_change", "immediate", "roi_set"):
            getattr(dut, name).value = 0
        dut.cfg_width.value = 4096

    def phase(self, per_line: int, since: int = 0) -> str:
        """Where in a line of `per_line` (3 or more) beats the source is; `since` were sent before the first line."""
        return PHASES[{0: 0, per_line - 1: 2}.get((self.source.sent - since) % per_line, 1)]

    def set_regions(self, boxes: Sequence[Box], width: int) -> None:
        self.boxes, self.width = boxes, width
        self.dut.roi_set.value = pack_set(boxes)
        self.dut.cfg_width.value = width

    async def run(self, beats: list[Beat], limit: int | None = None) -> list[OutBeat]:
        """Send `beats` and return what came out for them."""
        POINTS.hit(
            *(f"region {kind}" for kind in region_kinds(self.boxes, self.width, sum(last for *_, last in beats)))
        )
        for x0, y0, x1, y1 in self.boxes:
            if x0 < x1 and y0 < y1:
                POINTS.hit(f"left edge at lane {x0 % PPC}", f"right edge at lane {x1 % PPC}")
        done = len(self.sink.beats)
        self.source.send(beats)
        await self.loop.until(
            lambda: len(self.sink.beats) >= done + len(beats), limit or 60 * len(beats) + 200, f"{len(beats)} beats"
        )
        await self.loop.step(LATENCY + 2)
        assert len(self.sink.beats) == done + len(beats), "more beats left than entered"
        return self.sink.beats[done:]


class SetDriver:
    """Changes the set as roi_sets does, and counts as it counts, by `clip_pending`.

    `fresh` tells of each beat that left since the last commit whether it obeyed the new set.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.wanted: list[Sequence[Box]] = []
        self.reset()

    def reset(self) -> None:
        self.changing = False
        self.count = 0
        self.fresh: list[bool] = []

    def commit(self, boxes: Sequence[Box]) -> None:
        """The set changes with the next cycle but one."""
        self.wanted.append(boxes)

    def drive(self) -> None:
        if self.changing:
            self.bench.set_regions(self.wanted.pop(), self.bench.width)
        self.changing = bool(self.wanted)
        self.bench.dut.roi_change.value = int(self.changing)

    def sample(self) -> None:
        dut = self.bench.dut
        if self.changing:
            self.count = 0
            self.fresh.clear()
        if not any(self.fresh):
            self.count += bit(dut.clip_pending) and not bit(dut.clip_stalled)
        if bit(dut.clip_fire):
            self.fresh.append(not self.changing and bool(bit(dut.clip_fresh)))


def some_boxes(rng: random.Random, width: int, height: int, count: int = NUM_ROI) -> list[Box]:
    """Random boxes, some of them empty, inverted, overlapping or reaching beyond the frame."""
    return [
        (rng.randint(0, width + 3), rng.randint(0, height + 1), rng.randint(0, width + 9), rng.randint(0, height + 3))
        for _ in range(count)
    ]


@cocotb.test
async def every_edge_at_every_beat_offset(dut: Any) -> None:
    """x0 and x1 over 0..3 * PPC, for a width that is, and one that is not, a multiple of PPC."""
    bench = Bench(dut)
    rng = bench_rng("edges")
    await bench.loop.reset()
    edges = range(3 * PPC + 1)
    pairs = [(x0, x1) for x0 in edges for x1 in edges]
    if len(pairs) > 1300:  # 16 lanes: all pairs that share a beat or its neighbours' border, a sample of the rest
        near = [p for p in pairs if abs(p[0] - p[1]) <= 2 or p[0] % PPC in (0, PPC - 1) or p[1] % PPC in (0, PPC - 1)]
        pairs = sorted(set(near) | set(rng.sample(pairs, 300)))
    for width in {3 * PPC, 3 * PPC - PPC // 2}:
        # One frame of one line per pair would be mostly waiting; each region has a line of it.
        for start in range(0, len(pairs), NUM_ROI):
            group = pairs[start : start + NUM_ROI]
            boxes = [(x0, y, x1, y + 1) for y, (x0, x1) in enumerate(group)]
            rows = range(len(group))
            bench.set_regions(boxes, width)
            beats = frame_beats(rng, width, rows)
            assert await bench.run(beats) == expected(beats, rows, boxes, width), f"width {width}, pairs {group}"


@cocotb.test
async def row_edges_are_half_open(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench_rng("rows")
    await bench.loop.reset()
    for y0 in range(5):
        for y1 in range(6):
            boxes = [(0, y0, 2 * PPC, y1)]
            bench.set_regions(boxes, 2 * PPC)
            beats = frame_beats(rng, 2 * PPC, range(5))
            assert await bench.run(beats) == expected(beats, range(5), boxes, 2 * PPC)


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def random_sets_with_pauses(dut: Any, in_kind: str, out_kind: str) -> None:
    rng = bench_rng(f"{in_kind}-{out_kind}")
    bench = Bench(dut, pauses(in_kind, rng), pauses(out_kind, rng))
    await bench.loop.reset()
    for _ in range(2):
        width, height = rng.randint(1, 3 * PPC + 3), rng.randint(1, 6)
        rows = sorted(rng.sample(range(height + 20), height))
        boxes = some_boxes(rng, width, rows[-1])
        bench.set_regions(boxes, width)
        beats = frame_beats(rng, width, rows)
        assert await bench.run(beats) == expected(beats, rows, boxes, width)


@cocotb.test
async def a_beat_a_clock_and_the_stated_latency(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench_rng("rate")
    await bench.loop.reset()
    await bench.loop.step(2)
    width, height = 5 * PPC, 12
    boxes = [(1, 1, width - 1, height - 1)]
    bench.set_regions(boxes, width)
    beats = frame_beats(rng, width, range(height))
    bench.source.send(beats)
    first = await bench.loop.until(lambda: bench.sink.beats, 20, "first beat")
    assert first == LATENCY + 1  # the cycle that offers the beat, then LATENCY registers
    await bench.loop.until(lambda: len(bench.sink.beats) == len(beats), len(beats) + 2, "the rest")
    assert bench.sink.gaps == 0


@cocotb.test
async def start_of_frame_marks_the_first_beat_alone(dut: Any) -> None:
    """A start-of-frame flag must survive, neither moved nor repeated, also where the first beat keeps nothing."""
    bench = Bench(dut, out_active=pattern("1110"))
    rng = bench_rng("sof")
    await bench.loop.reset()
    bench.set_regions([(PPC, 0, 4 * PPC, 1)], 4 * PPC)
    for _ in range(3):
        beats = frame_beats(rng, 4 * PPC, range(1))
        out = await bench.run(beats)
        assert [user for _, _, user, _ in out] == [1, 0, 0, 0]
        assert [last for _, _, _, last in out] == [0, 0, 0, 1]
        assert [keep for _, keep, _, _ in out] == [0] + [(1 << PPC) - 1] * 3


@cocotb.test
async def no_beat_is_lost_in_the_first_cycle_after_reset(dut: Any) -> None:
    bench = Bench(dut)
    for _ in range(3):
        bench.source.reset()
        bench.sink.beats.clear()
        await bench.loop.step(0)
        dut.rst_n.value = 0
        await bench.loop.step(4)
        assert not bit(dut.s_axis_tready)
        assert not bit(dut.m_axis_tvalid)
        bench.set_regions([(0, 0, 8191, 8191)], 4096)
        beats = line_beats([n % (1 << PIX_W) for n in range(1, 3 * PPC + 1)], sof=True)
        bench.source.send(beats)  # valid together with the release
        dut.rst_n.value = 1
        await bench.loop.step(16)
        full = (1 << PPC) - 1
        assert bench.sink.beats == [(data, full, user, last) for data, user, last in beats]


@cocotb.test
async def a_line_that_ends_in_a_partial_beat(dut: Any) -> None:
    """426 pixels: the last beat keeps 426 mod PPC of its lanes (all if none are left over)."""
    bench = Bench(dut)
    rng = bench_rng("partial")
    await bench.loop.reset()
    width = 426
    bench.set_regions([(0, 0, width, 2)], width)
    out = await bench.run(frame_beats(rng, width, range(2)))
    per_line = -(-width // PPC)
    assert len(out) == 2 * per_line
    kept = [bin(keep).count("1") for _, keep, _, _ in out]
    assert kept == ([PPC] * (per_line - 1) + [width - PPC * (per_line - 1)]) * 2
    assert out[per_line - 1][1] == (1 << (width - PPC * (per_line - 1))) - 1


@cocotb.test
async def back_pressure_does_not_change_the_data(dut: Any) -> None:
    """64 x 48 pixels of a counter, region [5, 38) x [7, 29): 726 pixels whatever the ready pattern."""
    bench = Bench(dut)
    await bench.loop.reset()
    box = (5, 7, 38, 29)
    bench.set_regions([box], 64)
    beats: list[Beat] = []
    rows = range(5, 31)  # rows around the region, the rest is left out
    for row in rows:
        beats += line_beats([(64 * row + x) % (1 << PIX_W) for x in range(64)], 5 if row == 5 else 0, sof=row == 5)
    wanted = expected(beats, rows, [box], 64)
    assert sum(bin(keep).count("1") for _, keep, _, _ in wanted) == 726
    ready = [pattern("1"), pattern("10"), pattern("1110")]
    ready += [geometric(random.Random(seed), 0.3) for seed in range(1, 21 if PPC >= 8 else 4)]
    for active in ready:
        bench.sink.active = active
        assert await bench.run(beats) == wanted


@cocotb.test
async def a_set_changes_only_at_a_start_of_frame(dut: Any) -> None:
    """Sets that hold different rows and columns alternate at every cycle; each frame must use one of them whole."""
    rng = bench_rng("torn")
    bench = Bench(dut, geometric(rng, 0.7), geometric(rng, 0.7))
    await bench.loop.reset()
    width, height = 3 * PPC, 4
    sets = [[(0, 0, PPC + 1, 2), (0, 0, 0, 0)], [(PPC, 2, width, 4), (0, 0, 1, 4)]]
    dut.cfg_width.value = width
    seen = set()
    for _ in range(12):
        beats = frame_beats(rng, width, range(height))
        before = len(bench.sink.beats)
        bench.source.send(beats)
        for _ in range(60 * len(beats)):
            dut.roi_set.value = pack_set(sets[bench.loop.cycle % 2])
            POINTS.hit(f"set changes {bench.phase(3)}")
            await bench.loop.step()
            if len(bench.sink.beats) == before + len(beats):
                break
        out = bench.sink.beats[before:]
        matches = [n for n, boxes in enumerate(sets) if out == expected(beats, range(height), boxes, width)]
        assert len(matches) == 1
        seen.update(matches)
    assert seen == {0, 1}


@cocotb.test
async def immediate_follows_within_the_frame(dut: Any) -> None:
    """Each beat obeys exactly one of the sets, the change happens once, and clip_fresh tells where."""
    rng = bench_rng("immediate")
    bench = Bench(dut, None, geometric(rng, 0.6))
    sets = bench.loop.add(SetDriver(bench))
    await bench.loop.reset()
    dut.immediate.value = 1
    width, height = 4 * PPC, 8
    one, two = [(0, 0, 2 * PPC + 1, height)], [(PPC, 0, width, 3), (0, 3, width - 1, height)]
    changed = 0
    for _ in range(10):
        bench.set_regions(one, width)
        await bench.loop.step(LATENCY)
        beats = frame_beats(rng, width, range(height))
        before = len(bench.sink.beats)
        end, change_at = before + len(beats), rng.randint(2, len(beats))
        bench.source.send(beats)
        await bench.loop.until(lambda n=before + change_at: len(bench.sink.beats) >= n, 60 * len(beats), "old beats")
        sets.commit(two)
        await bench.loop.until(lambda n=end: len(bench.sink.beats) == n, 60 * len(beats), "new beats")
        await bench.loop.step(2)
        assert sets.fresh == sorted(sets.fresh)
        first = len(beats) - sets.fresh.count(True)
        old, new = (expected(beats, range(height), boxes, width) for boxes in (one, two))
        assert bench.sink.beats[before:] == old[:first] + new[first:]
        assert 0 <= first - change_at <= LATENCY + 1
        changed += 0 < first < len(beats)
    assert changed >= 5


@cocotb.test
@cocotb.parametrize(out_kind=["always", "geometric", "bursty"])
async def a_new_set_takes_at_most_five_cycles_of_a_beat(dut: Any, out_kind: str) -> None:
    """However many old beats are inside, wherever, and however long the input then pauses: these only drain."""
    rng = bench_rng(f"injection {out_kind}")
    bench = Bench(dut, None, pauses(out_kind, rng))
    sets = bench.loop.add(SetDriver(bench))
    watch = bench.loop.add(
        InjectionWatch(
            bench.loop,
            *(dut.s_axis_tvalid, dut.s_axis_tready, dut.roi_change, dut.clip_stalled, dut.clip_fire, dut.clip_fresh),
        )
    )
    await bench.loop.reset()
    dut.immediate.value = 1
    bench.set_regions([], 4096)
    bench.source.send([(0, 1, 0)])
    cases = [(old, age, gap) for old in range(7) for age in range(6) for gap in range(10)]
    for old, age, gap in cases if out_kind == "always" else rng.sample(cases, 120):
        await bench.loop.until(lambda: not bit(dut.clip_active), 200, "an empty clip")
        await bench.loop.step()
        bench.source.send([(0, 0, 0)] * old)
        await bench.loop.step(age)
        sets.commit([(0, 0, 8191, 8191)])
        await bench.loop.step(gap)
        bench.source.send([(0, 0, 0), (0, 0, 1)])
        await bench.loop.step()
        await bench.loop.until(lambda: not watch.under_way, 200, "a beat of the new set")
        assert sets.count == watch.injections[-1] <= 5, (old, age, gap)
    # Behind a stall the beats close up, in cycles that are not counted.
    found = set(watch.injections)
    assert found == {4, 5} if out_kind == "always" else found >= {3, 4, 5}, found


@cocotb.test
async def reset_inside_a_frame(dut: Any) -> None:
    rng = bench_rng("reset")
    bench = Bench(dut, None, geometric(rng, 0.5))
    width = 2 * PPC + 1
    for cycles in range(1, 14):
        await bench.loop.reset()
        bench.sink.beats.clear()
        boxes = some_boxes(rng, width, 4)
        bench.set_regions(boxes, width)
        bench.source.send(frame_beats(rng, width, range(4)))
        sent = bench.source.sent
        await bench.loop.step(cycles)
        POINTS.hit(f"reset {bench.phase(3, since=sent)}")
        await bench.loop.reset()
        bench.sink.beats.clear()
        boxes = some_boxes(rng, width, 4)
        bench.set_regions(boxes, width)
        beats = frame_beats(rng, width, range(4))
        assert await bench.run(beats) == expected(beats, range(4), boxes, width)


@cocotb.test
async def short_and_long_lines(dut: Any) -> None:
    """A line ends at tlast; pixels beyond the width are never kept; 8191 columns and more hold nothing."""
    rng = bench_rng("lines")
    bench = Bench(dut)
    await bench.loop.reset()
    width = 3 * PPC
    boxes = [(0, 0, 8191, 3), (PPC, 3, 8191, 8191)]
    bench.set_regions(boxes, width)
    lengths = [PPC, width, width + 2 * PPC, PPC, width]
    beats: list[Beat] = []
    for row, length in enumerate(lengths):
        beats += line_beats([rng.getrandbits(PIX_W) for _ in range(length)], sof=row == 0)
    assert await bench.run(beats) == expected(beats, range(len(lengths)), boxes, width)
    # A line far longer than the coordinate: nothing of it is kept again after the counter's end.
    length = 8192 // PPC + 3
    bench.set_regions([(0, 0, 8191, 8191)], 4096)
    beats = [(0, 1, 0)] + [(0, 0, 0)] * (length - 2) + [(0, 0, 1)]
    out = await bench.run(beats, 2 * length + 50)
    full = (1 << PPC) - 1
    assert [keep for _, keep, _, _ in out] == [full] * (4096 // PPC) + [0] * (length - 4096 // PPC)


@cocotb.test
async def a_start_of_frame_inside_a_line_restarts(dut: Any) -> None:
    rng = bench_rng("restart")
    bench = Bench(dut)
    await bench.loop.reset()
    width = 3 * PPC
    boxes = [(1, 0, PPC + 1, 1)]
    bench.set_regions(boxes, width)
    broken = frame_beats(rng, width, range(2))[:-2]
    assert len(await bench.run(broken)) == len(broken)
    beats = frame_beats(rng, width, range(2))
    assert await bench.run(beats) == expected(beats, range(2), boxes, width)


@cocotb.test
async def rows_beyond_the_coordinate_hold_nothing(dut: Any) -> None:
    rng = bench_rng("saturation")
    bench = Bench(dut)
    await bench.loop.reset()
    bench.set_regions([(0, 0, 8191, 8191)], 4096)
    values = [rng.getrandbits(PIX_W) for _ in range(PPC)]
    beats = line_beats(values, 8190, sof=True) + line_beats(values) * 3 + line_beats(values, 8191) + line_beats(values)
    keeps = [keep for _, keep, _, _ in await bench.run(beats)]
    assert keeps == [(1 << PPC) - 1, 0, 0, 0, 0, 0]


@cocotb.test
async def without_a_start_of_frame_nothing_is_kept(dut: Any) -> None:
    """After reset, and after each frame_start, until the next start-of-frame beat; err_sof tells."""
    rng = bench_rng("no-sof")
    bench = Bench(dut)
    await bench.loop.reset()
    width = 2 * PPC
    boxes = [(0, 0, width, 8)]
    bench.set_regions(boxes, width)
    for _ in range(2):
        assert not bit(dut.err_sof)
        stray = line_beats([rng.getrandbits(PIX_W) for _ in range(width)])
        out = await bench.run(stray)
        assert out == [(data, 0, user, last) for data, user, last in stray]
        assert bit(dut.err_sof)
        beats = frame_beats(rng, width, range(2))
        assert await bench.run(beats) == expected(beats, range(2), boxes, width)
        assert bit(dut.err_sof)
        dut.frame_start.value = 1
        await bench.loop.step()
        dut.frame_start.value = 0
        await bench.loop.step()
    beats = frame_beats(rng, width, range(2))
    assert await bench.run(beats) == expected(beats, range(2), boxes, width)
    assert not bit(dut.err_sof)


@cocotb.test
async def nothing_is_unknown_after_reset(dut: Any) -> None:
    """Control outputs resolve from the reset on (`bit` fails with the signal's name otherwise)."""
    bench = Bench(dut)
    await bench.loop.reset()
    for name in ("s_axis_tready", "m_axis_tvalid", "clip_active", "clip_stalled", "clip_fire", "err_sof"):
        bit(getattr(dut, name))
    assert not bit(dut.clip_active)
    bench.sink.active = pattern("0")
    bench.set_regions([(0, 0, 9, 9)], 4 * PPC)
    bench.source.send(line_beats([1] * PPC, sof=True))
    for _ in range(8):
        await bench.loop.step()
        assert bit(dut.clip_active)
    assert bit(dut.clip_stalled)
    assert not bit(dut.clip_fire)


@cocotb.test
async def one_pixel_and_the_whole_frame(dut: Any) -> None:
    """The least and the largest region, at each lane of a beat."""
    bench = Bench(dut)
    rng = bench_rng("least")
    await bench.loop.reset()
    width, height = 2 * PPC + 1, 3
    for x in range(width):
        boxes = [(x, 1, x + 1, 2)]
        bench.set_regions(boxes, width)
        beats = frame_beats(rng, width, range(height))
        assert await bench.run(beats) == expected(beats, range(height), boxes, width)
    boxes = [(0, 0, width, height), (width, 0, width + 1, height), (3, 0, 2, height), (1, 1, 1, 2)]
    bench.set_regions(boxes, width)
    beats = frame_beats(rng, width, range(height))
    assert await bench.run(beats) == expected(beats, range(height), boxes, width)


@cocotb.test
async def every_bit_of_every_region_counts(dut: Any) -> None:
    """Four lines of 4,096 pixels, far apart, each with both edges of four regions."""
    bench = Bench(dut)
    rng = bench_rng("bits")
    await bench.loop.reset()
    for turn in range(PPC):
        ones = turn % 2 == 0
        rows = lopsided(rng, 8191, 4, ones)
        boxes = []
        for row in rows:
            edges = lopsided(rng, 4097, NUM_ROI // 2, ones)
            boxes += [(x0, row, x1, row + 1) for x0, x1 in zip(edges[::2], edges[1::2], strict=True)]
        rng.shuffle(boxes)
        bench.set_regions(boxes, 4096)
        beats = frame_beats(rng, 4096, rows)
        assert await bench.run(beats) == expected(beats, rows, boxes, 4096)


@cocotb.test
async def every_point_was_met(dut: Any) -> None:
    """The last test: what the tests before it were to meet."""
    POINTS.require()
