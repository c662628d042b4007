"""Verilator's coverage points: read from ``coverage.dat``, merged, and summed up by module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["KINDS", "ModuleCoverage", "Point", "by_module", "merge", "read_points"]

KINDS = ("line", "branch", "toggle")


@dataclass(frozen=True)
class Point:
    """Something that can be covered. `module` is the source file's stem, `lines` what the point stands for."""

    module: str
    kind: str
    line: int
    column: int
    comment: str
    lines: tuple[int, ...]


def _lines(text: str, first: int) -> tuple[int, ...]:
    """Line numbers of "3-5,8"; `first` where the text is empty."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        start, _, end = part.partition("-")
        found += range(int(start), int(end or start) + 1)
    return tuple(found) or (first,)


def read_points(path: Path) -> dict[Point, int]:
    """Hits of each point. Instances of a module with the same or other parameters count together."""
    hits: dict[Point, int] = defaultdict(int)
    for row in path.read_text(encoding="latin-1").splitlines():
        if not row.startswith("C '"):
            continue
        text, _, count = row[3:].rpartition("' ")
        fields = dict(entry.split("\x02", 1) for entry in text.split("\x01") if "\x02" in entry)
        kind = fields["page"].removeprefix("v_").split("/")[0]
        if kind not in KINDS:
            continue
        line = int(fields["l"])
        point = Point(
            Path(fields["f"]).stem,
            kind,
            line,
            int(fields["n"]),
            fields.get("o", ""),
            _lines(fields.get("S", ""), line),
        )
        hits[point] += int(count)
    return dict(hits)


def merge(runs: Iterable[dict[Point, int]]) -> dict[Point, int]:
    """Hits of several runs, added."""
    total: dict[Point, int] = defaultdict(int)
    for run in runs:
        for point, count in run.items():
            total[point] += count
    return dict(total)


@dataclass(frozen=True)
class ModuleCoverage:
    """Points of one module: `reached` and `total` by kind; what was missed."""

    module: str
    reached: dict[str, int]
    total: dict[str, int]
    missed: tuple[Point, ...]  # line and branch points
    missed_signals: tuple[str, ...]  # signals with a bit that never rose or never fell

    def share(self, kind: str) -> float:
        """Share (0..1) of the points of `kind` that were reached; 1 where there are none."""
        return self.reached[kind] / self.total[kind] if self.total[kind] else 1.0


def by_module(hits: dict[Point, int]) -> list[ModuleCoverage]:
    """Sums by module, in the order of their names."""
    groups: dict[str, list[tuple[Point, int]]] = defaultdict(list)
    for point, count in hits.items():
        groups[point.module].append((point, count))
    result = []
    for module in sorted(groups):
        group = groups[module]
        missed = [point for point, count in group if not count]
        result.append(
            ModuleCoverage(
                module,
                {kind: sum(bool(count) for point, count in group if point.kind == kind) for kind in KINDS},
                {kind: sum(point.kind == kind for point, _ in group) for kind in KINDS},
                tuple(sorted((p for p in missed if p.kind != "toggle"), key=lambda p: (p.line, p.column))),
                tuple(
                    sorted({point.comment.split(":")[0].split("[")[0] for point in missed if point.kind == "toggle"})
                ),
            )
        )
    return result
