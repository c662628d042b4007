"""Listens to one stream of a world server as a client would, and trusts nothing that arrives.

A client picks a decoder by a message's type index and reads as far as its counts say, so each must be right.
"""

from __future__ import annotations

import math
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgpack
import numpy as np

__all__ = ["SensorListener", "messages", "subscribe"]

_HEADER = struct.Struct("<QQd6f")
_TYPES = {
    "sensor.other.collision": 0,
    "sensor.camera.depth": 1,
    "sensor.other.gnss": 4,
    "sensor.other.imu": 5,
    "sensor.other.obstacle": 7,
    "sensor.other.radar": 9,
    "sensor.lidar.ray_cast_semantic": 10,
    "sensor.lidar.ray_cast": 11,
    "sensor.camera.rgb": 13,
    "sensor.camera.semantic_segmentation": 14,
    "sensor.camera.instance_segmentation": 15,
}
_EVENTS = ("sensor.other.collision", "sensor.other.obstacle")
"""Sensors that may have several messages in one frame."""


def subscribe(port: int, stream: int) -> socket.socket:
    """A connection that says which stream it wants."""
    peer = socket.create_connection(("127.0.0.1", port), timeout=60)
    peer.sendall(struct.pack("<I", stream))
    return peer


def messages(peer: socket.socket) -> Iterator[bytes]:
    """Whole messages until the connection ends. Raises AssertionError when it ends within one."""
    with peer.makefile("rb") as stream:
        while head := stream.read(4):
            (size,) = struct.unpack("<I", head)
            body = stream.read(size)
            assert len(body) == size, f"{len(body)} of {size} bytes"
            yield body


class SensorListener(threading.Thread):
    """fault: what was wrong with a message, or an empty text. seen: simulated seconds by frame."""

    def __init__(self, port: int, actor: list[Any]) -> None:
        """actor: the wire form that spawning answered."""
        super().__init__(daemon=True)
        self.actor_id: int = actor[0]
        self.blueprint: str = actor[2][1]
        self.fault = ""
        self.seen: dict[int, float] = {}
        self._attributes = {name: value for name, _, value in actor[2][2]}
        self._socket = subscribe(port, struct.unpack_from("<I", actor[5])[0])

    def run(self) -> None:
        try:
            for message in messages(self._socket):
                self._take(message)
        except (AssertionError, struct.error, ValueError, IndexError) as error:
            self.fault = f"{self.blueprint}: {type(error).__name__}: {error}"
        except OSError:  # closed
            pass

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.join(30)
        self._socket.close()

    def _take(self, message: bytes) -> None:
        kind, frame, time_s, *pose = _HEADER.unpack_from(message)
        assert kind == _TYPES[self.blueprint], f"type {kind}"
        assert np.isfinite(pose).all(), f"frame {frame} at {pose}"
        last = max(self.seen, default=-1)
        assert frame > last or (frame == last and self.blueprint in _EVENTS), f"frame {frame} after {last}"
        self.seen[frame] = time_s
        body = message[_HEADER.size :]
        if self.blueprint.startswith("sensor.camera."):
            _check_image(body, self._attributes)
        else:
            _BODIES[self.blueprint](body)


def _check_image(body: bytes, attributes: Mapping[str, str]) -> None:
    width, height, fov = struct.unpack_from("<IIf", body)
    assert (str(width), str(height)) == (attributes["image_size_x"], attributes["image_size_y"])
    assert 0.0 < fov < 180.0
    assert len(body) - 12 == width * height * 4, f"{len(body)} bytes"


def _lidar(point_bytes: int) -> Callable[[bytes], None]:
    def check(body: bytes) -> None:
        angle, channels = struct.unpack_from("<fI", body)
        assert math.isfinite(angle)
        counts = np.frombuffer(body, "<u4", channels, 8)
        points = body[8 + 4 * channels :]
        assert len(points) == int(counts.sum()) * point_bytes, f"{len(points)} bytes of {int(counts.sum())} points"
        assert np.isfinite(np.frombuffer(points, "<f4").reshape(-1, point_bytes // 4)[:, :4]).all()

    return check


def _check_radar(body: bytes) -> None:
    assert len(body) % 16 == 0
    assert np.isfinite(np.frombuffer(body, "<f4")).all()


def _check_gnss(body: bytes) -> None:
    _numbers(msgpack.unpackb(body), 3)


def _check_imu(body: bytes) -> None:
    accelerometer, gyroscope, compass = msgpack.unpackb(body)
    _numbers(accelerometer, 3)
    _numbers(gyroscope, 3)
    _numbers([compass], 1)


def _check_collision(body: bytes) -> None:
    own, other, impulse = msgpack.unpackb(body)
    _actor(own)
    _actor(other)
    _numbers(impulse, 3)


def _check_obstacle(body: bytes) -> None:
    own, other, distance = msgpack.unpackb(body)
    _actor(own)
    _actor(other)
    _numbers([distance], 1)


def _numbers(values: Any, count: int) -> None:
    assert len(values) == count
    assert all(isinstance(value, float) and math.isfinite(value) for value in values), values


def _actor(fields: Any) -> None:
    number, parent, description, box, tags, token = fields
    assert 0 <= number < 1 << 32
    assert 0 <= parent < 1 << 32
    assert isinstance(description[1], str)
    for part in box[:3]:
        _numbers(part, 3)
    assert isinstance(tags, bytes)
    assert len(token) in (0, 24)


_BODIES: Mapping[str, Callable[[bytes], None]] = {
    "sensor.lidar.ray_cast": _lidar(16),
    "sensor.lidar.ray_cast_semantic": _lidar(24),
    "sensor.other.collision": _check_collision,
    "sensor.other.gnss": _check_gnss,
    "sensor.other.imu": _check_imu,
    "sensor.other.obstacle": _check_obstacle,
    "sensor.other.radar": _check_radar,
}
