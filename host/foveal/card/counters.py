"""The kernel's counters, and the serial stages that they describe."""

from __future__ import annotations

from foveal.card import registers
from foveal.card.card import Card
from foveal.frame import StageTime
from foveal.provenance import Provenance

__all__ = ["kernel_stages", "read_counters"]


def read_counters(card: Card) -> dict[str, int]:
    """Counters of the last frame and since reset, by their register's name in lower case."""
    return {name.lower(): card.read(registers.OFFSETS[name]) for name in registers.COUNTERS}


def kernel_stages(counters: dict[str, int], clock_hz: float, provenance: Provenance) -> list[StageTime]:
    """FRAME_CYCLES as serial stages whose sum it is exactly: the kernel counts each cycle in one of them.

    fetch: the raster waited for records. raster: it worked. texture_dma: nothing but the load of the material table
    was waited for. scan: the part of the scan-out that no raster work hides. drain: writes outstanding after the scan.
    """
    cycles = {
        "fetch": counters["fetch_wait_cycles"],
        "raster": counters["raster_cycles"] - counters["raster_stall_cycles"],
        "texture_dma": counters["dma_alone_cycles"],
        "scan": counters["scan_alone_cycles"],
        "drain": counters["drain_cycles"],
    }
    return [StageTime(name, count * 1e9 / clock_hz, provenance) for name, count in cycles.items()]
