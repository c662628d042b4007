"""One frame of the golden model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.channel import Channel
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.golden.geometry import screen_triangles
from foveal.golden.raster import rasterise, seen
from foveal.golden.shade import shade
from foveal.region import RegionSet
from foveal.tag import Tag

__all__ = ["GoldenFrame", "render"]


@dataclass(frozen=True, slots=True)
class GoldenFrame:
    """The exact frame; everything is zero outside the regions.

    pixels: (H, W, 4) uint8 B, G, R, 255, all zero without colour. depth: (H, W) uint32, 2^24-1 where nothing is drawn.
    material: (H, W) uint8, 0 where nothing is drawn. `depth | material << 24` is the kernel's depth output.
    label: (H, W) uint32 instance | tag << 16, Tag.SKY << 16 where nothing is drawn; None where none was asked for.
    """

    pixels: np.ndarray
    depth: np.ndarray
    material: np.ndarray
    label: np.ndarray | None

    @property
    def semantic(self) -> np.ndarray | None:
        """(H, W) uint8 tag."""
        return None if self.label is None else (self.label >> 16).astype(np.uint8)

    @property
    def instance(self) -> np.ndarray | None:
        """(H, W) uint16 instance, 0 for what is none."""
        return None if self.label is None else self.label.astype(np.uint16)

    def frame(self, number: int, regions: RegionSet, channels: Channel, counters: dict[str, int]) -> Frame:
        """As a device hands it out: what `channels` name, which must be those that it was drawn with."""
        return Frame(
            number,
            self.pixels,
            regions,
            (),
            counters,
            depth=self.depth if Channel.DEPTH in channels else None,
            semantic=self.semantic if Channel.SEMANTIC in channels else None,
            instance=self.instance if Channel.INSTANCE in channels else None,
        )

    def depth_words(self) -> np.ndarray:
        """(H, W) uint32: what the kernel writes with FLAGS.depth_out."""
        return self.depth | self.material.astype(np.uint32) << 24


def render(
    meshes: MeshSet, draw: DrawList, regions: RegionSet, resident: bool, channels: Channel = Channel.COLOUR
) -> GoldenFrame:
    """Draw `draw` inside `regions`; resident: the material table is on the device (hw/SPEC.md section 7).

    Depth and material come with any channels.

    Raises ValueError when the regions are of another frame size or the draw list names an unknown mesh.
    """
    triangles = screen_triangles(meshes, draw, regions)
    depth, triangle = rasterise(triangles, regions)
    kept = regions.mask()
    surface = seen(triangles.surface, triangle, kept, nothing=0)
    if Channel.COLOUR in channels:
        drawn = triangle >= 0
        pixels = shade(surface, drawn, kept, draw.background, meshes.material if resident else None)
    else:
        pixels = np.zeros((draw.height, draw.width, 4), np.uint8)
    depth[~kept] = 0
    material = (surface >> 24).astype(np.uint8)
    label = seen(triangles.label, triangle, kept, nothing=Tag.SKY << 16) if channels.labels else None
    return GoldenFrame(pixels, depth, material, label)
