"""Triangle records and band lists as the kernel reads them: hw/SPEC.md sections 3.7, 3.10 and 4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.drawlist import DrawList, MeshSet
from foveal.golden.geometry import ScreenTriangles, screen_triangles
from foveal.region import RegionSet

__all__ = ["BAND_ROWS", "RECORD_BYTES", "Records", "records"]

BAND_ROWS = 32
RECORD_BYTES = 64


@dataclass(frozen=True, slots=True)
class Records:
    """record: (N, 64) uint8, the bands' lists one after another. table: (bands, 2) uint32 first record and count."""

    record: np.ndarray
    table: np.ndarray

    def band(self, index: int) -> np.ndarray:
        """(count, 64) uint8: the list of one band, in draw order."""
        first, count = (int(value) for value in self.table[index])
        return self.record[first : first + count]

    def table_bytes(self) -> bytes:
        """The band table as it lies in memory, padded with zeros to 64 bytes."""
        raw = self.table.astype("<u4").tobytes()
        return raw + bytes(-len(raw) % 64)


def records(meshes: MeshSet, draw: DrawList, regions: RegionSet, labels: bool = False) -> Records:
    """What geometry hands to the kernel. labels: the records with labels for surfaces.

    Raises ValueError as :func:`foveal.golden.render` does.
    """
    triangles = screen_triangles(meshes, draw, regions)
    packed = _pack(triangles, _label_surface(triangles.label) if labels else triangles.surface)
    top, bottom = triangles.bounds[:, 1], triangles.bounds[:, 3]
    lists = []
    for band in range(-(-draw.height // BAND_ROWS)):
        y0, y1 = band * BAND_ROWS, (band + 1) * BAND_ROWS
        active = any(region.y0 < y1 and region.y1 > y0 for region in regions)
        lists.append(np.flatnonzero((top < y1) & (bottom > y0) & active))
    count = np.array([len(members) for members in lists], dtype=np.uint32)
    table = np.stack((np.cumsum(count) - count, count), axis=1).astype(np.uint32)
    return Records(packed[np.concatenate(lists)], table)


def _label_surface(label: np.ndarray) -> np.ndarray:
    """(N,) uint32 surfaces: R and the top byte are the tag, G and B the instance (hw/SPEC.md 3.11)."""
    tag, instance = label >> 16, label & 0xFFFF
    return (tag | instance << 8 | tag << 24).astype(np.uint32)


def _pack(triangles: ScreenTriangles, surface: np.ndarray) -> np.ndarray:
    record = np.zeros((len(triangles), RECORD_BYTES), dtype=np.uint8)

    def put(offset: int, size: int, value: np.ndarray) -> None:
        record[:, offset : offset + size] = value.astype("<i8")[:, None].view(np.uint8)[:, :size]

    for column in range(4):
        put(2 * column, 2, triangles.bounds[:, column])
    put(8, 4, surface)
    for p in range(3):
        a, b, c = _edge(triangles, p, (p + 1) % 3)
        put(12 + 6 * p, 3, a)
        put(15 + 6 * p, 3, b)
        put(30 + 5 * p, 5, c)
    put(45, 5, triangles.dzdx)
    put(50, 5, triangles.dzdy)
    put(55, 6, triangles.z0)
    put(61, 3, np.arange(len(triangles)))
    return record


def _edge(t: ScreenTriangles, p: int, q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a, b and c of the edge from corner p to corner q; c carries the top-left bias and is floored to 1/256 px^2."""
    xp, yp, xq, yq = t.x[:, p], t.y[:, p], t.x[:, q], t.y[:, q]
    a, b = yp - yq, xq - xp
    inclusive = (yq < yp) | ((yq == yp) & (xq > xp))
    value = b * (t.bounds[:, 1] * 256 + 128 - yp) + a * (t.bounds[:, 0] * 256 + 128 - xp)
    return a, b, (value - np.where(inclusive, 0, 1)) >> 8
