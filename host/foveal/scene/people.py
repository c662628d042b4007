"""Pedestrian meshes in the frame of their bounding box."""

from __future__ import annotations

import numpy as np

from foveal.scene.materials import Material
from foveal.scene.palette import CLOTHES, SKINS, TROUSERS, pick
from foveal.scene.part import Part
from foveal.scene.solids import box, cylinder, ellipsoid, loft

__all__ = ["pedestrian"]


def pedestrian(extent: np.ndarray, number: int) -> Part:
    """A walking person. extent: (3,) half sizes in metres; number picks clothes, skin and the leading leg."""
    ex, ey, ez = extent
    shirt, trousers, skin = pick(CLOTHES, number, 1), pick(TROUSERS, number, 2), pick(SKINS, number, 3)
    hip, shoulder, lead = -0.02 * ez, 0.58 * ez, 1 if number % 2 else -1
    angle = np.arange(10) * (2 * np.pi / 10)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rings = [
        (hip - 0.06 * ez, 0.42, 0.60),
        (0.22 * ez, 0.38, 0.54),
        (0.48 * ez, 0.44, 0.72),
        (shoulder, 0.36, 0.70),
        (0.65 * ez, 0.14, 0.18),
    ]
    torso = np.stack([np.column_stack([circle * (a * ex, b * ey), np.full(10, z)]) for z, a, b in rings])
    parts = [
        loft(torso, shirt, Material.CLOTH),
        cylinder((0, 0, 0.60 * ez), (0, 0, 0.74 * ez), (0.2 * ex, 0.2 * ex), 7, skin, Material.SKIN),
        ellipsoid((0.03 * ex, 0, 0.84 * ez), (0.40 * ex, 0.36 * ey, 0.14 * ez), skin, Material.SKIN, 9, 6),
        ellipsoid((-0.04 * ex, 0, 0.885 * ez), (0.42 * ex, 0.40 * ey, 0.115 * ez), (52, 38, 30), Material.CLOTH, 9, 6),
    ]
    for side in (-1, 1):
        stride = 0.55 * ex * lead * side
        knee, foot = (0.5 * stride, side * 0.30 * ey, -0.46 * ez), (stride, side * 0.30 * ey, -0.94 * ez)
        elbow, hand = (-0.3 * stride, side * 0.88 * ey, 0.26 * ez), (-0.7 * stride, side * 0.86 * ey, 0.0)
        parts += [
            cylinder((0, side * 0.28 * ey, hip), knee, (0.34 * ex, 0.27 * ex), 7, trousers, Material.CLOTH),
            cylinder(knee, foot, (0.27 * ex, 0.18 * ex), 7, trousers, Material.CLOTH),
            box(
                (stride + 0.14 * ex, side * 0.30 * ey, -0.965 * ez),
                (0.32 * ex, 0.16 * ey, 0.035 * ez),
                (34, 30, 28),
                Material.CLOTH,
            ),
            cylinder((0, side * 0.74 * ey, shoulder), elbow, (0.22 * ex, 0.17 * ex), 6, shirt, Material.CLOTH),
            cylinder(elbow, hand, (0.17 * ex, 0.12 * ex), 6, skin, Material.SKIN),
        ]
    return Part.joined(parts).scaled_to(extent)
