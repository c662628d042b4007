"""Timing reports of an image: what Vivado prints, and what makes a run on it INVALID."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from foveal_bench.timing_report import against_timing, main, read_summary, report_beside
from timing_text import report

PART = "xcu280-fsvh2892-2L-e"


def test_a_closed_report_is_read_and_says_nothing() -> None:
    summary = read_summary(report())
    assert (summary.setup_ns, summary.hold_ns, summary.pulse_ns) == (0.021, 0.010, 0.0)
    assert (summary.failing, summary.state, summary.device) == (0, "Routed", "xcu280-fsvh2892")
    assert summary.tool.startswith("Vivado v.2023.1")
    assert summary.faults(PART) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (report("-0.312 -1804.11 9120 1403771 0.010 0 0 1 0.000 0.000 0 1"), r"missed by 0\.312 ns \(WNS -0\.312"),
        (report("-0.001 -0.001 1 1403771 0.010 0 0 1 0.000 0.000 0 1"), "setup is missed by 0.001 ns"),
        (report("0.100 0.000 0 1403771 -0.020 -0.020 1 1402107 0.000 0.000 0 1"), "hold is missed by 0.020 ns"),
        (report("0.100 0.000 0 1403771 0.020 0.000 0 1 -0.150 -0.150 1 9"), "pulse width is missed"),
        (report("0.000 0.000 3 1403771 0.020 0.000 0 1 0.000 0.000 0 9"), "3 end points fail"),
        (report("NA NA NA NA NA NA NA NA NA NA NA NA"), "no path was timed"),
        (report("inf 0.000 0 0 inf 0.000 0 0 NA NA NA NA"), "no path was timed"),
        (report(unconstrained=64), "64 unconstrained end points"),
        (report(no_clock=1200), "1,200 registers without a clock"),
        (report(state="Synthesized"), "a design that is Synthesized, not Routed"),
        (report(state="Fully Placed"), "not Routed"),
        (report(device="xcu55c-fsvh2892"), "is of a xcu55c-fsvh2892, the card has a xcu280"),
    ],
)
def test_an_image_that_must_not_be_trusted(text: str, complaint: str) -> None:
    faults = read_summary(text).faults(PART)
    assert len(faults) == 1
    assert re.search(complaint, faults[0])


def test_a_device_without_the_leading_letters_is_the_same() -> None:
    assert read_summary(report(device="u280-fsvh2892")).faults(PART) == []


WHOLE = report()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no Design Timing Summary"),
        ("<html>not found</html>", "no Design Timing Summary"),
        (WHOLE[: WHOLE.index("| Design Timing Summary") + 40], "not one of a timing summary"),
        (WHOLE.replace("WNS(ns)", "Slack"), "not one of a timing summary"),
        (report("0.021 0.000 0"), "has 3 figures"),
        (report("x 0.000 0 1 0.010 0 0 1 0.000 0 0 1"), "not made of figures"),
        (WHOLE.replace("checking unconstrained_internal_endpoints (0)", ""), "unconstrained_internal_endpoints"),
        (WHOLE.replace("checking no_clock (0)", "checking"), "no_clock"),
    ],
)
def test_what_cannot_be_read_speaks_against_the_image(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "image.timing.rpt"
    path.write_text(text)
    figures, faults = against_timing(path, PART)
    assert figures is None
    assert len(faults) == 1
    assert complaint in faults[0]
    assert str(path) in faults[0]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (WHOLE, 0, r"timing is met: WNS 0\.021 ns, WHS 0\.01 ns, WPWS 0\.0 ns \("),
        (report("0.021 0 0 1 0.010 0 0 1 NA NA NA NA"), 0, r"timing is met: WNS 0\.021 ns, WHS 0\.01 ns \("),
        (report("-0.312 -9 9 14 -0.010 0 1 1 0.000 0.000 0 1"), 1, r"timing is MISSED: .*WNS -0\.312.*; .*WHS -0\.010"),
        ("", 1, "timing is MISSED: .* is not a timing summary"),
    ],
)
def test_the_last_line_of_make_timing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, line: str
) -> None:
    path = tmp_path / "foveal_kernel.timing.rpt"
    path.write_text(text)
    assert main(str(path), PART) == code
    printed = capsys.readouterr().out
    assert re.match(line, printed)
    assert printed.count("\n") == 1


def test_a_report_that_is_not_there_speaks_against_the_image(tmp_path: Path) -> None:
    path = report_beside(tmp_path / "foveal_u280.xclbin")
    assert path == tmp_path / "foveal_u280.timing.rpt"
    figures, faults = against_timing(path)
    assert figures is None
    assert "No such file" in faults[0]
