"""`foveal tco`: compare fleets."""

from __future__ import annotations

import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
from foveal.errors import FovealError
from rich.table import Table

from foveal_bench.cost.book import load_book
from foveal_bench.cost.caveats import assumptions, caveats
from foveal_bench.cost.commands.options import PRICES, TODAY, Positive
from foveal_bench.cost.comparison import MOST_STREAMS, Comparison, break_even, break_even_months, compare, payments
from foveal_bench.cost.fleet import REFERENCE, load_fleet, reference_text
from foveal_bench.cost.tco import PARTS, Bill, Service, saving
from foveal_bench.cost.unit import per_camera_hour, per_thousand_frames
from foveal_bench.streams import ReportingConsole, echo

__all__ = ["tco"]

MET, MISSED = 0, 1
CURVE = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)


@click.group()
def tco() -> None:
    """What fleets of render nodes cost a year.

    \b
    foveal tco compare gpu.yaml hybrid.yaml --streams 4     two fleets, by part, with break-even
    foveal tco risk --streams 8                             how sure the saving is, and what if
    foveal tco unit --help                                  a TFLOPS for a year, a million tokens, an interval
    foveal tco example fleets                               writes two fleet files to start from
    """


@tco.command("example")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def example_command(folder: Path) -> None:
    """Write the shipped fleets, gpu.yaml and hybrid.yaml, into FOLDER; files that exist are left alone.

    \b
    foveal tco example fleets
    foveal tco compare fleets/gpu.yaml fleets/hybrid.yaml
    """
    existing = [folder / name for name in REFERENCE if (folder / name).exists()]
    if existing:
        raise FovealError(f"{existing[0]} exists; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in REFERENCE:
            (folder / name).write_text(reference_text(name), encoding="utf-8")
            click.echo(folder / name)
    except OSError as error:
        raise FovealError(f"cannot write to {folder}: {error.strerror}") from error


@tco.command("compare")
@click.argument("baseline", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.argument("alternative", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--streams", type=click.IntRange(0), default=4, show_default=True, help="Camera streams to serve.")
@click.option("--fps", type=Positive(), help="Frames a second of each stream; default: the book's service_fps.")
@click.option(
    "--p95",
    type=Positive(optional=True),
    help="p95 latency that a frame may have, ms; `none` sizes by frame rate alone. Default: the book's service_p95_ms.",
)
@click.option("--years", type=click.IntRange(1, 20), default=3, show_default=True, help="Years of payments shown.")
@click.option("--region", help="Prefer prices of this region.")
@PRICES
@TODAY
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(
    baseline: Path | None, alternative: Path | None, as_json: bool, prices: Path | None, **options: Any
) -> None:
    """Compare what two fleets cost a year for the same streams.

    BASELINE and ALTERNATIVE are fleet files; without them, the shipped ones: a GPU alone and a GPU with an FPGA, as a
    white paper's table has them. Nodes are whole and sized by frame rate: a node's own, measured under load, or
    `serial` (1000 / latency) where the file says so. A fleet whose p95 latency is above the limit misses the service
    level with any number of nodes: it is priced, marked, and the command ends with 1.

    \b
    foveal tco compare                                      the claim's own fleets
    foveal tco compare --p95 none --streams 16              the same at any latency, for 16 cameras
    foveal tco compare a.yaml b.yaml --prices mine.yaml     your fleets at your prices

    Exit codes: 0 both fleets meet the service level, 1 one misses it, 2 wrong usage, 3 a file is not usable.
    """
    if (baseline is None) != (alternative is None):
        raise click.UsageError("name two fleet files, or none for the shipped ones")
    book = load_book(prices)
    service = Service(
        fps=options["fps"] or book.figures["service_fps"].value,
        p95_ms={None: book.figures["service_p95_ms"].value, "none": None}.get(options["p95"], options["p95"]),
    )
    first, second = (load_fleet(path or name) for path, name in zip((baseline, alternative), REFERENCE, strict=True))
    comparison = compare(book, first, second, service, options["region"])
    result = _result(comparison, options["streams"], options["years"], options["today"].date())
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False))
    else:
        _show(result)
    sys.exit(MISSED if any(fleet["missed"] for fleet in result["fleets"]) else MET)


def _result(comparison: Comparison, streams: int, years: int, today: date) -> dict[str, Any]:
    bills = comparison.bills(streams)
    curve = [(n, comparison.bills(n)) for n in sorted({*CURVE, streams} - {0})]
    gained = comparison.savings()
    return {
        "streams": streams,
        "service": {
            "fps": str(comparison.service.fps),
            "p95_ms": None if comparison.service.p95_ms is None else str(comparison.service.p95_ms),
        },
        "currency": comparison.book.currency,
        "fleets": [_fleet(fleet, years, comparison.service.fps) for fleet in bills],
        "saving": _share(saving(*bills)),
        "break_even": {
            "months": break_even_months(*bills),
            "streams": break_even(gained, lambda share: share > 0),
            "tried_to": MOST_STREAMS,
        },
        "curve": [
            {"streams": n, "totals": [str(b.total) for b in pair], "saving": _share(saving(*pair))} for n, pair in curve
        ],
        "warnings": caveats(comparison.inputs, comparison.book, today),
        "assumptions": assumptions(comparison.inputs),
    }


def _fleet(fleet: Bill, years: int, fps: Decimal) -> dict[str, Any]:
    return {
        "name": fleet.fleet,
        "nodes": fleet.nodes,
        "spare_nodes": fleet.spare_nodes,
        "missed": fleet.missed,
        "energy_kwh": float(fleet.energy_kwh),
        "parts": {name: str(amount) for name, amount in fleet.parts.items()},
        "total": str(fleet.total),
        "per_thousand_frames": _unit(per_thousand_frames(fleet.unrounded, fleet.streams, fps)),
        "per_camera_hour": _unit(per_camera_hour(fleet.unrounded, fleet.streams)),
        "payments": [{k: v if k == "year" else str(v) for k, v in row.items()} for row in payments(fleet, years)],
    }


def _unit(value: Decimal | None) -> str | None:
    """Fractions of a cent, to a millionth."""
    return None if value is None else str(value.quantize(Decimal("0.000001")))


def _share(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _show(result: dict[str, Any]) -> None:
    console = ReportingConsole()
    if not console.is_terminal:
        console.width = 160
    limit = result["service"]["p95_ms"]
    level = f"{result['service']['fps']} fps each" + (f", p95 at most {limit} ms" if limit else ", at any latency")
    table = Table(
        title=f"A year of {result['streams']} camera streams, {level}; {result['currency']} (modelled)",
        title_justify="left",
    )
    for name in ("fleet", "nodes", *PARTS, "total", "kWh", "1,000 frames", "camera-hour"):
        table.add_column(name, justify="left" if name == "fleet" else "right")
    for fleet in result["fleets"]:
        nodes = f"{fleet['nodes']}" + (f" + {fleet['spare_nodes']}" if fleet["spare_nodes"] else "")
        money = [f"{Decimal(fleet['parts'][part]):,.0f}" for part in PARTS]
        total = f"{Decimal(fleet['total']):,.0f}"
        units = [fleet[key] or "-" for key in ("per_thousand_frames", "per_camera_hour")]
        table.add_row(fleet["name"], nodes, *money, total, f"{fleet['energy_kwh']:,.0f}", *units)
    console.print(table)
    curve = Table(title="Over streams", title_justify="left")
    curve.add_column("streams")
    for row in result["curve"]:
        curve.add_column(str(row["streams"]), justify="right")
    for number, fleet in enumerate(result["fleets"]):
        curve.add_row(fleet["name"], *(f"{Decimal(row['totals'][number]):,.0f}" for row in result["curve"]))
    curve.add_row("saving", *(_percent(row["saving"]) for row in result["curve"]))
    console.print(curve)
    paid = Table(title="Payments, together by the end of a year (0: at the start)", title_justify="left")
    paid.add_column("year")
    for row in result["fleets"][0]["payments"]:
        paid.add_column(str(row["year"]), justify="right")
    for fleet in result["fleets"]:
        paid.add_row(fleet["name"], *(f"{Decimal(row['together']):,.0f}" for row in fleet["payments"]))
    console.print(paid)
    for line in _sentences(result):
        console.print(line, highlight=False, markup=False)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _streams(number: int) -> str:
    return f"{number} stream" if number == 1 else f"{number} streams"


def _sentences(result: dict[str, Any]) -> list[str]:
    first, second = result["fleets"]
    lines = [
        f"{fleet['name']} misses the service level: {fleet['missed']}" for fleet in (first, second) if fleet["missed"]
    ]
    if result["saving"] is not None:
        word = "saves" if result["saving"] >= 0 else "costs more by"
        lines.append(f"{second['name']} {word} {abs(100 * result['saving']):.1f} % at {_streams(result['streams'])}.")
    streams = result["break_even"]["streams"]
    if streams["first"] is None:
        lines.append(f"{second['name']} is never cheaper up to {result['break_even']['tried_to']} streams.")
    elif streams["always_from"] is None or streams["always_from"] > streams["first"]:
        always = (
            f", and always from {streams['always_from']}"
            if streams["always_from"]
            else ", but not for all larger fleets"
        )
        lines.append(
            f"{second['name']} is cheaper at {streams['first']} streams first{always} (tried to {MOST_STREAMS})."
        )
    elif streams["first"] == 1:
        lines.append(f"{second['name']} is cheaper at any number of streams (tried to {MOST_STREAMS}).")
    else:
        lines.append(f"{second['name']} is cheaper from {streams['first']} streams on (tried to {MOST_STREAMS}).")
    months = result["break_even"]["months"]
    if months is None:
        lines.append(f"At {_streams(result['streams'])} its payments never catch up.")
    elif months:
        lines.append(
            f"At {_streams(result['streams'])} what it costs more at the start is saved after {months} months."
        )
    return lines + [f"warning: {line}" for line in result["warnings"]]
