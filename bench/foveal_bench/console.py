"""A run's figures as text for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from foveal_bench.cost.tco import PARTS

__all__ = ["NOT_CLAIMABLE", "STAGES", "facts", "milliseconds", "print_summary"]

NOT_CLAIMABLE = "-: not claimable, too few frames (11 for p50, 64 for p90, 662 for p99)"

STAGES = {
    "region": "host: rectangles from the actors' boxes",
    "scene": "host: draw list of the tick",
    "prepare": "host: buffers and tile lists of the OpenCL renderer",
    "upload": "instances and regions to the device",
    "geometry": "transform, clip, cull, triangle set-up",
    "launch": "register writes and start through the driver stack",
    "fetch": "the raster waits for triangle records",
    "raster": "coverage and depth (OpenCL: and shading)",
    "dma": "material table to the device",
    "texture_dma": "the scan waits for the material table",
    "scan": "scan-out that no raster work hides",
    "drain": "writes still outstanding at the end",
    "read_back": "pixels to the host",
    "kernel": "the raster kernel's run as a whole",
    "queued": "the frame waits for what another frame holds",
    "instrument": "the kernel's counters to the host",
}
"""What each stage is; serial, in no frame twice."""


def milliseconds(value: float | None) -> str:
    """Three significant digits, at least to the microsecond; a dash where too few frames were timed to claim it."""
    if value is None:
        return "-"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def print_summary(console: Console, run: dict[str, Any]) -> None:
    """Latency, stages, work moved, cost and verdict. `run` is the content of run.json."""
    summary = run["summary"]
    if summary is not None:
        console.print(_latency(summary))
        console.print(_stages(summary))
        for line in facts(summary):
            console.print(line, highlight=False)
        if run["verdict"] == "VALID":
            console.print(_cost(summary["cost"]))
        if run["headline"]:
            console.print(run["headline"], style="bold", highlight=False)
    for reason in run["reasons"]:
        console.print(f"  - {reason}", style="red", highlight=False, markup=False)


def _table(title: str, names: tuple[str, ...], text: tuple[str, ...], caption: str | None = None) -> Table:
    """Columns in `text` are set to the left, figures to the right."""
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for name in names:
        table.add_column(name, justify="left" if name in text else "right")
    return table


def _latency(summary: dict[str, Any]) -> Table:
    names = ("configuration", "frames", "device p50", "p90", "max", "with host p50", "p90", "max", "provenance")
    table = _table("Latency of a frame, milliseconds", names, ("configuration", "provenance"), NOT_CLAIMABLE)
    for name, figures in summary["configurations"].items():
        cells = [milliseconds(figures[of][key]) for of in ("device_ms", "latency_ms") for key in ("p50", "p90", "max")]
        table.add_row(figures.get("label", name), str(figures["latency_ms"]["n"]), *cells, figures["provenance"])
    return table


def _stages(summary: dict[str, Any]) -> Table:
    names = ("configuration", "stage", "p50", "p90", "max", "provenance", "what it is")
    table = _table("Stages, milliseconds", names, ("configuration", "stage", "provenance", "what it is"))
    for name, figures in summary["configurations"].items():
        for stage in figures["stages"]:
            cells = [milliseconds(stage[key]) for key in ("p50", "p90", "max")]
            table.add_row(name, stage["name"], *cells, stage["provenance"], STAGES.get(stage["name"], ""))
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
    for name in ("cosim-region", "cosim-full", "card-region", "card-full"):
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
            f"Material DMA since the card was opened: loaded {d['dma_loads']} x ({d['dma_bytes']:,} bytes on the bus);"
            f" {d['dma_skipped']} frames needed no load (ego outside the zone, or the table already resident)."
        )
    if summary["injection"]:
        i = summary["injection"]
        lines.append(
            f"Region COMMIT to first clipped beat: {i['cycles_p50']:.0f} cycles, {i['ns_p50']:.1f} ns at"
            f" {i['clock_mhz']:.0f} MHz ({i['cycles_min']:.0f} to {i['cycles_max']:.0f} cycles,"
            f" at most {i['ns_max']:.1f} ns; {i['provenance']}, counted in the fabric). Apart from it the set waited"
            f" {i['wait_ns_p50'] / 1e6:.3f} ms for the frame's first beat; the host's writes are in the launch stage."
        )
    if summary["overlap"]:
        lines.append(overlap_fact(summary["overlap"]))
    for ratio in summary["ratios"]:
        lines.append(
            f"{ratio['of']} / {ratio['to']}, device time: {ratio['value']:.3f}"
            f" ({100 * ratio['confidence']:.0f} % interval {ratio['low']:.3f} to {ratio['high']:.3f},"
            f" {ratio['n']} ticks that both rendered)."
        )
    compared = {name: c for name, c in summary["checked"].items() if c["compared"]}
    for name, c in compared.items():
        lines.append(
            f"{name}: {c['compared']} of {c['frames']} frames compared with the golden model,"
            f" {c['pixels_different']} pixels differ."
        )
    return lines


def overlap_fact(o: dict[str, Any]) -> str:
    """Throughput of frames in flight together, and what it costs each of them."""
    return (
        f"Frames in flight together: the card ends one each {milliseconds(o['period_ms'])} ms, one at a time each"
        f" {milliseconds(o['serial_ms'])} ms: {o['ratio']:.2f} x the throughput ({o['ratio_with_ends']:.2f} x with"
        f" filling and draining, {o['frames']} frames), while a frame takes {milliseconds(o['latency_ms'])} ms;"
        f" {o['register_accesses']['overlapped']:.0f} register accesses a frame; {o['pixels_different']} pixels differ"
        f" from the golden model ({o['provenance']})."
    )


def _cost(cost: dict[str, Any]) -> Table:
    title = f"Yearly cost of {cost['streams']} camera streams at {cost['fps']:.0f} fps, USD (modelled)"
    names = ("latencies", "fleet", "ms a frame", "nodes", *PARTS, "total")
    table = _table(title, names, ("latencies", "fleet"))
    for scenario in cost["scenarios"]:
        for number, fleet in enumerate(scenario["fleets"]):
            money = [f"{float(fleet[key]):,.0f}" for key in (*PARTS, "total")]
            first = (scenario["name"], f"[dim]{scenario['provenance']}[/dim]", "")[min(number, 2)]
            table.add_row(first, fleet["label"], milliseconds(fleet["frame_ms"]), str(fleet["nodes"]), *money)
        table.add_section()
    return table
