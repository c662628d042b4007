"""From frame records to the figures of a run: the one source for the console, the report and `run.json`."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pandas as pd

from foveal_bench.statistics import RATIO_FROM, nearest_rank, ratio_of_medians, summarise
from foveal_bench.tco import FleetCost, Prices, compare, gpu_fleet, hybrid_fleet

__all__ = ["ACCELERATED", "BASELINE", "SHARED", "summarise_run"]

BASELINE, SHARED, ACCELERATED = "opencl-full", "opencl-region", "cosim-region"
GPU, CLAIM_CARD = "L40S", "U55C"
"""Cards of the reference fleet, under which the claim's two sums are reached (see tests/bench/test_tco.py)."""

CUMULATIVE = ("dma_", "roi_sets", "roi_inject_", "frames")
"""Counters since the card was opened: a median of them means nothing."""
FLEETS = (BASELINE, SHARED, ACCELERATED)
PAIRS = (("cosim-region", "cosim-full"), ("opencl-region", "opencl-full"))
TOTALS = ("dma_loads", "dma_skipped", "dma_bytes")


def summarise_run(
    records: pd.DataFrame,
    devices: dict[str, dict[str, Any]],
    *,
    seed: int,
    prices: Prices,
    streams: int = 4,
    fpga: str = CLAIM_CARD,
) -> dict[str, Any]:
    """Figures of a run as plain JSON values; times in milliseconds, each with its provenance.

    records: one row a frame and configuration, as the frame loop writes them. devices: configuration -> device facts.
    fpga: price book's name of the card that was simulated. streams: camera streams of the fleets that are priced.
    """
    groups = {str(name): rows for name, rows in records.groupby("configuration", sort=False)}
    configurations = {name: _configuration(rows) | devices.get(name, {}) for name, rows in groups.items()}
    return {
        "ticks": int(records["tick"].nunique()),
        "configurations": configurations,
        "ratios": [r for a, b in PAIRS if a in groups and b in groups if (r := _ratio(a, b, groups, seed))],
        "regions": _regions(groups[ACCELERATED]) if ACCELERATED in groups else None,
        "injection": _injection(groups[ACCELERATED], devices) if ACCELERATED in groups else None,
        "dma": _dma(records),
        "checked": _checked(groups),
        "cost": _cost(configurations, prices, streams, fpga),
    }


def _configuration(rows: pd.DataFrame) -> dict[str, Any]:
    latency, device = (summarise(rows[column] / 1e6) for column in ("latency_ns", "device_ns"))
    stages = []
    for column in (c for c in rows.columns if c.startswith("stage.")):
        times = rows[column].dropna() / 1e6
        if times.empty:
            continue
        name = column.removeprefix("stage.")
        figures = summarise(times)
        stages.append(
            {"name": name, "p50": figures.p50, "p90": figures.p90, "max": figures.max, "n": figures.n}
            | {"median": nearest_rank(times, 0.5)}
            | {"provenance": "/".join(sorted(set(rows[f"provenance.{name}"].dropna())))}
        )
    counters = {
        c.removeprefix("count."): nearest_rank(rows[c].dropna(), 0.5)
        for c in rows.columns
        if c.startswith("count.") and rows[c].notna().any() and not c.removeprefix("count.").startswith(CUMULATIVE)
    }
    provenance = sorted({stage["provenance"] for stage in stages})
    return {
        "latency_ms": asdict(latency),
        "device_ms": asdict(device),
        "stages": stages,
        "counters": counters,
        "provenance": " + ".join(provenance),
    }


def _ratio(a: str, b: str, groups: dict[str, pd.DataFrame], seed: int) -> dict[str, Any] | None:
    """Over the ticks that both rendered; None where they are too few for an interval."""
    shared = sorted(set(groups[a]["tick"]) & set(groups[b]["tick"]))
    if len(shared) < RATIO_FROM:
        return None
    x, y = (groups[name].set_index("tick").loc[shared, "device_ns"] for name in (a, b))
    return {"of": a, "to": b, "n": len(shared)} | asdict(ratio_of_medians(x, y, seed=seed))


def _regions(rows: pd.DataFrame) -> dict[str, float]:
    share = rows["region_share"]
    return {
        "share_p50": nearest_rank(share, 0.5),
        "share_min": float(share.min()),
        "share_max": float(share.max()),
        "count_p50": nearest_rank(rows["region_count"], 0.5),
    }


