"""From what the kernel wrote to an image (hw/SPEC.md section 5)."""

from __future__ import annotations

import numpy as np

from foveal.region import RegionSet

__all__ = ["from_packed", "from_strided"]


def from_packed(words: np.ndarray, regions: RegionSet) -> np.ndarray:
    """(H, W, 4) uint8 from (n,) uint32 kept pixels in raster order; zero outside the regions.

    Raises ValueError when n is not the number of pixels that the regions hold.
    """
    image = np.zeros((regions.height, regions.width), np.uint32)
    mask = regions.mask()
    kept = int(np.count_nonzero(mask))
    if words.shape != (kept,):
        raise ValueError(f"{len(words)} packed pixels for regions that hold {kept}")
    image[mask] = words
    return _bytes(image)


def from_strided(words: np.ndarray, regions: RegionSet) -> np.ndarray:
    """(H, W, 4) uint8 from (H, stride/4) uint32 rows; zero outside the regions, whatever the memory holds there."""
    return _bytes(np.where(regions.mask(), words[:, : regions.width], np.uint32(0)))


def _bytes(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(image).view(np.uint8).reshape(*image.shape, 4)
