"""The RGB camera: its attributes, when it is due, and the renderer that makes its pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from foveal_sim.world.episode import Episode

__all__ = ["Camera", "CameraRenderer"]

_MAX_SIDE = 4096


@dataclass
class Camera:
    """A spawned `sensor.camera.rgb`. width, height: pixels. period_s: 0 for every tick. due_s: next capture."""

    actor_id: int
    stream_id: int
    width: int
    height: int
    fov_deg: float
    period_s: float
    due_s: float = 0.0

    @classmethod
    def of(cls, actor_id: int, stream_id: int, attributes: Mapping[str, str]) -> Camera:
        """From blueprint attributes. Raises ValueError for values that are no camera."""
        width, height = int(attributes["image_size_x"]), int(attributes["image_size_y"])
        fov, period = float(attributes["fov"]), float(attributes["sensor_tick"])
        if not (1 <= width <= _MAX_SIDE and 1 <= height <= _MAX_SIDE):
            raise ValueError(f"image_size must be 1..{_MAX_SIDE} pixels a side, got {width}x{height}")
        if not 0.0 < fov < 180.0:
            raise ValueError(f"fov must be between 0 and 180 degrees, got {fov}")
        if not 0.0 <= period < float("inf"):
            raise ValueError(f"sensor_tick must be 0 or more seconds, got {period}")
        return cls(actor_id, stream_id, width, height, fov, period)

    def take(self, now_s: float) -> bool:
        """Is a capture due at `now_s` simulated seconds? Then the next one is a period later."""
        if now_s + 1e-9 < self.due_s:
            return False
        following = self.due_s + self.period_s
        self.due_s = following if following > now_s else now_s + self.period_s
        return True


class CameraRenderer(Protocol):
    """Makes a camera's picture of the world as it is."""

    def render(self, episode: Episode, camera: Camera, frame: int, elapsed_s: float) -> np.ndarray:
        """(height, width, 4) uint8 B, G, R, A, top row first; a new array at every call."""
