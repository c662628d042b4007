"""The golden model behind the device protocol."""

import dataclasses

import numpy as np
import pytest
from foveal.device import Device
from foveal.drawlist import Zone
from foveal.errors import DeviceError
from foveal.golden import render
from foveal.golden.device import open_model
from foveal.region import Region, RegionSet
from golden_scenes import SIZE, pixel_scene

FULL = RegionSet.full(SIZE, SIZE)
HALVED = np.full((256, 4), 64, dtype=np.uint8)


@pytest.fixture
def scene():
    surface = np.array([[200, 100, 50, 1]], dtype=np.uint8)
    return pixel_scene([[(0, 0, 0.5), (0, 16, 0.5), (16, 0, 0.5)]], surface, HALVED)


@pytest.fixture
def device(scene):
    device = open_model()
    device.load(scene[0])
    return device


def at(draw, x, y=0.0):
    return dataclasses.replace(draw, ego=(x, y), zone=Zone(0.0, -10.0, 100.0, 10.0, margin=5.0))


def test_it_speaks_the_protocol_and_claims_no_time(scene, device):
    assert isinstance(device, Device)
    assert device.info.kind == "reference"
    regions = RegionSet.of([Region(1, 1, 4, 3)], SIZE, SIZE)
    frame = device.render(scene[1], regions)
    assert frame.stages == ()
    assert frame.latency_ns == 0
    assert frame.frame == scene[1].frame
    assert frame.regions == regions
    assert frame.counters["pixels_kept"] == 6
    np.testing.assert_array_equal(frame.pixels, render(*scene, regions, resident=False).pixels)


def test_materials_tint_inside_the_zone_and_until_its_margin_is_left(scene, device):
    _, draw = scene
    lit, tinted = [50, 100, 200, 255], [25, 50, 100, 255]
    for x, expected in (
        (-1, lit),
        (0, tinted),
        (99, tinted),
        (104.99, tinted),
        (105, lit),
        (101, lit),
        (99.99, tinted),
    ):
        assert device.render(at(draw, x), FULL).pixels[0, 0].tolist() == expected, x
    counters = device.render(at(draw, 50), FULL).counters
    assert counters["dma_loads"] == 2
    assert counters["dma_skipped"] == 6


def test_without_a_zone_nothing_is_tinted(scene, device):
    assert device.render(scene[1], FULL).pixels[0, 0].tolist() == [50, 100, 200, 255]


def test_new_geometry_loads_its_table_again(scene, device):
    meshes, draw = scene
    device.render(at(draw, 50), FULL)
    device.load(dataclasses.replace(meshes, material=np.full((256, 4), 32, dtype=np.uint8)))
    frame = device.render(at(draw, 50), FULL)
    assert frame.pixels[0, 0].tolist() == [12, 25, 50, 255]
    assert frame.counters["dma_loads"] == 2


def test_reset_forgets_the_table_and_keeps_the_geometry(scene, device):
    _, draw = scene
    device.render(at(draw, 50), FULL)
    device.reset()
    assert device.render(at(draw, 102), FULL).pixels[0, 0].tolist() == [50, 100, 200, 255]


def test_without_geometry_it_refuses(scene):
    device = open_model()
    with pytest.raises(DeviceError, match=r"load\(\)"):
        device.render(scene[1], FULL)
    device.load(scene[0])
    device.close()
    with pytest.raises(DeviceError, match=r"load\(\)"):
        device.render(scene[1], FULL)


def test_depth_and_material_of_the_last_frame_are_at_hand(scene, device):
    assert device.golden is None
    device.render(scene[1], FULL)
    assert device.golden.depth[0, 0] == 8388608
    assert device.golden.material[0, 0] == 1
