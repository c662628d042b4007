"""The materials of generated scenes and their tint table."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

__all__ = ["NEUTRAL", "Material", "neutral_table", "table"]

NEUTRAL = 128
"""Tint of 1.0 in the kernel's material table."""


class Material(IntEnum):
    """Index into the 256-entry tint table. PLAIN is never tinted."""

    PLAIN = 0
    ASPHALT = 1
    MARKING = 2
    PAVEMENT = 3
    GRASS = 4
    FACADE = 5
    GLASS = 6
    PAINT = 7
    RUBBER = 8
    LAMP = 9
    FOLIAGE = 10
    BARK = 11
    METAL = 12
    SKIN = 13
    CLOTH = 14
    ROOF = 15


_TINTS = {
    Material.ASPHALT: (122, 126, 132),
    Material.PAVEMENT: (134, 130, 122),
    Material.GRASS: (124, 130, 116),
    Material.FACADE: (138, 130, 118),
    Material.GLASS: (118, 128, 142),
    Material.FOLIAGE: (116, 138, 110),
    Material.BARK: (136, 126, 116),
    Material.ROOF: (138, 122, 118),
}


def neutral_table() -> np.ndarray:
    """(256, 4) uint8 R, G, B, 0 with every tint 1.0."""
    tints = np.full((256, 4), NEUTRAL, dtype=np.uint8)
    tints[:, 3] = 0
    return tints


def table() -> np.ndarray:
    """(256, 4) uint8 tints of the generated scenes: what a texture would add, as its mean colour."""
    tints = neutral_table()
    for material, tint in _TINTS.items():
        tints[material, :3] = tint
    return tints
