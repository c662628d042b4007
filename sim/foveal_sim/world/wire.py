"""Byte layouts of the streams: little-endian, packed, as the `carla` clients 0.9.15 and 0.9.16 decode them.

Every stream message is a 4-byte length, a 48-byte sensor header and a body whose decoder the client picks by the
header's type index without any check: a wrong body kills the client's process, so all layouts live here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

__all__ = [
    "ACTOR_RECORD",
    "CAMERA_TYPES",
    "SNAPSHOT",
    "image_message",
    "snapshot_message",
    "stream_token",
]

CAMERA_TYPES = {
    "sensor.camera.depth": 1,
    "sensor.camera.rgb": 13,
    "sensor.camera.semantic_segmentation": 14,
    "sensor.camera.instance_segmentation": 15,
}
"""Type index of a camera's messages by blueprint id."""

# length | sensor type, frame, elapsed seconds, x, y, z, pitch, yaw, roll
_HEADER = struct.Struct("<IQQd6f")
_LENGTH_BYTES = 4
# the header above, then episode id, platform time stamp, delta seconds, map origin (3 integers), flags
SNAPSHOT = struct.Struct("<IQQd6fQdf3iI")
_IMAGE = struct.Struct("<IQQd6fIIf")
_TOKEN = struct.Struct("<IHBB16x")
_TCP, _NO_ADDRESS = 1, 0

_FIELDS: dict[str, tuple[str, int]] = {
    "id": ("<u4", 0),
    "state": ("u1", 4),
    "motion": ("15<f4", 5),  # the four fields that follow, as one
    "pose": ("6<f4", 5),
    "velocity": ("3<f4", 29),
    "angular_velocity": ("3<f4", 41),
    "acceleration": ("3<f4", 53),
    # what follows depends on the kind of actor and overlaps: a vehicle, a walker, a traffic light or sign
    "kind_specific": ("V54", 65),
    "throttle": ("<f4", 65),
    "steer": ("<f4", 69),
    "brake": ("<f4", 73),
    "pedals": ("3<f4", 65),  # throttle, steer, brake as one
    "hand_brake": ("?", 77),
    "reverse": ("?", 78),
    "manual_gear_shift": ("?", 79),
    "gear": ("<i4", 80),
    "speed_limit": ("<f4", 84),
    "light_state": ("u1", 88),
    "at_light": ("?", 89),
    "light_id": ("<u4", 90),
    "failure": ("u1", 94),
    "walker_direction": ("3<f4", 65),
    "walker_speed": ("<f4", 77),
    "walker_jump": ("?", 81),
    "sign_id": ("S32", 65),
    "light_times": ("3<f4", 97),  # seconds of green, yellow and red
    "light_elapsed": ("<f4", 109),
    "pole_index": ("<u4", 113),
    "light_frozen": ("?", 117),
    "light": ("u1", 118),
}
ACTOR_RECORD = np.dtype(
    {
        "names": list(_FIELDS),
        "formats": [kind for kind, _ in _FIELDS.values()],
        "offsets": [offset for _, offset in _FIELDS.values()],
        "itemsize": 119,
    }
)
"""One actor in a snapshot, 119 bytes. pose: x, y, z (m), pitch, yaw, roll (degrees); velocities m/s and degrees/s."""


def stream_token(stream_id: int, port: int) -> bytes:
    """24-byte token of a TCP stream; no address, so the client uses the host that it connected to."""
    return _TOKEN.pack(stream_id, port, _TCP, _NO_ADDRESS)


def snapshot_message(
    observer: int,
    frame: int,
    elapsed_s: float,
    delta_s: float,
    platform_s: float,
    episode: int,
    flags: int,
    records: bytes,
) -> bytes:
    """Length-prefixed world snapshot.

    observer: its type index, which depends on the client's release. records: whole ACTOR_RECORD rows. Raises ValueError
    when they are not whole.
    """
    if len(records) % ACTOR_RECORD.itemsize:
        raise ValueError(f"{len(records)} bytes are not whole actor records of {ACTOR_RECORD.itemsize}")
    return (
        SNAPSHOT.pack(
            SNAPSHOT.size - _LENGTH_BYTES + len(records),
            observer,
            frame,
            elapsed_s,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            episode,
            platform_s,
            delta_s,
            0,
            0,
            0,
            flags,
        )
        + records
    )


def image_message(
    blueprint: str,
    frame: int,
    elapsed_s: float,
    pose: Sequence[float],
    width: int,
    height: int,
    fov_deg: float,
    pixels: np.ndarray,
) -> tuple[bytes, memoryview]:
    """Length-prefixed head of an image of the camera `blueprint`, and its pixels.

    pixels: (height, width, 4) uint8 B, G, R, A, top row first. Raises ValueError for any other array: the client
    would read past the message.
    """
    if pixels.shape != (height, width, 4) or pixels.dtype != np.uint8:
        raise ValueError(f"image is {pixels.dtype}{pixels.shape}, the camera announces uint8{(height, width, 4)}")
    body = np.ascontiguousarray(pixels).data.cast("B")
    size = _IMAGE.size - _LENGTH_BYTES + body.nbytes
    return _IMAGE.pack(size, CAMERA_TYPES[blueprint], frame, elapsed_s, *pose, width, height, fov_deg), body
