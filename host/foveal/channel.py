"""What a frame may hold beside colour, all of one and the same raster pass: which surface is seen in each pixel."""

from __future__ import annotations

from enum import Flag, auto

import numpy as np

from foveal.errors import SceneError

__all__ = ["Channel", "checked", "label_of"]


class Channel(Flag):
    """COLOUR: Frame.pixels. DEPTH: Frame.depth. SEMANTIC: Frame.semantic. INSTANCE: Frame.instance."""

    COLOUR = auto()
    DEPTH = auto()
    SEMANTIC = auto()
    INSTANCE = auto()

    @property
    def labels(self) -> bool:
        """Whether an instance or a tag is asked for."""
        return bool(self & (Channel.SEMANTIC | Channel.INSTANCE))


def checked(channels: object) -> Channel:
    """`channels` again. Raises SceneError unless they are one or more."""
    if not isinstance(channels, Channel) or not channels:
        raise SceneError(f"channels are one or more of foveal.Channel, joined by |, not {channels!r}")
    return channels


def label_of(instance: int | np.ndarray, tag: int | np.ndarray) -> np.ndarray:
    """uint32 label of a triangle: instance in bits 0 to 15 (higher ones are cut off), tag in bits 16 to 23."""
    return np.asarray(instance, dtype=np.uint64).astype(np.uint32) & np.uint32(0xFFFF) | np.asarray(
        tag, dtype=np.uint32
    ) << np.uint32(16)
