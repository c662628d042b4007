"""Solids and panels from which meshes are put together. All lengths in metres, faces counter-clockwise from outside."""

from __future__ import annotations

import numpy as np

from foveal.scene.materials import Material
from foveal.scene.part import Colour, Part

__all__ = ["box", "cylinder", "ellipsoid", "inset", "loft", "quad", "section"]


def loft(rings: np.ndarray, colour: Colour, material: int = Material.PLAIN) -> Part:
    """Closed surface through rings (R, K, 3), counter-clockwise seen from the last ring; both ends are fanned shut."""
    rings = np.asarray(rings, dtype=np.float64)
    count, size = rings.shape[:2]
    index = np.arange(count * size).reshape(count, size)
    a, b = index[:-1], np.roll(index, -1, axis=1)[:-1]
    c, d = np.roll(index, -1, axis=1)[1:], index[1:]
    side = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2).reshape(-1, 3)
    fan = np.column_stack([np.zeros(size - 2, dtype=np.int64), np.arange(1, size - 1), np.arange(2, size)])
    triangle = np.concatenate([side, index[0][fan[:, ::-1]], index[-1][fan]])
    return Part.of(rings.reshape(-1, 3), triangle, colour, material)


def box(centre: tuple, extent: tuple, colour: Colour, material: int = Material.PLAIN) -> Part:
    """Axis-aligned box from its centre and half sizes."""
    corner = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float64)
    rings = np.empty((2, 4, 3))
    rings[:, :, :2] = corner
    rings[0, :, 2], rings[1, :, 2] = -1, 1
    return loft(rings * np.asarray(extent) + np.asarray(centre), colour, material)


def cylinder(
    start: tuple, end: tuple, radius: tuple[float, float], sides: int, colour: Colour, material: int = Material.PLAIN
) -> Part:
    """Closed truncated cone from `start` to `end` with the two radii."""
    first, last = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    axis = (last - first) / np.linalg.norm(last - first)
    helper = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = np.cross(helper, axis)
    u /= np.linalg.norm(u)
    angle = np.arange(sides) * (2 * np.pi / sides)
    circle = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * np.cross(axis, u)
    return loft(np.stack([first + circle * radius[0], last + circle * radius[1]]), colour, material)


def ellipsoid(
    centre: tuple, radius: tuple, colour: Colour, material: int = Material.PLAIN, sides: int = 10, rings: int = 6
) -> Part:
    """Closed ellipsoid about `centre` with the three half axes."""
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)
    angle = np.arange(sides) * (2 * np.pi / sides)
    shape = np.empty((rings + 1, sides, 3))
    shape[:, :, 0] = np.cos(latitude)[:, None] * np.cos(angle)
    shape[:, :, 1] = np.cos(latitude)[:, None] * np.sin(angle)
    shape[:, :, 2] = np.sin(latitude)[:, None]
    return loft(shape * np.asarray(radius) + np.asarray(centre), colour, material)


def quad(corners: np.ndarray, colour: Colour, material: int = Material.PLAIN) -> Part:
    """Open quad, or (n, 4, 3) of them, each counter-clockwise; colour may be one row a quad."""
    corners = np.asarray(corners, dtype=np.float64).reshape(-1, 4, 3)
    index = np.arange(len(corners) * 4).reshape(-1, 4)
    triangle = index[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    colour = np.asarray(colour)
    return Part.of(corners, triangle, np.repeat(colour, 2, axis=0) if colour.ndim == 2 else colour, material)


def inset(corners: np.ndarray, u: tuple[float, float], v: tuple[float, float], lift: float = 0.012) -> np.ndarray:
    """(4, 3) part of a quad, counter-clockwise, lifted along its normal.

    u runs 0..1 from corner 0 to corner 1, v from corner 0 to corner 3; lift in metres.
    """
    a, b, c, d = np.asarray(corners, dtype=np.float64)
    normal = np.cross(c - a, d - b)
    normal = normal / np.linalg.norm(normal) * lift

    def at(s: float, t: float) -> np.ndarray:
        return (1 - s) * (1 - t) * a + s * (1 - t) * b + s * t * c + (1 - s) * t * d + normal

    return np.array([at(u[0], v[0]), at(u[1], v[0]), at(u[1], v[1]), at(u[0], v[1])])


def section(x: float, half_width: float, bottom: float, top: float, tuck: float = 0.9) -> np.ndarray:
    """(8, 3) cross-section of a body at x, counter-clockwise seen from +x; `tuck` narrows bottom and top."""
    low, high = bottom + 0.25 * (top - bottom), bottom + 0.75 * (top - bottom)
    w, n = half_width, half_width * tuck
    y = np.array([-n, n, w, w, n, -n, -w, -w])
    z = np.array([bottom, bottom, low, high, top, top, high, low])
    return np.column_stack([np.full(8, x), y, z])
