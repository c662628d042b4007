"""Cameras: their attributes, when they are due, and the renderer that makes their pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from foveal.period import Period

from foveal_sim.world.camera_attributes import CAMERA_ATTRIBUTES, FOLLOWED
from foveal_sim.world.episode import Episode

__all__ = ["Camera", "CameraRenderer", "in_vain"]

_MAX_SIDE = 4096


@dataclass
class Camera:
    """A spawned camera. blueprint: one of foveal.planes.CAMERAS. width, height: pixels. period: when it is due."""

    blueprint: str
    actor_id: int
    stream_id: int
    width: int
    height: int
    fov_deg: float
    period: Period

    @classmethod
    def of(cls, blueprint: str, actor_id: int, stream_id: int, attributes: Mapping[str, str]) -> Camera:
        """From blueprint attributes. Raises ValueError for values that are no camera."""
        width, height = int(attributes["image_size_x"]), int(attributes["image_size_y"])
        fov = float(attributes["fov"])
        if not (1 <= width <= _MAX_SIDE and 1 <= height <= _MAX_SIDE):
            raise ValueError(f"image_size must be 1..{_MAX_SIDE} pixels a side, got {width}x{height}")
        if not 0.0 < fov < 180.0:
            raise ValueError(f"fov must be between 0 and 180 degrees, got {fov}")
        return cls(blueprint, actor_id, stream_id, width, height, fov, Period(float(attributes["sensor_tick"])))


def in_vain(blueprint: str, attributes: Mapping[str, str]) -> list[str]:
    """Attributes that have other values than by default and change nothing."""
    return [
        name
        for name, _, default in CAMERA_ATTRIBUTES[blueprint][len(FOLLOWED) :]
        if attributes[name].lower() != default
    ]


class CameraRenderer(Protocol):
    """Makes cameras' pictures of the world as it is."""

    def render(
        self, episode: Episode, cameras: Sequence[Camera], frame: int, elapsed_s: float
    ) -> Iterator[tuple[Camera, np.ndarray]]:
        """Each camera with its picture, (height, width, 4) uint8 B, G, R, A, top row first; not changed afterwards."""
