"""Rigid transforms in CARLA's frame (x forward, y right, z up; degrees) and overlap of boxes on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["compose", "footprint", "overlaps", "rotation", "rotation_angles"]


def rotation(pitch: float, yaw: float, roll: float) -> np.ndarray:
    """(3, 3) world-from-local matrix; its columns are forward, right and up. Angles in degrees."""
    p, y, r = math.radians(pitch), math.radians(yaw), math.radians(roll)
    cp, sp, cy, sy, cr, sr = math.cos(p), math.sin(p), math.cos(y), math.sin(y), math.cos(r), math.sin(r)
    return np.array(
        [
            [cp * cy, cy * sp * sr - sy * cr, -(cy * sp * cr + sy * sr)],
            [cp * sy, sy * sp * sr + cy * cr, cy * sr - sy * sp * cr],
            [sp, -cp * sr, cp * cr],
        ]
    )


def rotation_angles(matrix: np.ndarray) -> tuple[float, float, float]:
    """Pitch, yaw, roll in degrees of a (3, 3) matrix that `rotation` makes."""
    pitch = math.degrees(math.asin(max(-1.0, min(1.0, float(matrix[2, 0])))))
    yaw = math.degrees(math.atan2(matrix[1, 0], matrix[0, 0]))
    roll = math.degrees(math.atan2(-matrix[2, 1], matrix[2, 2]))
    return pitch, yaw, roll


def compose(parent: Sequence[float], child: Sequence[float]) -> tuple[float, ...]:
    """World pose (x, y, z, pitch, yaw, roll) of `child`, which is given in the frame of `parent`."""
    turn = rotation(parent[3], parent[4], parent[5])
    x, y, z = (turn @ np.asarray(child[:3], dtype=np.float64)).tolist()
    angles = rotation_angles(turn @ rotation(child[3], child[4], child[5]))
    return (parent[0] + x, parent[1] + y, parent[2] + z, *angles)


def footprint(x: np.ndarray, y: np.ndarray, yaw_deg: np.ndarray, half_x: np.ndarray, half_y: np.ndarray) -> np.ndarray:
    """(n, 4, 2) ground corners of n boxes, in order around each box. Metres, degrees, half sizes."""
    angle = np.radians(yaw_deg)
    forward = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * np.asarray(half_x)[..., None]
    right = np.stack([-np.sin(angle), np.cos(angle)], axis=-1) * np.asarray(half_y)[..., None]
    centre = np.stack([x, y], axis=-1)
    return np.stack(
        [centre - forward - right, centre + forward - right, centre + forward + right, centre - forward + right],
        axis=-2,
    )


def overlaps(corners: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n,) bool: does the rectangle `corners` (4, 2) overlap each of `others` (n, 4, 2)? Separating axes."""
    apart = np.zeros(len(others), dtype=bool)
    for owner in (np.broadcast_to(corners, others.shape), others):
        for edge in (owner[:, 1] - owner[:, 0], owner[:, 2] - owner[:, 1]):
            mine = np.einsum("kd,nd->nk", corners, edge)
            theirs = np.einsum("nkd,nd->nk", others, edge)
            apart |= (mine.max(1) < theirs.min(1)) | (theirs.max(1) < mine.min(1))
    return ~apart
