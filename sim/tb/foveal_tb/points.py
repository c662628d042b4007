"""Functional coverage: named situations that a bench must have met by its end.

A bench makes one `Points` at module level, calls `hit` where a situation happens, and ends with a test that `require`s
all of them; cocotb runs the tests of a file in order, in one simulation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import cocotb

__all__ = ["REGION_KINDS", "Points", "region_kinds"]

REGION_KINDS = ("empty", "inverted", "1x1", "full", "off-frame", "overlapping")

Box = tuple[int, int, int, int]


class Points:
    """Hits by name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.hits = dict.fromkeys(names, 0)

    def hit(self, *names: str) -> None:
        """Count; KeyError for a name that was not announced."""
        for name in names:
            self.hits[name] += 1

    def require(self) -> None:
        """Report (the log, and points.json in the directory of the run); AssertionError names what was not met."""
        Path("points.json").write_text(json.dumps(self.hits, indent=1))
        for name, count in self.hits.items():
            cocotb.log.info("point %-32s %6d", name, count)
        missing = [name for name, count in self.hits.items() if not count]
        assert not missing, f"never met: {', '.join(missing)}"


def region_kinds(boxes: Sequence[Box], width: int, height: int) -> set[str]:
    """Which of `REGION_KINDS` a set of (x0, y0, x1, y1) boxes holds in a frame."""
    kinds = set()
    whole = []
    for x0, y0, x1, y1 in boxes:
        if x0 > x1 or y0 > y1:
            kinds.add("inverted")
        elif x0 == x1 or y0 == y1:
            kinds.add("empty")
        else:
            whole.append((x0, y0, x1, y1))
            if (x1 - x0, y1 - y0) == (1, 1):
                kinds.add("1x1")
            if x0 == 0 and y0 == 0 and x1 >= width and y1 >= height:
                kinds.add("full")
            if x0 >= width or y0 >= height:
                kinds.add("off-frame")
    for n, (ax0, ay0, ax1, ay1) in enumerate(whole):
        for bx0, by0, bx1, by1 in whole[n + 1 :]:
            if max(ax0, bx0) < min(ax1, bx1) and max(ay0, by0) < min(ay1, by1):
                kinds.add("overlapping")
    return kinds
