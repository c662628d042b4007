"""The reference street on a card, against the golden model: on the co-simulated card, and on a real one that is named.

boards/<card>/Makefile names the image and the card by FOVEAL_XCLBIN and FOVEAL_CARD (make hw-test).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from foveal import Region, RegionSet, open_device
from foveal.device import Device
from foveal.golden.render import render
from foveal.scene import reference

WIDTH, HEIGHT = 160, 96
MESHES, DRAW = reference.load(WIDTH, HEIGHT)
REGIONS = {
    "full": RegionSet.full(WIDTH, HEIGHT),
    "two": RegionSet(WIDTH, HEIGHT, (Region(3, 5, 70, 41), Region(60, 30, 159, 95))),
    "one pixel": RegionSet(WIDTH, HEIGHT, (Region(77, 50, 78, 51),)),
    "none": RegionSet(WIDTH, HEIGHT, ()),
}


@pytest.fixture(scope="module", params=["cosim", pytest.param("xrt", marks=pytest.mark.card)])
def card(request: pytest.FixtureRequest) -> Iterator[Device]:
    """The driver on the co-simulated card, or on the one that the environment names."""
    options: dict[str, object] = {}
    if request.param == "xrt":
        image = os.environ.get("FOVEAL_XCLBIN")
        if not image:
            pytest.skip("no card is named; run make hw-test in boards/u280 or boards/u55c")
        options = {"xclbin": image, "card": os.environ.get("FOVEAL_CARD") or None}
    device = open_device(request.param, **options)
    device.load(MESHES)
    yield device
    device.close()


@pytest.mark.parametrize("name", REGIONS)
def test_each_pixel_is_that_of_the_golden_model(card: Device, name: str) -> None:
    regions = REGIONS[name]
    expected = render(MESHES, DRAW, regions, resident=False).pixels
    np.testing.assert_array_equal(card.render(DRAW, regions).pixels, expected)


def test_no_frame_is_left_over_from_the_one_before(card: Device) -> None:
    for name in ("two", "full", "two", "one pixel", "two"):
        expected = render(MESHES, DRAW, REGIONS[name], resident=False).pixels
        np.testing.assert_array_equal(card.render(DRAW, REGIONS[name]).pixels, expected)


def test_the_first_frame_after_a_reset_is_right(card: Device) -> None:
    card.reset()
    expected = render(MESHES, DRAW, REGIONS["two"], resident=False).pixels
    np.testing.assert_array_equal(card.render(DRAW, REGIONS["two"]).pixels, expected)


def test_regions_arrive_within_five_cycles_where_the_kernel_shows_its_counters(card: Device) -> None:
    counters = card.render(DRAW, REGIONS["two"]).counters
    if card.info.backend == "cosim" or "roi_inject_max" in counters:
        assert 1 <= counters["roi_inject_max"] <= 5
