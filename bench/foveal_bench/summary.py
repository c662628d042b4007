"""From frame records to the figures of a run: the one source for the console, the report and `run.json`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

import pandas as pd

from foveal_bench.configuration_keys import BASELINE, MEASURED_CARD, SHARED, SIMULATED_CARD, accelerated
from foveal_bench.cost.book import PriceBook
from foveal_bench.cost.run_cost import cost_of_run
from foveal_bench.statistics import RATIO_FROM, nearest_rank, ratio_of_medians, summarise

__all__ = ["summarise_run"]

CUMULATIVE = ("dma_", "roi_sets", "roi_inject_", "frames")
"""Counters since the card was opened: a median of them means nothing."""
TOTALS = ("dma_loads", "dma_skipped", "dma_bytes")


def summarise_run(
    records: pd.DataFrame,
    devices: dict[str, dict[str, Any]],
    *,
    seed: int,
    prices: PriceBook,
    streams: int,
    card: str,
    today: date,
    overlap: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Figures of a run as plain JSON values; times in milliseconds, each with its provenance.

    records: one row a frame and configuration, as the frame loop writes them. devices: configuration -> device facts.
    card: price book's name of the card that was simulated. streams: camera streams of the fleets that are priced.
    today: what the age of prices is counted to. overlap: figures of frames in flight together, as they are.
    """
    groups = {str(name): rows for name, rows in records.groupby("configuration", sort=False)}
    region = accelerated(groups)
    fleets = (BASELINE, SHARED, region)
    pairs = ((region, region.replace("region", "full")), (SHARED, BASELINE))
    configurations = {name: _configuration(rows) | devices.get(name, {}) for name, rows in groups.items()}
    return {
        "ticks": int(records["tick"].nunique()),
        "configurations": configurations,
        "ratios": [r for a, b in pairs if a in groups and b in groups if (r := _ratio(a, b, groups, seed))],
        "regions": _regions(groups[region]) if region in groups else None,
        "injection": _injection(region, groups[region], devices.get(region, {})) if region in groups else None,
        "dma": _dma(records),
        "overlap": overlap,
        "checked": _checked(groups),
        "cost": cost_of_run(configurations, prices, roles=fleets, streams=streams, card=card, today=today),
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


def _injection(key: str, rows: pd.DataFrame, device: dict[str, Any]) -> dict[str, Any] | None:
    column = "count.roi_inject_cycles"
    clock_hz = float(device.get("clock_hz") or 0)
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
        "provenance": "measured" if key.startswith(MEASURED_CARD) else "simulated",
    }


def _dma(records: pd.DataFrame) -> dict[str, int] | None:
    rows = records[records["configuration"].str.startswith((SIMULATED_CARD, MEASURED_CARD))]
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
