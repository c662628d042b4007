"""Zones from places in the world."""

from __future__ import annotations

import pytest
from foveal.zone import zone_around


def test_a_zone_is_mirrored_into_the_scene() -> None:
    zone = zone_around(100.0, 20.0, 60.0, 10.0, 4.0)
    assert (zone.x0, zone.y0, zone.x1, zone.y1, zone.margin) == (70.0, -25.0, 130.0, -15.0, 4.0)
    with pytest.raises(ValueError, match="positive"):
        zone_around(0, 0, 0, 1)
