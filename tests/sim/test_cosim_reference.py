"""The reference street on the co-simulated card: exact, and cheaper in regions as work is rejected upstream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.golden import render
from foveal.region import RegionSet
from foveal.scene import reference
from foveal_sim.cosim import open_cosim

FULL = RegionSet.full(1920, 1080)
QUARTER = reference.regions("25%")


@pytest.fixture(scope="module")
def street() -> tuple[MeshSet, DrawList]:
    return reference.load()


@pytest.fixture(scope="module")
def frames(street: tuple[MeshSet, DrawList]) -> Iterator[dict[str, Frame]]:
    meshes, draw = street
    device = open_cosim()
    device.load(meshes)
    yield {"full": device.render(draw, FULL), "quarter": device.render(draw, QUARTER)}
    device.close()


@pytest.mark.parametrize(("name", "regions"), [("full", FULL), ("quarter", QUARTER)])
def test_every_pixel_equals_the_golden_model(
    street: tuple[MeshSet, DrawList], frames: dict[str, Frame], name: str, regions: RegionSet
) -> None:
    golden = render(*street, regions, resident=False)
    np.testing.assert_array_equal(frames[name].pixels, golden.pixels)


def test_quarter_costs_clearly_less_than_the_full_frame(frames: dict[str, Frame]) -> None:
    full, quarter = frames["full"].counters, frames["quarter"].counters
    assert quarter["frame_cycles"] <= 0.7 * full["frame_cycles"]
    # masking alone would leave these as they are
    for name in ("tri_fetched", "blocks_covered", "scan_cycles", "geometry_triangles_out"):
        assert quarter[name] < full[name], name
    assert quarter["bands_skipped"] > 0


def test_hidden_tiles_are_not_drawn(frames: dict[str, Frame]) -> None:
    """The full frame covers 664,546 blocks; the street stands in front of itself, and a third of them is left out."""
    counters = frames["full"].counters
    assert counters["tiles_hidden"] > 40_000
    assert counters["blocks_covered"] < 0.67 * 664_546


def test_cycles_stay_inside_their_budget(frames: dict[str, Frame]) -> None:
    """2 ms and 4 ms at 300 MHz."""
    assert frames["quarter"].counters["frame_cycles"] <= 600_000
    assert frames["full"].counters["frame_cycles"] <= 1_200_000


def test_the_picture_of_the_cycles_is_fresh(frames: dict[str, Frame]) -> None:
    """After a change of the kernel's timing: python hw/frame_cycles.py."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hw"))
    import frame_cycles

    counters = {"full frame": frames["full"].counters, "25 % of the pixels": frames["quarter"].counters}
    for frame in counters.values():
        for parts in frame_cycles.bars(frame).values():
            assert sum(cycles for _, cycles in parts) == frame["frame_cycles"]
            assert all(cycles >= 0 for _, cycles in parts)
    assert frame_cycles.PICTURE.read_text(encoding="utf-8") == frame_cycles.picture(counters)
