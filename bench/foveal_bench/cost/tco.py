"""Total cost of ownership of fleets that serve the same camera streams.

    node-year   capital / depreciation + power x 8,760 h x PUE x tariff + maintenance share x capital
    capital     server cards x price x host multiplier + added cards x price
    power       host + sum over cards of idle + utilisation x (limit - idle); a spare node idles
    nodes       whole: ceil(streams x frames a second / a node's rate), and the spare ones
    fleet-year  nodes x node-year + staff + licences + engineering

The formulas stand here once: with Decimal figures they give money, with arrays of draws they give its distribution.
Figures are looked up by name (`tariff`, `price.L40S`, `GPU only.rate`), so fleets that share a figure share its draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foveal_bench.cost.book import Figure, PriceBook, PriceRow
from foveal_bench.cost.fleet import Fleet
from foveal_bench.cost.money import split_cents

__all__ = [
    "HOURS_PER_YEAR",
    "PARTS",
    "Bill",
    "Inputs",
    "Service",
    "bill",
    "inputs_of",
    "missed",
    "nodes_of",
    "parts_of",
    "saving",
]

HOURS_PER_YEAR = 8760
PARTS = ("capital", "energy", "maintenance", "staff", "licences", "engineering")
SLACK = Decimal("1e-9")
"""Of a node: what division leaves behind (30 fps on a node of 1000/33.3... fps) buys no node."""

N = TypeVar("N", Decimal, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Service:
    """What each stream must get. p95_ms None: sized by frame rate alone, at any latency."""

    fps: Decimal
    p95_ms: Decimal | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """All figures that fleets need, by name, with the price rows they come from."""

    figures: dict[str, Figure]
    prices: tuple[PriceRow, ...]

    @property
    def values(self) -> dict[str, Decimal]:
        return {name: figure.value for name, figure in self.figures.items()}


def inputs_of(book: PriceBook, fleets: list[Fleet], region: str | None = None) -> Inputs:
    """The figures of `fleets` from the book (prices in its currency) and from the fleets' files.

    Raises FovealError when the book lacks a card, a price or a currency rate.
    """
    figures = {name: book.figures[name] for name in book.figures if not name.startswith("service_")}
    rows: dict[str, PriceRow] = {}

    def priced(name: str, sku: str, kind: str) -> None:
        if name not in figures:
            rows[name] = row = book.price(sku, kind, region)
            figures[name] = _in_currency(book, row)

    priced("tariff", "electricity", "energy")
    for fleet in fleets:
        for sku in fleet.cards:
            card = book.card(sku)
            priced(f"price.{sku}", sku, "purchase")
            figures |= {f"max_w.{sku}": card.max_w, f"idle_w.{sku}": card.idle_w}
        own = fleet.performance
        figures[f"{fleet.name}.utilisation"] = fleet.utilisation
        latency, rate = own.rows
        figures[f"{fleet.name}.latency_ms"] = replace(latency, spread=own.latency_spread)
        if own.rate is not None:
            figures[f"{fleet.name}.rate"] = replace(rate, spread=own.rate_spread)
        if fleet.staff is None:
            priced("staff", "operations", "staff")
        develops = any(book.card(sku).device == "fpga" for sku in fleet.cards)
        if develops and fleet.engineering is None:
            priced("engineering", "fpga engineering", "staff")
        if develops and fleet.licences is None:
            priced("licences", "Vivado core", "licence")
        for part in ("staff", "engineering", "licences"):
            given = getattr(fleet, part)
            zero = given is None and part != "staff" and not develops
            if given is not None or zero:
                source = "no FPGA is developed for" if zero else "stated in the fleet's file"
                value = given if given is not None else Decimal(0)
                figures[f"{fleet.name}.{part}"] = Figure(part, value, "assumed", source, unit=f"{book.currency}/year")
    return Inputs(figures, tuple(rows.values()))


def _in_currency(book: PriceBook, row: PriceRow) -> Figure:
    if row.currency == book.currency:
        return row.figure
    rate = book.rates[row.currency]
    note = f"{row.figure.value} {row.currency} at {rate.value} ({rate.date or 'no date'}, {rate.basis}); "
    unit = row.figure.unit.replace(row.currency, book.currency)
    # A spread is stated in the row's own currency; it is dropped rather than mixed with another one's.
    return replace(row.figure, value=book.in_currency(row), source=note + row.figure.source, unit=unit, spread=None)


def missed(fleet: Fleet, service: Service) -> str | None:
    """Why no number of nodes gives the service level; None when the fleet can be sized for it."""
    latency = fleet.performance.latency_ms
    if service.p95_ms is not None and latency > service.p95_ms:
        return f"p95 latency {latency:.4g} ms is above {service.p95_ms} ms, and more nodes do not shorten a frame"
    return None


def _ceil(value: N) -> N:
    if isinstance(value, Decimal):
        return cast(N, (value - SLACK).to_integral_value(rounding=ROUND_CEILING))
    return cast(N, np.ceil(value - float(SLACK)))


def nodes_of(values: Mapping[str, N], fleet: Fleet, streams: int, fps: N) -> N:
    """Whole working nodes (without spare ones) for `streams`."""
    if streams < 0:
        raise ValueError(f"streams must not be negative, got {streams}")
    if f"{fleet.name}.rate" in values:
        return _ceil(streams * fps / values[f"{fleet.name}.rate"])
    return _ceil(streams * fps * values[f"{fleet.name}.latency_ms"] / 1000)


def parts_of(values: Mapping[str, N], fleet: Fleet, streams: int, fps: N) -> dict[str, N]:
    """Unrounded cost of a year by part, and `energy_kwh`, `nodes` (working) and `invested` beside them.

    No streams, no fleet: everything is 0.
    """

    def own(name: str) -> N:
        return values[f"{fleet.name}.{name}"] if f"{fleet.name}.{name}" in values else values[name]

    nodes = nodes_of(values, fleet, streams, fps)
    spare = fleet.spare_nodes if streams else 0
    capital = nodes * 0
    idle_w = nodes * 0 + values["host_power_w"]
    busy_w = idle_w
    for sku, number in fleet.server_cards.items():
        capital = capital + number * values[f"price.{sku}"] * values["host_multiplier"]
    for sku, number in fleet.added_cards.items():
        capital = capital + number * values[f"price.{sku}"]
    for sku, number in fleet.cards.items():
        idle, limit = values[f"idle_w.{sku}"], values[f"max_w.{sku}"]
        idle_w = idle_w + number * idle
        busy_w = busy_w + number * (idle + own("utilisation") * (limit - idle))
    invested = (nodes + spare) * capital
    energy_kwh = (nodes * busy_w + spare * idle_w) / 1000 * HOURS_PER_YEAR * values["pue"]
    running = 1 if streams else 0
    return {
        "capital": invested / values["depreciation_years"],
        "energy": energy_kwh * values["tariff"],
        "maintenance": invested * values["maintenance_share"],
        "staff": running * own("staff"),
        "licences": running * own("licences"),
        "engineering": running * own("engineering"),
        "energy_kwh": energy_kwh,
        "nodes": nodes,
        "invested": invested,
    }


@dataclass(frozen=True, slots=True)
class Bill:
    """A year of one fleet: parts in whole cents that add up to `total`; `invested` is paid at the start."""

    fleet: str
    streams: int
    nodes: int
    spare_nodes: int
    parts: dict[str, Decimal]
    total: Decimal
    exact: dict[str, Decimal]
    energy_kwh: Decimal
    invested: Decimal
    missed: str | None

    @property
    def unrounded(self) -> Decimal:
        """The total before it was rounded."""
        return sum(self.exact.values(), Decimal(0))

    @property
    def running(self) -> Decimal:
        """Unrounded cost of a year without capital: what is paid again every year."""
        return self.unrounded - self.exact["capital"]


def bill(values: Mapping[str, Decimal], fleet: Fleet, streams: int, service: Service) -> Bill:
    """The yearly bill of `fleet` for `streams` cameras; rounded once, at the end."""
    found = parts_of(values, fleet, streams, service.fps)
    exact = {name: found[name] for name in PARTS}
    total, parts = split_cents(exact)
    return Bill(
        fleet=fleet.name,
        streams=streams,
        nodes=int(found["nodes"]),
        spare_nodes=fleet.spare_nodes if streams else 0,
        parts=parts,
        total=total,
        exact=exact,
        energy_kwh=found["energy_kwh"],
        invested=found["invested"],
        missed=missed(fleet, service),
    )


def saving(baseline: Bill, alternative: Bill) -> Decimal | None:
    """Share of the baseline's yearly cost that the alternative saves (negative: a loss); None when nothing is spent."""
    return 1 - alternative.unrounded / baseline.unrounded if baseline.unrounded else None