def _injection(rows: pd.DataFrame, devices: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    column = "count.roi_inject_cycles"
    clock_hz = float(devices.get(ACCELERATED, {}).get("clock_hz") or 0)
    if column not in rows or not clock_hz:
        return None
    cycles = rows[column].dropna()
    drawn = cycles[rows.loc[cycles.index, "region_count"] > 0]
    if drawn.empty:
        return None
    wait = rows.loc[drawn.index, "count.roi_wait_cycles"]
    smallest, largest = float(drawn.min()), float(drawn.max())
    if "count.roi_inject_min" in rows:
        # The kernel's own extremes cover every set since its reset, those of frames that were not recorded too.
        kernel = rows[["count.roi_inject_min", "count.roi_inject_max"]].dropna().iloc[-1]
        smallest, largest = (float(value) for value in kernel)
    return {
        "cycles_p50": nearest_rank(drawn, 0.5),
        "cycles_min": smallest,
        "cycles_max": largest,
        "ns_p50": nearest_rank(drawn, 0.5) / clock_hz * 1e9,
        "ns_max": largest / clock_hz * 1e9,
        "wait_ns_p50": nearest_rank(wait, 0.5) / clock_hz * 1e9,
        "clock_mhz": clock_hz / 1e6,
        "provenance": "simulated",
    }


def _dma(records: pd.DataFrame) -> dict[str, int] | None:
    rows = records[records["configuration"].str.startswith("cosim")]
    if rows.empty or f"count.{TOTALS[0]}" not in rows:
        return None
    return {name: int(rows[f"count.{name}"].dropna().max()) for name in TOTALS if f"count.{name}" in rows}


def _checked(groups: dict[str, pd.DataFrame]) -> dict[str, dict[str, int]]:
    result = {}
    for name, rows in groups.items():
        compared = rows["pixels_different"].dropna()
        result[name] = {
            "frames": len(rows),
            "compared": len(compared),
            "pixels_different": int(compared.sum()),
        }
    return result


def _cost(configurations: dict[str, dict[str, Any]], prices: Prices, streams: int, fpga_name: str) -> dict[str, Any]:
    """Fleets at the claim's latencies, and at this run's: a GPU alone, a GPU that is given the regions, the FPGA."""
    gpu, fpga, site = prices.cards[GPU], prices.cards[fpga_name], prices.site
    claimed = compare(gpu, prices.cards[CLAIM_CARD], site, streams=streams, **prices.claim)
    scenarios = [
        _scenario(
            f"the claim's latencies ({GPU}; {GPU} + {CLAIM_CARD})",
            "quoted latencies, modelled cost",
            [(fleet, latency) for fleet, latency in zip(claimed, prices.claim.values(), strict=True)],
            saving=True,
        )
    ]
    medians = {name: configurations.get(name, {}).get("latency_ms", {}).get("p50") for name in FLEETS}
    if all(medians.values()):
        latency = {name: Decimal(repr(round(value, 6))) for name, value in medians.items() if value}
        common = {"streams": streams}
        fleets = [
            gpu_fleet("GPU only", gpu, site, latency_ms=latency[BASELINE], **common),
            gpu_fleet("GPU, same regions", gpu, site, latency_ms=latency[SHARED], **common),
            hybrid_fleet("FPGA + regions", gpu, fpga, site, latency_ms=latency[ACCELERATED], **common),
        ]
        real = configurations[BASELINE].get("kind") == "gpu"
        note = (
            "latencies measured on a GPU and simulated, modelled cost"
            if real
            else "modelled cost of latencies measured on a CPU that stands in for the GPU: the arithmetic, no saving"
        )
        scenarios.append(
            _scenario(
                f"this run's medians ({GPU}; {GPU} + {fpga_name})",
                note,
                list(zip(fleets, latency.values(), strict=True)),
                saving=real,
            )
        )
    return {"streams": streams, "fps": float(site.fps), "scenarios": scenarios, "assumptions": prices.rows}


def _scenario(name: str, provenance: str, fleets: list[tuple[FleetCost, Decimal]], *, saving: bool) -> dict[str, Any]:
    """saving: whether the last fleet may be compared with the first."""
    first, last = fleets[0][0].total, fleets[-1][0].total
    return {
        "name": name,
        "provenance": provenance,
        "fleets": [_fleet(fleet) | {"latency_ms": float(latency)} for fleet, latency in fleets],
        "saving_percent": float(100 * (1 - last / first)) if saving and first else None,
    }


def _fleet(fleet: FleetCost) -> dict[str, Any]:
    parts = {key: f"{getattr(fleet, key):.2f}" for key in ("capital", "energy", "maintenance", "staff")}
    fixed = {"label": fleet.label, "nodes": fleet.nodes, "energy_kwh": float(fleet.energy_kwh)}
    return fixed | parts | {"total": str(fleet.total)}
