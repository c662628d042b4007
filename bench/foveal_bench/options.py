"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["BenchOptions"]


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """out: folder for the results. host: a CARLA server elsewhere (None: start the built-in one on `port`, 0 any).

    map: the built-in server's map, or an .xodr path. trace: replay this drive instead of driving (its own picture size
    holds). full_every: ticks between co-simulated full frames and pictures. corrupt: (tick, x, y), spoil that pixel of
    the card's region frame. wave: VCD file for the waves of the card's region frame of tick wave_tick. prices: a price
    book of one's own. streams: cameras of the fleets that are priced. overlap: ticks that the card draws again with
    frames in flight together (0: none). fault: what shall go wrong with the card, and in which of its frames. xclbin:
    run this image on an Alveo card instead of the co-simulated one; card: which one (index, BDF or serial number; None:
    the only one). timing_report: Vivado's timing summary of the image (None: the one beside xclbin).
    """

    out: Path
    ticks: int = 120
    width: int = 1920
    height: int = 1080
    map: str = "town_block"
    traffic: int = 40
    walkers: int = 24
    host: str | None = None
    port: int = 0
    trace: Path | None = None
    seed: int = 1
    full_every: int = 20
    board: str = "u280"
    corrupt: tuple[int, int, int] | None = None
    wave: Path | None = None
    wave_tick: int = 0
    prices: Path | None = None
    streams: int = 4
    overlap: int = 12
    fault: str | None = None
    xclbin: Path | None = None
    card: str | None = None
    timing_report: Path | None = None
