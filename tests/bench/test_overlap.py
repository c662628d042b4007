"""Figures of frames in flight together, by hand: painters whose timelines are made up."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import Painter, make_step
from foveal.frame import Frame, StageTime
from foveal.provenance import Provenance
from foveal.timeline import Interval
from foveal_bench.console import overlap_fact
from foveal_bench.loop import Configuration, FrameLoop
from foveal_bench.overlap import SHOWN, measure_overlap, without_pixels
from foveal_bench.plots import LANES, lanes
from foveal_bench.store import RecordStore
from foveal_bench.verdict import Verdict

MS = 1e6


def timed(frame: Frame, start: float, end: float, accesses: int) -> Frame:
    """`frame` from start to end ms: a ms of geometry at first, the raster behind it."""
    timeline = (
        Interval("geometry", "geometry", start * MS, (start + 1) * MS, Provenance.MODELLED),
        Interval("kernel", "raster", (start + 1) * MS, end * MS, Provenance.SIMULATED),
    )
    stages = (StageTime("kernel", (end - start) * MS, Provenance.SIMULATED),)
    counters = {"register_reads": accesses, "register_writes": 1}
    return Frame(frame.frame, frame.pixels, frame.regions, stages, counters, timeline)


class Card(Painter):
    """Alone a frame takes 6 ms; in a stream frame n takes 8 ms and ends at 8 + 2 n; the last two end 0.5 ms earlier."""

    def render(self, draw, regions):
        return timed(super().render(draw, regions), 0, 6, 9)

    def stream(self, requests, *, channels=None):
        asked = list(requests)
        for n, (draw, regions) in enumerate(asked):
            early = 0.5 if n >= len(asked) - 2 else 0.0
            yield timed(super().render(draw, regions), 2 * n - early, 8 + 2 * n - early, 4)


def measured(card: Card, tmp_path, verdict: Verdict, count: int = 7):
    configuration = Configuration("card", "card", card, full=False, exact=True)
    with RecordStore(tmp_path) as store:
        loop = FrameLoop(
            [configuration], Painter(), store, verdict, seed=1, picture_every=99, on_picture=lambda *_: None
        )
        drawn = [(step, without_pixels(loop.run(step)["card"])) for step in map(make_step, range(count))]
    return measure_overlap(drawn, card, lambda step, frame: loop.check(step, configuration, frame))


def test_period_latency_and_their_ratio(tmp_path):
    verdict = Verdict()
    figures = measured(Card(), tmp_path, verdict)
    assert verdict.valid
    assert (figures["serial_ms"], figures["period_ms"], figures["latency_ms"]) == (6, 2, 8)
    assert figures["ratio"] == 3
    # seven frames of 6 ms, against the time from 0 to the last one's end at 8 + 12 - 0.5
    assert figures["ratio_with_ends"] == pytest.approx(42 / 19.5)
    assert figures["register_accesses"] == {"one_at_a_time": 10, "overlapped": 5}
    assert figures["pixels_different"] == 0
    assert figures["provenance"] == "modelled + simulated"
    text = overlap_fact(figures)
    assert "one each 2.00 ms" in text
    assert "3.00 x the throughput" in text
    assert "takes 8.00 ms" in text


def test_picture_shows_each_frame_on_its_lanes(tmp_path):
    timelines = measured(Card(), tmp_path, Verdict())["timelines"]
    assert [len(timelines[key]) for key in ("one_at_a_time", "overlapped")] == [SHOWN, SHOWN]
    assert [pieces[0]["start_ms"] for pieces in timelines["one_at_a_time"]] == [0, 6, 12, 18, 24]
    assert [pieces[0]["start_ms"] for pieces in timelines["overlapped"]] == [0, 2, 4, 6, 8]
    picture = lanes(timelines)
    for words in (*LANES.values(), "one frame at a time", "frames in flight together", "milliseconds"):
        assert words in picture
    # each frame's number stands in its geometry and its raster, above and below
    assert sum(picture.count(f">{n}</text>") for n in range(SHOWN)) >= 4 * SHOWN


def test_wrong_pixel_in_flight_makes_the_run_invalid(tmp_path):
    class Spoiling(Card):
        def stream(self, requests, *, channels=None):
            for n, frame in enumerate(super().stream(requests)):
                if n == 3:
                    frame.pixels[10, 20, 1] ^= 1
                yield frame

    verdict = Verdict()
    assert measured(Spoiling(), tmp_path, verdict)["pixels_different"] == 1
    assert "card, tick 3: 1 pixels, the first at x 20, y 10" in verdict.lines()[0]


def test_frames_in_another_order_make_the_run_invalid(tmp_path):
    class Swapping(Card):
        def stream(self, requests, *, channels=None):
            asked = list(requests)
            yield from super().stream([asked[1], asked[0], *asked[2:]])

    verdict = Verdict()
    measured(Swapping(), tmp_path, verdict)
    assert any("a stale image: card answered frame 101 for 100" in line for line in verdict.lines())


def test_figures_alone_hold_no_pixels():
    frame = Painter().render(make_step(1).draw, make_step(1).regions)
    assert without_pixels(frame).pixels.size == 0
    assert np.count_nonzero(frame.pixels)
