"""Numbers in cells of a table: how they may be written, and when one means two things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from foveal.errors import FovealError

__all__ = ["NULLS", "CellError", "Notation", "read_numbers"]

NULLS = frozenset({"", "n/a", "na", "nan", "none", "null"})
"""Texts that mean that there is no value, in any case; everything else must be one."""

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY"}
PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
SPACES = " \u00a0\u202f\u2009"
NOTATIONS = (("", "."), ("", ","), (",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("'", ","))
"""(thousands, decimal) as they are written around the world."""


class CellError(FovealError):
    """A cell that cannot be used; says which and why."""

    def __init__(self, row: int, column: str, reason: str) -> None:
        super().__init__(f"row {row}, column {column}: {reason}")


@dataclass(frozen=True, slots=True)
class Notation:
    """How numbers are declared to be written; None: found out from the column. currency: what may stand with them."""

    thousands: str | None = None
    decimal: str | None = None
    currency: str | None = None


def read_numbers(
    cells: Sequence[str | None], column: str, notation: Notation, *, rows: Sequence[int], local: bool = False
) -> list[Decimal | None]:
    """The column's numbers; None where there is no cell, or it holds one of NULLS.

    A column whose cells are all plain (digits and a point) is taken as it is, unless `local`: in a table that is
    separated by semicolons the point may part thousands. Else the notations that fit every cell decide; if two of them
    give different numbers the column is refused. Raises CellError with the cell's number out of `rows`.
    """
    texts = [
        None if cell is None or cell.strip().lower() in NULLS else _bare(cell.strip(), row, column, notation)
        for row, cell in zip(rows, cells, strict=True)
    ]
    present = [(row, text) for row, text in zip(rows, texts, strict=True) if text is not None]
    declared = notation.thousands is not None or notation.decimal is not None
    if not declared and not local and all(PLAIN.fullmatch(text) for _, text in present):
        return [None if text is None else Decimal(text) for text in texts]
    allowed = [n for n in NOTATIONS if notation.thousands in (None, n[0]) and notation.decimal in (None, n[1])]
    for row, text in present:
        if all(_parse(text, *n) is None for n in allowed):
            raise CellError(row, column, f"{text!r} is not a number")
    fitting = [n for n in allowed if all(_parse(text, *n) is not None for _, text in present)]
    if not fitting:
        raise CellError(present[0][0], column, "from here on its numbers are written in more than one way")
    for row, text in present:
        meanings = sorted({value for n in fitting if (value := _parse(text, *n)) is not None})
        if len(meanings) > 1:
            either = " or ".join(str(value) for value in meanings)
            raise CellError(row, column, f"{text!r} may be {either}; declare how thousands and decimals are written")
    return [None if text is None else _parse(text, *fitting[0]) for text in texts]


def _bare(text: str, row: int, column: str, notation: Notation) -> str:
    """Without the declared currency."""
    symbols = [symbol for symbol in SYMBOLS if symbol in text]
    code = re.search(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])", text)
    found = SYMBOLS[symbols[0]] if symbols else code.group() if code else None
    if found is None:
        return text
    shown = symbols[0] if symbols else found
    if notation.currency is None:
        raise CellError(row, column, f"{text!r} has a currency ({shown}) that is not declared")
    if found != notation.currency:
        raise CellError(row, column, f"{text!r} is in {found}, but {notation.currency} is declared")
    return text.replace(shown, "", 1).strip()


def _parse(text: str, thousands: str, decimal: str) -> Decimal | None:
    """The number in this notation; None when it does not fit. Thousands stand in groups of three."""
    for space in SPACES:
        text = text.replace(space, " ")
    whole = rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+|\d+" if thousands else r"\d+"
    if not re.fullmatch(rf"[+-]?(?:{whole})(?:{re.escape(decimal)}\d+)?", text, re.ASCII):
        return None
    digits = text.replace(thousands, "") if thousands else text
    if thousands and thousands in text and digits.lstrip("+-").startswith("0"):
        return None  # 0.826 is no grouped number
    return Decimal(digits.replace(decimal, "."))
