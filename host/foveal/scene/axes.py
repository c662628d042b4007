"""CARLA's axes and the scene's axes: the only place where one becomes the other.

CARLA is left-handed (x forward, y right, z up, degrees); scenes are right-handed (x forward, y left, z up).
With S = diag(1, -1, 1, 1) a matrix M in CARLA's axes is S·M·S in the scene's.
"""

from __future__ import annotations

import numpy as np

__all__ = ["carla_matrix", "pose_of", "scene_matrix", "scene_points"]

_FLIP = np.array([1.0, -1.0, 1.0, 1.0])


def carla_matrix(pose: np.ndarray) -> np.ndarray:
    """(..., 4, 4) float64 world-from-local in CARLA's axes, as `carla.Transform.get_matrix`.

    pose: (..., 6) x, y, z in metres, pitch, yaw, roll in degrees.
    """
    pose = np.asarray(pose, dtype=np.float64)
    angle = np.radians(np.moveaxis(pose[..., 3:], -1, 0))
    (cp, cy, cr), (sp, sy, sr) = np.cos(angle), np.sin(angle)
    matrix = np.zeros((*pose.shape[:-1], 4, 4))
    matrix[..., 0, 0], matrix[..., 1, 0], matrix[..., 2, 0] = cp * cy, cp * sy, sp
    matrix[..., 0, 1], matrix[..., 1, 1], matrix[..., 2, 1] = cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, -cp * sr
    matrix[..., 0, 2], matrix[..., 1, 2], matrix[..., 2, 2] = -(cy * sp * cr + sy * sr), cy * sr - sy * sp * cr, cp * cr
    matrix[..., :3, 3] = pose[..., :3]
    matrix[..., 3, 3] = 1.0
    return matrix


def pose_of(matrix: np.ndarray) -> np.ndarray:
    """(..., 6) float64 x, y, z, pitch, yaw, roll of a rigid world-from-local matrix in CARLA's axes.

    The inverse of :func:`carla_matrix`; at pitch ±90° the roll that it returns is measured from the yaw it returns.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    pose = np.empty((*matrix.shape[:-2], 6))
    pose[..., :3] = matrix[..., :3, 3]
    flat = np.hypot(matrix[..., 0, 0], matrix[..., 1, 0])
    pose[..., 3] = np.degrees(np.arctan2(matrix[..., 2, 0], flat))
    upright = flat > 1e-9
    yaw = np.arctan2(matrix[..., 1, 0], matrix[..., 0, 0])
    pose[..., 4] = np.degrees(np.where(upright, yaw, np.arctan2(-matrix[..., 0, 1], matrix[..., 1, 1])))
    pose[..., 5] = np.degrees(np.where(upright, np.arctan2(-matrix[..., 2, 1], matrix[..., 2, 2]), 0.0))
    return pose


def scene_matrix(matrix: np.ndarray) -> np.ndarray:
    """A (..., 4, 4) matrix in CARLA's axes, in the scene's axes; applied twice it is the identity."""
    return _FLIP[:, None] * np.asarray(matrix, dtype=np.float64) * _FLIP[None, :]


def scene_points(points: np.ndarray) -> np.ndarray:
    """(..., 3) points or directions in CARLA's axes, in the scene's axes (and back)."""
    return np.asarray(points, dtype=np.float64) * _FLIP[:3]
