"""The pixel path at its full rate: band_scan to axi_write over a frame in which nothing is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from foveal.drawlist import DrawList, MeshSet
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal_sim.cosim import open_cosim
from foveal_sim.cosim.device import CosimDevice

WIDTH, HEIGHT, PPC, BAND_ROWS = 1920, 1080, 8, 32
BEATS = WIDTH * HEIGHT // PPC
BANDS = -(-HEIGHT // BAND_ROWS)
LIMIT = 261_800  # 1 % above a beat a clock
QUILT = [Region(480 * (n % 4), 270 * (n // 4), 480 * (n % 4 + 1), 270 * (n // 4 + 1)) for n in range(16)]


@pytest.fixture(scope="module")
def nothing() -> tuple[MeshSet, DrawList]:
    """The reference street's frame without its instances."""
    meshes, draw = reference.load()
    assert (draw.width, draw.height) == (WIDTH, HEIGHT)
    return meshes, replace(draw, mesh=draw.mesh[:0], mvp=draw.mvp[:0], sun=draw.sun[:0], instance=draw.instance[:0])


@pytest.fixture(params=["packed", "strided"])
def device(request: pytest.FixtureRequest, nothing: tuple[MeshSet, DrawList]) -> Iterator[CosimDevice]:
    opened = open_cosim(memory_bytes=64 << 20, strided=request.param == "strided")
    opened.load(nothing[0])
    # The first frame after a reset waits for the band buffers' sweep.
    opened.render(nothing[1], RegionSet.of([Region(0, 0, 8, 8)], WIDTH, HEIGHT))
    yield opened
    opened.close()


@pytest.mark.parametrize("regions", [[Region(0, 0, WIDTH, HEIGHT)], QUILT], ids=["one region", "sixteen regions"])
def test_a_full_frame_moves_a_beat_a_clock(
    device: CosimDevice, nothing: tuple[MeshSet, DrawList], regions: list[Region]
) -> None:
    """Memory at the board's pace: one 256-bit beat a clock on gmem1."""
    counters = device.render(nothing[1], RegionSet.of(regions, WIDTH, HEIGHT)).counters
    assert counters["pixels_kept"] == WIDTH * HEIGHT
    assert counters["write_beats"] == BEATS
    assert BEATS <= counters["frame_cycles"] <= LIMIT
    assert counters["scan_stall_cycles"] == 0
    # Between two bands the scan hands the bank back: no bubble within one.
    assert counters["scan_cycles"] - BEATS <= 4 * BANDS
