"""Raster passes of a frame: the kernel writes a word a pixel, so what does not fit one word takes a pass more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from foveal.channel import Channel
from foveal.frame import NOTHING
from foveal.region import RegionSet
from foveal.tag import Tag

__all__ = ["COLOUR", "DEPTH_WORDS", "Pass", "frame_arrays", "passes_of"]


@dataclass(frozen=True, slots=True)
class Pass:
    """labelled: over the records whose surfaces are labels. depth: the word is the depth and the surface's top byte."""

    name: str
    labelled: bool
    depth: bool

    @property
    def label(self) -> bool:
        """The word is a label: tag in R, instance in G (low) and B."""
        return self.labelled and not self.depth


COLOUR = Pass("colour", labelled=False, depth=False)
DEPTH_WORDS = Pass("depth", labelled=False, depth=True)
_DEPTH_TAG = Pass("depth", labelled=True, depth=True)
_LABEL = Pass("label", labelled=True, depth=False)


def passes_of(channels: Channel) -> tuple[Pass, ...]:
    """The fewest passes that give `channels`: depth and tag share a word, instance and tag do."""
    tag_with_depth = Channel.SEMANTIC in channels and (Channel.DEPTH in channels or Channel.INSTANCE not in channels)
    passes = [COLOUR] if Channel.COLOUR in channels else []
    if tag_with_depth:
        passes.append(_DEPTH_TAG)
    elif Channel.DEPTH in channels:
        passes.append(DEPTH_WORDS)
    if Channel.INSTANCE in channels:
        passes.append(_LABEL)
    return tuple(passes)


def frame_arrays(
    channels: Channel, drawn: Iterable[tuple[Pass, np.ndarray]], regions: RegionSet
) -> dict[str, np.ndarray]:
    """Arrays of a Frame by field. drawn: passes with their (H, W, 4) uint8 bytes, zero outside `regions`."""
    arrays: dict[str, np.ndarray] = {}
    for part, pixels in drawn:
        if part.depth:
            word = pixels.view("<u4")[..., 0]
            depth = word & np.uint32(NOTHING)
            if Channel.DEPTH in channels:
                arrays["depth"] = depth
            if part.labelled:
                tag = pixels[..., 3].copy()
                tag[(depth == NOTHING) & regions.mask()] = Tag.SKY
                arrays["semantic"] = tag
        elif part.label:
            arrays["instance"] = pixels[..., 1] | pixels[..., 0].astype(np.uint16) << 8
            if Channel.SEMANTIC in channels:
                arrays.setdefault("semantic", pixels[..., 2].copy())
        else:
            arrays["pixels"] = pixels
    if "pixels" not in arrays:
        arrays["pixels"] = np.zeros((regions.height, regions.width, 4), np.uint8)
    return arrays
