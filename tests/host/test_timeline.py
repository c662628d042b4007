"""Timelines worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.frame import Frame
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.timeline import FOLLOWERS, QUEUED, Interval, exclusive_ns, period_ns


def piece(stage: str, lane: str, start: float, end: float) -> Interval:
    return Interval(stage, lane, start, end, Provenance.MODELLED)


def frame_until(end: float) -> Frame:
    timeline = (piece("upload", "to_card", end - 50, end - 40), piece("read_back", "to_host", end - 10, end))
    return Frame(1, np.zeros((1, 1, 4), np.uint8), RegionSet.full(1, 1), (), {}, timeline)


def test_pieces_in_a_row_keep_their_times() -> None:
    row = [piece("upload", "to_card", 0, 10), piece("launch", "registers", 10, 12), piece("kernel", "raster", 12, 50)]
    assert exclusive_ns(row) == {"upload": 10, "launch": 2, "kernel": 38}


def test_what_overlaps_counts_once_and_for_the_kernel() -> None:
    """Registers at 20 to 30 lie inside the geometry run; 45 to 48 nothing happens; the raster begins at 48."""
    pieces = [
        piece("kernel", "raster", 48, 60),
        piece("geometry", "geometry", 5, 40),
        piece("upload", "to_card", 0, 5),
        piece("launch", "registers", 20, 30),
        piece("launch", "registers", 38, 45),
        piece("read_back", "to_host", 60, 61),
    ]
    spent = exclusive_ns(pieces)
    assert spent == {"upload": 5, "geometry": 35, "launch": 5, QUEUED: 3, "kernel": 12, "read_back": 1}
    assert sum(spent.values()) == 61


def test_the_raster_owns_an_instant_that_both_kernels_work_in() -> None:
    assert exclusive_ns([piece("geometry", "geometry", 0, 10), piece("kernel", "raster", 6, 14)]) == {
        "geometry": 6,
        "kernel": 8,
    }


def test_no_pieces_take_no_time() -> None:
    assert exclusive_ns([]) == {}


def test_period_leaves_out_the_frames_that_nothing_follows() -> None:
    """Ends at 100, 160, 240, then two that come soon after: (240 - 100) / 2."""
    assert FOLLOWERS == 2
    assert period_ns([frame_until(end) for end in (100, 160, 240, 250, 255)]) == 70


@pytest.mark.parametrize("count", [0, 3])
def test_too_few_frames_have_no_period(count: int) -> None:
    with pytest.raises(ValueError, match="needs 4 frames"):
        period_ns([frame_until(100.0 * n) for n in range(count)])


def test_frames_without_timelines_have_no_period() -> None:
    bare = Frame(1, np.zeros((1, 1, 4), np.uint8), RegionSet.full(1, 1), ())
    with pytest.raises(ValueError, match="one frame at a time, so that their period is a frame's latency_ns"):
        period_ns([bare] * 8)
