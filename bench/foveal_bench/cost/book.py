"""The price book: every price, power and site figure with its basis, source and date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from foveal.errors import FovealError

from foveal_bench.cost.intake.text_yaml import load_text_yaml
from foveal_bench.cost.money import decimal
from foveal_bench.cost.spread import Spread, read_spread

__all__ = [
    "BASES",
    "KINDS",
    "UNITS",
    "CardPower",
    "Figure",
    "PriceBook",
    "PriceRow",
    "add_prices",
    "load_book",
    "rows_of",
]

KINDS = ("purchase", "rental", "energy", "staff", "licence")
UNITS = {"purchase": "card", "rental": "hour", "energy": "kWh", "staff": "year", "licence": "seat-year"}
BASES = ("quoted", "assumed", "recalled")
ANYWHERE = "any"
SHARES = ("maintenance_share",)
FIGURES = (
    "service_fps",
    "service_p95_ms",
    "host_multiplier",
    "depreciation_years",
    "pue",
    "host_power_w",
    "maintenance_share",
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with where it comes from; unit in the name."""

    name: str
    value: Decimal
    basis: str
    source: str
    date: date | None = None
    spread: Spread | None = None
    status: str = ""
    unit: str = ""

    def row(self) -> dict[str, str]:
        """As a row of the table of assumptions."""
        note = f"{self.source}; {self.status}" if self.status else self.source
        return {
            "name": self.name,
            "value": f"{self.value:.6g}" if len(self.value.as_tuple().digits) > 12 else str(self.value),
            "unit": self.unit,
            "basis": self.basis,
            "source": note,
            "date": self.date.isoformat() if self.date else "",
        }


@dataclass(frozen=True, slots=True)
class PriceRow:
    """What a SKU cost somewhere at some time; `figure` holds the price in `currency`."""

    sku: str
    kind: str
    currency: str
    region: str
    figure: Figure

    def old(self, today: date, max_age_days: int) -> str | None:
        """Why the price should not be trusted today; None when it may be.

        An assumed price is a choice: it has no date and does not age.
        """
        if self.figure.basis == "assumed":
            return None
        if self.figure.date is None:
            return "has no date"
        age = (today - self.figure.date).days
        if age < 0:
            return f"is dated {self.figure.date}, after today"
        return f"is {age} days old (limit {max_age_days})" if age > max_age_days else None


@dataclass(frozen=True, slots=True)
class CardPower:
    """Watts of a card at its limit and idle; device is gpu or fpga."""

    sku: str
    device: str
    max_w: Figure
    idle_w: Figure


@dataclass(frozen=True, slots=True)
class PriceBook:
    """All rows of a book; prices are compared in `currency`, those of `region` are taken before those for any."""

    currency: str
    region: str
    max_age_days: int
    rates: dict[str, Figure]
    figures: dict[str, Figure]
    power: dict[str, CardPower]
    prices: tuple[PriceRow, ...]

    def price(self, sku: str, kind: str = "purchase", region: str | None = None) -> PriceRow:
        """The newest row of a SKU in `region` (None: the book's), else the newest for any region.

        Raises FovealError when there is none.
        """
        wanted = region or self.region
        rows = [r for r in self.prices if (r.sku, r.kind) == (sku, kind)]
        here = [r for r in rows if r.region == wanted] or [r for r in rows if r.region == ANYWHERE]
        if here:
            return max(here, key=lambda r: r.figure.date or date.min)
        if rows:
            regions = ", ".join(sorted({r.region for r in rows}))
            raise FovealError(f"the price book has a {kind} price for {sku!r} in {regions}, but none in {wanted}")
        known = sorted({r.sku for r in self.prices if r.kind == kind})
        raise FovealError(f"the price book has no {kind} price for {sku!r}; it has {', '.join(known) or 'none'}")

    def in_currency(self, row: PriceRow) -> Decimal:
        """The row's price in the book's currency, unrounded."""
        return row.figure.value * self.rate(row.currency)

    def rate(self, currency: str) -> Decimal:
        """What one unit of `currency` is worth in the book's; FovealError when the book does not say."""
        if currency == self.currency:
            return Decimal(1)
        if currency not in self.rates:
            raise FovealError(f"the price book has no rate for {currency}; add it under currencies")
        return self.rates[currency].value

    def card(self, sku: str) -> CardPower:
        """Power of a card; FovealError when unknown."""
        if sku not in self.power:
            raise FovealError(f"the price book has no power row for {sku!r}; it has {', '.join(self.power)}")
        return self.power[sku]


