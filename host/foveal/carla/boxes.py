"""CARLA's bounding boxes and transforms as plain numbers."""

from __future__ import annotations

import carla

__all__ = ["box_row", "pose_row"]


def box_row(box: carla.BoundingBox) -> tuple[float, ...]:
    """Location, extent (half sizes) and rotation (pitch, yaw, roll) of a bounding box: nine floats."""
    place, size, turn = box.location, box.extent, box.rotation
    return (place.x, place.y, place.z, size.x, size.y, size.z, turn.pitch, turn.yaw, turn.roll)


def pose_row(transform: carla.Transform) -> tuple[float, ...]:
    """x, y, z, pitch, yaw, roll of a transform."""
    place, turn = transform.location, transform.rotation
    return (place.x, place.y, place.z, turn.pitch, turn.yaw, turn.roll)
