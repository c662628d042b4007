"""One frame of the golden model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.drawlist import DrawList, MeshSet
from foveal.golden.geometry import FAR, screen_triangles
from foveal.golden.raster import rasterise
from foveal.golden.shade import shade
from foveal.region import RegionSet

__all__ = ["GoldenFrame", "render"]


@dataclass(frozen=True, slots=True)
class GoldenFrame:
    """The exact frame; everything is zero outside the regions.

    pixels: (H, W, 4) uint8 B, G, R, 255. depth: (H, W) uint32, 2^24-1 where nothing is drawn.
    material: (H, W) uint8, 0 where nothing is drawn. `depth | material << 24` is the kernel's depth output.
    """

    pixels: np.ndarray
    depth: np.ndarray
    material: np.ndarray

    def depth_words(self) -> np.ndarray:
        """(H, W) uint32: what the kernel writes with FLAGS.depth_out."""
        return self.depth | self.material.astype(np.uint32) << 24


def render(meshes: MeshSet, draw: DrawList, regions: RegionSet, resident: bool) -> GoldenFrame:
    """Draw `draw` inside `regions`; resident: the material table is on the device (hw/SPEC.md section 7).

    Raises ValueError when the regions are of another frame size or the draw list names an unknown mesh.
    """
    depth, surface = rasterise(screen_triangles(meshes, draw, regions), regions)
    kept = regions.mask()
    drawn = depth != FAR
    pixels = shade(surface, drawn, kept, draw.background, meshes.material if resident else None)
    depth[~kept] = 0
    material = np.where(drawn & kept, surface >> 24, 0).astype(np.uint8)
    return GoldenFrame(pixels, depth, material)
