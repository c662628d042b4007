"""What a device returns: pixels, and what each stage of them cost."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.timeline import Interval

__all__ = ["NOTHING", "Frame", "StageTime"]

NOTHING = (1 << 24) - 1
"""Depth of a pixel in which nothing is drawn."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """Time of one stage: name (upload, geometry, raster, dma, read_back, ...), nanoseconds, provenance."""

    name: str
    time_ns: float
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Frame:
    """A rendered frame.

    frame: the tick's frame id. pixels: (height, width, 4) uint8 B, G, R, A; zero outside the regions.
    regions: what was rendered. stages: serial stages, in order; their sum is the latency.
    depth, semantic, instance: (height, width) where they were asked for (foveal.channel), zero outside the regions.
    depth: uint32, 24 bits of clip-space z, 2^24-1 where nothing is drawn (foveal.depth makes metres of it). semantic:
    uint8 foveal.tag.Tag, SKY where nothing is drawn. instance: uint16, low bits of the actor's id, 0 for none.
    pixels are all zero when colour was not asked for.
    counters: figures a device counts (cycles, bytes, bursts, ...), integers by name.
    timeline: when each piece ran, on the time line of the render or stream that the frame came from; empty where a
    device does not keep one.
    """

    frame: int
    pixels: np.ndarray
    regions: RegionSet
    stages: tuple[StageTime, ...]
    counters: dict[str, int] = field(default_factory=dict)
    timeline: tuple[Interval, ...] = ()
    depth: np.ndarray | None = None
    semantic: np.ndarray | None = None
    instance: np.ndarray | None = None

    @property
    def latency_ns(self) -> float:
        """Sum of the stages in nanoseconds."""
        return sum(stage.time_ns for stage in self.stages)
