"""Attributes of the sensors other than cameras, with CARLA's names, types and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["SENSOR_ATTRIBUTES", "Rows"]

Rows = tuple[tuple[str, type, str], ...]

_TICK: Rows = (("sensor_tick", float, "0.0"),)
_SCAN: Rows = (
    ("channels", int, "32"),
    ("range", float, "10.0"),
    ("points_per_second", int, "56000"),
    ("rotation_frequency", float, "10.0"),
    ("upper_fov", float, "10.0"),
    ("lower_fov", float, "-30.0"),
    ("horizontal_fov", float, "360.0"),
    *_TICK,
)
_NOISY_SCAN: Rows = (
    *_SCAN,
    ("atmosphere_attenuation_rate", float, "0.004"),
    ("dropoff_general_rate", float, "0.45"),
    ("dropoff_intensity_limit", float, "0.8"),
    ("dropoff_zero_intensity", float, "0.4"),
    ("noise_stddev", float, "0.0"),
    ("noise_seed", int, "0"),
)
_RADAR: Rows = (
    ("horizontal_fov", float, "30.0"),
    ("vertical_fov", float, "30.0"),
    ("points_per_second", int, "1500"),
    ("range", float, "100.0"),
    ("noise_seed", int, "0"),
    *_TICK,
)
_GNSS: Rows = (
    *((f"noise_{axis}_{kind}", float, "0.0") for axis in ("alt", "lat", "lon") for kind in ("bias", "stddev")),
    ("noise_seed", int, "0"),
    *_TICK,
)
_IMU: Rows = (
    *((f"noise_accel_stddev_{axis}", float, "0.0") for axis in "xyz"),
    *((f"noise_gyro_stddev_{axis}", float, "0.0") for axis in "xyz"),
    *((f"noise_gyro_bias_{axis}", float, "0.0") for axis in "xyz"),
    ("noise_seed", int, "0"),
    *_TICK,
)
_OBSTACLE: Rows = (
    ("distance", float, "5.0"),
    ("hit_radius", float, "0.5"),
    ("only_dynamics", bool, "false"),
    ("debug_linetrace", bool, "false"),
    *_TICK,
)
SENSOR_ATTRIBUTES: Mapping[str, Rows] = MappingProxyType(
    {
        "sensor.lidar.ray_cast": _NOISY_SCAN,
        "sensor.lidar.ray_cast_semantic": _SCAN,
        "sensor.other.collision": (),
        "sensor.other.gnss": _GNSS,
        "sensor.other.imu": _IMU,
        "sensor.other.lane_invasion": (),
        "sensor.other.obstacle": _OBSTACLE,
        "sensor.other.radar": _RADAR,
    }
)
"""Name, type and default by blueprint id; `role_name` comes with every blueprint."""
