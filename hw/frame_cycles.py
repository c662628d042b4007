"""Draw where the cycles of the reference street's frames go: ``python hw/frame_cycles.py`` writes hw/frame_cycles.svg.

The figures are the counters of the co-simulated card, so they are exact and the same on every machine. A test renders
the frames again and compares, so the picture cannot grow stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["PICTURE", "bars", "picture"]

PICTURE = Path(__file__).resolve().with_suffix(".svg")
WIDTH, LEFT, BAR, GAP = 1000, 170, 34, 20
COLOURS = {
    "rasterising": "#3b7dd8",
    "raster stalled": "#e08a2e",
    "waiting for records": "#c8473e",
    "scanning out": "#3fa66b",
    "scan stalled": "#e08a2e",
    "last band out": "#8a63b8",
    "start, table, hand-over": "#9aa0a6",
    "idle": "#e4e6e8",
}

Part = tuple[str, int]


def bars(counters: Mapping[str, int]) -> dict[str, list[Part]]:
    """Parts of the frame's cycles for both halves of the kernel; each half's parts add up to `frame_cycles`."""
    frame = counters["frame_cycles"]
    front = [
        ("rasterising", counters["raster_cycles"] - counters["raster_stall_cycles"]),
        ("raster stalled", counters["raster_stall_cycles"]),
        ("waiting for records", counters["fetch_wait_cycles"]),
        ("last band out", counters["drain_cycles"]),
    ]
    front.append(("start, table, hand-over", frame - sum(cycles for _, cycles in front)))
    back = [
        ("scanning out", counters["scan_cycles"] - counters["scan_stall_cycles"]),
        ("scan stalled", counters["scan_stall_cycles"]),
    ]
    back.append(("idle", frame - sum(cycles for _, cycles in back)))
    return {"records to bands": front, "bands to pixels": back}


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
                if cycles < 0:
                    raise ValueError(f"{title}: {part} has {cycles} cycles, the counters overlap")
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
