"""What the benches came to, one row a module; the table of ``make sim``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Row", "configurations", "points_met", "summary_table"]


@dataclass(frozen=True)
class Row:
    """One configuration of a bench on one simulator. `points`: functional points met and announced."""

    module: str
    sim: str
    parameters: dict[str, object]
    tests: int
    points: tuple[int, int]
    seconds: float


def points_met(path: Path) -> tuple[int, int]:
    """(met, announced) functional points that a bench left at `path`; none where it announces none."""
    hits = json.loads(path.read_text()) if path.is_file() else {}
    return sum(bool(count) for count in hits.values()), len(hits)


def configurations(sets: Sequence[dict[str, object]]) -> str:
    """Parameter sets in few words: "PPC 8, 1, 2" where each names that parameter alone, else set by set."""
    names = {tuple(values) for values in sets}
    if len(names) == 1 and len(next(iter(names))) == 1:
        (name,) = next(iter(names))
        return f"{name} " + ", ".join(str(values[name]) for values in sets)
    return "; ".join(", ".join(f"{name} {value}" for name, value in values.items()) or "as it is" for values in sets)


def summary_table(rows: Iterable[Row]) -> str:
    """A table in Markdown: modules in the order of `rows`, tests, points and seconds added up over a module's runs."""
    modules: dict[str, list[Row]] = {}
    for row in rows:
        modules.setdefault(row.module, []).append(row)
    lines = ["| module | simulators | configurations | tests | points met | s |", "|---|---|---|---|---|---|"]
    total = [0, 0, 0, 0, 0.0]
    for module, runs in modules.items():
        sets: list[dict[str, object]] = []
        for run in runs:
            if run.parameters not in sets:
                sets.append(run.parameters)
        met, announced = (sum(run.points[n] for run in runs) for n in (0, 1))
        tests, seconds = sum(run.tests for run in runs), sum(run.seconds for run in runs)
        lines.append(
            f"| {module} | {', '.join(dict.fromkeys(run.sim for run in runs))} | {configurations(sets)} | {tests:,} "
            f"| {f'{met} of {announced}' if announced else ''} | {seconds:,.0f} |"
        )
        total = [a + b for a, b in zip(total, (len(runs), tests, met, announced, seconds), strict=True)]
    lines.append(f"| all | | {total[0]} runs | {total[1]:,} | {total[2]} of {total[3]} | {total[4]:,.0f} |")
    return "\n".join(lines)
