"""What stands in a picture where no region is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from foveal.channel import Channel
from foveal.frame import StageTime
from foveal.planes import Planes
from foveal.region import RegionSet
from foveal.scene.tick import CameraMount

__all__ = ["Drawn", "Filler", "Outside"]

Drawn = tuple[Planes, tuple[StageTime, ...]]
"""Planes, and what they cost."""


class Outside(StrEnum):
    """BLACK: zeros, which no rendered depth (0 m) or tag (none) is. HOLD: what was rendered there last. COARSE: this
    frame at half the width and height, each sample for two by two pixels."""

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
        self._held: Planes = {}

    def nothing(self, frame: int) -> str:
        """What is told of a frame without a region."""
        advice = "" if self._outside is Outside.COARSE else '; outside="coarse" shows the rest'
        return f"frame {frame} has no region: the policy sees nothing in it that it wants rendered{advice}"

    def fill(
        self, planes: Planes, regions: RegionSet, mount: CameraMount, draw: Callable[[CameraMount], Drawn]
    ) -> tuple[Planes, tuple[StageTime, ...]]:
        """The same planes, complete and in arrays of their own, and the stages that filling cost.

        planes: of a frame that was rendered in `regions`. draw: renders it whole, as another mount sees it; only COARSE
        calls it.
        """
        if self._outside is Outside.BLACK:
            return {channel: _opaque(channel, plane.copy()) for channel, plane in planes.items()}, ()
        if self._outside is Outside.HOLD:
            if not self._held:
                self._held = {channel: _opaque(channel, np.zeros_like(plane)) for channel, plane in planes.items()}
            for channel, plane in planes.items():
                _paste(plane, self._held[channel], regions)
            return {channel: held.copy() for channel, held in self._held.items()}, ()
        small, stages = draw(replace(mount, width=-(-mount.width // 2), height=-(-mount.height // 2)))
        filled: Planes = {}
        for channel, plane in planes.items():
            rough = small[channel].repeat(2, axis=0).repeat(2, axis=1)[: mount.height, : mount.width].copy()
            filled[channel] = _paste(plane, rough, regions)
        return filled, tuple(replace(stage, name=f"coarse_{stage.name}") for stage in stages)


def _opaque(channel: Channel, plane: np.ndarray) -> np.ndarray:
    """The plane itself; colours have no transparent pixel any more."""
    if channel is Channel.COLOUR:
        plane[..., 3] = 255
    return plane


def _paste(source: np.ndarray, target: np.ndarray, regions: RegionSet) -> np.ndarray:
    """`target`, with the pixels of `source` that lie in the regions."""
    for r in regions:
        target[r.y0 : r.y1, r.x0 : r.x1] = source[r.y0 : r.y1, r.x0 : r.x1]
    return target
