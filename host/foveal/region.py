"""Pixel regions: half-open rectangles and the set of them that one frame uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from foveal.checks import integer

__all__ = ["MAX_REGIONS", "Region", "RegionSet", "nested", "outermost", "pixels_held"]

MAX_REGIONS = 16
"""Regions the kernel holds (`NUM_ROI` in hw/rtl)."""


@dataclass(frozen=True, slots=True)
class Region:
    """Half-open pixel rectangle [x0, x1) x [y0, y1); x right, y down.

    A region with x1 <= x0 or y1 <= y0 holds no pixel. Raises TypeError for non-integers.
    """

    x0: int
    y0: int
    x1: int
    y1: int

    def __post_init__(self) -> None:
        for name in ("x0", "y0", "x1", "y1"):
            value = getattr(self, name)
            if type(value) is int:
                continue
            object.__setattr__(self, name, integer(f"Region.{name}", value))

    @property
    def width(self) -> int:
        return max(0, self.x1 - self.x0)

    @property
    def height(self) -> int:
        return max(0, self.y1 - self.y0)

    @property
    def area(self) -> int:
        """Pixels held."""
        return self.width * self.height

    @property
    def empty(self) -> bool:
        return self.area == 0

    def clipped(self, width: int, height: int) -> Region:
        """The part inside a width x height frame, both edges clamped; may be empty."""
        x0, x1 = (min(max(v, 0), width) for v in (self.x0, self.x1))
        y0, y1 = (min(max(v, 0), height) for v in (self.y0, self.y1))
        return Region(x0, y0, max(x0, x1), max(y0, y1))

    def union(self, other: Region) -> Region:
        """Smallest rectangle that holds both (an empty one adds nothing)."""
        if self.empty:
            return other
        if other.empty:
            return self
        return Region(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


@dataclass(frozen=True, slots=True)
class RegionSet:
    """The regions of one frame: at most 16, each inside the frame and not empty.

    Build it with :meth:`of`, which clips, drops empty regions and merges down to 16. Raises TypeError for a size that
    is no integer, or what is no Region, ValueError for the rest.
    """

    width: int
    height: int
    regions: tuple[Region, ...]

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            object.__setattr__(self, name, integer(f"RegionSet.{name}", getattr(self, name)))
        object.__setattr__(self, "regions", tuple(self.regions))
        if not (1 <= self.width <= 4096 and 1 <= self.height <= 4096):
            raise ValueError(f"frame must be 1..4096 pixels a side, got {self.width}x{self.height}")
        if len(self.regions) > MAX_REGIONS:
            raise ValueError(f"{len(self.regions)} regions, the kernel holds {MAX_REGIONS}; use RegionSet.of to merge")
        for region in self.regions:
            if not isinstance(region, Region):
                raise TypeError(f"RegionSet.regions holds {region!r}, which is no Region")
            if not (0 <= region.x0 < region.x1 <= self.width and 0 <= region.y0 < region.y1 <= self.height):
                raise ValueError(f"{region} is empty or leaves the {self.width}x{self.height} frame; use RegionSet.of")

    @classmethod
    def of(cls, regions: Iterable[Region], width: int, height: int) -> RegionSet:
        """Clip to the frame, drop those that are empty or lie in another, merge while more than 16 remain.

        Merging joins the pair whose joint rectangle adds the fewest pixels.
        """
        return cls.of_boxes(np.array([(r.x0, r.y0, r.x1, r.y1) for r in regions], dtype=np.int64), width, height)

    @classmethod
    def of_boxes(cls, boxes: np.ndarray, width: int, height: int) -> RegionSet:
        """The same from (N, 4) integers x0, y0, x1, y1. Raises ValueError for another shape."""
        boxes = np.asarray(boxes)
        if boxes.size and (boxes.ndim != 2 or boxes.shape[1] != 4 or boxes.dtype.kind not in "iu"):
            raise ValueError(f"region boxes are {boxes.dtype}{boxes.shape}, expected integers (N, 4)")
        clipped = np.minimum(np.maximum(boxes.reshape(-1, 4), 0), np.array((width, height, width, height)))
        clipped = clipped[(clipped[:, 2] > clipped[:, 0]) & (clipped[:, 3] > clipped[:, 1])]
        kept = outermost(clipped.astype(np.int64))
        if len(kept) > MAX_REGIONS:
            from foveal.merge import merged  # compiled code: only drives with many actors pay for loading it

            kept = outermost(merged(kept, MAX_REGIONS))
        return cls(width, height, tuple(Region(*box) for box in kept.tolist()))

    @classmethod
    def full(cls, width: int, height: int) -> RegionSet:
        """One region that is the whole frame."""
        return cls(width, height, (Region(0, 0, width, height),))

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def __len__(self) -> int:
        return len(self.regions)

    def array(self) -> np.ndarray:
        """(n, 4) int32 of x0, y0, x1, y1."""
        rows = [(r.x0, r.y0, r.x1, r.y1) for r in self.regions]
        return np.array(rows, dtype=np.int32).reshape(-1, 4)

    def mask(self) -> np.ndarray:
        """(height, width) bool: True where some region holds the pixel."""
        mask = np.zeros((self.height, self.width), dtype=bool)
        for r in self.regions:
            mask[r.y0 : r.y1, r.x0 : r.x1] = True
        return mask

    @property
    def share(self) -> float:
        """Pixels held by at least one region, as a share of the frame, 0..1."""
        return pixels_held(self.array()) / (self.width * self.height)


def pixels_held(box: np.ndarray) -> int:
    """Pixels that at least one of the (N, 4) rectangles holds."""
    x, y = np.sort(box[:, 0::2], axis=None), np.sort(box[:, 1::2], axis=None)
    across = (box[:, :1] <= x[:-1]) & (x[:-1] < box[:, 2:3])
    down = (box[:, 1:2] <= y[:-1]) & (y[:-1] < box[:, 3:])
    held = down.T.astype(np.float32) @ across.astype(np.float32) > 0
    return int((y[1:] - y[:-1]) @ (held @ (x[1:] - x[:-1])))


def nested(box: np.ndarray) -> np.ndarray:
    """(N, N) bool: row i of (N, 4) `box` lies in row j; of equal rows, each in those before it; of 32-bit values."""
    x0, y0, x1, y1 = np.ascontiguousarray(box.T, dtype=np.int32)
    inside = x0[:, None] >= x0
    inside &= y0[:, None] >= y0
    inside &= x1[:, None] <= x1
    inside &= y1[:, None] <= y1
    return np.asarray(inside & (np.tri(len(box), k=-1, dtype=bool) | ~inside.T))


def outermost(box: np.ndarray) -> np.ndarray:
    """The rows of (N, 4) `box` that lie in no other, in their order; the first of equal ones."""
    return box[~nested(box).any(axis=1)] if len(box) > 1 else box
