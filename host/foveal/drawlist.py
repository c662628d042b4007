"""What a device draws: static meshes, uploaded once, and the instances of one frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foveal.checks import integer, real

__all__ = ["NO_LABELS", "DrawList", "MeshSet", "Zone"]

NO_LABELS = np.zeros(0, np.uint32)
"""Stands for a field that was left out: as many zeros as there are triangles or instances."""


@dataclass(frozen=True, slots=True)
class MeshSet:
    """Static geometry. Uploaded to a device once; instances refer to meshes by index.

    Coordinates are right-handed: X forward, Y left, Z up, metres. Front faces are counter-clockwise.

    position: (V, 3) float32. triangle: (T, 3) uint32, absolute vertex indices.
    normal: (T, 3) float32 unit face normals. surface: (T, 4) uint8 albedo R, G, B and material index.
    vertex_range, triangle_range: (M, 2) uint32 first and count, per mesh. bounds: (M, 2, 3) float32 min, max.
    material: (256, 4) uint8 tint R, G, B, 0 with 128 = 1.0.
    label: (T,) uint32 what a triangle shows: instance in bits 0 to 15, tag (CARLA's `CityObjectLabel`) in bits 16 to
    23; zeros where it is left out.
    Raises TypeError for what is no array, ValueError when shapes, indices or values do not fit together.
    """

    position: np.ndarray
    triangle: np.ndarray
    normal: np.ndarray
    surface: np.ndarray
    vertex_range: np.ndarray
    triangle_range: np.ndarray
    bounds: np.ndarray
    material: np.ndarray
    label: np.ndarray = field(default_factory=lambda: NO_LABELS)

    def __post_init__(self) -> None:
        if self.label is NO_LABELS and isinstance(self.triangle, np.ndarray):
            object.__setattr__(self, "label", np.zeros(self.triangle.shape[:1], np.uint32))
        for name in ("position", "triangle", "vertex_range"):
            _length("MeshSet", name, getattr(self, name))
        vertices, triangles, meshes = len(self.position), len(self.triangle), len(self.vertex_range)
        expected = {
            "position": ((vertices, 3), np.float32),
            "triangle": ((triangles, 3), np.uint32),
            "normal": ((triangles, 3), np.float32),
            "surface": ((triangles, 4), np.uint8),
            "vertex_range": ((meshes, 2), np.uint32),
            "triangle_range": ((meshes, 2), np.uint32),
            "bounds": ((meshes, 2, 3), np.float32),
            "material": ((256, 4), np.uint8),
            "label": ((triangles,), np.uint32),
        }
        for name, (shape, dtype) in expected.items():
            _check_array("MeshSet", name, getattr(self, name), shape, dtype)
        self.check_values()

    def check_values(self) -> None:
        """Raises ValueError when coordinates or indices cannot be; arrays may have changed since this was made."""
        vertices = len(self.position)
        if not np.isfinite(self.position).all() or not np.isfinite(self.normal).all():
            raise ValueError("MeshSet holds a position or normal that is not finite")
        if len(self.triangle) and int(self.triangle.max()) >= vertices:
            raise ValueError(f"MeshSet.triangle names vertex {int(self.triangle.max())} of {vertices}")
        if len(self.label) and int(self.label.max()) >> 24:
            raise ValueError(f"MeshSet.label holds {int(self.label.max()):#x}; an instance and a tag are 24 bits")


@dataclass(frozen=True, slots=True)
class Zone:
    """World window that arms texture DMA, metres in the draw list's frame; margin is the leaving hysteresis.

    Raises TypeError for what is no number.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    margin: float = 5.0

    def __post_init__(self) -> None:
        for name in ("x0", "y0", "x1", "y1", "margin"):
            real(f"Zone.{name}", getattr(self, name))


@dataclass(frozen=True, slots=True)
class DrawList:
    """One frame to draw.

    frame: the tick's frame id, not negative. mesh: (N,) uint32 mesh index per instance.
    mvp: (N, 4, 4) float32 row-major, clip = mvp @ (x, y, z, 1), OpenGL clip space (z in -w..w).
    sun: (N, 3) float32 unit direction to the sun in each mesh's own frame.
    ambient, diffuse: light = ambient + diffuse * max(0, n . sun). background: R, G, B 0..255.
    instance: (N,) uint16 id that all of an instance's triangles show in place of their own; 0 leaves them theirs, and
    all do where it is left out.
    ego: x, y of the ego vehicle in metres; zone: where texture DMA is armed (None: never).
    Raises TypeError for a field of another kind, ValueError for a value that cannot be.
    """

    frame: int
    width: int
    height: int
    mesh: np.ndarray
    mvp: np.ndarray
    sun: np.ndarray
    ambient: float = 0.55
    diffuse: float = 0.6
    background: tuple[int, int, int] = (150, 185, 225)
    ego: tuple[float, float] = (0.0, 0.0)
    zone: Zone | None = field(default=None)
    instance: np.ndarray = field(default_factory=lambda: NO_LABELS)

    def __post_init__(self) -> None:
        for name in ("frame", "width", "height"):
            object.__setattr__(self, name, integer(f"DrawList.{name}", getattr(self, name)))
        if self.frame < 0:
            raise ValueError(f"DrawList.frame is {self.frame}; frames count from 0")
        for name in ("ambient", "diffuse"):
            real(f"DrawList.{name}", getattr(self, name))
        self._take_background()
        self._take_place()
        n = _length("DrawList", "mesh", self.mesh)
        if self.instance is NO_LABELS:
            object.__setattr__(self, "instance", np.zeros(n, np.uint16))
        for name, shape, dtype in (
            ("mesh", (n,), np.uint32),
            ("mvp", (n, 4, 4), np.float32),
            ("sun", (n, 3), np.float32),
            ("instance", (n,), np.uint16),
        ):
            _check_array("DrawList", name, getattr(self, name), shape, dtype)
        self.check_finite()

    def check_finite(self) -> None:
        """Raises ValueError when a transform is not; the arrays may have changed since this was made."""
        if not np.isfinite(self.mvp).all() or not np.isfinite(self.sun).all() or not np.isfinite(self.ego).all():
            raise ValueError(f"frame {self.frame}: a transform is not finite (NaN or infinity); the frame is refused")

    def _take_background(self) -> None:
        channels = _row("DrawList.background", self.background, 3)
        colour = tuple(integer("a channel of DrawList.background", channel) for channel in channels)
        if not all(0 <= channel <= 255 for channel in colour):
            raise ValueError(f"DrawList.background is {colour}, expected R, G, B of 0..255")
        object.__setattr__(self, "background", colour)

    def _take_place(self) -> None:
        x, y = (real("a coordinate of DrawList.ego", value) for value in _row("DrawList.ego", self.ego, 2))
        object.__setattr__(self, "ego", (x, y))
        if self.zone is not None and not isinstance(self.zone, Zone):
            raise TypeError(f"DrawList.zone must be a Zone or None, got {self.zone!r}")


def _row(name: str, values: object, count: int) -> list[object]:
    """The values of a short tuple, list or array."""
    if not isinstance(values, (tuple, list, np.ndarray)):
        raise TypeError(f"{name} must be a tuple of {count}, got {values!r}")
    if np.shape(values) != (count,):
        raise ValueError(f"{name} is {values!r}, expected {count} values")
    return list(values)


def _length(owner: str, name: str, array: np.ndarray) -> int:
    if not isinstance(array, np.ndarray) or not array.ndim:
        raise TypeError(f"{owner}.{name} must be an array, got {type(array).__name__}")
    return len(array)


def _check_array(owner: str, name: str, array: np.ndarray, shape: tuple[int, ...], dtype: type) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{owner}.{name} must be an array, got {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{owner}.{name} is {array.dtype}{array.shape}, expected {np.dtype(dtype)}{shape}")
