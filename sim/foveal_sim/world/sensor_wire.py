"""Byte layouts of the bodies that sensors other than cameras send; `foveal_sim.world.wire` says why they stand apart.

Little-endian and packed. A body is what follows the 48-byte sensor header; it is MessagePack where it holds actors.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import msgpack
import numpy as np

__all__ = [
    "COLLISION",
    "GNSS",
    "IMU",
    "LIDAR",
    "LIDAR_POINT",
    "OBSTACLE",
    "RADAR",
    "RADAR_DETECTION",
    "SEMANTIC_LIDAR",
    "SEMANTIC_POINT",
    "contact_body",
    "gnss_body",
    "imu_body",
    "lidar_body",
    "obstacle_body",
    "radar_body",
    "sensor_message",
]

COLLISION, GNSS, IMU, OBSTACLE, RADAR, SEMANTIC_LIDAR, LIDAR = 0, 4, 5, 7, 9, 10, 11
"""Type indices by which the client picks a decoder."""

_KINDS = frozenset((COLLISION, GNSS, IMU, OBSTACLE, RADAR, SEMANTIC_LIDAR, LIDAR))
# length | sensor type, frame, elapsed seconds, x, y, z, pitch, yaw, roll
_HEAD = struct.Struct("<IQQd6f")
_LENGTH_BYTES = 4

LIDAR_POINT = np.dtype([("xyz", "<3f4"), ("intensity", "<f4")])
"""16 bytes: metres in the sensor's frame (x forward, y right, z up), intensity 0..1."""
SEMANTIC_POINT = np.dtype([("xyz", "<3f4"), ("cos", "<f4"), ("object", "<u4"), ("tag", "<u4")])
"""24 bytes: metres in the sensor's frame, cosine of the incidence angle, actor id (0: none), `CityObjectLabel`."""
RADAR_DETECTION = np.dtype([("velocity", "<f4"), ("azimuth", "<f4"), ("altitude", "<f4"), ("depth", "<f4")])
"""16 bytes: m/s along the ray (approaching is negative), radians, radians, metres."""


def sensor_message(kind: int, frame: int, elapsed_s: float, pose: Sequence[float], body: bytes) -> bytes:
    """Length-prefixed message of one measurement.

    Raises ValueError for a kind that is not made here: the client would decode the body as something else.
    """
    if kind not in _KINDS:
        raise ValueError(f"sensor type {kind} has no body here; known are {sorted(_KINDS)}")
    return _HEAD.pack(_HEAD.size - _LENGTH_BYTES + len(body), kind, frame, elapsed_s, *pose) + body


def lidar_body(angle_rad: float, counts: np.ndarray, points: np.ndarray) -> bytes:
    """Points ordered by channel. counts: (channels,) points of each. points: (n,) LIDAR_POINT or SEMANTIC_POINT.

    Raises ValueError when the counts do not add up to n or the points have another layout.
    """
    if points.dtype not in (LIDAR_POINT, SEMANTIC_POINT) or points.ndim != 1:
        raise ValueError(f"points are {points.dtype}{points.shape}, expected (n,) lidar points")
    if int(counts.sum()) != len(points):
        raise ValueError(f"{len(points)} points, but the channels announce {int(counts.sum())}")
    head = struct.pack("<fI", angle_rad, len(counts))
    return head + counts.astype("<u4").tobytes() + np.ascontiguousarray(points).tobytes()


def radar_body(detections: np.ndarray) -> bytes:
    """detections: (n,) RADAR_DETECTION. Raises ValueError for another layout."""
    if detections.dtype != RADAR_DETECTION or detections.ndim != 1:
        raise ValueError(f"detections are {detections.dtype}{detections.shape}, expected (n,) radar detections")
    return np.ascontiguousarray(detections).tobytes()


def gnss_body(latitude_deg: float, longitude_deg: float, altitude_m: float) -> bytes:
    return msgpack.packb([float(latitude_deg), float(longitude_deg), float(altitude_m)])


def imu_body(accelerometer: Iterable[float], gyroscope: Iterable[float], compass_rad: float) -> bytes:
    """accelerometer: m/s2, gyroscope: rad/s, both x, y, z. Raises ValueError when one has not three parts."""
    return msgpack.packb([_three(accelerometer), _three(gyroscope), float(compass_rad)])


def contact_body(actor: Sequence[object], other: Sequence[object], impulse: Iterable[float]) -> bytes:
    """actor, other: wire forms. impulse: N s in the world. Raises ValueError when it has not three parts."""
    return msgpack.packb([actor, other, _three(impulse)])


def obstacle_body(actor: Sequence[object], other: Sequence[object], distance_m: float) -> bytes:
    """actor, other: wire forms."""
    return msgpack.packb([actor, other, float(distance_m)])


def _three(values: Iterable[float]) -> list[float]:
    x, y, z = values
    return [float(x), float(y), float(z)]
