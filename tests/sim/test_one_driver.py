"""One driver on every card: only its construction differs. Each draws what its card must draw, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import test_card_driver as simple
from foveal.card import FovealDriver
from foveal.device import open_device
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceBroken
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal.xrt.device import open_xrt
from foveal_sim.xrt import SimulatedXrt
from xrt_double import StrictXrt, write_image


@dataclass(frozen=True)
class Case:
    """A driver over some card, a scene for it, and what each region set must show of it."""

    driver: FovealDriver
    meshes: MeshSet
    draw: DrawList
    regions: tuple[RegionSet, ...]
    expected: Callable[[RegionSet], np.ndarray]


def street(driver: FovealDriver) -> Case:
    """The reference street; the golden model says what it looks like."""
    meshes, draw = reference.load()
    model = open_device("model")
    model.load(meshes)
    sets = (reference.regions("10%"), RegionSet.of([Region(700, 500, 1031, 611)], draw.width, draw.height))
    return Case(driver, meshes, draw, sets, lambda regions: model.render(draw, regions).pixels)


def patterned(driver: FovealDriver) -> Case:
    """What strict doubles draw."""
    sets = (simple.REGIONS, RegionSet.of([Region(0, 0, 4, 4)], simple.WIDTH, simple.HEIGHT))
    return Case(driver, simple.meshes(), simple.draw(), sets, simple.expected)


def cosim(folder: Path) -> Case:
    device = open_device("cosim")
    assert isinstance(device, FovealDriver)
    return street(device)


def xrt_over_cosim(folder: Path, registers: bool) -> Case:
    library = SimulatedXrt(registers=registers)
    device = open_xrt(library=library, xclbin=write_image(folder), reset=library.reset, lock_folder=folder)
    return street(device)


def xrt_double(folder: Path, registers: bool) -> Case:
    library = StrictXrt(registers=registers)
    device = open_xrt(library=library, xclbin=write_image(folder), reset=library.reset, lock_folder=folder)
    return patterned(device)


CARDS: dict[str, Callable[[Path], Case]] = {
    "cosim": cosim,
    "xrt on cosim, with registers": lambda folder: xrt_over_cosim(folder, True),
    "xrt on cosim, as pyxrt is": lambda folder: xrt_over_cosim(folder, False),
    "strict xrt, with registers": lambda folder: xrt_double(folder, True),
    "strict xrt, as pyxrt is": lambda folder: xrt_double(folder, False),
}


@pytest.mark.parametrize("card", CARDS)
def test_the_same_driver_draws_on_each_card(card: str, tmp_path: Path) -> None:
    case = CARDS[card](tmp_path)
    driver = case.driver
    driver.load(case.meshes)
    frames = [driver.render(case.draw, regions) for regions in case.regions]
    streamed = list(driver.stream((case.draw, regions) for regions in case.regions))
    driver.reset()
    after = driver.render(case.draw, case.regions[0])
    for frame, regions in [*zip(frames + streamed, case.regions * 2, strict=True), (after, case.regions[0])]:
        np.testing.assert_array_equal(frame.pixels, case.expected(regions))
        assert frame.latency_ns > 0
    driver.close()
    with pytest.raises(DeviceBroken):
        driver.render(case.draw, case.regions[0])
