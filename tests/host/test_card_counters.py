"""The serial stages of a frame from its counters, worked by hand."""

from __future__ import annotations

from foveal.card.counters import kernel_stages
from foveal.provenance import Provenance


def test_stages_are_the_serial_counters_in_nanoseconds() -> None:
    counters = {
        "frame_cycles": 1000,
        "fetch_wait_cycles": 100,
        "raster_cycles": 700,
        "raster_stall_cycles": 50,  # of the 700; these cycles are in scan_alone and dma_alone
        "scan_alone_cycles": 180,
        "dma_alone_cycles": 40,
        "drain_cycles": 30,
        "dma_wait_cycles": 200,  # hidden but for 40
    }
    stages = kernel_stages(counters, 500e6, Provenance.SIMULATED)
    assert [(stage.name, stage.time_ns) for stage in stages] == [
        ("fetch", 200),
        ("raster", 1300),
        ("texture_dma", 80),
        ("scan", 360),
        ("drain", 60),
    ]
    assert sum(stage.time_ns for stage in stages) == 2 * counters["frame_cycles"]
