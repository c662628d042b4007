"""`report.html`: one self-contained page of a run."""

from __future__ import annotations

import json
from typing import Any

import jinja2
import pandas as pd

from foveal_bench.console import NOT_CLAIMABLE, STAGES, facts, milliseconds
from foveal_bench.cost.tco import PARTS
from foveal_bench.cost_plots import cost_plots
from foveal_bench.plots import lanes, latency_over_ticks, stage_bars

__all__ = ["render_report"]


def render_report(run: dict[str, Any], records: pd.DataFrame | None, pictures: list[dict[str, str]]) -> str:
    """The page as text. `run` is run.json's content; pictures: {"caption", "full", "region"} with data URIs.

    records: None where nothing was recorded; then run["summary"] is None too, and the page has the verdict alone.
    """
    environment = jinja2.Environment(loader=jinja2.PackageLoader("foveal_bench", "."), autoescape=True)
    environment.filters["ms"] = milliseconds
    environment.filters["usd"] = lambda value: f"{float(value):,.0f}"
    summary = run["summary"]
    return environment.get_template("report.html.j2").render(
        run=run,
        summary=summary,
        facts=facts(summary) if summary else [],
        bars=stage_bars(summary) if summary else "",
        lines=latency_over_ticks(records) if records is not None else "",
        lanes=lanes(summary["overlap"]["timelines"]) if summary and summary["overlap"] else "",
        cost=cost_plots(summary["cost"]) if summary else {},
        pictures=pictures,
        raw=json.dumps(run, indent=1),
        not_claimable=NOT_CLAIMABLE,
        stages=STAGES,
        parts=PARTS,
        devices=_devices(summary) if summary else [],
    )


def _devices(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Each device once, with what it was used for."""
    devices: dict[str, dict[str, Any]] = {}
    for name, c in summary["configurations"].items():
        known = devices.setdefault(c["device"], {k: c[k] for k in ("device", "kind", "detail")} | {"used": name})
        if known["used"] != name:
            known["used"] += f", {name}"
    return list(devices.values())
