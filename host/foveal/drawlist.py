"""What a device draws: static meshes, uploaded once, and the instances of one frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["DrawList", "MeshSet", "Zone"]


@dataclass(frozen=True, slots=True)
class MeshSet:
    """Static geometry. Uploaded to a device once; instances refer to meshes by index.

    Coordinates are right-handed: X forward, Y left, Z up, metres. Front faces are counter-clockwise.

    position: (V, 3) float32. triangle: (T, 3) uint32, absolute vertex indices.
    normal: (T, 3) float32 unit face normals. surface: (T, 4) uint8 albedo R, G, B and material index.
    vertex_range, triangle_range: (M, 2) uint32 first and count, per mesh. bounds: (M, 2, 3) float32 min, max.
    material: (256, 4) uint8 tint R, G, B, 0 with 128 = 1.0.
    Raises ValueError when shapes, indices or values do not fit together.
    """

    position: np.ndarray
    triangle: np.ndarray
    normal: np.ndarray
    surface: np.ndarray
    vertex_range: np.ndarray
    triangle_range: np.ndarray
    bounds: np.ndarray
    material: np.ndarray

    def __post_init__(self) -> None:
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
        }
        for name, (shape, dtype) in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(f"MeshSet.{name} is {array.dtype}{array.shape}, expected {np.dtype(dtype)}{shape}")
        if not np.isfinite(self.position).all() or not np.isfinite(self.normal).all():
            raise ValueError("MeshSet holds a position or normal that is not finite")
        if triangles and int(self.triangle.max()) >= vertices:
            raise ValueError(f"MeshSet.triangle names vertex {int(self.triangle.max())} of {vertices}")


@dataclass(frozen=True, slots=True)
class Zone:
    """World window that arms texture DMA, metres in the draw list's frame; margin is the leaving hysteresis."""

    x0: float
    y0: float
    x1: float
    y1: float
    margin: float = 5.0


@dataclass(frozen=True, slots=True)
class DrawList:
    """One frame to draw.

    frame: the tick's frame id. mesh: (N,) uint32 mesh index per instance.
    mvp: (N, 4, 4) float32 row-major, clip = mvp @ (x, y, z, 1), OpenGL clip space (z in -w..w).
    sun: (N, 3) float32 unit direction to the sun in each mesh's own frame.
    ambient, diffuse: light = ambient + diffuse * max(0, n . sun). background: R, G, B 0..255.
    ego: x, y of the ego vehicle in metres; zone: where texture DMA is armed (None: never).
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

    def __post_init__(self) -> None:
        n = len(self.mesh)
        for name, shape, dtype in (
            ("mesh", (n,), np.uint32),
            ("mvp", (n, 4, 4), np.float32),
            ("sun", (n, 3), np.float32),
        ):
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(f"DrawList.{name} is {array.dtype}{array.shape}, expected {np.dtype(dtype)}{shape}")
        if not np.isfinite(self.mvp).all() or not np.isfinite(self.sun).all() or not np.isfinite(self.ego).all():
            raise ValueError(f"frame {self.frame}: a transform is not finite (NaN or infinity); the frame is refused")
