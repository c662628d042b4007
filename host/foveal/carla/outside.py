"""What stands in a picture where no region is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from foveal.frame import Frame, StageTime
from foveal.scene.tick import CameraMount

__all__ = ["Filler", "Outside"]


class Outside(StrEnum):
    """BLACK: zeros. HOLD: what was rendered there last. COARSE: this frame at half the width and height."""

    BLACK = "black"
    HOLD = "hold"
    COARSE = "coarse"

    @classmethod
    def of(cls, name: str) -> Outside:
        """Raises ValueError with the choices."""
        if name not in list(cls):
            raise ValueError(f"outside is one of {', '.join(cls)}, got {name!r}")
        return cls(name)


class Filler:
    """Completes the frames of one camera, in their order."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._held: np.ndarray | None = None

    def fill(
        self, frame: Frame, mount: CameraMount, draw: Callable[[CameraMount], Frame]
    ) -> tuple[np.ndarray, tuple[StageTime, ...]]:
        """(height, width, 4) uint8 B, G, R, A and the stages that filling cost.

        draw: renders this frame whole, as another mount sees it; only COARSE calls it.
        """
        if self._outside is Outside.BLACK:
            pixels = frame.pixels.copy()
            pixels[..., 3] = 255
            return pixels, ()
        if self._outside is Outside.HOLD:
            if self._held is None:
                self._held = np.zeros_like(frame.pixels)
                self._held[..., 3] = 255
            for r in frame.regions:
                self._held[r.y0 : r.y1, r.x0 : r.x1] = frame.pixels[r.y0 : r.y1, r.x0 : r.x1]
            return self._held.copy(), ()
        small = draw(replace(mount, width=-(-mount.width // 2), height=-(-mount.height // 2)))
        pixels = small.pixels.repeat(2, axis=0).repeat(2, axis=1)[: mount.height, : mount.width].copy()
        for r in frame.regions:
            pixels[r.y0 : r.y1, r.x0 : r.x1] = frame.pixels[r.y0 : r.y1, r.x0 : r.x1]
        return pixels, tuple(replace(stage, name=f"coarse_{stage.name}") for stage in small.stages)
