"""Plots of the cost section of a run as inline SVG."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from foveal_bench.cost.tco import PARTS
from foveal_bench.plots import COLOURS, svg

__all__ = ["cost_plots"]

WIDTH = 6.0
PART_COLOURS = dict(zip(PARTS, ("#4477aa", "#ccbb44", "#66ccee", "#bbbbbb", "#aa3377", "#ee6677"), strict=True))
LINE_STYLES = ("-", "--", "-", "--")
LINE_COLOURS = (COLOURS[0], COLOURS[0], COLOURS[1], COLOURS[1])
MOST_SWINGS = 10


def cost_plots(cost: dict[str, Any]) -> dict[str, str]:
    """parts: stacked bars; curve: totals over streams; tornado: swings of the saving. cost: run.json's section."""
    return {"parts": _parts(cost), "curve": _curve(cost["curve"], cost["currency"]), "tornado": _tornado(cost)}


def _thousands(axis: Any) -> None:
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def _parts(cost: dict[str, Any]) -> str:
    fleets = [fleet for scenario in cost["scenarios"] for fleet in scenario["fleets"]]
    shown = [part for part in PARTS if any(float(fleet[part]) for fleet in fleets)]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.5 * len(fleets) + 1.2))
    for row, fleet in enumerate(fleets):
        left = 0.0
        for part in shown:
            axes.barh(row, float(fleet[part]), left=left, color=PART_COLOURS[part], height=0.62)
            left += float(fleet[part])
        axes.annotate(f"{left:,.0f}", (left, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_yticks(range(len(fleets)), [fleet["label"] for fleet in fleets])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{cost['currency']} a year")
    _thousands(axes.xaxis)
    handles = [plt.Rectangle((0, 0), 1, 1, color=PART_COLOURS[part]) for part in shown]
    axes.legend(handles, shown, fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1.0), frameon=False)
    _bare(axes)
    return svg(figure)


def _curve(curve: dict[str, Any], currency: str) -> str:
    figure, axes = plt.subplots(figsize=(WIDTH, 3.8))
    for line, style, colour in zip(curve["lines"], LINE_STYLES, LINE_COLOURS, strict=True):
        totals = [float(total) for total in line["totals"]]
        axes.plot(curve["streams"], totals, style, color=colour, lw=1.6, drawstyle="steps-mid", label=line["label"])
    claimed = curve["claimed"]
    for number, (name, usd) in enumerate(claimed["usd"].items()):
        colour = LINE_COLOURS[2 * number]
        axes.plot(claimed["streams"], usd, "x", color=colour, ms=9, mew=2.2, label=f"claimed: {name}, {usd:,}")
    if curve["break_even"] in curve["streams"]:
        at = curve["break_even"]
        total = float(curve["lines"][3]["totals"][curve["streams"].index(at)])
        axes.plot(at, total, "o", mfc="none", mec="#1c2530", ms=9, label=f"break-even with engineering, {at} streams")
    axes.set_xlabel("camera streams")
    axes.set_ylabel(f"{currency} a year")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, curve["streams"][-1])
    _thousands(axes.yaxis)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.42, 1.0), frameon=False)
    _bare(axes)
    return svg(figure)


def _tornado(cost: dict[str, Any]) -> str:
    swings = cost["tornado"][:MOST_SWINGS]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.4 * len(swings) + 1.1))
    for row, swing in enumerate(swings):
        low, high = 100 * swing["at_low"], 100 * swing["at_high"]
        axes.barh(row, high - low, left=low, color=COLOURS[0] if high >= low else COLOURS[1], height=0.6)
        for value, end in ((low, swing["low"]), (high, swing["high"])):
            inside = "right" if value == min(low, high) else "left"
            offset = -4 if inside == "right" else 4
            axes.annotate(
                f"{end:,.3g}" if abs(end) < 1000 else f"{end:,.0f}",
                (value, row),
                xytext=(offset, 0),
                textcoords="offset points",
                va="center",
                ha=inside,
                fontsize=8,
            )
    axes.set_yticks(range(len(swings)), [swing["name"] for swing in swings])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("saving, %; blue: a larger figure saves more, red: less")
    _bare(axes)
    return svg(figure)
