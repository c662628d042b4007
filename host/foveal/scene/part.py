"""A piece of geometry under construction, and how pieces become a mesh set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from foveal.drawlist import NO_LABELS, MeshSet
from foveal.errors import SceneError

__all__ = ["Colour", "MeshBuilder", "Part"]

Colour = tuple[int, int, int] | np.ndarray
"""Albedo R, G, B, 0..255: one, or one row a triangle."""

_MIN_AREA_M2 = 1e-14


@dataclass(frozen=True, slots=True)
class Part:
    """Triangles in metres, X forward, Y left, Z up, counter-clockwise from outside.

    position: (V, 3) float64. triangle: (T, 3) int64. colour: (T, 3) uint8 albedo. material: (T,) uint8.
    label: (T,) uint32 as MeshSet has it; zeros where it is left out.
    """

    position: np.ndarray
    triangle: np.ndarray
    colour: np.ndarray
    material: np.ndarray
    label: np.ndarray = field(default_factory=lambda: NO_LABELS)

    def __post_init__(self) -> None:
        if self.label is NO_LABELS:
            object.__setattr__(self, "label", np.zeros(len(self.triangle), np.uint32))

    @classmethod
    def of(cls, position: np.ndarray, triangle: np.ndarray, colour: Colour, material: int) -> Part:
        """A part of one material; `colour` is one R, G, B or one row a triangle."""
        count = len(triangle)
        return cls(
            np.asarray(position, dtype=np.float64).reshape(-1, 3),
            np.asarray(triangle, dtype=np.int64).reshape(-1, 3),
            np.broadcast_to(np.asarray(colour, dtype=np.uint8), (count, 3)).copy(),
            np.full(count, material, dtype=np.uint8),
        )

    @classmethod
    def joined(cls, parts: Iterable[Part]) -> Part:
        """All parts as one (an empty part when there are none)."""
        parts = list(parts)
        if not parts:
            return cls.of(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(3), 0)
        first = np.cumsum([0] + [len(part.position) for part in parts[:-1]])
        return cls(
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.triangle + start for part, start in zip(parts, first, strict=True)]),
            np.concatenate([part.colour for part in parts]),
            np.concatenate([part.material for part in parts]),
            np.concatenate([part.label for part in parts]),
        )

    def moved(self, matrix: np.ndarray) -> Part:
        """The part under a 4x4 affine matrix (column vectors); the matrix must not mirror."""
        return replace(self, position=self.position @ matrix[:3, :3].T + matrix[:3, 3])

    def labelled(self, label: np.ndarray) -> Part:
        """The part with a label a triangle."""
        return replace(self, label=label)

    def scaled_to(self, extent: np.ndarray) -> Part:
        """The part stretched and centred so that its bounds are exactly -extent..extent (half sizes, metres)."""
        low, high = self.position.min(axis=0), self.position.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        position = (self.position - (low + high) / 2) * (2 * np.asarray(extent, dtype=np.float64) / span)
        return replace(self, position=position)

    def normals(self) -> np.ndarray:
        """(T, 3) float64 unit normals from the winding; zero where a triangle has no area."""
        a, b, c = (self.position[self.triangle[:, k]] for k in range(3))
        cross = np.cross(b - a, c - a)
        length = np.linalg.norm(cross, axis=1, keepdims=True)
        return np.divide(cross, length, out=np.zeros_like(cross), where=length > 2 * _MIN_AREA_M2)

    def volume(self) -> float:
        """Signed volume in m³: positive for a closed surface whose faces look outward."""
        a, b, c = (self.position[self.triangle[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    def some(self, chosen: np.ndarray) -> Part:
        """The part with those of its triangles, and with all of its vertices."""
        return Part(
            self.position, self.triangle[chosen], self.colour[chosen], self.material[chosen], self.label[chosen]
        )

    def chunks(self, size_m: float) -> list[tuple[np.ndarray, Part]]:
        """Cut into squares of `size_m` by triangle centre: pairs of origin (3,) and the part relative to it."""
        if not len(self.triangle):
            return []
        cell = np.floor(self.position[self.triangle][:, :, :2].mean(axis=1) / size_m).astype(np.int64)
        cells, member = np.unique(cell, axis=0, return_inverse=True)
        pieces = []
        for index, (i, j) in enumerate(cells):
            chosen = member.reshape(-1) == index
            used, local = np.unique(self.triangle[chosen], return_inverse=True)
            origin = np.array([(i + 0.5) * size_m, (j + 0.5) * size_m, 0.0])
            piece = replace(self.some(chosen), position=self.position[used] - origin, triangle=local.reshape(-1, 3))
            pieces.append((origin, piece))
        return pieces


@dataclass(slots=True)
class MeshBuilder:
    """Collects parts; each added part is one mesh of the set."""

    _parts: list[Part] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, part: Part) -> int:
        """Append a mesh, without triangles of no area; returns its index. Raises SceneError when it is not finite."""
        if not np.isfinite(part.position).all():
            raise SceneError(
                f"mesh {len(self._parts)} has a vertex that is not finite; check the box or lane it is made from"
            )
        keep = np.abs(part.normals()).max(axis=1, initial=0.0) > 0
        self._parts.append(part.some(keep))
        return len(self._parts) - 1

    def build(self, material: np.ndarray) -> MeshSet:
        """The mesh set, with flat normals from the winding. material: (256, 4) uint8 tints."""
        whole = Part.joined(self._parts)
        vertices = np.array([len(part.position) for part in self._parts], dtype=np.int64)
        triangles = np.array([len(part.triangle) for part in self._parts], dtype=np.int64)
        bounds = np.zeros((len(self._parts), 2, 3), dtype=np.float32)
        for index, part in enumerate(self._parts):
            if len(part.position):
                single = part.position.astype(np.float32)
                bounds[index] = single.min(axis=0), single.max(axis=0)
        return MeshSet(
            position=whole.position.astype(np.float32),
            triangle=whole.triangle.astype(np.uint32),
            normal=whole.normals().astype(np.float32),
            surface=np.column_stack([whole.colour, whole.material]),
            vertex_range=_ranges(vertices),
            triangle_range=_ranges(triangles),
            bounds=bounds,
            material=material,
            label=whole.label,
        )


def _ranges(count: np.ndarray) -> np.ndarray:
    first = np.cumsum(count) - count
    return np.column_stack([first, count]).astype(np.uint32).reshape(-1, 2)
