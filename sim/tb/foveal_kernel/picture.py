"""What a frame must look like: a rasteriser of records and the pixel rules, from hw/SPEC.md sections 3 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

__all__ = ["BAND_ROWS", "NOTHING", "Setup", "band_lists", "draw", "output_bytes"]

BAND_ROWS = 32
NOTHING = 2**24 - 1

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Setup:
    """Configuration of one frame. `tint`: (256, 3) material tints where the table applies."""

    width: int
    height: int
    regions: tuple[Box, ...]
    background: int = 0x00332211
    strided: bool = False
    depth_out: bool = False
    immediate: bool = False
    stride: int = 0
    tint: np.ndarray | None = field(default=None, compare=False)


def integer(record: bytes, offset: int, size: int, signed: bool = True) -> int:
    """A little-endian field of a record."""
    return int.from_bytes(record[offset : offset + size], "little", signed=signed)


def draw(records: Sequence[bytes], width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """(H, W) int64 depth and uint32 surface after all records in order, nearest first comer wins."""
    depth = np.full((height, width), NOTHING, np.int64)
    surface = np.zeros((height, width), np.uint32)
    for record in records:
        x0, y0, x1, y1 = (integer(record, at, 2, signed=False) for at in (0, 2, 4, 6))
        i = np.arange(x1 - x0, dtype=np.int64)[None, :]
        j = np.arange(y1 - y0, dtype=np.int64)[:, None]
        cover = np.ones((y1 - y0, x1 - x0), bool)
        for k in range(3):
            a, b, c = integer(record, 12 + 6 * k, 3), integer(record, 15 + 6 * k, 3), integer(record, 30 + 5 * k, 5)
            cover &= a * i + b * j + c >= 0
        dzdx, dzdy, z0 = integer(record, 45, 5), integer(record, 50, 5), integer(record, 55, 6)
        z = np.clip((z0 + dzdx * i + dzdy * j) >> 16, 0, NOTHING)
        part = (slice(y0, y1), slice(x0, x1))
        cover &= z < depth[part]
        depth[part][cover] = z[cover]
        surface[part][cover] = integer(record, 8, 4, signed=False)
    return depth, surface


def region_mask(setup: Setup) -> np.ndarray:
    """(H, W) bool: pixels that some region holds."""
    x, y = np.arange(setup.width)[None, :], np.arange(setup.height)[:, None]
    mask = np.zeros((setup.height, setup.width), bool)
    for x0, y0, x1, y1 in setup.regions:
        mask |= (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    return mask


def shaded(setup: Setup, depth: np.ndarray, surface: np.ndarray) -> np.ndarray:
    """(H, W) uint32 output pixels."""
    drawn = depth != NOTHING
    if setup.depth_out:
        return (depth | np.where(drawn, surface >> 24, 0).astype(np.int64) << 24).astype(np.uint32)
    pixel = np.full(depth.shape, 255 << 24, np.uint32)
    for channel, shift in ((0, 16), (1, 8), (2, 0)):
        lit = (surface >> 8 * channel & 255).astype(np.int64)
        if setup.tint is not None:
            lit = np.minimum(255, lit * setup.tint[surface >> 24, channel] >> 7)
        value = np.where(drawn, lit, setup.background >> 8 * channel & 255)
        pixel |= value.astype(np.uint32) << shift
    return pixel


def output_bytes(setup: Setup, records: Sequence[bytes], base: int) -> dict[int, int]:
    """Every byte that the frame writes, by address."""
    mask = region_mask(setup)
    pixel = shaded(setup, *draw(records, setup.width, setup.height))
    y, x = np.nonzero(mask)
    place = y * setup.stride + 4 * x if setup.strided else 4 * np.arange(len(x))
    return {base + int(p) + n: int(v) >> 8 * n & 255 for p, v in zip(place, pixel[mask], strict=True) for n in range(4)}


def band_lists(setup: Setup, records: Sequence[bytes]) -> list[list[bytes]]:
    """The records of each band, in draw order: those whose bounds meet its rows, where a region does too."""
    bands = []
    for first in range(0, setup.height, BAND_ROWS):
        end = min(first + BAND_ROWS, setup.height)
        wanted = any(x0 < x1 and y0 < y1 and y0 < end and y1 > first for x0, y0, x1, y1 in setup.regions)
        meets = [r for r in records if integer(r, 2, 2, signed=False) < end and integer(r, 6, 2, signed=False) > first]
        bands.append(meets if wanted else [])
    return bands
