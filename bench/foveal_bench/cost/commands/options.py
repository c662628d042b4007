"""Options that the cost commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from foveal_bench.cost.money import decimal

__all__ = ["PRICES", "TODAY", "Positive", "notation_options"]

PRICES = click.option(
    "--prices", type=click.Path(dir_okay=False, path_type=Path), help="Price book; default: the shipped one."
)
TODAY = click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    default=lambda: date.today().isoformat(),
    show_default="today",
    help="Date that the age of prices is counted to.",
)


class Positive(click.ParamType):
    """A positive number, or `none` where `optional`."""

    name = "number"

    def __init__(self, optional: bool = False) -> None:
        self.optional = optional

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if isinstance(value, Decimal) or (self.optional and value == "none"):
            return value
        try:
            number = decimal(value, "it")
        except ValueError as error:
            self.fail(str(error), param, context)
        if number == 0:
            self.fail("it must be more than 0", param, context)
        return number


def notation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--thousands, --decimal, --currency: how numbers are written in a table."""
    for name, text in (
        ("--currency", "Currency that stands with the numbers, such as USD for $1.20."),
        ("--decimal", "Decimal mark: . or ,"),
        ("--thousands", "Mark between thousands: , or . or a space or '"),
    ):
        command = click.option(name, help=text)(command)
    return command
