"""`foveal price`: list, check and extend a price book."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
from foveal.errors import FovealError
from rich.table import Table

from foveal_bench.cost.book import BASES, KINDS, PriceBook, PriceRow, add_prices, load_book, rows_of
from foveal_bench.cost.caveats import caveats_of_row
from foveal_bench.cost.commands.options import PRICES, TODAY, notation_options
from foveal_bench.cost.intake.cells import Notation
from foveal_bench.cost.intake.table import Column, read_table
from foveal_bench.streams import ReportingConsole, echo

__all__ = ["price"]

FRESH, STALE = 0, 1


@click.group()
def price() -> None:
    """The price book: what things cost, since when, and who says so.

    \b
    foveal price list               every price with its source and date
    foveal price check              which ones are too old, undated or recalled
    foveal price add --help         append a price to a book of your own
    foveal price import --help      append a table of prices
    """


@price.command("list")
@click.option("--kind", type=click.Choice(KINDS), help="Only prices of this kind.")
@click.option("--sku", help="Only this SKU.")
@PRICES
@TODAY
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(kind: str | None, sku: str | None, prices: Path | None, today: datetime, as_json: bool) -> None:
    """List prices with basis, date and source; newest first for each SKU.

    \b
    foveal price list --kind purchase
    foveal price list --sku U280 --json
    """
    book = load_book(prices)
    rows = [r for r in rows_of(book) if kind in (None, r.kind) and sku in (None, r.sku)]
    if not rows:
        raise FovealError("no such price; `foveal price list` shows all")
    _print(rows, book, today.date(), as_json)


@price.command("check")
@click.option("--max-age", type=click.IntRange(1), help="Days that a price stays good; default: the book's own.")
@PRICES
@TODAY
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(max_age: int | None, prices: Path | None, today: datetime, as_json: bool) -> None:
    """Check a price book: its form, and the age of each SKU's newest price.

    Assumed prices are choices and do not age.

    \b
    foveal price check                                     the shipped book
    foveal price check --prices mine.yaml --max-age 90     your own, and stricter

    Exit codes: 0 all fresh, 1 some are old or have no date, 3 not usable.
    """
    book = load_book(prices)
    newest: dict[tuple[str, str, str], PriceRow] = {}
    for row in rows_of(book):
        newest.setdefault((row.sku, row.kind, row.region), row)
    limit = max_age or book.max_age_days
    stale = [row for row in newest.values() if row.old(today.date(), limit)]
    lines = [f"{row.figure.name} ({row.region}): {row.old(today.date(), limit)}" for row in stale]
    if as_json:
        echo(json.dumps({"checked": len(newest), "limit_days": limit, "stale": lines}, indent=1))
    else:
        for line in lines:
            echo(line)
        echo(f"{len(newest)} prices, {len(stale)} of them not to be trusted today")
    sys.exit(STALE if stale else FRESH)


@price.command("add")
@click.argument("book", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option("--sku", required=True, help="Name that fleet files use, such as L40S.")
@click.option("--kind", type=click.Choice(KINDS), required=True)
@click.option("--price", "amount", required=True, help="A plain number: 8500 or 0.0826.")
@click.option("--currency", default="USD", show_default=True)
@click.option("--region", default="any", show_default=True)
@click.option("--basis", type=click.Choice(BASES), default="quoted", show_default=True)
@click.option("--source", required=True, help="Who says so: a page, an invoice.")
@click.option("--date", "when", type=click.DateTime(["%Y-%m-%d"]), required=True, help="When it was true.")
def add_command(book: Path, amount: str, when: datetime, **entry: str) -> None:
    """Append a price to BOOK (a copy of the shipped prices.yaml); comments and order are kept.

    \b
    foveal price add mine.yaml --sku L40S --kind purchase --price 7900 --source "invoice 4711" --date 2026-11-02
    """
    row = {"sku": entry["sku"], "kind": entry["kind"], "price": amount, "currency": entry["currency"]}
    row |= {"region": entry["region"], "basis": entry["basis"], "date": when.date().isoformat()}
    (added,) = add_prices(book, [row | {"source": entry["source"]}])
    echo(f"added {added.figure.name}: {added.figure.value} {added.figure.unit}, {added.figure.date}")


@price.command("import")
@click.argument("book", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.argument("table", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@notation_options
def import_command(book: Path, table: Path, thousands: str | None, decimal: str | None, currency: str | None) -> None:
    """Append the prices of TABLE (.csv, .tsv, .yaml, .json) to BOOK, all of them or none.

    Columns: sku, kind, price, source, date (YYYY-MM-DD); region, basis and currency may be missing (any, quoted,
    --currency). A number is taken when it can mean one thing only: 1,234 alone may be 1234 or 1.234, so declare
    --thousands. A row that is there twice is dropped, two different prices of one name and date are refused.

    \b
    foveal price import mine.yaml offers.csv --currency EUR --decimal ,
    """
    columns = [Column(name) for name in ("sku", "kind", "source", "date")]
    columns += [Column("price", "number"), *(Column(name, required=False) for name in ("region", "basis", "currency"))]
    found = read_table(
        table, columns, notation=Notation(thousands, decimal, currency), key=("sku", "kind", "region", "date")
    )
    entries = []
    for row, number in zip(found.rows, found.numbers, strict=True):
        if (code := row["currency"] or currency) is None:
            raise FovealError(f"{table}: row {number} has no currency; name it with --currency")
        entries.append(
            {"sku": row["sku"], "kind": row["kind"], "price": str(row["price"]), "currency": code}
            | {"region": row["region"] or "any", "basis": row["basis"] or "quoted"}
            | {"date": row["date"], "source": row["source"]}
        )
    added = add_prices(book, entries)
    for note in found.notes:
        echo(f"note: {note}")
    echo(f"added {len(added)} prices to {book}")


def _print(rows: list[PriceRow], book: PriceBook, today: date, as_json: bool) -> None:
    listed: list[dict[str, Any]] = [
        r.figure.row() | {"sku": r.sku, "kind": r.kind, "region": r.region, "notes": caveats_of_row(r, book, today)}
        for r in rows
    ]
    if as_json:
        echo(json.dumps(listed, indent=1))
        return
    console = ReportingConsole()
    if not console.is_terminal:
        console.width = 200
    table = Table()
    for name in ("sku", "kind", "price", "unit", "region", "basis", "date", "source"):
        table.add_column(name, justify="right" if name == "price" else "left")
    for row in listed:
        table.add_row(
            row["sku"],
            row["kind"],
            row["value"],
            row["unit"],
            row["region"],
            row["basis"],
            row["date"] or "-",
            row["source"],
        )
    console.print(table)
    for code, rate in book.rates.items():
        console.print(
            f"1 {code} = {rate.value} {book.currency} ({rate.basis}, {rate.date or 'no date'})", highlight=False
        )
