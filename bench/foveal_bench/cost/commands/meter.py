"""`foveal meter`: energy, money and utilisation from logs and tables as they come."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
from foveal.errors import FovealError
from foveal.sample import Sample

from foveal_bench.cost.book import PriceBook, load_book
from foveal_bench.cost.commands.options import PRICES, notation_options
from foveal_bench.cost.intake.cells import Notation
from foveal_bench.cost.intake.energy import Energy, count, integrate
from foveal_bench.cost.intake.otlp import Problem, read_samples
from foveal_bench.cost.intake.periods import Window, per_frame
from foveal_bench.cost.intake.table import Column, read_table
from foveal_bench.cost.intake.usage import NodeUse, accelerator_cost, mean_utilisation, total
from foveal_bench.cost.money import cents
from foveal_bench.streams import echo

__all__ = ["meter"]

FILE = click.Path(dir_okay=False, exists=True, path_type=Path)
JOULES_PER_KWH = 3_600_000


@click.group()
def meter() -> None:
    """Energy, money and utilisation from your logs, refused where they mean two things.

    \b
    foveal meter energy power.csv       joules and cost of a log of watts (also OTLP/JSON lines)
    foveal meter costs costs.csv        a sum over currencies, and the cost of a frame in each window
    foveal meter nodes nodes.csv        accelerators of nodes: cost and utilisation
    """


@meter.command("energy")
@click.argument("log", type=FILE)
@click.option("--wraps-at", type=float, help="Value at which a counter of joules starts again from 0.")
@click.option("--metric", default="power", show_default=True, help="Name of the metric in OTLP/JSON lines.")
@click.option("--zone", help="Time zone of times without one, such as Europe/Berlin.")
@notation_options
@PRICES
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def energy_command(
    log: Path,
    metric: str,
    zone: str | None,
    wraps_at: float | None,
    prices: Path | None,
    as_json: bool,
    **notation: str | None,
) -> None:
    """Energy of LOG: a table with t_s (seconds) or time (ISO 8601), and W (power) or J (a counter that only rises);
    or .jsonl with OTLP metrics of power.

    Samples are put in order of time; two values of one time are refused; spans beside a missing value are not counted
    (covered says how much was). Series of OTLP are told apart by their attributes. Energy is priced at the book's
    electricity.

    \b
    foveal meter energy card.csv --json
    foveal meter energy metrics.jsonl --metric card.power
    """
    book = load_book(prices)
    tariff = book.in_currency(book.price("electricity", "energy"))
    notes: list[str] = []
    counter = False
    if log.suffix.lower() == ".jsonl":
        series, problems = _otlp_series(log, metric)
        notes += [f"{p.status}: {p.metric}: {p.detail}" for p in problems]
    else:
        only, counter = _log(log, Notation(**notation), zone, notes)
        series = {"": only}
    rows = []
    for name, (times, values) in series.items():
        try:
            found = count(times, values, wraps_at=wraps_at) if counter else integrate(times, values)
        except ValueError as error:
            raise FovealError(f"{log}: {name + ': ' if name else ''}{error}") from error
        rows.append(_energy(name, found, tariff, book))
    if as_json:
        echo(json.dumps({"series": rows, "notes": notes}, indent=1, allow_nan=False))
        return
    for row in rows:
        label = f"{row['series']}: " if row["series"] else ""
        flags = f" ({', '.join(row['flags'])})" if row["flags"] else ""
        echo(f"{label}{row['joules']:.6g} J over {row['covered_s']:.6g} s, {row['cost']} {row['currency']}{flags}")
    for note in notes:
        echo(f"note: {note}")


def _energy(name: str, found: Energy, tariff: Decimal, book: PriceBook) -> dict[str, Any]:
    cost = Decimal(repr(found.joules)) / JOULES_PER_KWH * tariff
    return {
        "series": name,
        "joules": found.joules,
        "covered_s": found.covered_s,
        "mean_w": found.joules / found.covered_s if found.covered_s else None,
        "cost": str(cost.quantize(Decimal("0.000001"))),
        "currency": book.currency,
        "flags": list(found.flags),
    }


Series = tuple[list[float], list[float | None]]


def _log(log: Path, notation: Notation, zone: str | None, notes: list[str]) -> tuple[Series, bool]:
    """The samples, and whether they are of a counter."""
    columns = [Column(name, "number", required=False) for name in ("t_s", "W", "J")]
    table = read_table(log, [*columns, Column("time", "time", required=False)], notation=notation, zone=zone)
    notes += table.notes
    present = [name for name in ("W", "J") if any(row[name] is not None for row in table.rows)]
    if len(present) != 1:
        raise FovealError(f"{log} needs a column W or J with values, and not both")
    times = []
    for row, number in zip(table.rows, table.numbers, strict=True):
        if (row["t_s"] is None) == (row["time"] is None):
            raise FovealError(f"{log}: row {number} needs a t_s or a time, and not both")
        times.append(float(row["t_s"]) if row["time"] is None else row["time"].timestamp())
    values = [None if row[present[0]] is None else float(row[present[0]]) for row in table.rows]
    return (times, values), present == ["J"]


def _otlp_series(log: Path, metric: str) -> tuple[dict[str, Series], list[Problem]]:
    samples: list[Sample] = []
    problems: list[Problem] = []
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
        except ValueError as error:
            raise FovealError(f"{log}: line {number} is not JSON: {error}") from error
        if not isinstance(document, dict):
            raise FovealError(f"{log}: line {number} holds no OTLP metrics")
        found, refused = read_samples(document, datetime.now(UTC))
        samples += found
        problems += refused
    series: dict[str, Series] = {}
    for sample in samples:
        if sample.metric == metric:
            name = ", ".join(f"{key}={value}" for key, value in sample.attributes)
            times, watts = series.setdefault(name, ([], []))
            times.append(sample.time_ns / 1e9)
            watts.append(sample.value)
    if not series:
        names = ", ".join(sorted({s.metric for s in samples})) or "none that can be used"
        detail = f"; {problems[0].status}: {problems[0].detail}" if problems else ""
        raise FovealError(f"{log} has no samples of {metric!r}; it has {names}{detail}")
    return series, problems


@meter.command("costs")
@click.argument("table", type=FILE)
@click.option("--exclude", is_flag=True, help="Leave out rows without amount, currency or rate, and name them.")
@click.option("--zone", help="Time zone of times without one.")
@notation_options
@PRICES
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def costs_command(
    table: Path, exclude: bool, zone: str | None, prices: Path | None, as_json: bool, **notation: str | None
) -> None:
    """Add up TABLE: columns cost and currency; with start, end and frames also the cost of a frame in each window.

    Currencies are converted at the book's rates, which are printed with their dates. One row without a currency makes
    the sum unknown. A window that is empty, runs backwards or starts in the year 1 has no cost of a frame.
    """
    book = load_book(prices)
    columns = [Column("cost", "number", null=True), Column("currency", null=True)]
    columns += [Column("start", "time", required=False), Column("end", "time", required=False)]
    columns += [Column("frames", "number", required=False)]
    found = read_table(table, columns, notation=Notation(**notation), zone=zone)
    rates = {code: (figure.value, str(figure.date or "no date")) for code, figure in book.rates.items()}
    summed = total([(r["cost"], r["currency"]) for r in found.rows], book.currency, rates, exclude=exclude)
    for row, number in zip(found.rows, found.numbers, strict=True):
        if len({row[name] is None for name in ("start", "end", "frames")}) > 1:
            raise FovealError(f"{table}: row {number} needs start, end and frames together, or none of them")
    windows = [_window(row) for row in found.rows]
    result = {
        "total": None if summed.amount is None else str(summed.amount),
        "currency": summed.currency,
        "status": summed.status,
        "rates": {code: {"rate": str(rate), "date": when} for code, (rate, when) in summed.rates.items()},
        "excluded": list(summed.excluded),
        "windows": windows,
        "notes": found.notes,
    }
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False))
        return
    echo(f"total: {result['total'] or 'unknown'} {summed.currency} ({summed.status})")
    for code, (rate, when) in summed.rates.items():
        echo(f"rate: 1 {code} = {rate} {summed.currency} ({when})")
    for number, window in enumerate(windows, 1):
        if window["status"] != "none":
            echo(f"row {number}: {window['cost_per_frame'] or '-'} a frame ({window['status']})")
    for note in found.notes:
        echo(f"note: {note}")


def _window(row: dict[str, Any]) -> dict[str, Any]:
    if None in (row["cost"], row["start"], row["end"], row["frames"]):
        return {"cost_per_frame": None, "status": "none"}
    cost, status = per_frame(row["cost"], int(row["frames"]), Window(row["start"], row["end"]), datetime.now(UTC))
    return {"cost_per_frame": None if cost is None else f"{cost:.9f}", "status": status}


@meter.command("nodes")
@click.argument("table", type=FILE)
@click.option("--hours", type=float, default=1.0, show_default=True, help="Hours that the nodes were there.")
@notation_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def nodes_command(table: Path, hours: float, as_json: bool, **notation: str | None) -> None:
    """Cost and utilisation of TABLE: columns cards, price_per_hour, busy_s, seen_s, one node a row.

    A node without cards pays for none, whatever its price. A reading that is missing is unknown: it is not 0, and the
    mean is then unknown too.
    """
    if not math.isfinite(hours) or hours <= 0:
        raise click.BadParameter("it must be more than 0", param_hint="--hours")
    columns = [Column("cards", "number"), Column("price_per_hour", "number")]
    columns += [Column("busy_s", "number", null=True), Column("seen_s", "number", null=True)]
    found = read_table(table, columns, notation=Notation(**notation))
    uses = [NodeUse(int(r["cards"]), r["price_per_hour"], r["busy_s"], r["seen_s"]) for r in found.rows]
    rows = []
    for use in uses:
        cost, per_busy = accelerator_cost(use, Decimal(repr(hours)))
        rows.append(
            {
                "cost": str(cents(cost)),
                "utilisation": None if use.utilisation is None else float(use.utilisation),
                "cost_per_busy_hour": None if per_busy is None else str(cents(per_busy)),
            }
        )
    mean = mean_utilisation(uses)
    result = {"nodes": rows, "mean_utilisation": None if mean is None else float(mean), "notes": found.notes}
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False))
        return
    for number, row in enumerate(rows, 1):
        shown = "unknown" if row["utilisation"] is None else f"{100 * row['utilisation']:.1f} %"
        echo(f"node {number}: {row['cost']}, utilisation {shown}, a busy hour {row['cost_per_busy_hour'] or '-'}")
    echo(f"mean utilisation: {'unknown' if mean is None else f'{100 * float(mean):.1f} %'}")
