"""Hand-made scenes for the golden model's tests: triangles in pixels, so that expectations can be worked by hand."""

from __future__ import annotations

import numpy as np
from foveal.drawlist import DrawList, MeshSet
from foveal.golden import GoldenFrame, render
from foveal.region import RegionSet
from random_scenes import mesh_set, pixel_grid_matrix

__all__ = ["SIZE", "clip_space_scene", "covered", "paint", "pixel_scene"]

SIZE = 16
"""Frame side in pixels; a power of two keeps the pixel matrix exact."""

Corner = tuple[float, float, float]


def _scene(corners: list[list[Corner]], matrix: np.ndarray, surface: np.ndarray | None, material: np.ndarray | None):
    position = np.array(corners, dtype=np.float32).reshape(-1, 3)
    meshes = mesh_set([(position, np.arange(len(position)).reshape(-1, 3))], surface, material)
    draw = DrawList(
        frame=1,
        width=SIZE,
        height=SIZE,
        mesh=np.zeros(1, dtype=np.uint32),
        mvp=matrix[None].astype(np.float32),
        sun=np.zeros((1, 3), dtype=np.float32),
        ambient=1.0,
        diffuse=0.0,
        background=(9, 8, 7),
    )
    return meshes, draw


def pixel_scene(
    corners: list[list[Corner]], surface: np.ndarray | None = None, material: np.ndarray | None = None
) -> tuple[MeshSet, DrawList]:
    """Triangles of (x, y, depth): pixels right and down, depth 0..1. Front faces are counter-clockwise on screen."""
    return _scene(corners, pixel_grid_matrix(SIZE, SIZE), surface, material)


def clip_space_scene(corners: list[list[Corner]]) -> tuple[MeshSet, DrawList]:
    """Triangles of clip-space x, y, z with w = 1."""
    return _scene(corners, np.eye(4, dtype=np.float32), None, None)


def paint(scene: tuple[MeshSet, DrawList], resident: bool = False, regions: RegionSet | None = None) -> GoldenFrame:
    meshes, draw = scene
    return render(meshes, draw, RegionSet.full(draw.width, draw.height) if regions is None else regions, resident)


def covered(scene: tuple[MeshSet, DrawList]) -> set[tuple[int, int]]:
    """(i, j) of the pixels that the scene draws."""
    j, i = np.nonzero(paint(scene).depth != (1 << 24) - 1)
    return set(zip(i.tolist(), j.tolist(), strict=True))
