"""Surface shading and pixel output: hw/SPEC.md section 5."""

from __future__ import annotations

import numpy as np

__all__ = ["shade"]


def shade(
    surface: np.ndarray, drawn: np.ndarray, kept: np.ndarray, background: tuple[int, int, int], tint: np.ndarray | None
) -> np.ndarray:
    """(H, W, 4) uint8 B, G, R, 255 where `kept`, zero elsewhere.

    surface: (H, W) uint32 lit R, G, B and material. drawn, kept: (H, W) bool. background: R, G, B, never tinted.
    tint: (256, 4) uint8 material table with 128 = 1.0, or None where it is not resident.
    """
    packed = surface[kept]
    lit = np.stack([packed >> shift & 255 for shift in (0, 8, 16)], axis=-1)
    if tint is not None:
        lit = np.minimum(lit * tint[packed >> 24, :3].astype(np.uint32) >> 7, 255)
    lit[~drawn[kept]] = background
    pixels = np.zeros((*surface.shape, 4), dtype=np.uint8)
    pixels[kept, :3] = lit[:, ::-1]
    pixels[kept, 3] = 255
    return pixels
