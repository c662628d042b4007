"""Where the sun stands."""

from __future__ import annotations

import math

__all__ = ["sun_direction"]

LOWEST_DEG = 5.0
"""A lower sun is drawn here, because nothing else lights a night."""


def sun_direction(azimuth_deg: float, altitude_deg: float) -> tuple[float, float, float]:
    """Unit vector to the sun in the scene's axes (x forward, y left, z up) from CARLA's weather.

    Azimuth 0 is +x and turns like a yaw; altitude is counted from the horizon.
    """
    azimuth, altitude = math.radians(azimuth_deg), math.radians(max(altitude_deg, LOWEST_DEG))
    flat = math.cos(altitude)
    return flat * math.cos(azimuth), -flat * math.sin(azimuth), math.sin(altitude)
