"""Total cost of ownership of two fleets that serve the same camera streams.

Formulas: a node costs capital x host multiplier / depreciation years, energy (idle and dynamic power, PUE,
tariff) and maintenance a year; a fleet adds staff. Fleets have whole nodes. A hybrid node is a GPU node with an FPGA
card in it (no second host). Nodes are sized by the *serial* reading, streams x fps x latency: a renderer that
pipelines frames needs fewer, so the result is an upper bound for it. Money is decimal, rounded once, at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, InvalidOperation
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from foveal.errors import FovealError

__all__ = [
    "Assumptions",
    "Card",
    "FleetCost",
    "Prices",
    "compare",
    "fleet_cost",
    "gpu_fleet",
    "hybrid_fleet",
    "load_prices",
    "nodes_for",
]

HOURS_PER_YEAR = Decimal(8760)
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Card:
    """An accelerator: price in USD, power in watts."""

    name: str
    price_usd: Decimal
    max_power_w: Decimal
    idle_power_w: Decimal

    def average_power_w(self, utilisation: Decimal) -> Decimal:
        return self.idle_power_w + utilisation * (self.max_power_w - self.idle_power_w)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Site parameters; units in the names, shares 0..1."""

    host_multiplier: Decimal
    depreciation_years: Decimal
    tariff_usd_per_kwh: Decimal
    pue: Decimal
    host_power_w: Decimal
    maintenance_share: Decimal
    staff_usd_per_year: Decimal
    utilisation_gpu_only: Decimal
    utilisation_hybrid: Decimal
    fps: Decimal = Decimal(30)


@dataclass(frozen=True, slots=True)
class FleetCost:
    """Yearly cost of one fleet in USD. `total` is rounded once; the parts are exact."""

    label: str
    nodes: int
    capital: Decimal
    energy_kwh: Decimal
    energy: Decimal
    maintenance: Decimal
    staff: Decimal

    @property
    def total(self) -> Decimal:
        exact = self.capital + self.energy + self.maintenance + self.staff
        return exact.quantize(CENT, rounding=ROUND_HALF_EVEN)


def nodes_for(streams: int, fps: Decimal, latency_ms: Decimal) -> int:
    """Whole nodes for `streams` cameras when a node renders one frame at a time."""
    if streams < 0:
        raise ValueError(f"streams must not be negative, got {streams}")
    if not latency_ms.is_finite() or latency_ms <= 0:
        raise ValueError(f"latency must be a positive number of milliseconds, got {latency_ms}")
    busy = Decimal(streams) * fps * latency_ms / 1000
    return int(busy.to_integral_value(rounding=ROUND_CEILING))


def fleet_cost(
    label: str, nodes: int, gpu: Card, site: Assumptions, *, utilisation: Decimal, fpga: Card | None = None
) -> FleetCost:
    """Yearly cost of `nodes` GPU nodes, each with an FPGA card if given."""
    host_capital = gpu.price_usd * site.host_multiplier
    card_capital = fpga.price_usd if fpga else Decimal(0)
    power_w = site.host_power_w + gpu.average_power_w(utilisation)
    if fpga:
        power_w += fpga.average_power_w(utilisation)
    energy_kwh = nodes * power_w / 1000 * HOURS_PER_YEAR * site.pue
    invested = nodes * (host_capital + card_capital)
    return FleetCost(
        label=label,
        nodes=nodes,
        capital=invested / site.depreciation_years,
        energy_kwh=energy_kwh,
        energy=energy_kwh * site.tariff_usd_per_kwh,
        maintenance=invested * site.maintenance_share,
        staff=site.staff_usd_per_year if nodes else Decimal(0),
    )


def compare(
    gpu: Card, fpga: Card, site: Assumptions, *, streams: int, gpu_latency_ms: Decimal, hybrid_latency_ms: Decimal
) -> tuple[FleetCost, FleetCost]:
    """Both fleets for the same streams: (GPU only, GPU + FPGA with regions)."""
    return (
        gpu_fleet("GPU only", gpu, site, streams=streams, latency_ms=gpu_latency_ms),
        hybrid_fleet("FPGA + regions", gpu, fpga, site, streams=streams, latency_ms=hybrid_latency_ms),
    )


def gpu_fleet(label: str, gpu: Card, site: Assumptions, *, streams: int, latency_ms: Decimal) -> FleetCost:
    """GPU nodes for `streams` cameras at `latency_ms` a frame."""
    nodes = nodes_for(streams, site.fps, latency_ms)
    return fleet_cost(label, nodes, gpu, site, utilisation=site.utilisation_gpu_only)


def hybrid_fleet(
    label: str, gpu: Card, fpga: Card, site: Assumptions, *, streams: int, latency_ms: Decimal
) -> FleetCost:
    """GPU nodes with an FPGA card each; the GPU stays for the agent, at the hybrid node's utilisation."""
    nodes = nodes_for(streams, site.fps, latency_ms)
    return fleet_cost(label, nodes, gpu, site, utilisation=site.utilisation_hybrid, fpga=fpga)


@dataclass(frozen=True, slots=True)
class Prices:
    """A price book: cards by name, site assumptions, the claim's latencies, and every row for the report."""

    cards: dict[str, Card]
    site: Assumptions
    claim: dict[str, Decimal]
    rows: list[dict[str, str]]


def load_prices(path: Path | None = None) -> Prices:
    """Read a price book; None: the one that is shipped (copy it to make your own).

    Raises FovealError, naming file and entry, when it cannot be read or an entry is missing or no number.
    """
    source = path or files("foveal_bench").joinpath("prices.yaml")
    try:
        book = yaml.safe_load(source.read_text(encoding="utf-8"))
        cards = {
            name: Card(
                name, *(_number(row[key], f"{name} {key}") for key in ("price_usd", "max_power_w", "idle_power_w"))
            )
            for name, row in book["cards"].items()
        }
        site = {key: _number(entry, key) for key, entry in book["site"].items()}
        claim = {key: _number(entry, key) for key, entry in book["claim"].items()}
        rows = [_row(f"{name} {key}", entry) for name, row in book["cards"].items() for key, entry in row.items()]
        rows += [_row(key, entry) for key, entry in (book["site"] | book["claim"]).items()]
        return Prices(cards, Assumptions(**site), claim, rows)
    except OSError as error:
        raise FovealError(f"price book {source} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise FovealError(
            f"price book {source} is not usable ({error}); compare it with the one in the package"
        ) from error


def _number(entry: dict[str, Any], name: str) -> Decimal:
    try:
        value = Decimal(str(entry["value"]))
    except InvalidOperation:
        raise ValueError(f"{name}: {entry['value']!r} is not a number") from None
    if not value.is_finite() or value < 0:
        raise ValueError(f"{name}: {value} is not a number of at least 0")
    return value


def _row(name: str, entry: dict[str, Any]) -> dict[str, str]:
    return {
        "name": name,
        "value": str(entry["value"]),
        "kind": entry["kind"],
        "source": entry["source"],
        "date": str(entry.get("date", "")),
    }
