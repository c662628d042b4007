"""Plots of a run as inline SVG."""

from __future__ import annotations

import io
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
import pandas as pd
from foveal.timeline import KERNEL_LANES
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, ScalarFormatter

from foveal_bench.console import STAGES

__all__ = ["COLOURS", "lanes", "latency_over_ticks", "stage_bars", "svg"]

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44")
STAGE_COLOURS = dict(zip(STAGES, matplotlib.colormaps["tab20"].colors, strict=False))  # type: ignore[attr-defined]
"""A stage has the same colour in every run."""

OTHER = "#777777"


def svg(figure: Figure) -> str:
    """The figure as an SVG element, closed, and the same for the same figure."""
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "foveal", "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def stage_bars(summary: dict[str, Any]) -> str:
    """Median of each stage, stacked, one bar a configuration, milliseconds (of however few frames there are)."""
    configurations = summary["configurations"]
    present = {stage["name"] for c in configurations.values() for stage in c["stages"]}
    names = [name for name in STAGES if name in present] + sorted(present - set(STAGES))
    figure, axes = plt.subplots(figsize=(8, 0.62 * len(configurations) + 1.3))
    left = dict.fromkeys(configurations, 0.0)
    for name in names:
        for key, figures in configurations.items():
            value = next((s["median"] for s in figures["stages"] if s["name"] == name), 0.0)
            axes.barh(figures["label"], value, left=left[key], color=STAGE_COLOURS.get(name, OTHER), height=0.62)
            left[key] += value
    handles = [plt.Rectangle((0, 0), 1, 1, color=STAGE_COLOURS.get(name, OTHER)) for name in names]
    axes.legend(handles, names, fontsize=8, ncols=5, loc="lower center", bbox_to_anchor=(0.45, 1.0), frameon=False)
    axes.invert_yaxis()
    axes.set_xlabel("median milliseconds a frame")
    axes.spines[["top", "right"]].set_visible(False)
    return svg(figure)


LANES = {
    "to_card": "transfers to the card",
    "registers": "registers, launches",
    "geometry": "geometry kernel",
    "raster": "raster kernel",
    "to_host": "transfers to the host",
}
"""Lanes of a timeline from top to bottom."""


def lanes(timelines: dict[str, list[list[dict[str, Any]]]]) -> str:
    """What is busy when, by frame: one at a time above, in flight together below, on the same scale of milliseconds.

    timelines: for "one_at_a_time" and "overlapped" the pieces of each frame: lane, start_ms, end_ms.
    """
    figure, both = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True)
    titles = (("one_at_a_time", "one frame at a time"), ("overlapped", "frames in flight together"))
    for axes, (key, title) in zip(both, titles, strict=True):
        for number, pieces in enumerate(timelines[key]):
            for piece in pieces:
                start, width = piece["start_ms"], piece["end_ms"] - piece["start_ms"]
                row = list(LANES).index(piece["lane"])
                axes.barh(row, width, left=start, height=0.7, color=COLOURS[number % len(COLOURS)])
                if piece["lane"] in KERNEL_LANES:
                    axes.text(start + width / 2, row, str(number), ha="center", va="center", fontsize=7, color="white")
        axes.set_yticks(range(len(LANES)), list(LANES.values()), fontsize=8)
        axes.invert_yaxis()
        axes.set_title(title, fontsize=9, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    both[1].set_xlabel("milliseconds")
    figure.tight_layout()
    return svg(figure)


def latency_over_ticks(records: pd.DataFrame) -> str:
    """Latency of every frame against the tick, one line a configuration; logarithmic milliseconds."""
    figure, axes = plt.subplots(figsize=(8, 3.2))
    for number, (name, rows) in enumerate(records.groupby("configuration", sort=False)):
        style = "o" if len(rows) < records["tick"].nunique() / 2 else "-"
        axes.plot(
            rows["tick"],
            rows["latency_ns"] / 1e6,
            style,
            color=COLOURS[number % len(COLOURS)],
            label=str(name),
            ms=4,
            lw=1.2,
        )
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    axes.set_xlabel("tick")
    axes.set_ylabel("latency, ms")
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.45, 1.0), frameon=False)
    return svg(figure)
