"""The cost section of a run: fleets at the claim's latencies, and at those that the run found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from foveal_bench.cost.book import PriceBook
from foveal_bench.cost.caveats import assumptions, caveats
from foveal_bench.cost.claims.fleets import CLAIMED, STREAMS
from foveal_bench.cost.comparison import break_even, compare
from foveal_bench.cost.fleet import Fleet, Performance, load_fleet
from foveal_bench.cost.money import cents
from foveal_bench.cost.tco import PARTS, Bill, Inputs, Service, bill, inputs_of, parts_of, saving
from foveal_bench.cost.uncertainty import DRAWS, Array, draw, interval, tornado
from foveal_bench.cost.variants import engineered, pipelined

__all__ = ["cost_of_run"]

CURVE_STREAMS = 24
"""Beyond the break-even of the shipped fleets with engineering."""

SEED = 42
"""Of the draws behind the intervals."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a run found of one configuration, ms: its median, and the highest percentile up to p95 it may claim."""

    median: Decimal
    high: Decimal
    high_name: str


def cost_of_run(
    configurations: dict[str, dict[str, Any]],
    book: PriceBook,
    *,
    roles: tuple[str, str, str],
    streams: int,
    card: str,
    today: date,
) -> dict[str, Any]:
    """Yearly costs as plain JSON values; money is text.

    roles: the configurations of a GPU alone, of a GPU with the same regions, and of the card. card: its SKU.
    The claim's fleets are as their files say. The run's own have the shipped nodes with this card, and are charged the
    book's engineering and licences.
    """
    gpu, hybrid = load_fleet("gpu.yaml"), load_fleet("hybrid.yaml")
    fps = book.figures["service_fps"].value
    scenarios, used = [], inputs_of(book, [gpu, hybrid])
    scenarios.append(
        _scenario(
            f"the claim's latencies ({_cards(gpu)}; {_cards(hybrid)})",
            "quoted latencies, modelled cost, sized by frame rate alone",
            [gpu, hybrid],
            used,
            streams,
            Service(fps, None),
            comparable=True,
        )
    )
    found = [_found(configurations.get(role)) for role in roles]
    known = [f for f in found if f is not None]
    if len(known) == len(roles):
        real = configurations[roles[0]].get("kind") == "gpu"
        basis = "measured" if real else "assumed"
        device = "measured" if real else "measured on a CPU that stands in for the GPU"
        own = engineered(replace(hybrid, added_cards={card: 1}, full_frame=None))
        fleets = [
            _at(gpu, "GPU only, this run", known[0], basis, device),
            _at(gpu, "GPU, same regions, this run", known[1], basis, device),
            _at(own, "FPGA + regions, this run", known[2], "simulated", "simulated and modelled"),
        ]
        used = inputs_of(book, [gpu, hybrid, *fleets])
        note = (
            "latencies measured on a GPU and simulated, modelled cost"
            if real
            else "modelled cost of latencies measured on a CPU that stands in for the GPU: the arithmetic, no saving"
        )
        level = Service(fps, book.figures["service_p95_ms"].value)
        name = f"this run's latencies ({_cards(gpu)}; {_cards(own)}), with the book's engineering and licences"
        scenarios.append(_scenario(name, note, fleets, used, streams, level, comparable=real))
    return {
        "streams": streams,
        "fps": float(fps),
        "currency": book.currency,
        "scenarios": scenarios,
        "assumptions": assumptions(used),
        "warnings": caveats(used, book, today),
        "curve": _curve(book, gpu, hybrid, Service(fps, None)),
        "tornado": [asdict(swing) for swing in tornado(compare(book, gpu, hybrid, Service(fps, None)), streams)],
        "draws": DRAWS,
        "seed": SEED,
    }


def _curve(book: PriceBook, gpu: Fleet, hybrid: Fleet, service: Service) -> dict[str, Any]:
    """The claim's fleets over streams, with what its table leaves out: a GPU that pipelines, and engineering."""
    fleets = [gpu, pipelined(gpu, service.fps), hybrid, engineered(hybrid)]
    values = inputs_of(book, fleets).values
    counts = range(1, CURVE_STREAMS + 1)
    lines = [{"label": f.name, "totals": [str(bill(values, f, n, service).total) for n in counts]} for f in fleets]
    charged = compare(book, gpu, fleets[3], service)
    return {
        "streams": list(counts),
        "lines": lines,
        "claimed": {"streams": STREAMS, "usd": CLAIMED},
        "break_even": break_even(charged.savings(), lambda share: share > 0)["first"],
    }


def _cards(fleet: Fleet) -> str:
    return " + ".join(sku if number == 1 else f"{number} {sku}" for sku, number in fleet.cards.items())


def _found(configuration: dict[str, Any] | None) -> _Found | None:
    """None where the run has too few frames to claim a median. p90 is a floor of p95: above a limit, p95 is too."""
    latency = (configuration or {}).get("latency_ms", {})
    if not latency.get("p50"):
        return None
    name = "p90" if latency.get("p90") else "p50"
    median, high = (Decimal(repr(round(latency[key], 6))) for key in ("p50", name))
    return _Found(median, high, name)


def _at(fleet: Fleet, name: str, found: _Found, basis: str, how: str) -> Fleet:
    source = f"{how}: {found.high_name} in place of p95; one frame at a time, at the median of {found.median} ms"
    performance = Performance(found.high, 1000 / found.median, basis, source)
    return replace(fleet, name=name, performance=performance)


def _scenario(
    name: str,
    provenance: str,
    fleets: list[Fleet],
    used: Inputs,
    streams: int,
    service: Service,
    *,
    comparable: bool,
) -> dict[str, Any]:
    """comparable: whether the last fleet may be compared with the first."""
    draws = draw(used, DRAWS, SEED)
    bills = [bill(used.values, fleet, streams, service) for fleet in fleets]
    share = saving(bills[0], bills[-1]) if comparable else None
    return {
        "name": name,
        "provenance": provenance,
        "fleets": [
            _fleet(b, f.performance, _intervals(f, draws, streams, service.fps))
            for b, f in zip(bills, fleets, strict=True)
        ],
        "saving_percent": None if share is None else float(100 * share),
    }


def _intervals(fleet: Fleet, draws: dict[str, Array], streams: int, fps: Decimal) -> dict[str, list[float]]:
    """What 95 % of the draws of each part lie between."""
    parts = parts_of(draws, fleet, streams, np.asarray(float(fps)))
    found = {name: interval(np.broadcast_to(parts[name], (DRAWS,))) for name in PARTS}
    return {name: [round(i.low, 2), round(i.high, 2)] for name, i in found.items()}


def _fleet(found: Bill, performance: Performance, intervals: dict[str, list[float]]) -> dict[str, Any]:
    frame_ms = performance.latency_ms if performance.rate is None else 1000 / performance.rate
    return {
        "label": found.fleet,
        "frame_ms": float(frame_ms),
        "nodes": found.nodes + found.spare_nodes,
        "energy_kwh": float(found.energy_kwh),
        "missed": found.missed,
        **{name: str(amount) for name, amount in found.parts.items()},
        "total": str(found.total),
        "invested": str(cents(found.invested)),
        "intervals": intervals,
    }
