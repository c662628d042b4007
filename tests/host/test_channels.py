"""Depth and labels beside colour, worked by hand on the golden model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from foveal.channel import Channel
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import SceneError
from foveal.golden.device import open_model
from foveal.region import Region, RegionSet
from foveal.tag import Tag
from golden_scenes import SIZE, pixel_scene

ALL = Channel.COLOUR | Channel.DEPTH | Channel.SEMANTIC | Channel.INSTANCE
FULL = RegionSet.full(SIZE, SIZE)


def rectangle(x0: float, x1: float, depth: float) -> list[list[tuple[float, float, float]]]:
    """The picture's rows from top to bottom, columns x0 to x1."""
    a, b, c, d = (x0, 0, depth), (x0, SIZE, depth), (x1, SIZE, depth), (x1, 0, depth)
    return [[a, b, c], [a, c, d]]


@pytest.fixture
def scene() -> tuple[MeshSet, DrawList]:
    """Columns 2 to 7 at depth 1/2 (instance 700, a car), columns 4 to 9 at 1/4 before it (77, a pedestrian)."""
    meshes, draw = pixel_scene(rectangle(2, 8, 0.5) + rectangle(4, 10, 0.25))
    label = np.array([700 | Tag.CAR << 16] * 2 + [77 | Tag.PEDESTRIANS << 16] * 2, np.uint32)
    return replace(meshes, label=label), draw


def test_what_is_nearest_gives_all_channels_and_nothing_is_the_sky(scene: tuple[MeshSet, DrawList]) -> None:
    device = open_model()
    device.load(scene[0])
    frame = device.render(scene[1], FULL, channels=ALL)
    sky, car, walker = Tag.SKY, Tag.CAR, Tag.PEDESTRIANS
    assert frame.semantic is not None
    assert frame.instance is not None
    assert frame.depth is not None
    assert frame.semantic[5].tolist() == [sky] * 2 + [car] * 2 + [walker] * 6 + [sky] * 6
    assert frame.instance[5].tolist() == [0] * 2 + [700] * 2 + [77] * 6 + [0] * 6
    far = (1 << 24) - 1
    # 0.5 * far rounds half up, 0.25 * far = 4194303.75.
    assert frame.depth[5].tolist() == [far] * 2 + [8388608] * 2 + [4194304] * 6 + [far] * 6
    assert (frame.semantic.dtype, frame.instance.dtype, frame.depth.dtype) == (np.uint8, np.uint16, np.uint32)


def test_an_instance_of_the_draw_list_stands_for_all_triangles_and_leaves_their_tags(
    scene: tuple[MeshSet, DrawList],
) -> None:
    device = open_model()
    device.load(scene[0])
    frame = device.render(replace(scene[1], instance=np.array([65535], np.uint16)), FULL, channels=ALL)
    assert frame.instance is not None
    assert frame.semantic is not None
    assert set(frame.instance[5, 2:10].tolist()) == {65535}
    assert frame.semantic[5, 2:10].tolist() == [Tag.CAR] * 2 + [Tag.PEDESTRIANS] * 6


def test_outside_the_regions_all_channels_are_zero(scene: tuple[MeshSet, DrawList]) -> None:
    device = open_model()
    device.load(scene[0])
    regions = RegionSet.of([Region(3, 2, 6, 4)], SIZE, SIZE)
    frame = device.render(scene[1], regions, channels=ALL)
    for array in (frame.pixels, frame.depth, frame.semantic, frame.instance):
        assert array is not None
        assert not array[~regions.mask()].any()
        assert array[2:4, 3:6].all()


@pytest.mark.parametrize("channels", list(Channel))
def test_only_what_was_asked_for_is_there(scene: tuple[MeshSet, DrawList], channels: Channel) -> None:
    device = open_model()
    device.load(scene[0])
    frame = device.render(scene[1], FULL, channels=channels)
    assert bool(frame.pixels.any()) == (Channel.COLOUR in channels)
    for channel, array in (
        (Channel.DEPTH, frame.depth),
        (Channel.SEMANTIC, frame.semantic),
        (Channel.INSTANCE, frame.instance),
    ):
        assert (array is not None) == (channel in channels)


@pytest.mark.parametrize("channels", [Channel(0), None, "depth", 2])
def test_what_are_no_channels_is_refused(scene: tuple[MeshSet, DrawList], channels: object) -> None:
    device = open_model()
    device.load(scene[0])
    with pytest.raises(SceneError, match=r"one or more of foveal\.Channel"):
        device.render(scene[1], FULL, channels=channels)  # type: ignore[arg-type]


def test_labels_that_do_not_fit_are_refused(scene: tuple[MeshSet, DrawList]) -> None:
    with pytest.raises(ValueError, match=r"label is uint32\(3,\), expected uint32\(4,\)"):
        replace(scene[0], label=np.zeros(3, np.uint32))
    with pytest.raises(ValueError, match="0x1000000"):
        replace(scene[0], label=np.full(4, 1 << 24, np.uint32))
    with pytest.raises(ValueError, match=r"instance is uint16\(2,\), expected uint16\(1,\)"):
        replace(scene[1], instance=np.zeros(2, np.uint16))
