"""Serial stages from overlapping counters, worked by hand."""

from __future__ import annotations

import pytest
from foveal.card.counters import kernel_stages
from foveal.provenance import Provenance

NAMES = (
    "frame_cycles",
    "fetch_wait_cycles",
    "raster_cycles",
    "raster_stall_cycles",
    "drain_cycles",
    "dma_wait_cycles",
)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # the scan is hidden behind the raster except for 1000 - 100 - (700 - 50) - 30 cycles
        ((1000, 100, 700, 50, 30, 0), (100, 650, 0, 220, 30)),
        # waiting for the material table is taken out of the exposed scan
        ((1000, 100, 700, 50, 30, 200), (100, 650, 200, 20, 30)),
        # a wait hidden behind the raster costs nothing
        ((1000, 100, 900, 30, 30, 500), (100, 870, 0, 0, 30)),
        ((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0)),
    ],
)
def test_stages_add_up_to_the_frame(counts: tuple[int, ...], expected: tuple[int, ...]) -> None:
    stages = kernel_stages(dict(zip(NAMES, counts, strict=True)), 500e6, Provenance.SIMULATED)
    assert [stage.name for stage in stages] == ["fetch", "raster", "texture_dma", "scan", "drain"]
    assert [stage.time_ns for stage in stages] == [2 * cycles for cycles in expected]
    assert sum(stage.time_ns for stage in stages) == 2 * counts[0]
