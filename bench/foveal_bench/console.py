"""A run's figures as text for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["NOT_CLAIMABLE", "facts", "milliseconds", "print_summary"]

NOT_CLAIMABLE = "-: not claimable, too few frames (11 for p50, 64 for p90, 662 for p99)"


def milliseconds(value: float | None) -> str:
    """Three places; a dash where too few frames were timed to claim the figure."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def print_summary(console: Console, run: dict[str, Any]) -> None:
    """Latency, stages, work moved, cost and verdict. `run` is the content of run.json."""
    summary = run["summary"]
    if summary is not None:
        console.print(_latency(summary))
        console.print(_stages(summary))
        for line in facts(summary):
            console.print(line, highlight=False)
        console.print(_cost(summary["cost"]))
        headline = run["headline"]
        if headline:
            console.print(headline, style="bold", highlight=False)
    for reason in run["reasons"]:
        console.print(f"  - {reason}", style="red", highlight=False, markup=False)


def _latency(summary: dict[str, Any]) -> Table:
    table = Table(
        title="Latency of a frame, milliseconds", title_justify="left", caption=NOT_CLAIMABLE, caption_justify="left"
    )
    for name in ("configuration", "frames", "p50", "p90", "max", "provenance"):
        table.add_column(name, justify="left" if name in ("configuration", "provenance") else "right")
    for name, figures in summary["configurations"].items():
        latency = figures["latency_ms"]
        cells = [milliseconds(latency[key]) for key in ("p50", "p90", "max")]
        table.add_row(figures.get("label", name), str(latency["n"]), *cells, figures["provenance"])
    return table


def _stages(summary: dict[str, Any]) -> Table:
    table = Table(title="Stages, milliseconds", title_justify="left")
    for name in ("configuration", "stage", "p50", "p90", "max", "provenance"):
        table.add_column(name, justify="right" if name in ("p50", "p90", "max") else "left")
    for name, figures in summary["configurations"].items():
        for stage in figures["stages"]:
            cells = [milliseconds(stage[key]) for key in ("p50", "p90", "max")]
            table.add_row(name, stage["name"], *cells, stage["provenance"])
        table.add_section()
    return table


def facts(summary: dict[str, Any]) -> list[str]:
    """One sentence each: regions, traffic, DMA, injection, ratios, checks."""
    lines = []
    if summary["regions"]:
        r = summary["regions"]
        lines.append(
            f"Regions: {r['count_p50']:.0f} a frame (median), {100 * r['share_p50']:.1f} % of the picture"
            f" ({100 * r['share_min']:.1f} to {100 * r['share_max']:.1f} %)."
        )
    for name in ("cosim-region", "cosim-full"):
        counters = summary["configurations"].get(name, {}).get("counters", {})
        if "wr_bytes" in counters:
            lines.append(
                f"{name}: {counters['rd_bytes'] / 1e6:.2f} MB read in {counters['rd_bursts']:.0f} bursts,"
                f" {counters['wr_bytes'] / 1e6:.2f} MB written in {counters['wr_bursts']:.0f} bursts a frame"
                f" (medians, counted by the kernel)."
            )
    if summary["dma"]:
        d = summary["dma"]
        lines.append(
            f"Material DMA: {d['dma_loads']} loads ({d['dma_bytes']:,} bytes), {d['dma_skipped']} frames needed none"
            " (outside the zone or already resident)."
        )
    if summary["injection"]:
        i = summary["injection"]
        lines.append(
            f"Region COMMIT to first clipped beat: {i['cycles_p50']:.0f} cycles, {i['ns_p50']:.1f} ns at"
            f" {i['clock_mhz']:.0f} MHz ({i['cycles_min']:.0f} to {i['cycles_max']:.0f} cycles,"
            f" at most {i['ns_max']:.1f} ns; simulated, counted in the fabric). Apart from it the set waited"
            f" {i['wait_ns_p50'] / 1e6:.3f} ms for the frame's first beat; the host's writes are in the launch stage."
        )
    for ratio in summary["ratios"]:
        lines.append(
            f"{ratio['of']} / {ratio['to']}: {ratio['value']:.3f}"
            f" ({100 * ratio['confidence']:.0f} % interval {ratio['low']:.3f} to {ratio['high']:.3f},"
            f" {ratio['n']} shared ticks)."
        )
    compared = {name: c for name, c in summary["checked"].items() if c["compared"]}
    for name, c in compared.items():
        lines.append(
            f"{name}: {c['compared']} of {c['frames']} frames compared with the golden model,"
            f" {c['pixels_different']} pixels differ."
        )
    return lines


def _cost(cost: dict[str, Any]) -> Table:
    fleets = f"{cost['gpu']} against {cost['gpu']} + {cost['fpga']}"
    title = f"Yearly cost of {cost['streams']} streams 1080p30, {fleets}, USD (modelled)"
    table = Table(title=title, title_justify="left")
    for name in ("latencies from", "fleet", "latency ms", "nodes", "capital", "energy", "upkeep", "staff", "total"):
        table.add_column(name, justify="left" if name in ("latencies from", "fleet") else "right")
    for scenario in cost["scenarios"]:
        for fleet, latency in zip(scenario["fleets"], scenario["latency_ms"], strict=True):
            money = [f"{float(fleet[key]):,.0f}" for key in ("capital", "energy", "maintenance", "staff", "total")]
            table.add_row(scenario["name"], fleet["label"], milliseconds(latency), str(fleet["nodes"]), *money)
        table.add_row("", f"[dim]{scenario['provenance']}[/dim]")
        table.add_section()
    return table
