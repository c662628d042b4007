"""What stands outside the regions, for each kind of plane, without a server."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.carla.outside import Drawn, Filler, Outside
from foveal.channel import Channel
from foveal.frame import StageTime
from foveal.planes import CAMERAS, Planes
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal.scene.tick import CameraMount

MOUNT = CameraMount(width=5, height=3)
LEFT = RegionSet.of([Region(0, 0, 2, 3)], 5, 3)
RIGHT = RegionSet.of([Region(4, 0, 5, 3)], 5, 3)


def planes(value: int, size: tuple[int, int] = (3, 5)) -> Planes:
    """Every plane full of `value`."""
    return {
        Channel.COLOUR: np.full((*size, 4), value, np.uint8),
        Channel.DEPTH: np.full(size, value, np.float32),
        Channel.SEMANTIC: np.full(size, value, np.uint8),
        Channel.INSTANCE: np.full(size, 300 + value, np.uint16),
    }


def inside(whole: Planes, regions: RegionSet) -> Planes:
    """As a device leaves it: zero outside the regions."""
    mask = regions.mask()
    return {
        channel: np.where(mask[..., None] if plane.ndim == 3 else mask, plane, 0).astype(plane.dtype)
        for channel, plane in whole.items()
    }


def never(mount: CameraMount) -> Drawn:
    raise AssertionError("nothing was to be drawn again")


def test_black_is_zero_in_every_plane_and_opaque() -> None:
    filled, stages = Filler(Outside.BLACK).fill(inside(planes(7), LEFT), LEFT, MOUNT, never)
    assert stages == ()
    for channel, plane in filled.items():
        assert (plane[:, 2:] == (np.array([0, 0, 0, 255]) if channel is Channel.COLOUR else 0)).all()
    assert (filled[Channel.DEPTH][:, :2] == 7).all()
    assert (filled[Channel.INSTANCE][:, :2] == 307).all()


def test_hold_keeps_each_plane_of_the_frame_that_showed_a_pixel_last() -> None:
    filler = Filler(Outside.HOLD)
    first, _ = filler.fill(inside(planes(7), LEFT), LEFT, MOUNT, never)
    second, _ = filler.fill(inside(planes(9), RIGHT), RIGHT, MOUNT, never)
    for channel, offset in ((Channel.DEPTH, 0), (Channel.SEMANTIC, 0), (Channel.INSTANCE, 300)):
        assert first[channel][0].tolist() == [7 + offset] * 2 + [0] * 3
        assert second[channel][0].tolist() == [7 + offset] * 2 + [0] * 2 + [9 + offset]
    assert second[Channel.COLOUR][0, 2].tolist() == [0, 0, 0, 255]


def test_coarse_repeats_samples_and_never_mixes_them() -> None:
    asked = []

    def draw(mount: CameraMount) -> Drawn:
        asked.append((mount.width, mount.height))
        small = planes(0, (2, 3))
        for plane in small.values():
            plane[...] = np.array([[10, 20, 30], [40, 50, 60]]).reshape(2, 3, *([1] * (plane.ndim - 2)))
        return small, (StageTime("raster", 5.0, Provenance.SIMULATED),)

    filled, stages = Filler(Outside.COARSE).fill(inside(planes(7), LEFT), LEFT, MOUNT, draw)
    assert asked == [(3, 2)]
    assert stages == (StageTime("coarse_raster", 5.0, Provenance.SIMULATED),)
    for channel, offset in ((Channel.DEPTH, 0), (Channel.SEMANTIC, 0)):
        assert filled[channel].tolist() == [[7 + offset, 7 + offset, 20, 20, 30]] * 2 + [[7, 7, 50, 50, 60]]
    assert filled[Channel.INSTANCE][0].tolist() == [307, 307, 20, 20, 30]


def test_what_is_handed_out_is_not_changed_by_the_next_frame() -> None:
    filler = Filler(Outside.HOLD)
    first, _ = filler.fill(inside(planes(7), LEFT), LEFT, MOUNT, never)
    filler.fill(inside(planes(9), LEFT), LEFT, MOUNT, never)
    assert (first[Channel.SEMANTIC][:, :2] == 7).all()


@pytest.mark.parametrize("outside", list(Outside))
def test_a_frame_without_regions_names_the_filling_that_shows_more(outside: Outside) -> None:
    said = Filler(outside).nothing(12)
    assert said.startswith("frame 12 has no region")
    assert ('outside="coarse" shows the rest' in said) == (outside != "coarse")


@pytest.mark.parametrize(
    ("name", "pixel"),
    [
        ("sensor.camera.rgb", [7, 7, 7, 7]),
        ("sensor.camera.depth", [1, 202, 193, 255]),  # 7 m of 1000 m in 24 bits: 117,440.5 rounds to 0x01CAC1
        ("sensor.camera.semantic_segmentation", [0, 0, 7, 255]),
        ("sensor.camera.instance_segmentation", [1, 51, 7, 255]),  # 307 = 0x133
    ],
)
def test_each_camera_makes_its_bytes_of_its_planes(name: str, pixel: list[int]) -> None:
    assert CAMERAS[name].encode(planes(7))[1, 1].tolist() == pixel
