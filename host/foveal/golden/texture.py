"""Bilinear texture samples: hw/SPEC.md section 11."""

from __future__ import annotations

import numpy as np

__all__ = ["MISS_COLOUR", "PAGE_TEXELS", "sample"]

PAGE_TEXELS = 32
"""Texels a side of a page; a page is 4 KiB."""

MISS_COLOUR = (255, 0, 255, 255)
"""R, G, B, A of a sample that touches an absent page."""


def sample(
    pages: np.ndarray,
    resident: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    first: np.ndarray | int = 0,
    log2_wide: np.ndarray | int = 0,
    log2_high: np.ndarray | int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """(N, 4) uint8 R, G, B, A and (N,) bool misses of N samples.

    pages: (P, 32, 32, 4) uint8, row, column, channel. resident: (P,) bool. u, v: (N,) integers, 1/256 texel, wrapping.
    first, log2_wide, log2_high: first page of each sample's texture, log2 of its pages a side (0..3); scalars or (N,).
    """
    u, v, first, log2_wide, log2_high = (np.asarray(value, np.int64) for value in (u, v, first, log2_wide, log2_high))
    left, wu = (u - 128) >> 8, (u - 128) & 255
    top, wv = (v - 128) >> 8, (v - 128) & 255
    rows = []
    miss = np.zeros(np.broadcast(u, v, first, log2_wide, log2_high).shape, bool)
    for y in (top, top + 1):
        pair = []
        for x in (left, left + 1):
            tile_x = (x >> 5) & ((1 << log2_wide) - 1)
            tile_y = (y >> 5) & ((1 << log2_high) - 1)
            page = first + (tile_y << log2_wide) + tile_x
            known = page < len(pages)
            page = np.where(known, page, 0)
            miss |= ~(known & np.asarray(resident, bool)[page])
            pair.append(pages[page, y & 31, x & 31].astype(np.int64))
        rows.append((pair[0] << 8) + (pair[1] - pair[0]) * wu[..., None])
    colour = ((rows[0] << 8) + (rows[1] - rows[0]) * wv[..., None] + (1 << 15)) >> 16
    colour[miss] = MISS_COLOUR
    return colour.astype(np.uint8), miss
