"""Draw where the cycles of the reference street's frames go: ``python hw/frame_cycles.py`` writes hw/frame_cycles.svg.

The figures are the counters of the co-simulated card, so they are exact and the same on every machine. A test renders
the frames again and compares, so the picture cannot grow stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["PICTURE", "bars", "picture"]

PICTURE = Path(__file__).resolve().with_suffix(".svg")
WIDTH, LEFT, BAR, GAP = 1000, 130, 24, 20
COLOURS = {
    "rasterising": "#3b7dd8",
    "only scanning": "#e08a2e",
    "only loading materials": "#b5651d",
    "waiting for records": "#c8473e",
    "last answers": "#8a63b8",
    "scanning": "#3fa66b",
    "output not ready": "#e0b22e",
    "waiting for materials": "#b5651d",
    "beats": "#4a9fb5",
    "memory or kernel not ready": "#e0b22e",
    "under way": "#9aa0a6",
    "idle": "#e4e6e8",
}

Part = tuple[str, int]


def bars(counters: Mapping[str, int]) -> dict[str, list[Part]]:
    """Where the frame's cycles went, seen from four places; the parts of each add up to `frame_cycles` (SPEC 10)."""
    c = counters
    return {
        "frame": [
            ("rasterising", c["raster_cycles"] - c["raster_stall_cycles"]),
            ("only scanning", c["scan_alone_cycles"]),
            ("only loading materials", c["dma_alone_cycles"]),
            ("waiting for records", c["fetch_wait_cycles"]),
            ("last answers", c["drain_cycles"]),
        ],
        "scan": [
            ("scanning", c["scan_cycles"] - c["scan_stall_cycles"]),
            ("output not ready", c["scan_stall_cycles"]),
            ("waiting for materials", c["dma_wait_cycles"]),
            ("idle", c["scan_idle_cycles"]),
        ],
        "gmem0, records": _port(c, "fetch"),
        "gmem1, pixels": _port(c, "write"),
    }


def _port(counters: Mapping[str, int], name: str) -> list[Part]:
    return [
        ("beats", counters[f"{name}_beats"]),
        ("memory or kernel not ready", counters[f"{name}_stall_cycles"]),
        ("under way", counters[f"{name}_latency_cycles"]),
        ("idle", counters[f"{name}_idle_cycles"]),
    ]


def picture(frames: Mapping[str, Mapping[str, int]]) -> str:
    """The picture as SVG text; `frames` are counters by title, the longest frame gives the scale."""
    longest = max(counters["frame_cycles"] for counters in frames.values())
    scale = (WIDTH - LEFT - 20) / longest
    out: list[str] = []
    y = 30
    for title, counters in frames.items():
        out.append(f'<text x="10" y="{y}" font-weight="bold">{title}: {counters["frame_cycles"]:,} cycles</text>')
        y += 12
        for name, parts in bars(counters).items():
            out.append(f'<text x="10" y="{y + BAR // 2 + 5}">{name}</text>')
            x = float(LEFT)
            for part, cycles in parts:
                width = cycles * scale
                out.append(
                    f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{BAR}" fill="{COLOURS[part]}">'
                    f"<title>{part}: {cycles:,}</title></rect>"
                )
                if width > 90:
                    out.append(f'<text x="{x + 6:.2f}" y="{y + BAR // 2 + 5}">{cycles:,}</text>')
                x += width
            y += BAR + 6
        y += GAP
    shown = {part for counters in frames.values() for parts in bars(counters).values() for part, n in parts if n}
    x = 10
    for part, colour in COLOURS.items():
        if part in shown:
            out.append(f'<rect x="{x}" y="{y - 11}" width="13" height="13" fill="{colour}"/>')
            out.append(f'<text x="{x + 18}" y="{y}">{part}</text>')
            x += 34 + 8 * len(part)
            if x > WIDTH - 200:
                x, y = 10, y + 20
    size = f"0 0 {WIDTH} {y + 16}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif" font-size="13">'
    ground = f'<rect width="{WIDTH}" height="{y + 16}" fill="#ffffff"/>'
    return "\n".join([head, ground, *out, "</svg>", ""])


def main() -> None:
    from foveal.region import RegionSet
    from foveal.scene import reference
    from foveal_sim.cosim import open_cosim

    meshes, draw = reference.load()
    device = open_cosim()
    device.load(meshes)
    full = device.render(draw, RegionSet.full(1920, 1080)).counters
    quarter = device.render(draw, reference.regions("25%")).counters
    device.close()
    PICTURE.write_text(picture({"full frame": full, "25 % of the pixels": quarter}), encoding="utf-8")


if __name__ == "__main__":
    main()
