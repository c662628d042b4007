"""From frame records to the figures of a run: the one source for the console, the report and `run.json`."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pandas as pd

from foveal_bench.statistics import nearest_rank, ratio_of_medians, summarise
from foveal_bench.tco import FleetCost, compare, load_prices

__all__ = ["CLAIM", "STREAMS", "summarise_run"]

CLAIM = {"gpu_latency_ms": Decimal("42.6"), "hybrid_latency_ms": Decimal("14.1")}
"""Latencies of the claim under test (a white paper's table, 1080p at 30 fps in CARLA)."""

STREAMS = 4
"""Camera streams of the reference fleet."""

BASELINE, ACCELERATED = "opencl-full", "cosim-region"
PAIRS = (("cosim-region", "cosim-full"), ("opencl-region", "opencl-full"))
TOTALS = ("dma_loads", "dma_skipped", "dma_bytes")


def summarise_run(records: pd.DataFrame, devices: dict[str, dict[str, Any]], seed: int) -> dict[str, Any]:
    """Figures of a run as plain JSON values; times in milliseconds, each with its provenance.

    records: one row a frame and configuration, as `drive` writes them. devices: configuration -> device facts.
    """
    groups = {str(name): rows for name, rows in records.groupby("configuration", sort=False)}
    configurations = {name: _configuration(rows) | devices.get(name, {}) for name, rows in groups.items()}
    return {
        "ticks": int(records["tick"].nunique()),
        "configurations": configurations,
        "ratios": [_ratio(a, b, groups[a], groups[b], seed) for a, b in PAIRS if a in groups and b in groups],
        "regions": _regions(groups[ACCELERATED]) if ACCELERATED in groups else None,
        "injection": _injection(groups[ACCELERATED], devices) if ACCELERATED in groups else None,
        "dma": _dma(records),
        "checked": _checked(groups),
        "cost": _cost(configurations),
    }


def _configuration(rows: pd.DataFrame) -> dict[str, Any]:
    latency = summarise(rows["latency_ns"] / 1e6)
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
        if c.startswith("count.") and rows[c].notna().any()
    }
    provenance = sorted({stage["provenance"] for stage in stages})
    return {"latency_ms": asdict(latency), "stages": stages, "counters": counters, "provenance": " + ".join(provenance)}


def _ratio(a: str, b: str, top: pd.DataFrame, bottom: pd.DataFrame, seed: int) -> dict[str, Any]:
    shared = sorted(set(top["tick"]) & set(bottom["tick"]))
    x, y = (rows[rows["tick"].isin(shared)]["latency_ns"] for rows in (top, bottom))
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


def _cost(configurations: dict[str, dict[str, Any]]) -> dict[str, Any]:
    cards, site, rows = load_prices()
    gpu, fpga = cards["L40S"], cards["U55C"]
    scenarios = [
        _scenario(
            "the claim's latencies",
            "quoted latencies, modelled cost",
            compare(gpu, fpga, site, streams=STREAMS, **CLAIM),
            CLAIM,
        )
    ]
    if BASELINE in configurations and ACCELERATED in configurations:
        medians = [configurations[name]["latency_ms"]["p50"] for name in (BASELINE, ACCELERATED)]
        if all(medians):
            latencies = dict(zip(CLAIM, (Decimal(repr(round(m, 6))) for m in medians), strict=True))
            kind = configurations[BASELINE].get("kind")
            note = (
                "baseline measured on a GPU"
                if kind == "gpu"
                else "baseline measured on a CPU that stands in for a GPU: shows the arithmetic, claims no saving"
            )
            scenarios.append(
                _scenario(
                    "this run's median latencies",
                    f"modelled cost; {note}",
                    compare(gpu, fpga, site, streams=STREAMS, **latencies),
                    latencies,
                )
            )
    return {"streams": STREAMS, "gpu": gpu.name, "fpga": fpga.name, "scenarios": scenarios, "assumptions": rows}


def _scenario(
    name: str, provenance: str, fleets: tuple[FleetCost, FleetCost], latencies: dict[str, Decimal]
) -> dict[str, Any]:
    gpu, hybrid = fleets
    return {
        "name": name,
        "provenance": provenance,
        "latency_ms": [float(v) for v in latencies.values()],
        "fleets": [_fleet(fleet) for fleet in fleets],
        "saving_percent": float(100 * (1 - hybrid.total / gpu.total)) if gpu.total else None,
    }


def _fleet(fleet: FleetCost) -> dict[str, Any]:
    parts = {key: f"{getattr(fleet, key):.2f}" for key in ("capital", "energy", "maintenance", "staff")}
    fixed = {"label": fleet.label, "nodes": fleet.nodes, "energy_kwh": float(fleet.energy_kwh)}
    return fixed | parts | {"total": str(fleet.total)}
