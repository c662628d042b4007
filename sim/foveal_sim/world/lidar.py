"""Rotating lidars: `sensor.lidar.ray_cast` and `sensor.lidar.ray_cast_semantic`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from foveal_sim.world.attribute_values import number, whole
from foveal_sim.world.moment import Moment
from foveal_sim.world.rays import NOTHING, Hits, cast
from foveal_sim.world.sensor_wire import LIDAR, LIDAR_POINT, SEMANTIC_LIDAR, SEMANTIC_POINT, lidar_body

__all__ = ["Lidar", "SemanticLidar"]

_MAX_RAYS = 4_000_000
_MAX_CHANNELS = 1024
_FURTHEST_M = 10_000.0


class _Scan:
    """The beams of one lidar: `channels` lasers spread evenly from upper_fov to lower_fov, which turn
    `rotation_frequency` times a second through `horizontal_fov` and share `points_per_second` between them.
    """

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for attributes that are no lidar."""
        self.channels = whole(attributes, "channels", 1, _MAX_CHANNELS)
        self.range_m = number(attributes, "range", 0.0, _FURTHEST_M)
        self._points_per_second = whole(attributes, "points_per_second", 1, 2**31 - 1)
        self._frequency = number(attributes, "rotation_frequency", 0.0)
        self._fov = number(attributes, "horizontal_fov", 0.0, 360.0)
        upper, lower = number(attributes, "upper_fov", -90.0, 90.0), number(attributes, "lower_fov", -90.0, 90.0)
        self._elevation = np.radians(np.linspace(upper, lower, self.channels))
        self._angle = 0.0

    def beams(self, interval_s: float) -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors (n, 3) in the sensor's frame of the next `interval_s` seconds, channel by channel, and the
        channel of each (n,). The scan is taken at one instant: the sensor does not move while it turns.
        """
        each = min(round(self._points_per_second * interval_s / self.channels), _MAX_RAYS // self.channels)
        swept = self._frequency * self._fov * interval_s
        turned = self._angle + np.arange(each) * (swept / max(each, 1))
        azimuth = np.radians(np.mod(turned, self._fov) - self._fov / 2 if self._fov else turned)
        self._angle = math.fmod(self._angle + swept, self._fov) if self._fov else 0.0
        level, up = np.cos(self._elevation)[:, None], np.sin(self._elevation)[:, None]
        parts = (level * np.cos(azimuth), level * np.sin(azimuth), np.broadcast_to(up, (self.channels, each)))
        return np.stack(parts, axis=-1).reshape(-1, 3), np.repeat(np.arange(self.channels), each)

    @property
    def angle_rad(self) -> float:
        """Where the rotation stands, from 0."""
        return math.radians(self._angle)

    def body(self, channel: np.ndarray, points: np.ndarray) -> bytes:
        return lidar_body(self.angle_rad, np.bincount(channel, minlength=self.channels), points)


class SemanticLidar:
    """Points with the incidence angle's cosine, the actor hit and its `CityObjectLabel`; no noise, nothing dropped."""

    kind = SEMANTIC_LIDAR

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for attributes that are no lidar."""
        self._scan = _Scan(attributes)

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body."""
        beams, channel = self._scan.beams(moment.interval_s)
        hits = _hits(moment, beams, self._scan.range_m)
        met = hits.index != NOTHING
        points = np.zeros(int(met.sum()), dtype=SEMANTIC_POINT)
        points["xyz"] = beams[met] * hits.distance[met, None]
        points["cos"] = hits.cosine[met]
        points["object"] = np.append(moment.solids.actor, 0)[hits.index[met]]  # the last is the ground's
        points["tag"] = hits.label[met]
        yield self._scan.body(channel[met], points)


class Lidar:
    """Points with an intensity of exp(-a d), of which some are lost.

    a: `atmosphere_attenuation_rate`, 1/m; d: metres. A share of `dropoff_general_rate` is lost at random; of the rest
    a share that falls linearly from `dropoff_zero_intensity` at intensity 0 to nothing at `dropoff_intensity_limit`.
    `noise_stddev` metres of Gaussian noise lie along the beam. The same `noise_seed` repeats the same noise.
    """

    kind = LIDAR

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for attributes that are no lidar."""
        self._scan = _Scan(attributes)
        self._attenuation = number(attributes, "atmosphere_attenuation_rate", 0.0)
        self._lost = number(attributes, "dropoff_general_rate", 0.0, 1.0)
        self._limit = number(attributes, "dropoff_intensity_limit", 0.0)
        self._lost_dark = number(attributes, "dropoff_zero_intensity", 0.0, 1.0)
        self._noise_m = number(attributes, "noise_stddev", 0.0)
        self._random = np.random.default_rng(whole(attributes, "noise_seed", 0, 2**31 - 1))

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body."""
        beams, channel = self._scan.beams(moment.interval_s)
        if self._lost:
            kept = self._random.random(len(beams)) >= self._lost
            beams, channel = beams[kept], channel[kept]
        hits = _hits(moment, beams, self._scan.range_m)
        met = hits.index != NOTHING
        beams, channel, distance = beams[met], channel[met], hits.distance[met]
        intensity = np.exp(-self._attenuation * distance)
        if self._lost_dark and self._limit:
            lost = self._lost_dark * (1.0 - intensity / self._limit)
            kept = self._random.random(len(beams)) >= lost
            beams, channel, distance, intensity = beams[kept], channel[kept], distance[kept], intensity[kept]
        if self._noise_m:
            distance = distance + self._random.normal(0.0, self._noise_m, len(distance))
        points = np.zeros(len(beams), dtype=LIDAR_POINT)
        points["xyz"] = beams * distance[:, None]
        points["intensity"] = intensity
        yield self._scan.body(channel, points)


def _hits(moment: Moment, beams: np.ndarray, range_m: float) -> Hits:
    return cast(moment.solids, np.array(moment.pose[:3]), beams @ moment.turn.T, range_m)
