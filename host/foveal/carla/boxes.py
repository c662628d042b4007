"""CARLA's bounding boxes as plain numbers."""

from __future__ import annotations

import carla

__all__ = ["box_row"]


def box_row(box: carla.BoundingBox) -> tuple[float, ...]:
    """Location, extent (half sizes) and rotation (pitch, yaw, roll) of a bounding box: nine floats."""
    place, size, turn = box.location, box.extent, box.rotation
    return (place.x, place.y, place.z, size.x, size.y, size.z, turn.pitch, turn.yaw, turn.roll)
