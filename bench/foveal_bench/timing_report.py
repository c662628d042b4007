"""Is the timing of a card's image closed? Read from Vivado's timing summary (report_timing_summary) of the image.

Where it is not, the kernel may compute anything: an image whose paths are too slow has answered with all zeros on a
U55C although its RTL was right (Vortex, issue 300). So a run on such an image, or on one that nothing is known of, is
INVALID.
"""

from __future__ import annotations

import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["SUFFIX", "TimingSummary", "against_timing", "main", "read_summary", "report_beside"]

SUFFIX = ".timing.rpt"
"""boards/card.mk leaves the report beside the image under this ending."""

TITLE = re.compile(r"^\| Design Timing Summary\s*$", re.MULTILINE)
COLUMNS: tuple[str, ...] = ("WNS", "TNS", "TNS Failing", "TNS Total", "WHS", "THS", "THS Failing", "THS Total")
COLUMNS += ("WPWS", "TPWS", "TPWS Failing", "TPWS Total")
CHECKS = {"no_clock": "registers without a clock", "unconstrained_internal_endpoints": "unconstrained end points"}
SLACKS = {"WNS": "setup_ns", "WHS": "hold_ns", "WPWS": "pulse_ns"}
"""Vivado's name of each worst slack, and the field of a TimingSummary."""
UNLIMITED = ("NA", "inf")
"""What Vivado prints for a slack where there is no path of the kind."""


@dataclass(frozen=True, slots=True)
class TimingSummary:
    """Worst slacks in nanoseconds: setup, hold, pulse width; None where there is no such path.

    failing: end points that miss any of the three. untimed: end points without a clock or a constraint.
    state: "Routed" when it is final. device: "xcu280-fsvh2892".
    """

    setup_ns: float | None
    hold_ns: float | None
    pulse_ns: float | None
    failing: int
    untimed: dict[str, int]
    state: str
    device: str
    tool: str

    def faults(self, part: str | None = None) -> list[str]:
        """Why an image with this report must not be trusted; empty when its timing is closed.

        part: the card's device, as Vivado names it ("xcu280-fsvh2892-2L-e").
        """
        found = []
        if self.setup_ns is None:
            found.append("no path was timed for setup (WNS NA)")
        for name, slack in (("setup", self.setup_ns), ("hold", self.hold_ns), ("pulse width", self.pulse_ns)):
            if slack is not None and slack < 0:
                short = {"setup": "WNS", "hold": "WHS"}.get(name, "WPWS")
                found.append(f"{name} is missed by {-slack:.3f} ns ({short} {slack:.3f})")
        if self.failing and not found:
            found.append(f"{self.failing} end points fail although no slack is negative")
        found += [f"{count:,} {CHECKS[check]} ({check})" for check, count in self.untimed.items() if count]
        if self.state != "Routed":
            found.append(f"the report is of a design that is {self.state or 'in an unknown state'}, not Routed")
        if part is not None and self.device and not part.startswith(self.device):
            found.append(f"the report is of a {self.device}, the card has a {part}")
        return found


def read_summary(text: str) -> TimingSummary:
    """A summary from the text of a report. Raises ValueError when a part that decides is missing or unreadable."""
    title = TITLE.search(text)
    if title is None:
        raise ValueError("there is no Design Timing Summary in it")
    lines = [line for line in text[title.end() :].splitlines() if line.strip() and not line.startswith(("|", "---"))]
    if len(lines) < 3 or not re.match(r"\s*WNS\(ns\)\s+TNS\(ns\)\s+TNS Failing", lines[0]):
        raise ValueError("the table under Design Timing Summary is not one of a timing summary")
    cells = lines[2].split()
    if len(cells) != len(COLUMNS):
        raise ValueError(f"the row under Design Timing Summary has {len(cells)} figures, {len(COLUMNS)} are expected")
    row = dict(zip(COLUMNS, cells, strict=True))

    def slack(name: str) -> float | None:
        return None if row[name] in UNLIMITED else float(row[name])

    try:
        setup, hold, pulse = slack("WNS"), slack("WHS"), slack("WPWS")
        failing = sum(int(row[name]) for name in COLUMNS if name.endswith("Failing") and row[name] != "NA")
    except ValueError as error:
        raise ValueError(f"the row under Design Timing Summary is not made of figures: {error}") from None
    untimed = {}
    for check in CHECKS:
        count = re.search(rf"checking {check} \((\d+)\)", text)
        if count is None:
            raise ValueError(f"it does not say how check_timing found {check}; was it made without check_timing?")
        untimed[check] = int(count[1])
    return TimingSummary(
        setup_ns=setup,
        hold_ns=hold,
        pulse_ns=pulse,
        failing=failing,
        untimed=untimed,
        state=_head(text, "Design State"),
        device=_device(text),
        tool=_head(text, "Tool Version"),
    )


def _head(text: str, key: str) -> str:
    found = re.search(rf"^\| {key}\s*:\s*(.*?)\s*$", text, re.MULTILINE)
    return found[1] if found else ""


def _device(text: str) -> str:
    """ "xcu280-fsvh2892": older reports leave the leading xc out."""
    device = _head(text, "Device")
    return f"xc{device}" if device and not device.startswith("xc") else device


def report_beside(image: Path) -> Path:
    """Where the report of `image` (an .xclbin) is looked for."""
    return image.with_suffix(SUFFIX)


def against_timing(path: Path, part: str | None = None) -> tuple[dict[str, object] | None, list[str]]:
    """The report's figures (None when it cannot be read), and what speaks against the image that it is of."""
    try:
        summary = read_summary(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        return None, [f"{path} cannot be read: {error.strerror}"]
    except ValueError as error:
        return None, [f"{path} is not a timing summary of Vivado: {error}"]
    return asdict(summary) | {"file": str(path)}, [f"{path}: {fault}" for fault in summary.faults(part)]


def main(report: str, part: str) -> int:
    """``python -m foveal_bench.timing_report REPORT PART``: one line, and 0 where timing is met, else 1."""
    figures, faults = against_timing(Path(report), part)
    if figures is None or faults:
        print(f"timing is MISSED: {'; '.join(faults)}")
        return 1
    slacks = ", ".join(f"{name} {figures[key]} ns" for name, key in SLACKS.items() if figures[key] is not None)
    print(f"timing is met: {slacks} ({report})")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
