"""Metres from a frame's depth, against distances that are known by construction."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.channel import Channel
from foveal.depth import NOTHING, planar_depth
from foveal.drawlist import DrawList
from foveal.golden.device import open_model
from foveal.image import DEPTH_RANGE_M, decode_depth, encode_depth
from foveal.region import RegionSet
from foveal.scene.assemble import projection, view
from foveal.scene.axes import carla_matrix, scene_matrix
from foveal.scene.tick import CameraMount
from random_scenes import mesh_set

MOUNT = CameraMount(width=64, height=48)
POSES = [(0.0,) * 6, (812.5, -4031.25, 33.0, 0.0, 131.0, 0.0), (-20.0, 7.0, 2.0, -12.0, 77.0, 5.0)]


def step_m(distance: np.ndarray) -> np.ndarray:
    """The 2^24th part of (1/near - 1/far), seen as a change of distance."""
    return distance**2 * (1 / MOUNT.near_m - 1 / MOUNT.far_m) / 2**24


def shown(corners: np.ndarray, pose: tuple[float, ...]) -> np.ndarray:
    """(48, 64) metres that a quad makes, given in the camera's own axes (x forward, y right, z up)."""
    local = corners * (1.0, -1.0, 1.0)
    meshes = mesh_set([(local, np.array([(0, 1, 2), (0, 2, 3), (0, 2, 1), (0, 3, 2)]))])
    camera = projection(MOUNT) @ view(np.array(pose)) @ scene_matrix(carla_matrix(np.array(pose)))
    draw = DrawList(0, 64, 48, np.zeros(1, np.uint32), camera[None].astype(np.float32), np.zeros((1, 3), np.float32))
    device = open_model()
    device.load(meshes)
    depth = device.render(draw, RegionSet.full(64, 48), channels=Channel.DEPTH).depth
    assert depth is not None
    return planar_depth(depth, MOUNT.near_m, MOUNT.far_m)


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("distance", [0.11, 0.5, 3.0, 17.3, 60.0, 150.0, 390.0])
def test_a_wall_across_the_view_is_as_far_everywhere(distance: float, pose: tuple[float, ...]) -> None:
    """Planar depth: the same at the border as in the middle, where a ray is shorter."""
    side = 2 * distance
    wall = np.array(
        [(distance, -side, -side), (distance, side, -side), (distance, side, side), (distance, -side, side)]
    )
    assert np.abs(shown(wall, pose) - distance).max() <= 4 * step_m(np.array(distance))


def test_the_ground_is_where_each_row_meets_it() -> None:
    height, focal = 1.7, 32.0
    ground = np.array([(0.0, -300, -height), (350, -300, -height), (350, 300, -height), (0.0, 300, -height)])
    depth = shown(ground, POSES[0])
    row = np.arange(26, 48)
    expected = focal * height / (row + 0.5 - 24)
    slope = expected**2 / (focal * height) / 256
    assert (np.abs(depth[26:, 32] - expected) <= 4 * step_m(expected) + slope).all()
    assert np.abs(np.diff(depth[26:], axis=1)).max() <= (8 * step_m(expected) + 2 * slope).max()
    assert (depth[:23] == DEPTH_RANGE_M).all()


def test_planes_of_the_camera_are_the_ends_of_the_range() -> None:
    ends = planar_depth(np.array([0, NOTHING - 1, NOTHING], np.uint32), 0.1, 400.0)
    assert ends[0] == pytest.approx(0.1, abs=1e-8)
    assert ends[1] == pytest.approx(400.0, abs=0.1)
    assert ends[2] == 1000.0


@pytest.mark.parametrize(
    ("metres", "bgr"),
    [
        (0.0, (0, 0, 0)),
        (1000.0, (255, 255, 255)),
        (2500.0, (255, 255, 255)),
        (-1.0, (0, 0, 0)),
        (1000.0 / 16777215 * 0x030201, (3, 2, 1)),  # R holds the least significant byte
        (1000.0 / 16777215 * 0.51, (0, 0, 1)),
        (1000.0 / 16777215 * 0.49, (0, 0, 0)),
    ],
)
def test_metres_as_24_bits(metres: float, bgr: tuple[int, int, int]) -> None:
    assert encode_depth(np.array([metres]))[0].tolist() == [*bgr, 255]


def test_what_is_encoded_is_read_back_within_half_a_step() -> None:
    metres = np.random.default_rng(5).uniform(0, 1000, (200, 3)).astype(np.float32)
    assert np.abs(decode_depth(encode_depth(metres)) - metres).max() <= 0.5 * 1000 / 16777215 + 1e-9
