"""Seeded random scenes for every renderer: hostile on purpose, small enough for cycle-accurate simulation.

`random_scene(seed)` makes one of everything: slivers, shared edges, pieces that are off the screen, behind the camera,
degenerate, pixel-sized or larger than the view, coplanar copies that tie in depth, and materials that tint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from foveal.drawlist import DrawList, MeshSet
from foveal.region import Region, RegionSet

__all__ = ["Scene", "layered_scene", "mesh_set", "perspective", "pixel_grid_matrix", "random_regions", "random_scene"]


@dataclass(frozen=True, slots=True)
class Scene:
    """What one frame needs; name says how to make it again."""

    name: str
    meshes: MeshSet
    draw: DrawList
    regions: RegionSet


def perspective(width: int, height: int, fov: float = 90.0, near: float = 0.1, far: float = 500.0) -> np.ndarray:
    """(4, 4) float64: X forward, Y left, Z up to OpenGL clip space; fov in degrees, horizontal."""
    right = 1.0 / np.tan(np.radians(fov) / 2)
    up = right * width / height
    a, b = (far + near) / (far - near), -2 * far * near / (far - near)
    return np.array([[0, -right, 0, 0], [0, 0, up, 0], [a, 0, 0, b], [1, 0, 0, 0]], dtype=np.float64)


def pixel_grid_matrix(width: int, height: int) -> np.ndarray:
    """(4, 4) float32: mesh coordinates are pixels (x right, y down) and z is the depth in [0, 1]; w is 1.

    Exact where width and height are powers of two and the coordinates are multiples of 1/256 px.
    """
    matrix = [[2 / width, 0, 0, -1], [0, -2 / height, 0, 1], [0, 0, 2, -1], [0, 0, 0, 1]]
    return np.array(matrix, dtype=np.float32)


def mesh_set(
    meshes: list[tuple[np.ndarray, np.ndarray]], surface: np.ndarray | None = None, material: np.ndarray | None = None
) -> MeshSet:
    """Meshes of (V, 3) positions and (T, 3) local indices; surface (T, 4), material (256, 4): grey and 1.0."""
    position = np.concatenate([p for p, _ in meshes]).astype(np.float32)
    vertex_count = np.array([len(p) for p, _ in meshes], dtype=np.uint32)
    triangle_count = np.array([len(t) for _, t in meshes], dtype=np.uint32)
    vertex_first = np.cumsum(vertex_count, dtype=np.uint32) - vertex_count
    triangle_first = np.cumsum(triangle_count, dtype=np.uint32) - triangle_count
    triangle = np.concatenate([np.asarray(t) + first for (_, t), first in zip(meshes, vertex_first, strict=True)])
    p = position[triangle].astype(np.float64)
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.where(length > 0, normal / np.where(length > 0, length, 1), (0.0, 0.0, 1.0))
    if surface is None:
        surface = np.tile(np.array([200, 200, 200, 1], dtype=np.uint8), (len(triangle), 1))
    if material is None:
        material = np.full((256, 4), 128, dtype=np.uint8)
    return MeshSet(
        position=position,
        triangle=triangle.astype(np.uint32),
        normal=normal.astype(np.float32),
        surface=surface,
        vertex_range=np.stack((vertex_first, vertex_count), axis=1).astype(np.uint32),
        triangle_range=np.stack((triangle_first, triangle_count), axis=1).astype(np.uint32),
        bounds=np.stack([(p.min(axis=0), p.max(axis=0)) for p, _ in meshes]).astype(np.float32),
        material=material,
    )


def random_regions(rng: np.random.Generator, width: int, height: int, count: int | None = None) -> RegionSet:
    """0 to 16 regions, overlapping, touching the border or a single pixel; sometimes the full frame, sometimes none."""
    if count is None:
        if rng.random() < 0.15:
            return RegionSet.full(width, height)
        count = 0 if rng.random() < 0.15 else int(rng.integers(1, 17))
    regions = []
    for _ in range(count):
        x0, y0 = int(rng.integers(-4, width)), int(rng.integers(-4, height))
        w, h = (1, 1) if rng.random() < 0.2 else rng.integers(1, 1 + max(1, width // 3), size=2)
        regions.append(Region(x0, y0, x0 + int(w), y0 + int(h)))
    return RegionSet.of(regions, width, height)


def random_scene(
    seed: int, width: int | None = None, height: int | None = None, instances: int = 12, full: bool = False
) -> Scene:
    """The scene of `seed`: 7 kinds of mesh, `instances` random placements, then one tie (an instance drawn twice)."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 200)) if width is None else width
    height = int(rng.integers(1, 140)) if height is None else height
    shapes = [_box(), _grid(rng), _slivers(rng), _soup(rng), _ground(), _degenerate(rng), _dust(rng)]
    triangles = sum(len(t) for _, t in shapes)
    surface = rng.integers(0, 256, size=(triangles, 4)).astype(np.uint8)
    material = rng.integers(0, 256, size=(256, 4)).astype(np.uint8)
    material[:, 3] = 0
    mesh = rng.integers(0, len(shapes), size=instances)
    view = perspective(width, height, fov=float(rng.uniform(30, 120)))
    model = np.stack([_placement(rng) for _ in range(instances)])
    mesh, model = np.append(mesh, mesh[:1]), np.concatenate((model, model[:1]))
    sun = rng.normal(size=3)
    sun = np.einsum("nji,j->ni", model[:, :3, :3], sun)
    sun /= np.maximum(np.linalg.norm(sun, axis=1, keepdims=True), 1e-9)
    draw = DrawList(
        frame=seed,
        width=width,
        height=height,
        mesh=mesh.astype(np.uint32),
        mvp=(view @ model).astype(np.float32),
        sun=(sun * (rng.random(len(mesh)) < 0.8)[:, None]).astype(np.float32),
        ambient=float(rng.uniform(0, 1)),
        diffuse=float(rng.uniform(0, 1.5)),
        background=tuple(int(v) for v in rng.integers(0, 256, size=3)),
    )
    regions = RegionSet.full(width, height) if full else random_regions(rng, width, height)
    return Scene(f"random_scene({seed}, {width}, {height})", mesh_set(shapes, surface, material), draw, regions)


