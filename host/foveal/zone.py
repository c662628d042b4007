"""Zones from places in CARLA's world."""

from __future__ import annotations

from foveal.drawlist import Zone

__all__ = ["EVERYWHERE", "zone_around"]

EVERYWHERE = Zone(-20_000.0, -20_000.0, 20_000.0, 20_000.0)
"""As far as the kernel's coordinates go (centimetres in 32 bits): the ego never leaves it."""


def zone_around(x: float, y: float, length_m: float, width_m: float, margin_m: float = 5.0) -> Zone:
    """The zone centred on (x, y) in CARLA's axes, `length_m` along x and `width_m` along y, in a draw list's axes.

    Raises ValueError for sizes that are not positive or a negative margin.
    """
    if length_m <= 0 or width_m <= 0 or margin_m < 0:
        raise ValueError(
            f"a zone needs positive sizes and a margin >= 0, got {length_m} x {width_m}, margin {margin_m}"
        )
    return Zone(x - length_m / 2, -y - width_m / 2, x + length_m / 2, -y + width_m / 2, margin_m)
