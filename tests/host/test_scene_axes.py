"""CARLA's left-handed axes against the scene's right-handed ones."""

from __future__ import annotations

import carla
import numpy as np
import pytest
from foveal.scene.axes import carla_matrix, pose_of, scene_matrix, scene_points

POSES = np.random.default_rng(20).uniform((-50, -50, -5, -89, -180, -179), (50, 50, 5, 89, 180, 179), (40, 6))


@pytest.mark.parametrize("pose", POSES[:12])
def test_the_matrix_is_the_one_of_the_carla_package(pose: np.ndarray) -> None:
    x, y, z, pitch, yaw, roll = pose.tolist()
    transform = carla.Transform(carla.Location(x, y, z), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))
    np.testing.assert_allclose(carla_matrix(pose), np.array(transform.get_matrix()), atol=2e-5)


def test_poses_round_trip_through_matrices() -> None:
    np.testing.assert_allclose(pose_of(carla_matrix(POSES)), POSES, atol=1e-9)


@pytest.mark.parametrize("pitch", [90.0, -90.0])
def test_a_camera_that_looks_straight_down_or_up_keeps_its_matrix(pitch: float) -> None:
    matrix = carla_matrix(np.array([1.0, 2.0, 3.0, pitch, 30.0, 20.0]))
    np.testing.assert_allclose(carla_matrix(pose_of(matrix)), matrix, atol=1e-9)


def test_mirroring_twice_changes_nothing_and_keeps_rotations_proper() -> None:
    matrix = carla_matrix(POSES)
    np.testing.assert_array_equal(scene_matrix(scene_matrix(matrix)), matrix)
    np.testing.assert_allclose(np.linalg.det(scene_matrix(matrix)), 1.0)


def test_a_point_moves_the_same_in_both_axes() -> None:
    point = np.array([1.0, 2.0, 3.0])
    moved = carla_matrix(POSES[0]) @ np.append(point, 1.0)
    mirrored = scene_matrix(carla_matrix(POSES[0])) @ np.append(scene_points(point), 1.0)
    np.testing.assert_allclose(mirrored[:3], scene_points(moved[:3]))


def test_positive_yaw_turns_right_in_the_scene() -> None:
    forward = scene_matrix(carla_matrix(np.array([0, 0, 0, 0, 90.0, 0])))[:3, 0]
    np.testing.assert_allclose(forward, (0, -1, 0), atol=1e-12)
