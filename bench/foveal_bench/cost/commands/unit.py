"""`foveal tco unit`: what one unit of work costs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import click

from foveal_bench.cost.book import load_book
from foveal_bench.cost.commands.options import PRICES, Positive
from foveal_bench.cost.unit import (
    PowerSample,
    literal_recalibrate_cost,
    per_million_tokens,
    per_tflops_year,
    recalibrate_cost,
)
from foveal_bench.streams import echo

__all__ = ["unit"]


class _Share(Positive):
    """A number from 0 to 1."""

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if str(value) == "0":
            return Decimal(0)
        number = super().convert(value, param, context)
        if number > 1:
            self.fail("a share is at most 1", param, context)
        return number


@click.group()
def unit() -> None:
    """What one unit of work costs; frames and camera hours are in `foveal tco compare`.

    \b
    foveal tco unit tflops --yearly 6953 --operations 312e12 --seconds 10
    foveal tco unit tokens --hourly 1.80 --per-second 417
    foveal tco unit interval --power 300 --capital 6700 --tflops 31.2
    """


@unit.command("tflops")
@click.option("--yearly", type=Positive(), required=True, help="What the machine costs a year.")
@click.option("--operations", type=Positive(), required=True, help="Operations that were counted.")
@click.option("--seconds", type=Positive(), required=True, help="Time in which they were.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tflops_command(yearly: Decimal, operations: Decimal, seconds: Decimal, as_json: bool) -> None:
    """A sustained TFLOPS for a year, from counted operations: a data sheet's peak is no measurement.

    \b
    foveal tco unit tflops --yearly 6953 --operations 312e12 --seconds 10
    """
    cost = per_tflops_year(yearly, int(operations), seconds)
    _print({"per_tflops_year": _digits(cost), "tflops": float(operations / seconds / 10**12)}, as_json)


@unit.command("tokens")
@click.option("--hourly", type=Positive(), required=True, help="What the machine costs an hour.")
@click.option("--per-second", type=Positive(), required=True, help="Tokens a second that were measured.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tokens_command(hourly: Decimal, per_second: Decimal, as_json: bool) -> None:
    """A million tokens; ask for input and output tokens apart, their rates differ.

    \b
    foveal tco unit tokens --hourly 1.80 --per-second 417
    """
    _print({"per_million_tokens": _digits(per_million_tokens(hourly, per_second))}, as_json)


@unit.command("interval")
@click.option("--hours", type=Positive(), default="0.25", show_default=True, help="Length of the interval.")
@click.option("--power", type=Positive(), required=True, help="Average power in it, W.")
@click.option("--capital", type=Positive(), required=True, help="Capital a year of what draws it.")
@click.option("--tflops", type=Positive(), required=True, help="TFLOPS that were sustained.")
@click.option("--cooling", type=float, default=0.0, show_default=True, help="Extra cooling cost in the interval.")
@click.option(
    "--breach", type=_Share(), default="0", show_default=True, help="Share of frames past their limit, 0 to 1."
)
@click.option(
    "--per-breach", type=Positive(), default="2.1", show_default=True, help="What a share of 1 adds, as a factor."
)
@PRICES
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def interval_command(cooling: float, as_json: bool, **options: Any) -> None:
    """An interval of running, and a TFLOPS in it; beside it the white paper's `recalibrate_cost`, word for word.

    The literal formula multiplies watts with the price of a kilowatt-hour, knows no hours and no capital, and is no
    cost; it is printed to be compared with.

    \b
    foveal tco unit interval --power 300 --capital 6700 --tflops 31.2 --breach 0.01
    """
    if not 0 <= cooling < float("inf"):
        raise click.BadParameter("it must be at least 0", param_hint="--cooling")
    book = load_book(options["prices"])
    sample = PowerSample(options["hours"], options["power"], Decimal(repr(cooling)), options["breach"])
    cost = recalibrate_cost(
        sample,
        yearly_capital=options["capital"],
        tariff=book.in_currency(book.price("electricity", "energy")),
        pue=book.figures["pue"].value,
        per_breach=options["per_breach"],
    )
    numbers = [float(options[name]) for name in ("power", "breach", "tflops")]
    literal = literal_recalibrate_cost(numbers[0], cooling, numbers[1], numbers[2])
    _print(
        {
            "interval": _digits(cost),
            "per_tflops": _digits(cost / options["tflops"]),
            "currency": book.currency,
            "literal_recalibrate_cost": literal,
        },
        as_json,
    )


def _digits(value: Decimal) -> str:
    """Six digits behind the point: a unit may cost less than a cent."""
    return str(value.quantize(Decimal("0.000001")))


def _print(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        echo(json.dumps(result, indent=1))
        return
    for name, value in result.items():
        echo(f"{name}: {value if isinstance(value, str) else format(value, '.6g')}")
