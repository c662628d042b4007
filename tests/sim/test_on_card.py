"""What a card must do, asked of a real one (marker `card`, make hw-test) and everywhere of its co-simulated twin.

FOVEAL_XCLBIN names the image, FOVEAL_CARD the card (index, BDF or serial number; needed where there are several).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from foveal.device import Device, open_device
from foveal.errors import DeviceError, DeviceNotFound
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal.xrt.device import XrtDevice, open_xrt
from foveal_sim.xrt import SimulatedXrt
from xrt_double import write_image


def on_card(folder: Path) -> XrtDevice:
    """The card; the test is skipped, and says why, where there is none or it may not be opened."""
    image = os.environ.get("FOVEAL_XCLBIN")
    if not image:
        pytest.skip("no card: FOVEAL_XCLBIN names no image")
    try:
        return open_xrt(xclbin=image, card=os.environ.get("FOVEAL_CARD") or None)
    except DeviceNotFound as error:
        pytest.skip(f"no card: {error}")


def on_twin(folder: Path) -> XrtDevice:
    library = SimulatedXrt()
    return open_xrt(library=library, xclbin=write_image(folder), reset=library.reset, lock_folder=folder)


@pytest.fixture(
    scope="module", params=[pytest.param(on_card, marks=pytest.mark.card, id="card"), pytest.param(on_twin, id="twin")]
)
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[XrtDevice]:
    opened: XrtDevice = request.param(tmp_path_factory.mktemp("card"))
    opened.load(reference.load()[0])
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def model() -> Device:
    opened = open_device("model")
    opened.load(reference.load()[0])
    return opened


def random_regions(seed: int) -> RegionSet:
    """Up to 16 rectangles, some of them empty, off the frame or a single pixel."""
    rng = np.random.default_rng(seed)
    draw = reference.load()[1]
    corners = rng.integers(0, [draw.width, draw.height], (int(rng.integers(1, 17)), 2))
    sizes = rng.choice([0, 1, 7, 8, 9, 64, 200], corners.shape)
    boxes = [Region(int(x), int(y), int(x + w), int(y + h)) for (x, y), (w, h) in zip(corners, sizes, strict=True)]
    return RegionSet.of(boxes, draw.width, draw.height)


@pytest.mark.parametrize(
    "regions", [reference.regions("10%"), reference.regions("25%"), *map(random_regions, range(4))]
)
def test_a_frame_is_the_golden_model_s(device: XrtDevice, model: Device, regions: RegionSet) -> None:
    draw = reference.load()[1]
    frame = device.render(draw, regions)
    np.testing.assert_array_equal(frame.pixels, model.render(draw, regions).pixels)
    assert all(stage.time_ns >= 0 for stage in frame.stages)
    assert frame.latency_ns > 0


def test_frames_in_flight_together_are_those_of_one_at_a_time(device: XrtDevice) -> None:
    draw = reference.load()[1]
    sets = [random_regions(seed) for seed in range(10, 14)]
    streamed = [frame.pixels for frame in device.stream((draw, regions) for regions in sets)]
    for pixels, regions in zip(streamed, sets, strict=True):
        np.testing.assert_array_equal(pixels, device.render(draw, regions).pixels)


def test_times_are_worth_what_they_claim(device: XrtDevice) -> None:
    frame = device.render(reference.load()[1], reference.regions("10%"))
    claimed = {stage.provenance for stage in frame.stages}
    simulated = {Provenance.SIMULATED, Provenance.MODELLED}
    assert claimed <= simulated if "co-simulated" in device.info.detail["card"] else claimed == {Provenance.MEASURED}


def test_a_reset_brings_the_same_picture_back(device: XrtDevice) -> None:
    draw = reference.load()[1]
    before = device.render(draw, reference.regions("10%")).pixels
    device.reset()
    np.testing.assert_array_equal(device.render(draw, reference.regions("10%")).pixels, before)


def test_a_region_set_beside_a_run_ends_with_it(device: XrtDevice) -> None:
    draw, regions = reference.load()[1], reference.regions("10%")
    before = device.render(draw, regions).pixels
    if not device._xrt.shows_registers:
        with pytest.raises(DeviceError, match="pyxrt does not give"):
            device._xrt.set_regions_now(random_regions(1))
        device.reset()
    else:
        device._xrt.set_regions_now(random_regions(1))
    np.testing.assert_array_equal(device.render(draw, regions).pixels, before)


def test_the_card_tells_its_clock(device: XrtDevice) -> None:
    clocks = [sample for sample in device.telemetry().samples if sample.metric == "card.clock"]
    assert clocks
    assert all(sample.value > 0 for sample in clocks)
