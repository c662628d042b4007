"""The sun of a weather, in the scene's axes."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.scene.sun import sun_direction


@pytest.mark.parametrize(
    ("azimuth", "altitude", "expected"),
    [
        (0.0, 0.0, (np.cos(np.deg2rad(5)), 0.0, np.sin(np.deg2rad(5)))),
        (0.0, 90.0, (0.0, 0.0, 1.0)),
        (90.0, 45.0, (0.0, -np.sqrt(0.5), np.sqrt(0.5))),  # CARLA's +y is the scene's right, -y
    ],
)
def test_sun_direction_in_the_scenes_axes(azimuth, altitude, expected):
    assert sun_direction(azimuth, altitude) == pytest.approx(expected, abs=1e-12)