def layered_scene(seed: int, width: int, height: int, layers: int = 16) -> Scene:
    """Upright sheets, mostly of whole tiles of 8 x 8 pixels, whose depths differ by a few steps of 2^-24 or not at all.

    Two triangles a sheet, in either order, flat or tilted, some at the near and some at the far plane, some wider than
    the view: what one hides of another hangs on single steps of depth and on who was drawn first.
    """
    rng = np.random.default_rng(seed)
    step = 2.0**-24
    middle = float(rng.uniform(0.1, 0.9))
    meshes = []
    for _ in range(layers):
        x0, y0 = (8 * int(rng.integers(-1, 1 + -(-side // 8))) for side in (width, height))
        x1, y1 = x0 + 8 * int(rng.integers(1, 7)), y0 + 8 * int(rng.integers(1, 7))
        if rng.random() < 0.3:  # not whole tiles
            x0, y1 = x0 + rng.uniform(0, 8), y1 + rng.uniform(0, 8)
        if rng.random() < 0.1:
            x0, y0, x1, y1 = -1.4 * width, -1.4 * height, 2.4 * width, 2.4 * height
        near = float(rng.choice([0.0, 1.0 - step])) if rng.random() < 0.15 else middle + step * int(rng.integers(-4, 5))
        rise = step * rng.integers(-4, 5, size=2) if rng.random() < 0.3 else (0.0, 0.0)
        depth = near, near + rise[1], near + rise[0] + rise[1], near + rise[0]
        corner = list(zip((x0, x0, x1, x1), (y0, y1, y1, y0), depth, strict=True))
        halves = [(0, 1, 2), (0, 2, 3)]
        rng.shuffle(halves)
        meshes.append((np.array(corner), np.array(halves)))
    surface = rng.integers(0, 256, size=(2 * layers, 4)).astype(np.uint8)
    material = rng.integers(0, 256, size=(256, 4)).astype(np.uint8)
    material[:, 3] = 0
    draw = DrawList(
        frame=seed,
        width=width,
        height=height,
        mesh=rng.permutation(layers).astype(np.uint32),
        mvp=np.repeat(pixel_grid_matrix(width, height)[None], layers, axis=0),
        sun=np.zeros((layers, 3), dtype=np.float32),
        ambient=1.0,
        diffuse=0.0,
        background=tuple(int(v) for v in rng.integers(0, 256, size=3)),
    )
    name = f"layered_scene({seed}, {width}, {height}, {layers})"
    return Scene(name, mesh_set(meshes, surface, material), draw, random_regions(rng, width, height))


def _placement(rng: np.random.Generator) -> np.ndarray:
    """Mostly in front of the camera, some around it and some behind; scales over four decades."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axes *= np.sign(np.linalg.det(axes))
    forward = rng.choice([rng.uniform(1, 15), rng.uniform(15, 200), rng.uniform(-2, 1), rng.uniform(-30, -2)])
    model = np.eye(4)
    model[:3, :3] = axes * 10 ** rng.uniform(-2, 1.2)
    model[:3, 3] = forward, *rng.normal(scale=0.4 * abs(forward) + 0.3, size=2)
    return model


def _box() -> tuple[np.ndarray, np.ndarray]:
    corner = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corner, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _grid(rng: np.random.Generator, cells: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """A surface whose triangles share all inner edges."""
    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, cells + 1), np.linspace(-1, 1, cells + 1)))
    position = np.stack((rng.normal(scale=0.2, size=len(u)), u, v), axis=1)
    first = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    a, b, c, d = first, first + 1, first + cells + 2, first + cells + 1
    return position.astype(np.float32), np.concatenate((np.stack((a, c, b), axis=1), np.stack((a, d, c), axis=1)))


def _slivers(rng: np.random.Generator, count: int = 12) -> tuple[np.ndarray, np.ndarray]:
    start, end = rng.uniform(-3, 3, size=(2, count, 3))
    apex = start + (end - start) * rng.uniform(0, 1, size=(count, 1)) + rng.normal(scale=0.01, size=(count, 3))
    position = np.stack((start, end, apex), axis=1).reshape(-1, 3)
    return position.astype(np.float32), np.arange(3 * count).reshape(-1, 3)


def _soup(rng: np.random.Generator, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(scale=1.5, size=(3 * count, 3)).astype(np.float32), np.arange(3 * count).reshape(-1, 3)


def _ground() -> tuple[np.ndarray, np.ndarray]:
    corner = np.array([(-300, -300, 0), (300, -300, 0), (300, 300, 0), (-300, 300, 0)], dtype=np.float32)
    return corner, np.array([(0, 1, 2), (0, 2, 3), (0, 2, 1), (0, 3, 2)])


def _degenerate(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Repeated corners, three corners on a line and, last, one sound triangle."""
    position = rng.normal(size=(5, 3))
    position[2] = (position[0] + position[1]) / 2
    return position.astype(np.float32), np.array([(0, 0, 0), (0, 1, 1), (0, 1, 2), (2, 1, 0), (0, 3, 4)])


def _dust(rng: np.random.Generator, count: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Triangles about a pixel wide: most miss every pixel centre."""
    centre = rng.uniform(-1, 1, size=(count, 1, 3))
    position = (centre + rng.normal(scale=0.02, size=(count, 3, 3))).reshape(-1, 3)
    return position.astype(np.float32), np.arange(3 * count).reshape(-1, 3)
