"""`foveal tco risk`: how sure a saving is, and what it hangs on."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from foveal_bench.cost.book import load_book
from foveal_bench.cost.commands.options import PRICES
from foveal_bench.cost.comparison import Comparison, compare
from foveal_bench.cost.counterfactual import effect, read_change
from foveal_bench.cost.fleet import REFERENCE, load_fleet
from foveal_bench.cost.tco import Service
from foveal_bench.cost.uncertainty import DRAWS, interval, outcome, tornado
from foveal_bench.streams import ReportingConsole, echo

__all__ = ["risk_command"]


@click.command("risk")
@click.argument("baseline", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.argument("alternative", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--streams", type=click.IntRange(1), default=4, show_default=True, help="Camera streams to serve.")
@click.option("--draws", type=click.IntRange(100, 1_000_000), default=DRAWS, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True)
@click.option("--claimed", type=float, default=41.0, show_default=True, help="Percent that are claimed to be saved.")
@click.option("--do", "changes", multiple=True, metavar="CHANGE", help="What if; may be given more than once.")
@click.option("--sobol/--no-sobol", default=True, show_default=True, help="Which figures the variance comes from.")
@click.option("--region", help="Prefer prices of this region.")
@PRICES
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def risk_command(
    baseline: Path | None,
    alternative: Path | None,
    prices: Path | None,
    region: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """How sure the saving of ALTERNATIVE over BASELINE is, when every figure with a spread is drawn from it.

    Fleet files as for `foveal tco compare`; sized by frame rate. Spreads stand in the price book and the fleet files;
    figures that both fleets share share their draws. --do changes one thing, draws everything else as before and
    reports the difference draw by draw:

    \b
    fpga=off       take the FPGA out: the node renders as the baseline's does
    region=full    render whole frames (the fleet file's full_frame)
    price*1.2      every price; price.U55C*1.2 one; tariff=0.2, staff=0, latency_ms*0.5 ...

    \b
    foveal tco risk --streams 8
    foveal tco risk --do fpga=off --do price.U55C*1.5 --no-sobol
    foveal tco risk a.yaml b.yaml --draws 100000 --seed 7 --json
    """
    if (baseline is None) != (alternative is None):
        raise click.UsageError("name two fleet files, or none for the shipped ones")
    changes = [read_change(text) for text in options["changes"]]
    book = load_book(prices)
    first, second = (load_fleet(path or name) for path, name in zip((baseline, alternative), REFERENCE, strict=True))
    comparison = compare(book, first, second, Service(book.figures["service_fps"].value, None), region)
    result = _result(comparison, changes, **{k: options[k] for k in ("streams", "draws", "seed", "claimed", "sobol")})
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False))
    else:
        _show(result)


def _result(
    comparison: Comparison, changes: list[Any], *, streams: int, draws: int, seed: int, claimed: float, sobol: bool
) -> dict[str, Any]:
    found = outcome(comparison, streams, draws, seed)
    result: dict[str, Any] = {
        "streams": streams,
        "draws": draws,
        "seed": seed,
        "currency": comparison.book.currency,
        "fleets": [
            {"name": fleet.name, "total": asdict(interval(totals))}
            for fleet, totals in zip(comparison.fleets, (found.baseline, found.alternative), strict=True)
        ],
        "saving": asdict(interval(found.saving)),
        "claimed_percent": claimed,
        "probability_of_claimed": found.probability(claimed / 100),
        "probability_cheaper": float((found.saving > 0).mean()),
        "tornado": [asdict(swing) for swing in tornado(comparison, streams)],
        "changes": [
            {"do": change.text}
            | {k: v for k, v in asdict(effect(comparison, change, streams, draws, seed)).items() if k != "change"}
            for change in changes
        ],
    }
    if sobol:
        from foveal_bench.cost.sobol import sobol_indices

        result["sobol"] = [asdict(index) for index in sobol_indices(comparison, streams, seed)]
    return result


def _show(result: dict[str, Any]) -> None:
    console = ReportingConsole()
    if not console.is_terminal:
        console.width = 160
    title = (
        f"A year of {result['streams']} streams, {result['currency']}: {result['draws']:,} draws, seed {result['seed']}"
    )
    table = Table(title=title, title_justify="left")
    for name in ("", "median", "95 % from", "to"):
        table.add_column(name, justify="right" if name else "left")
    for fleet in result["fleets"]:
        table.add_row(fleet["name"], *(f"{fleet['total'][key]:,.0f}" for key in ("median", "low", "high")))
    table.add_row("saving", *_percents(result["saving"]))
    for change in result["changes"]:
        table.add_section()
        table.add_row(f"--do {change['do']}: saving", *_percents(change["saving"]))
        table.add_row("  saving, with minus without", *_percents(change["gained"]))
        table.add_row("  cost, with minus without", *(f"{change['more'][k]:+,.0f}" for k in ("median", "low", "high")))
    console.print(table)
    for line in (
        f"saving at least {result['claimed_percent']:g} %: probability {result['probability_of_claimed']:.2f}",
        f"cheaper at all: probability {result['probability_cheaper']:.3f}",
    ):
        console.print(line, highlight=False)
    console.print(_figures(result))
    if result.get("sobol") == []:
        console.print("The saving does not vary: no figure has a spread that matters.")


def _figures(result: dict[str, Any]) -> Table:
    indices = {index["name"]: index for index in result.get("sobol", [])}
    table = Table(title="What it hangs on, the widest swing first", title_justify="left")
    for name in ("figure", "from", "to", "saving there", "and there", "Sobol first", "total"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for swing in result["tornado"]:
        index = indices.get(swing["name"])
        shares = [f"{index['first']:.2f}", f"{index['total']:.2f}"] if index else ["-", "-"]
        ends = [f"{swing[key]:.4g}" for key in ("low", "high")]
        table.add_row(
            swing["name"], *ends, f"{100 * swing['at_low']:.1f} %", f"{100 * swing['at_high']:.1f} %", *shares
        )
    return table


def _percents(found: dict[str, float]) -> list[str]:
    return [f"{100 * found[key]:.1f} %" for key in ("median", "low", "high")]
