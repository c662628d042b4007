"""Triangle records by the formulas of hw/SPEC.md sections 3 and 4, in integers, one triangle at a time.

Written for the benches alone and independent of the golden model: it starts from screen-space corners.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = [
    "BAND_ROWS",
    "FAR",
    "Box",
    "Corner",
    "Record",
    "build_record",
    "cull",
    "front",
    "meeting_blocks",
    "pack_boxes",
    "random_boxes",
    "random_corners",
]

BAND_ROWS = 32
FAR = 2**24 - 1
ROI_LIMIT = 8191  # largest coordinate that a region holds
MAX_ROI = 16

Corner = tuple[int, int, int]
"""X and Y in 1/256 px, Z in 0..2^24-1."""

Box = tuple[int, int, int, int]
"""Half-open x0, y0, x1, y1 in pixels."""

# Field, first byte, bytes, signed. hw/SPEC.md section 4.
_LAYOUT = (
    ("bx0", 0, 2, False),
    ("by0", 2, 2, False),
    ("bx1", 4, 2, False),
    ("by1", 6, 2, False),
    ("surface", 8, 4, False),
    ("a0", 12, 3, True),
    ("b0", 15, 3, True),
    ("a1", 18, 3, True),
    ("b1", 21, 3, True),
    ("a2", 24, 3, True),
    ("b2", 27, 3, True),
    ("c0", 30, 5, True),
    ("c1", 35, 5, True),
    ("c2", 40, 5, True),
    ("dzdx", 45, 5, True),
    ("dzdy", 50, 5, True),
    ("z0", 55, 6, True),
    ("number", 61, 3, False),
)


@dataclass(frozen=True, slots=True)
class Record:
    """One triangle as the kernel reads it."""

    bx0: int
    by0: int
    bx1: int
    by1: int
    surface: int
    a0: int
    b0: int
    a1: int
    b1: int
    a2: int
    b2: int
    c0: int
    c1: int
    c2: int
    dzdx: int
    dzdy: int
    z0: int
    number: int

    @property
    def bounds(self) -> Box:
        return self.bx0, self.by0, self.bx1, self.by1

    def pack(self) -> int:
        """The 512-bit beat. Raises OverflowError for a field that does not fit."""
        beat = bytearray(64)
        for name, offset, size, signed in _LAYOUT:
            beat[offset : offset + size] = getattr(self, name).to_bytes(size, "little", signed=signed)
        return int.from_bytes(beat, "little")

    @classmethod
    def unpack(cls, beat: int) -> Record:
        """The record in a 512-bit beat."""
        raw = beat.to_bytes(64, "little")
        return cls(
            **{n: int.from_bytes(raw[at : at + size], "little", signed=signed) for n, at, size, signed in _LAYOUT}
        )

    def pixels(self, box: Box) -> tuple[np.ndarray, np.ndarray]:
        """(rows, columns) bool coverage by the three edges and int64 depth of the pixels of `box`, bounds ignored."""
        di = np.arange(box[0], box[2], dtype=np.int64)[None, :] - self.bx0
        dj = np.arange(box[1], box[3], dtype=np.int64)[:, None] - self.by0
        inside = np.ones((dj.size, di.size), dtype=bool)
        for a, b, c in ((self.a0, self.b0, self.c0), (self.a1, self.b1, self.c1), (self.a2, self.b2, self.c2)):
            inside &= a * di + b * dj + c >= 0
        return inside, np.clip((self.z0 + self.dzdx * di + self.dzdy * dj) >> 16, 0, FAR)


def front(corners: Sequence[Corner]) -> tuple[Corner, Corner, Corner]:
    """The corners in the order that faces the camera (section 3.5)."""
    p, q, r = corners
    area2 = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])
    return (p, q, r) if area2 < 0 else (p, r, q)


def build_record(
    corners: Sequence[Corner], width: int, height: int, surface: int = 0, number: int = 0
) -> Record | None:
    """Steps 5 to 8 of section 3; None for a back face, a degenerate triangle or empty bounds."""
    (x0, y0, _), (x1, y1, _), (x2, y2, _) = corners
    if (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) >= 0:
        return None
    v = (corners[0], corners[2], corners[1])
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = v
    area2 = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)

    def span(values: Iterable[int], limit: int) -> tuple[int, int]:
        values = list(values)
        return max(0, -((128 - min(values)) // 256)), min(limit, (max(values) - 128) // 256 + 1)

    bx0, bx1 = span((x0, x1, x2), width)
    by0, by1 = span((y0, y1, y2), height)
    if bx0 >= bx1 or by0 >= by1:
        return None
    px, py = bx0 * 256 + 128, by0 * 256 + 128
    edges = []
    for (xp, yp, _), (xq, yq, _) in ((v[0], v[1]), (v[1], v[2]), (v[2], v[0])):
        a, b = yp - yq, xq - xp
        inclusive = yq < yp or (yq == yp and xq > xp)
        edges.append((a, b, (b * (py - yp) + a * (px - xp) - (not inclusive)) // 256))

    def slope(numerator: int) -> int:
        return max(-(2**39), min(2**39 - 1, round(float(numerator) * 2.0**24 / float(area2))))

    dzdx = slope((z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0))
    dzdy = slope((z2 - z0) * (x1 - x0) - (z1 - z0) * (x2 - x0))
    base = z0 * 2**16 + (dzdx * (px - x0) + dzdy * (py - y0)) // 256
    (a0, b0, c0), (a1, b1, c1), (a2, b2, c2) = edges
    base = max(-(2**47), min(2**47 - 1, base))
    return Record(bx0, by0, bx1, by1, surface, a0, b0, a1, b1, a2, b2, c0, c1, c2, dzdx, dzdy, base, number)


def intersection(p: Box, q: Box) -> Box:
    """May be empty or inverted."""
    return max(p[0], q[0]), max(p[1], q[1]), min(p[2], q[2]), min(p[3], q[3])


def holds_pixels(box: Box) -> bool:
    return box[0] < box[2] and box[1] < box[3]


def cull(bounds: Box, regions: Iterable[Box], band_y0: int) -> Box | None:
    """Bounds tightened to the band's rows and the joint box of the touched regions; None where none is touched."""
    bounds = intersection(bounds, (0, band_y0, ROI_LIMIT, band_y0 + BAND_ROWS))
    touched = [box for box in (intersection(bounds, region) for region in regions) if holds_pixels(box)]
    if not touched:
        return None
    x0, y0, x1, y1 = zip(*touched, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def meeting_blocks(bounds: Box, regions: Iterable[Box], ppc: int) -> np.ndarray:
    """(rows of `bounds`, block columns from its first pixel's) bool: the block meets a region inside the bounds."""
    first, last = bounds[0] // ppc, (bounds[2] - 1) // ppc
    blocks = np.zeros((bounds[3] - bounds[1], last - first + 1), dtype=bool)
    for box in (intersection(bounds, region) for region in regions):
        if holds_pixels(box):
            rows = slice(box[1] - bounds[1], box[3] - bounds[1])
            blocks[rows, box[0] // ppc - first : (box[2] - 1) // ppc - first + 1] = True
    return blocks


def pack_boxes(regions: Sequence[Box]) -> int:
    """`roi_set`: region n at bit 52 n, {y1, x1, y0, x0}, 13 bits each; missing ones are empty."""
    return sum((x0 | y0 << 13 | x1 << 26 | y1 << 39) << 52 * n for n, (x0, y0, x1, y1) in enumerate(regions))


def random_boxes(rng: random.Random, width: int, height: int, kind: str, most: int = MAX_ROI) -> list[Box]:
    """Regions of a frame, at most `most`. kind: full, none, few, tiny, many or wild (also empty, inverted, off it)."""

    def box(limit: int = 4096) -> Box:
        x0, y0 = rng.randrange(width), rng.randrange(height)
        w, h = (rng.randint(1, max(1, min(limit, size - at))) for size, at in ((width, x0), (height, y0)))
        return x0, y0, x0 + w, y0 + h

    def wild() -> Box:
        choice = rng.randrange(5)
        if choice == 0:  # may be inverted
            x0, x1, y0, y1 = rng.randrange(width), rng.randrange(width), rng.randrange(height), rng.randrange(height)
            return x0, y0, x1, y1
        if choice == 1:  # empty in one direction
            x0, y0, x1, y1 = box()
            return (x0, y0, x0, y1) if rng.random() < 0.5 else (x0, y0, x1, y0)
        if choice == 2:  # off the frame, where a partial last block could still be met
            return width, 0, rng.randint(width, ROI_LIMIT), rng.choice((height, ROI_LIMIT))
        if choice == 3:
            x0, y0, _, _ = box()
            return x0, y0, ROI_LIMIT, ROI_LIMIT
        return box(12)

    if kind == "full":
        return [(0, 0, width, height)]
    if kind == "none":
        return []
    counts = {"few": rng.randint(1, min(3, most)), "tiny": rng.randint(1, most), "many": most, "wild": most}
    make = {"few": box, "tiny": lambda: box(3), "many": lambda: box(40), "wild": wild}[kind]
    return [make() for _ in range(counts[kind])]


def random_corners(rng: random.Random, kind: str, window: Box) -> tuple[Corner, Corner, Corner]:
    """A front-facing triangle near `window`.

    kind: any, small, pixel, sliver, horizontal, vertical, cover (holds the window), huge (guard band),
    through (huge, with an edge across the window) or outside.
    """
    x0, y0, x1, y1 = (256 * value for value in window)

    def at(margin: int = 0) -> tuple[int, int]:
        return rng.randint(x0 - margin, x1 + margin), rng.randint(y0 - margin, y1 + margin)

    def near(point: tuple[int, int], dx: int, dy: int) -> tuple[int, int]:
        return point[0] + rng.randint(-dx, dx), point[1] + rng.randint(-dy, dy)

    p = at()
    if kind == "any":
        points = [at(2000) for _ in range(3)]
    elif kind in ("small", "pixel"):
        reach = 1500 if kind == "small" else 200
        points = [near(p, reach, reach) for _ in range(3)]
    elif kind == "sliver":
        q = at()
        points = [p, q, near(q, 80, 80)]
    elif kind == "horizontal":
        points = [p, near((p[0], p[1]), 256 * 60, 60), near(p, 256 * 60, 300)]
    elif kind == "vertical":
        points = [p, near((p[0], p[1]), 60, 256 * 40), near(p, 300, 256 * 40)]
    elif kind == "cover":
        w, h = x1 - x0, y1 - y0
        points = [(x0 - w - 512, y0 - 512), (x1 + w + 512, y0 - 512), ((x0 + x1) // 2, y1 + 2 * h + 1024)]
    elif kind == "huge":
        points = [(rng.randint(-2600000, 3600000), rng.randint(-2600000, 3600000)) for _ in range(3)]
    elif kind == "through":
        dx, dy = rng.randint(-2500000, 2500000), rng.randint(-2500000, 2500000)
        points = [(p[0] + dx, p[1] + dy), (p[0] - dx, p[1] - dy), near(p, 2500000, 2500000)]
        rng.shuffle(points)
    elif kind == "outside":
        points = [near((x0 - 20000, y0 - 20000), 3000, 3000) for _ in range(3)]
    else:
        raise ValueError(f"unknown kind of triangle {kind!r}")
    far = rng.random() < 0.2  # some planes reach or leave the ends of the depth range
    depths = [rng.choice((0, FAR)) if far else rng.randrange(FAR + 1) for _ in range(3)]
    return front([(x, y, z) for (x, y), z in zip(points, depths, strict=True)])
