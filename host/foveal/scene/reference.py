"""The reference street: a fixed scene of 94,114 triangles for ratios that anyone can repeat."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np

from foveal.drawlist import DrawList, MeshSet
from foveal.region import Region, RegionSet
from foveal.scene.materials import neutral_table
from foveal.scene.part import MeshBuilder, Part

__all__ = ["SHARES", "load", "regions"]

SHARES = ("5%", "10%", "25%", "50%")
"""Names of the region sets: pixels held, as a share of the 1920x1080 frame."""

_TEXTURE_TINT = (133, 128, 121)


def load(width: int = 1920, height: int = 1080) -> tuple[MeshSet, DrawList]:
    """The street: 242 objects, a mesh and an instance each, seen from (0, 0, 1.6) m, 90° horizontal field of view.

    Albedo is the material's linear colour times its texture's mean, raised to 1/2.2. Textured materials carry a slight
    tint, so that a resident material table is visible. Pixels are square at every width and height.
    """
    with (files("foveal") / "data" / "reference.npz").open("rb") as file, np.load(file) as data:
        arrays = {name: data[name] for name in data.files}
    builder = MeshBuilder()
    colour = arrays["albedo"][arrays["material"]]
    vertex, triangle = 0, 0
    for vertices, triangles in zip(arrays["vertex_count"].tolist(), arrays["triangle_count"].tolist(), strict=True):
        span = slice(triangle, triangle + triangles)
        position = arrays["position"][vertex : vertex + vertices].astype(np.float64)
        builder.add(Part(position, arrays["triangle"][span].astype(np.int64), colour[span], arrays["material"][span]))
        vertex, triangle = vertex + vertices, triangle + triangles
    tints = neutral_table()
    tints[: len(arrays["textured"])][arrays["textured"], :3] = _TEXTURE_TINT
    meshes = builder.build(tints)
    return meshes, _draw(arrays, len(builder), width, height)


def regions(share: str) -> RegionSet:
    """The region set with that share of the 1920x1080 frame, around the nearest road users. Raises KeyError."""
    data = json.loads((files("foveal") / "data" / "reference_regions.json").read_text(encoding="utf-8"))
    if share not in data["sets"]:
        raise KeyError(f"no reference region set {share!r}; there are {', '.join(data['sets'])}")
    boxes = (Region(*box) for box in data["sets"][share])
    return RegionSet.of(boxes, data["width"], data["height"])


def _draw(arrays: dict[str, np.ndarray], count: int, width: int, height: int) -> DrawList:
    projection = arrays["projection"].astype(np.float64)
    projection[1, 1] = projection[0, 0] * width / height
    mvp = (projection @ arrays["view"].astype(np.float64)).astype(np.float32)
    return DrawList(
        frame=0,
        width=width,
        height=height,
        mesh=np.arange(count, dtype=np.uint32),
        mvp=np.broadcast_to(mvp, (count, 4, 4)).copy(),
        sun=np.broadcast_to(arrays["sun"].astype(np.float32), (count, 3)).copy(),
    )
