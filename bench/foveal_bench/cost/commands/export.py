"""`foveal export`: cost records for other programs."""

from __future__ import annotations

import csv
import io
import json
import sys
from datetime import datetime
from pathlib import Path

import click
from foveal.errors import FovealError

from foveal_bench.cost.claims.evidence import load_run
from foveal_bench.cost.focus.conformance import conformance
from foveal_bench.cost.focus.records import COLUMNS, records_of_run
from foveal_bench.streams import echo

__all__ = ["export"]

CONFORMS, FAULTY = 0, 1


@click.group()
def export() -> None:
    """Cost records for other programs.

    \b
    foveal export focus out/bench/run.json -o costs.csv     FOCUS 1.2 rows of a run's fleets
    foveal export check costs.csv                           whether a file conforms
    """


@export.command("focus")
@click.argument("run_path", metavar="RUN.JSON", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="File; default: standard output.")
@click.option("--fleet", help="Only this fleet; its name as in the report.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list in place of CSV.")
def focus_command(run_path: Path, out: Path | None, fleet: str | None, as_json: bool) -> None:
    """Write the fleets that a run prices as FOCUS 1.2 rows: a modelled year by month, from the month of the run.

    Each fleet is a billing account: they are alternatives, so add up one at a time. Capital is a Purchase row and
    amortised Usage rows; BilledCost adds up to what is paid, EffectiveCost to the yearly bill, to the cent. Columns
    with x_ hold energy, frames, latency, provenance and the 95 % interval.

    \b
    foveal export focus out/bench/run.json -o costs.csv
    foveal export focus out/bench/run.json --fleet "FPGA + regions" --json
    """
    run = load_run(run_path)
    try:
        records = records_of_run(run, datetime.fromisoformat(run["started"]))
    except KeyError as error:
        raise FovealError(f"{run_path} has no {error} in its cost; run `foveal bench` again") from error
    names = list(dict.fromkeys(str(record["BillingAccountName"]) for record in records))
    if fleet is not None:
        records = [record for record in records if record["BillingAccountName"] == fleet]
        if not records:
            raise FovealError(f"no fleet is called {fleet!r}; there are {', '.join(names)}")
    if as_json:
        text = json.dumps(records, indent=1) + "\n"
    else:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        text = buffer.getvalue()
    if out is None:
        echo(text.rstrip("\n"))
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FovealError(f"cannot write {out}: {error.strerror}") from error
    echo(f"{len(records)} rows of {len({r['BillingAccountId'] for r in records})} fleets: {out}")


@export.command("check")
@click.argument("table", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(table: Path, as_json: bool) -> None:
    """Check the columns of a FOCUS CSV file: the 21 mandatory ones, their values, and the names of custom ones.

    It checks a file's form row by row, not whether the costs are right.
    Exit codes: 0 it conforms, 1 it does not, 2 wrong usage, 3 it cannot be read.
    """
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except OSError as error:
        raise FovealError(f"{table} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FovealError(f"{table} is not CSV in UTF-8: {error}") from error
    if not lines:
        raise FovealError(f"{table} is empty")
    names, *cells = lines
    for number, line in enumerate(cells, 1):
        if len(line) != len(names):
            raise FovealError(f"{table}: row {number} has {len(line)} cells, {len(names)} are expected")
    found = conformance(names, [dict(zip(names, line, strict=True)) for line in cells])
    if as_json:
        echo(json.dumps({"rows": len(cells), "findings": found}, indent=1))
    else:
        for finding in found:
            echo(finding)
        echo(f"{len(cells)} rows: {'conform to the mandatory columns of FOCUS 1.2' if not found else 'do not conform'}")
    sys.exit(FAULTY if found else CONFORMS)
