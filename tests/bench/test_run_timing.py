"""A run on an image: its timing report decides whether the run may be VALID."""

from __future__ import annotations

from pathlib import Path

import pytest
from foveal_bench.options import BenchOptions
from foveal_bench.run import _timing
from foveal_bench.verdict import Verdict
from timing_text import report

MISSED = "-0.312 -1804.11 9120 1403771 0.010 0 0 1 0.000 0.000 0 1"


def verdict_of(options: BenchOptions) -> tuple[dict[str, object] | None, Verdict]:
    verdict = Verdict()
    return _timing(options, verdict), verdict


def test_without_an_image_nothing_is_asked(tmp_path: Path) -> None:
    figures, verdict = verdict_of(BenchOptions(tmp_path))
    assert figures is None
    assert verdict.valid


def test_the_report_beside_the_image_is_read(tmp_path: Path) -> None:
    (tmp_path / "foveal_u280.timing.rpt").write_text(report())
    figures, verdict = verdict_of(BenchOptions(tmp_path, xclbin=tmp_path / "foveal_u280.xclbin"))
    assert verdict.valid
    assert figures is not None
    assert figures["setup_ns"] == 0.021


@pytest.mark.parametrize("named", [False, True])
def test_a_missed_clock_is_invalid(tmp_path: Path, named: bool) -> None:
    path = tmp_path / ("other.rpt" if named else "foveal_u280.timing.rpt")
    path.write_text(report(MISSED))
    options = BenchOptions(tmp_path, xclbin=tmp_path / "foveal_u280.xclbin", timing_report=path if named else None)
    figures, verdict = verdict_of(options)
    assert str(verdict) == "INVALID"
    assert verdict.lines() == [f"timing of the image is not closed: {path}: setup is missed by 0.312 ns (WNS -0.312)"]
    assert figures is not None
    assert figures["setup_ns"] == -0.312


def test_a_report_of_another_card_is_invalid(tmp_path: Path) -> None:
    path = tmp_path / "u55c.rpt"
    path.write_text(report(device="xcu55c-fsvh2892"))
    assert not verdict_of(BenchOptions(tmp_path, timing_report=path))[1].valid
    assert verdict_of(BenchOptions(tmp_path, timing_report=path, board="u55c"))[1].valid


def test_an_image_of_which_nothing_is_known_is_invalid(tmp_path: Path) -> None:
    figures, verdict = verdict_of(BenchOptions(tmp_path, xclbin=tmp_path / "foveal_u280.xclbin"))
    assert figures is None
    assert "foveal_u280.timing.rpt is not there" in verdict.lines()[0]
    (tmp_path / "foveal_u280.timing.rpt").write_text("no report")
    figures, verdict = verdict_of(BenchOptions(tmp_path, xclbin=tmp_path / "foveal_u280.xclbin"))
    assert figures is None
    assert verdict.lines()[0].startswith("timing of the image is unknown")
