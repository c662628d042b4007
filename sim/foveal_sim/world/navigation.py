"""Where am I and how do I move: `sensor.other.gnss` and `sensor.other.imu`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from foveal_sim.world.attribute_values import number, whole
from foveal_sim.world.moment import Moment
from foveal_sim.world.physics import GRAVITY_MPS2
from foveal_sim.world.sensor_wire import GNSS, IMU, gnss_body, imu_body

__all__ = ["Gnss", "Imu"]


class Gnss:
    """Latitude, longitude and altitude by the map's geographic reference, as `carla.Map.transform_to_geolocation`."""

    kind = GNSS

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for noise that is not finite or has a negative deviation."""
        self._bias = np.array([number(attributes, f"noise_{axis}_bias") for axis in ("lat", "lon", "alt")])
        self._deviation = np.array([number(attributes, f"noise_{axis}_stddev", 0.0) for axis in ("lat", "lon", "alt")])
        self._random = np.random.default_rng(whole(attributes, "noise_seed", 0, 2**31 - 1))

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body."""
        import carla  # only once the map has prepared its cache folder

        place = moment.episode.road_map.geometry.transform_to_geolocation(carla.Location(*moment.pose[:3]))
        true = np.array([place.latitude, place.longitude, place.altitude])
        yield gnss_body(*(true + self._bias + self._random.normal(0.0, self._deviation)))


class Imu:
    """Accelerometer with gravity (at rest it shows +9.81 upwards), gyroscope and compass, in the sensor's frame.

    A sensor at r from its carrier's origin has the acceleration a + w x (w x r); what a change of w would add is left
    out, because w jumps with the steering here. The compass counts from north, which is -y, over east (+x), as CARLA's.
    """

    kind = IMU

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for noise that is not finite or has a negative deviation."""
        self._accelerometer_deviation = np.array([number(attributes, f"noise_accel_stddev_{a}", 0.0) for a in "xyz"])
        self._gyroscope_deviation = np.array([number(attributes, f"noise_gyro_stddev_{a}", 0.0) for a in "xyz"])
        self._gyroscope_bias = np.array([number(attributes, f"noise_gyro_bias_{a}") for a in "xyz"])
        self._random = np.random.default_rng(whole(attributes, "noise_seed", 0, 2**31 - 1))

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body."""
        carrier, turn = moment.carrier, moment.turn
        _, rotating, acceleration = moment.motion(carrier)
        if carrier is not None:
            arm = np.array(moment.pose[:3]) - moment.episode.table.pose(carrier)[:3]
            # w x (w x r) = w (w . r) - r (w . w)
            acceleration = acceleration + rotating * (rotating @ arm) - arm * (rotating @ rotating)
        accelerometer = turn.T @ (acceleration + np.array([0.0, 0.0, GRAVITY_MPS2]))
        gyroscope = turn.T @ rotating + self._gyroscope_bias
        compass = math.atan2(turn[0, 0], -turn[1, 0]) % (2 * math.pi)
        yield imu_body(
            accelerometer + self._random.normal(0.0, self._accelerometer_deviation),
            gyroscope + self._random.normal(0.0, self._gyroscope_deviation),
            compass,
        )
