"""From what the kernel wrote to an image (hw/SPEC.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from foveal.errors import DeviceError
from foveal.region import RegionSet

__all__ = ["UNWRITTEN", "Strip", "check_written", "from_packed", "from_strided", "kept_pixels", "strips"]

UNWRITTEN = 0xEEEEEEEE
"""What a card that shows no registers fills an output buffer with before a frame. No colour is such a word, since its
top byte is 255; of depths, one value of one material (238) is, and a frame that holds it is refused."""


def check_written(words: np.ndarray, regions: RegionSet) -> None:
    """Raises DeviceError when a kept pixel was not written. words: packed, (n,), or strided, (H, stride/4)."""
    kept = words if words.ndim == 1 else words[:, : regions.width][regions.mask()]
    missing = int(np.count_nonzero(kept == UNWRITTEN))
    if missing:
        raise DeviceError(f"the kernel left {missing} of {kept.size} pixels unwritten; its STATUS cannot be read here")


@dataclass(frozen=True, slots=True)
class Strip:
    """Rows [y0, y1) in which the same columns are kept: spans [x0, x1), from left to right, none touching the next."""

    y0: int
    y1: int
    spans: tuple[tuple[int, int], ...]

    @property
    def width(self) -> int:
        """Pixels kept in a row."""
        return sum(x1 - x0 for x0, x1 in self.spans)


def strips(regions: RegionSet) -> list[Strip]:
    """The pixels that `regions` hold, each once, as strips from top to bottom; at most 31."""
    edges = sorted({edge for region in regions for edge in (region.y0, region.y1)})
    found = []
    for y0, y1 in pairwise(edges):
        spans: list[tuple[int, int]] = []
        for x0, x1 in sorted((r.x0, r.x1) for r in regions if r.y0 <= y0 and y1 <= r.y1):
            if spans and x0 <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(x1, spans[-1][1]))
            else:
                spans.append((x0, x1))
        if spans:
            found.append(Strip(y0, y1, tuple(spans)))
    return found


def kept_pixels(regions: RegionSet) -> int:
    """Pixels that some region holds."""
    return sum((strip.y1 - strip.y0) * strip.width for strip in strips(regions))


def from_packed(words: np.ndarray, regions: RegionSet) -> np.ndarray:
    """(H, W, 4) uint8 from (n,) uint32 kept pixels in raster order; zero outside the regions.

    Raises ValueError when n is not the number of pixels that the regions hold.
    """
    kept = kept_pixels(regions)
    if words.shape != (kept,):
        raise ValueError(f"{len(words)} packed pixels for regions that hold {kept}")
    image = np.zeros((regions.height, regions.width), np.uint32)
    first = 0
    for strip in strips(regions):
        rows, width = strip.y1 - strip.y0, strip.width
        block = words[first : first + rows * width].reshape(rows, width)
        first += rows * width
        left = 0
        for x0, x1 in strip.spans:
            image[strip.y0 : strip.y1, x0:x1] = block[:, left : left + x1 - x0]
            left += x1 - x0
    return _bytes(image)


def from_strided(words: np.ndarray, regions: RegionSet) -> np.ndarray:
    """(H, W, 4) uint8 from (H, stride/4) uint32 rows; zero outside the regions, whatever the memory holds there."""
    image = np.zeros((regions.height, regions.width), np.uint32)
    for strip in strips(regions):
        for x0, x1 in strip.spans:
            image[strip.y0 : strip.y1, x0:x1] = words[strip.y0 : strip.y1, x0:x1]
    return _bytes(image)


def _bytes(image: np.ndarray) -> np.ndarray:
    return image.view(np.uint8).reshape(*image.shape, 4)
