"""What must be said beside a cost: old, undated, recalled prices and cards that are no longer made."""

from __future__ import annotations

from datetime import date

from foveal_bench.cost.book import PriceBook, PriceRow
from foveal_bench.cost.tco import Inputs

__all__ = ["assumptions", "caveats", "caveats_of_row"]


def caveats_of_row(row: PriceRow, book: PriceBook, today: date) -> list[str]:
    """Sentences about one price; empty when there is nothing to say."""
    found = []
    if row.figure.basis == "recalled":
        found.append("is recalled, not quoted")
    if reason := row.old(today, book.max_age_days):
        found.append(reason)
    if row.figure.status:
        found.append(row.figure.status)
    return [f"{row.figure.name}: {'; '.join(found)}"] if found else []


def caveats(inputs: Inputs, book: PriceBook, today: date) -> list[str]:
    """Sentences about every price that `inputs` uses, currency rates included."""
    lines = [line for row in inputs.prices for line in caveats_of_row(row, book, today)]
    for code in sorted({row.currency for row in inputs.prices} - {book.currency}):
        rate = book.rates[code]
        if rate.date is None or (today - rate.date).days > book.max_age_days:
            lines.append(f"{code}: its rate is of {rate.date or 'no date'}")
    return lines


def assumptions(inputs: Inputs) -> list[dict[str, str]]:
    """Every figure that was used, as rows: name, value, unit, basis, source, date."""
    return [figure.row() | {"name": name} for name, figure in inputs.figures.items()]