def load_book(path: Path | None = None) -> PriceBook:
    """Read a price book; None: the shipped one.

    Raises FovealError, naming file and entry, when it cannot be read, an entry is missing or is not what it should be.
    """
    source: Path | Traversable = path or files("foveal_bench.cost").joinpath("prices.yaml")
    try:
        return _book(load_text_yaml(source.read_text(encoding="utf-8")))
    except OSError as error:
        raise FovealError(f"price book {source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FovealError(f"price book {source} is not UTF-8 text") from error
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise FovealError(
            f"price book {source} is not usable ({what}); compare it with the one in the package"
        ) from error


def _book(raw: dict[str, Any]) -> PriceBook:
    currency = _currency(raw["currency"], "currency")
    if not raw["max_age_days"].isdecimal() or int(raw["max_age_days"]) < 1:
        raise ValueError(f"max_age_days: {raw['max_age_days']!r} is not a whole number of days")
    max_age = int(raw["max_age_days"])
    rates = {
        _currency(code, "currencies"): _figure(f"{code} in {currency}", entry, key="rate", unit=currency)
        for code, entry in (raw.get("currencies") or {}).items()
    }
    if missing := set(FIGURES) - set(raw["figures"]):
        raise KeyError(f"figures: {', '.join(sorted(missing))}")
    figures = {
        name: _figure(name, entry, most=1.0 if name in SHARES else float("inf"))
        for name, entry in raw["figures"].items()
    }
    for name in ("depreciation_years", "service_fps"):
        if figures[name].value <= 0:
            raise ValueError(f"{name}: must be more than 0")
    if figures["pue"].value < 1:
        raise ValueError("pue: a site cannot use less than its machines do (below 1)")
    power = {}
    for number, entry in enumerate(raw["power"], 1):
        card = _power(entry, f"power, row {number}")
        if card.sku in power:
            raise ValueError(f"power, row {number}: {card.sku} is there twice")
        power[card.sku] = card
    prices = tuple(_price(entry, f"prices, row {number}") for number, entry in enumerate(raw["prices"], 1))
    seen: set[tuple[Any, ...]] = set()
    for number, row in enumerate(prices, 1):
        key = (row.sku, row.kind, row.region, row.figure.date)
        if key in seen:
            raise ValueError(f"prices, row {number}: {row.sku} {row.kind} is there twice for one date and region")
        seen.add(key)
        if row.currency != currency and row.currency not in rates:
            raise ValueError(f"prices, row {number}: no rate for {row.currency} under currencies")
    return PriceBook(currency, raw["region"], max_age, rates, figures, power, prices)


def _figure(
    name: str, entry: dict[str, Any], *, key: str = "value", unit: str = "", most: float = float("inf")
) -> Figure:
    value = decimal(entry[key], name)
    if float(value) > most:
        raise ValueError(f"{name}: {value} is above {most:g}")
    if entry["basis"] not in BASES:
        raise ValueError(f"{name}: basis {entry['basis']!r} is none of {', '.join(BASES)}")
    if not isinstance(entry["source"], str) or not entry["source"].strip():
        raise ValueError(f"{name}: a source is needed")
    least = 1.0 if name == "pue" else 0.0
    spread = read_spread(entry["spread"], float(value), name, least=least, most=most) if "spread" in entry else None
    when = _date(entry.get("date"), name)
    return Figure(name, value, entry["basis"], entry["source"], when, spread, entry.get("status", ""), unit)


def _price(entry: dict[str, Any], where: str) -> PriceRow:
    sku, kind = entry["sku"], entry["kind"]
    name = f"{where} ({sku} {kind})"
    if kind not in KINDS:
        raise ValueError(f"{name}: kind is none of {', '.join(KINDS)}")
    currency = _currency(entry["currency"], name)
    figure = _figure(name, entry, key="price", unit=f"{currency}/{UNITS[kind]}")
    return PriceRow(sku, kind, currency, entry["region"], replace(figure, name=f"{sku} {kind}"))


def _power(entry: dict[str, Any], where: str) -> CardPower:
    sku = entry["sku"]
    if entry["device"] not in ("gpu", "fpga"):
        raise ValueError(f"{where} ({sku}): device is gpu or fpga")
    limit = _figure(f"{sku} max_w", {k: v for k, v in entry.items() if k != "spread"}, key="max_w", unit="W")
    idle_entry = {k: v for k, v in entry.items() if k != "spread"} | {"basis": "assumed"}
    if "spread_idle_w" in entry:
        idle_entry["spread"] = entry["spread_idle_w"]
    idle = _figure(f"{sku} idle_w", idle_entry, key="idle_w", unit="W", most=float(limit.value))
    return CardPower(sku, entry["device"], limit, idle)


def _currency(code: Any, where: str) -> str:
    if not (isinstance(code, str) and len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
        raise ValueError(f"{where}: {code!r} is not a currency code such as USD")
    return code


def _date(value: Any, name: str) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{name}: date {value!r} is not YYYY-MM-DD") from None


def rows_of(book: PriceBook) -> Iterator[PriceRow]:
    """The price rows, by kind and SKU, newest first."""
    newest = sorted(book.prices, key=lambda r: r.figure.date or date.min, reverse=True)
    yield from sorted(newest, key=lambda r: (KINDS.index(r.kind), r.sku))


def add_prices(path: Path, entries: list[dict[str, str]]) -> list[PriceRow]:
    """Append price rows to the book at `path`; its comments and order are kept.

    Raises FovealError when the book or a row is not usable; the file is then as it was.
    """
    load_book(path)
    text = path.read_text(encoding="utf-8")
    node = yaml.compose(text)
    assert isinstance(node, yaml.MappingNode)  # load_book read a mapping
    prices = next(value for key, value in node.value if key.value == "prices")
    if prices.flow_style or not prices.value:
        raise FovealError(f"{path}: `prices` is not written one row a line; add the row by hand")
    last = prices.value[-1]
    lines = text.splitlines(keepends=True)
    at = last.end_mark.line + 1 if last.flow_style else last.end_mark.line
    if at <= len(lines) and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    indent = " " * (prices.value[0].start_mark.column - len("- "))
    for number, entry in enumerate(entries):
        row = yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=100000, allow_unicode=True).strip()
        lines.insert(at + number, f"{indent}- {row}\n")
    unfinished = path.with_suffix(".unfinished")
    try:
        unfinished.write_text("".join(lines), encoding="utf-8")
        added = load_book(unfinished)
        unfinished.replace(path)
    except OSError as error:
        raise FovealError(f"cannot write {path}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return list(added.prices[len(added.prices) - len(entries) :])
