"""The radar: `sensor.other.radar`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from foveal_sim.world.attribute_values import number, whole
from foveal_sim.world.moment import Moment
from foveal_sim.world.rays import NOTHING, cast
from foveal_sim.world.sensor_wire import RADAR, RADAR_DETECTION, radar_body

__all__ = ["Radar"]

_MAX_RAYS = 1_000_000
_FURTHEST_M = 10_000.0


class Radar:
    """Random rays in an elliptic cone; what carries the radar is not met. The same `noise_seed` repeats the rays."""

    kind = RADAR

    def __init__(self, attributes: Mapping[str, str]) -> None:
        """Raises ValueError for attributes that are no radar."""
        self._half_azimuth = math.radians(number(attributes, "horizontal_fov", 0.0, 360.0)) / 2
        self._half_altitude = math.radians(number(attributes, "vertical_fov", 0.0, 180.0)) / 2
        self._points_per_second = whole(attributes, "points_per_second", 1, 2**31 - 1)
        self._range_m = number(attributes, "range", 0.0, _FURTHEST_M)
        self._random = np.random.default_rng(whole(attributes, "noise_seed", 0, 2**31 - 1))

    def measure(self, moment: Moment) -> Iterator[bytes]:
        """One body: velocity of what is met relative to the carrier's along the ray (approaching: negative)."""
        count = min(round(self._points_per_second * moment.interval_s), _MAX_RAYS)
        radius, angle = self._random.random(count), self._random.uniform(0.0, 2 * np.pi, count)
        azimuth, altitude = radius * np.cos(angle) * self._half_azimuth, radius * np.sin(angle) * self._half_altitude
        level = np.cos(altitude)
        local = np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(altitude)])
        beams = local @ moment.turn.T
        solids = moment.solids.without(moment.carried())
        hits = cast(solids, np.array(moment.pose[:3]), beams, self._range_m)
        met = hits.index != NOTHING
        moving = np.zeros((len(solids) + 1, 3))  # the last is the ground's
        for index in np.intersect1d(hits.index[met], np.flatnonzero(solids.actor)):
            moving[index] = moment.motion(solids.things[index])[0]
        velocity = moving[hits.index[met]] - moment.motion(moment.carrier)[0]
        detections = np.zeros(int(met.sum()), dtype=RADAR_DETECTION)
        detections["velocity"] = np.einsum("nd,nd->n", velocity, beams[met])
        detections["azimuth"], detections["altitude"] = azimuth[met], altitude[met]
        detections["depth"] = hits.distance[met]
        yield radar_body(detections)
