"""Surface shading and pixel output: hw/SPEC.md section 5."""

from __future__ import annotations

import numpy as np

from foveal.jit import compiled

__all__ = ["shade"]


def shade(
    surface: np.ndarray, drawn: np.ndarray, kept: np.ndarray, background: tuple[int, int, int], tint: np.ndarray | None
) -> np.ndarray:
    """(H, W, 4) uint8 B, G, R, 255 where `kept`, zero elsewhere.

    surface: (H, W) uint32 lit R, G, B and material. drawn, kept: (H, W) bool. background: R, G, B, never tinted.
    tint: (256, 4) uint8 material table with 128 = 1.0, or None where it is not resident.
    """
    pixels = np.zeros((*surface.shape, 4), dtype=np.uint8)
    table = np.zeros((256, 4), dtype=np.uint8) if tint is None else tint
    _shade(surface, drawn, kept, np.array(background, dtype=np.uint8), tint is not None, table, pixels)
    return pixels


@compiled
def _shade(surface, drawn, kept, background, resident, tint, pixels):  # type: ignore[no-untyped-def]
    for j in range(surface.shape[0]):
        for i in range(surface.shape[1]):
            if not kept[j, i]:
                continue
            pixels[j, i, 3] = 255
            word = np.int64(surface[j, i])
            for channel in range(3):
                value = np.int64(background[channel])
                if drawn[j, i]:
                    value = word >> 8 * channel & 255
                    if resident:
                        value = min(value * np.int64(tint[word >> 24, channel]) >> 7, 255)
                pixels[j, i, 2 - channel] = value
