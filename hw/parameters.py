"""The legal values of every module's parameters, sets of them, and a file that holds an instance of each set.

Parameters that are not named here stay at their default: widths that follow from others, ids, colours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["ILLEGAL", "SPACE", "UNBUILDABLE", "covers_pairs", "each_value", "every_set", "few", "instances"]

Values = Mapping[str, Sequence[int]]
Set = dict[str, int]

PPC = (1, 2, 4, 8, 16)
ROI = tuple(range(1, 17))
OUTSTANDING = (1, 2, 4, 8, 16, 32, 64)
BUS = (32, 64, 128, 256, 512, 1024)
SLOTS = (2, 4, 8, 16, 32, 64)
BEATS = tuple(1 << n for n in range(13))  # 1 to 4,096

SPACE: dict[str, Values] = {
    "axi_align": {"DATA_W": BUS},
    "axi_read": {"DATA_W": BUS, "OUTSTANDING": OUTSTANDING, "BEATS": BEATS},
    "axi_write": {"DATA_W": BUS, "OUTSTANDING": OUTSTANDING, "FIFO_DEPTH": (256, 512)},
    "band_plan": {"NUM_ROI": ROI},
    "band_ram": {"WIDTH": (1, 56, 448, 896), "AW": (1, 14)},
    "band_scan": {"PPC": PPC},
    "band_store": {"PPC": PPC},
    "dma_trigger": {"OUTSTANDING": OUTSTANDING, "SLOTS": SLOTS},
    "foveal_kernel": {
        "PPC": PPC,
        "OUTSTANDING": OUTSTANDING,
        "TEX_SLOTS": (0, *SLOTS),
        "SHADE_PORT": (0, 1),
    },
    "frame_ctl": {"NUM_ROI": ROI},
    "frame_stats": {"WIDTH": tuple(range(1, 33))},
    "pixel_pack": {"PPC": PPC, "PIX_W": (1, 8, 32)},
    "pixel_place": {"PPC": PPC, "PIX_BYTES": (1, 2, 4, 8)},
    "read_firewall": {"DATA_W": BUS, "BEATS": (*BEATS, 96, 4095)},
    "roi_clip": {"PPC": PPC, "PIX_W": (1, 16, 56), "NUM_ROI": ROI},
    "roi_cull": {"NUM_ROI": (4, 8, 12, 16)},
    "roi_regs": {"NUM_ROI": ROI, "PPC": PPC, "TEX_SLOTS": (0, *SLOTS)},
    "roi_sets": {"NUM_ROI": ROI},
    "roi_write": {"PPC": PPC},
    "shade_port": {"PPC": PPC, "FLIGHT": (4, 8, 16, 32, 64, 128)},
    "skid_buffer": {"WIDTH": (1, 2, 31, 512, 1024)},
    "stream_fifo": {"WIDTH": (1, 9, 512), "DEPTH": (4, 8, 16, 64, 1024)},
    "surface_shade": {"PPC": PPC},
    "tex_bank": {"AW": (1, 7, 9)},
    "tex_pages": {"SLOTS": SLOTS},
    "tex_store": {"SLOTS": SLOTS},
    "tile_cover": {"PPC": PPC},
    "tile_depth": {"PPC": PPC},
    "tile_emit": {"PPC": PPC},
    "tile_origin": {"PPC": PPC},
    "tile_raster": {"PPC": PPC, "NUM_ROI": ROI},
    "tile_walk": {"PPC": PPC, "NUM_ROI": ROI},
    "tri_fetch": {"OUTSTANDING": OUTSTANDING},
    "write_firewall": {"DATA_W": BUS, "OUTSTANDING": OUTSTANDING, "FIFO_DEPTH": (256, 1024)},
}

# Values just beyond the legal ones, and some that only look legal: (module, parameter, value). The module says so.
ILLEGAL: tuple[tuple[str, str, int], ...] = (
    *(
        (module, "PPC", value)
        for module in SPACE
        if "PPC" in SPACE[module]
        for value in (3, 32)
        if (module, value) != ("shade_port", 32)
    ),
    *(
        (module, "NUM_ROI", value)
        for module, values in (
            *((name, (17,)) for name in ("roi_regs", "roi_sets")),
            *((name, (0,)) for name in ("band_plan", "frame_ctl", "tile_walk", "tile_raster")),
            ("roi_cull", (0, 6)),
        )
        for value in values
    ),
    *((name, "OUTSTANDING", n) for name in SPACE if "OUTSTANDING" in SPACE[name] for n in (0, 65)),
    *((name, "DATA_W", value) for name in SPACE if "DATA_W" in SPACE[name] for value in (16, 96, 2048)),
    *(("axi_read", "BEATS", value) for value in (0, 3, 8192)),
    *(("read_firewall", "BEATS", value) for value in (0, 4097)),
    ("axi_write", "FIFO_DEPTH", 64),
    *((name, "FIFO_DEPTH", 300) for name in ("axi_write", "write_firewall")),
    ("frame_stats", "WIDTH", 33),
    ("foveal_kernel", "SHADE_PORT", 2),
    ("foveal_kernel", "TEX_SLOTS", 3),
    ("foveal_kernel", "TEX_SLOTS", 128),
    ("roi_regs", "TEX_SLOTS", 65),
    *((name, "SLOTS", value) for name in ("tex_pages", "tex_store", "dma_trigger") for value in (3, 128)),
    ("roi_clip", "PIX_W", 0),
    ("pixel_place", "PIX_BYTES", 3),
    ("shade_port", "FLIGHT", 2),
    ("shade_port", "FLIGHT", 24),
    ("stream_fifo", "DEPTH", 2),
    ("stream_fifo", "DEPTH", 12),
    ("stream_fifo", "WIDTH", 0),
    ("skid_buffer", "WIDTH", 0),
)

# Values that leave a vector without a bit: elaboration itself stops, with the line.
UNBUILDABLE: tuple[tuple[str, str, int], ...] = (
    ("shade_port", "PPC", 32),
    ("roi_regs", "NUM_ROI", 0),
    ("roi_sets", "NUM_ROI", 0),
    ("roi_clip", "NUM_ROI", 0),
    ("pixel_pack", "PIX_W", 0),
    ("frame_stats", "WIDTH", 0),
)


def every_set(values: Values) -> list[Set]:
    """The cross product."""
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def _pairs(chosen: Set) -> set[tuple[tuple[str, int], tuple[str, int]]]:
    return set(itertools.combinations(chosen.items(), 2)) or {(item, item) for item in chosen.items()}


def covers_pairs(sets: Iterable[Set], values: Values) -> bool:
    """Whether any two values of two different parameters (any value, if there is one parameter) meet in some set."""
    found = set().union(*(_pairs({name: chosen[name] for name in values}) for chosen in sets))
    return found >= set().union(*map(_pairs, every_set(values)))


def few(values: Values) -> list[Set]:
    """Few sets in which any two values of two different parameters meet; greedy, and always the same."""
    candidates = every_set(values)
    left = set().union(*map(_pairs, candidates))
    chosen: list[Set] = []
    while left:
        best = max(candidates, key=lambda one: len(_pairs(one) & left))
        chosen.append(best)
        left -= _pairs(best)
    return chosen


def each_value(values: Values) -> list[Set]:
    """As many sets as the longest list has values: each value occurs, and the values of two parameters drift apart."""
    longest = max(map(len, values.values()))
    return [{name: row[n % len(row)] for name, row in values.items()} for n in range(longest)]


def instances(module: str, sets: Iterable[Set], top: str = "parameter_sets") -> str:
    """Verilog with an instance of `module` for each set, named after its values; no port is connected."""
    lines = [f"`timescale 1ns / 1ps\nmodule {top};"]
    for chosen in sets:
        name = "_".join(f"{parameter.lower()}{value}" for parameter, value in chosen.items())
        values = ", ".join(f".{parameter}({value})" for parameter, value in chosen.items())
        lines.append(f"  {module} #({values}) {name} ();")
    return "\n".join([*lines, "endmodule", ""])
