"""Total cost of ownership of two fleets that serve the same camera streams.

Formulas: a node costs capital x host multiplier / depreciation years, energy (idle and dynamic power, PUE,
tariff) and maintenance a year; a fleet adds staff. Fleets have whole nodes. A hybrid node is a GPU node with an FPGA
card in it (no second host). Nodes are sized by the *serial* reading, streams x fps x latency: a renderer that
pipelines frames needs fewer, so the result is an upper bound for it. Money is decimal, rounded once, at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from importlib.resources import files

import yaml

__all__ = ["Assumptions", "Card", "FleetCost", "compare", "fleet_cost", "load_prices", "nodes_for"]

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
        fleet_cost(
            "GPU only",
            nodes_for(streams, site.fps, gpu_latency_ms),
            gpu,
            site,
            utilisation=site.utilisation_gpu_only,
        ),
        fleet_cost(
            "FPGA + regions",
            nodes_for(streams, site.fps, hybrid_latency_ms),
            gpu,
            site,
            utilisation=site.utilisation_hybrid,
            fpga=fpga,
        ),
    )


def load_prices() -> tuple[dict[str, Card], Assumptions, list[dict[str, str]]]:
    """Cards by name, site assumptions, and every row with its source for the report."""
    book = yaml.safe_load(files("foveal_bench").joinpath("prices.yaml").read_text(encoding="utf-8"))
    rows = []
    cards = {}
    for name, row in book["cards"].items():
        cards[name] = Card(
            name,
            Decimal(row["price"]["value"]),
            Decimal(row["max_power_w"]["value"]),
            Decimal(row["idle_power_w"]["value"]),
        )
        rows += [_row(f"{name} {key}".replace("_", " "), entry) for key, entry in row.items()]
    site = book["site"]
    known = {field.name for field in fields(Assumptions)}
    assumptions = Assumptions(**{key: Decimal(entry["value"]) for key, entry in site.items() if key in known})
    rows += [_row(key.replace("_", " "), entry) for key, entry in site.items()]
    return cards, assumptions, rows


def _row(name: str, entry: dict) -> dict[str, str]:
    return {
        "name": name,
        "value": str(entry["value"]),
        "kind": entry["kind"],
        "source": entry["source"],
        "date": str(entry.get("date", "")),
    }
