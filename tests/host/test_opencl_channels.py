"""Depth and labels on the OpenCL device against the golden model, on whatever OpenCL device there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from foveal.channel import Channel
from foveal.golden.render import render
from foveal.opencl import OpenClDevice, open_opencl
from foveal.region import RegionSet
from labelled_scenes import labelled_scene
from random_scenes import Scene

CONFIGURATIONS = {"cpu": ("cpu", None), "gpu": ("gpu", None), "integer": ("cpu", False)}
ALL = Channel.COLOUR | Channel.DEPTH | Channel.SEMANTIC | Channel.INSTANCE


@pytest.fixture(scope="module", params=CONFIGURATIONS)
def device(request: pytest.FixtureRequest) -> Iterator[OpenClDevice]:
    kernels, fp64 = CONFIGURATIONS[request.param]
    opened = open_opencl(kernels=kernels, fp64=fp64)
    yield opened
    opened.close()


def expect_golden(device: OpenClDevice, scene: Scene, regions: RegionSet, channels: Channel) -> int:
    """Equal everywhere where division is exact; else a fraction of edge pixels may differ. Returns pixels drawn."""
    frame = device.render(scene.draw, regions, channels=channels)
    golden = render(scene.meshes, scene.draw, regions, False, channels)
    allowed = 0 if device.info.detail["division"] == "correctly rounded" else golden.depth.size // 1000
    assert int((frame.pixels != golden.pixels).any(axis=-1).sum()) <= allowed
    for channel, ours, theirs in (
        (Channel.DEPTH, frame.depth, golden.depth),
        (Channel.SEMANTIC, frame.semantic, golden.semantic),
        (Channel.INSTANCE, frame.instance, golden.instance),
    ):
        assert (ours is not None) == (channel in channels)
        if ours is not None:
            assert theirs is not None
            assert ours.dtype == theirs.dtype
            assert int((ours != theirs).sum()) <= allowed, (scene.name, channel)
            assert not ours[~regions.mask()].any()
    return int(((golden.depth < (1 << 24) - 1) & regions.mask()).sum())


def test_all_channels_of_random_scenes_equal_the_golden_model(device: OpenClDevice) -> None:
    drawn = 0
    for seed in range(25):
        scene = labelled_scene(seed)
        device.load(scene.meshes)
        drawn += expect_golden(device, scene, scene.regions, ALL)
        drawn += expect_golden(device, scene, RegionSet.full(scene.draw.width, scene.draw.height), ALL)
    assert drawn > 10_000


@pytest.mark.parametrize("channels", [*Channel, Channel.DEPTH | Channel.INSTANCE])
def test_only_what_was_asked_for_is_read_back(device: OpenClDevice, channels: Channel) -> None:
    scene = labelled_scene(9, 90, 61, full=True)
    device.load(scene.meshes)
    assert expect_golden(device, scene, scene.regions, channels)
    frame = device.render(scene.draw, scene.regions, channels=channels)
    words = (Channel.COLOUR in channels) + (Channel.DEPTH in channels) + channels.labels
    assert frame.counters["bytes_down"] == 4 * 90 * 61 * words + 4 * frame.counters["chunks"]
    assert [stage.name for stage in frame.stages] == ["prepare", "upload", "geometry", "raster", "read_back"]


def test_colour_alone_and_channels_take_turns(device: OpenClDevice) -> None:
    scene = labelled_scene(2, 120, 80)
    device.load(scene.meshes)
    for channels in (Channel.COLOUR, ALL, Channel.COLOUR, Channel.DEPTH):
        expect_golden(device, scene, scene.regions, channels)


def test_a_reset_brings_channels_back() -> None:
    scene = labelled_scene(6, 50, 40, full=True)
    device = open_opencl(kernels="cpu")
    device.load(scene.meshes)
    expect_golden(device, scene, scene.regions, ALL)
    device.reset()
    assert expect_golden(device, scene, scene.regions, ALL)
    device.close()


def test_labels_outlast_a_chunk_that_outgrows_its_room(device: OpenClDevice) -> None:
    scene = labelled_scene(5, 150, 120, full=True)
    device.load(scene.meshes)
    device._capacity = 16
    expect_golden(device, scene, scene.regions, ALL)
    assert device._capacity > 16  # so some chunk had overflowed
