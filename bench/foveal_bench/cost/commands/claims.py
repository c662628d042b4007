"""`foveal claims`: what two white papers say, and what this installation finds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from foveal.errors import FovealError
from rich.table import Table

from foveal_bench.cost.commands.options import PRICES
from foveal_bench.streams import ReportingConsole, echo

__all__ = ["claims"]

AGREED, CHANGED = 0, 1


@click.group()
def claims() -> None:
    """The figures of two white papers, and a verdict on each that is recomputed here.

    \b
    foveal claims check                              all of them
    foveal claims check --run out/bench/run.json     with the latencies of a run
    foveal claims check A24 A25                      some
    """


@claims.command("check")
@click.argument("names", nargs=-1)
@click.option(
    "--run", "run_path", type=click.Path(dir_okay=False, path_type=Path), help="run.json of a VALID run, for latencies."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the simulations.")
@PRICES
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(names: tuple[str, ...], run_path: Path | None, seed: int, prices: Path | None, as_json: bool) -> None:
    """Recompute the verdict on every claim whose id starts with one of NAMES (none: all).

    A claim holds, holds only if (a condition that is printed), contradicts itself (or public data), or is not checked
    here, with what it would need. Latencies come from --run; the fabric interval from the kernel's counter, by
    co-simulating one small frame where no run is given; money from the cost model; the rest from formulas and
    simulations. A recomputed verdict that differs from the recorded one ends the command with 1.

    \b
    foveal claims check --run out/bench/run.json
    foveal claims check A25 --prices mine.yaml --json

    Exit codes: 0 as recorded, 1 a verdict changed, 2 wrong usage, 3 a file is not usable.
    """
    from foveal_bench.cost.book import load_book
    from foveal_bench.cost.claims.claim import check, load_claims
    from foveal_bench.cost.claims.evidence import Evidence, load_run

    chosen = [claim for claim in load_claims() if not names or claim.id.startswith(names)]
    if not chosen:
        raise FovealError(f"no claim is called {' or '.join(names)}; ids are such as A25 or A25.saving")
    evidence = Evidence(load_book(prices), load_run(run_path) if run_path else None, seed)
    rows = [_row(check(claim, evidence)) for claim in chosen]
    changed = [row["id"] for row in rows if row["changed"]]
    if as_json:
        echo(json.dumps({"seed": seed, "changed": changed, "claims": rows}, indent=1, allow_nan=False))
    else:
        _show(rows, seed)
    sys.exit(CHANGED if changed else AGREED)


def _row(checked: Any) -> dict[str, Any]:
    claim, finding = checked.claim, checked.finding
    return {
        "id": claim.id,
        "text": claim.text,
        "claimed": claim.value,
        "unit": claim.unit,
        "found": finding.value,
        "verdict": str(finding.verdict),
        "recorded": str(claim.recorded),
        "changed": checked.changed,
        "reason": finding.reason,
        "provenance": finding.provenance,
        "needs": claim.needs,
    }


def _number(value: float | None) -> str:
    """Four digits, and whole numbers from 1,000 on."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _show(rows: list[dict[str, Any]], seed: int) -> None:
    console = ReportingConsole()
    if not console.is_terminal:
        console.width = 200
    table = Table()
    for name in ("id", "claim", "claimed", "found", "unit", "verdict", "because, or only if"):
        table.add_column(name, justify="right" if name in ("claimed", "found") else "left")
    for row in rows:
        verdict = row["verdict"] + (f" (was: {row['recorded']})" if row["changed"] else "")
        numbers = [_number(row[key]) for key in ("claimed", "found")]
        table.add_row(row["id"], row["text"], *numbers, row["unit"], verdict, row["reason"])
    console.print(table)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    console.print(f"{len(rows)} claims: " + ", ".join(f"{n} {name}" for name, n in counts.items()) + f"; seed {seed}")
    for row in rows:
        if row["changed"]:
            console.print(f"changed: {row['id']} {row['recorded']} -> {row['verdict']}: {row['reason']}", markup=False)
