"""Stage times from event intervals: span, sum and the end of the last command are three different things."""

from __future__ import annotations

import pytest
from foveal import Provenance
from foveal.opencl.timing import Interval, busy_ns, span_ns, stage_times

TWO_KERNELS = [
    Interval("upload", 0, 900),
    Interval("geometry", 1000, 41000),
    Interval("raster", 43000, 48000),
    Interval("read_back", 49000, 60000),
]


def test_span_is_first_start_to_last_end() -> None:
    assert span_ns(TWO_KERNELS[1:3]) == 47_000
    assert span_ns(TWO_KERNELS) == 60_000


def test_busy_leaves_the_gaps_out() -> None:
    assert busy_ns(TWO_KERNELS[1:3]) == 45_000


def test_a_gap_counts_for_the_stage_that_comes_after_it() -> None:
    assert {s.name: s.time_ns for s in stage_times(TWO_KERNELS)} == {
        "upload": 900,
        "geometry": 40_100,
        "raster": 7_000,
        "read_back": 12_000,
    }


def test_stages_sum_to_the_span_and_are_measured() -> None:
    split = [
        Interval("upload", 100, 200),
        Interval("upload", 150, 400),
        Interval("raster", 390, 700),
        Interval("raster", 720, 800),
    ]
    stages = stage_times(split)
    assert [(s.name, s.time_ns) for s in stages] == [("upload", 300), ("raster", 400)]
    assert sum(s.time_ns for s in stages) == span_ns(split)
    assert {s.provenance for s in stages} == {Provenance.MEASURED}


def test_a_command_that_ended_before_the_stage_before_it_adds_nothing() -> None:
    assert [s.time_ns for s in stage_times([Interval("a", 0, 100), Interval("b", 20, 60)])] == [100, 0]


@pytest.mark.parametrize("measure", [span_ns, busy_ns])
def test_no_command_takes_no_time(measure) -> None:
    assert measure([]) == 0
    assert stage_times([]) == ()
