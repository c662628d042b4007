"""Street furniture, trees and buildings in the frame of their bounding box."""

from __future__ import annotations

import numpy as np

from foveal.scene.materials import Material
from foveal.scene.palette import BODY, FACADES, LEAVES, pick
from foveal.scene.part import Part
from foveal.scene.solids import box, cylinder, ellipsoid, inset, quad

__all__ = ["building", "plain_box", "pole", "traffic_light", "traffic_sign", "tree"]

_STEEL, _DARK = (122, 126, 130), (34, 36, 38)


def pole(extent: np.ndarray, number: int) -> Part:
    """A lamp post: base, tapering mast and, when the box is wider than a mast, an arm with a lamp."""
    ex, ey, ez = extent
    radius = min(ex, ey, 0.12)
    along_x = ex >= ey
    reach = ex if along_x else ey
    if reach < 3 * radius:
        mast = cylinder((0, 0, -ez), (0, 0, ez), (radius, 0.6 * radius), 10, _STEEL, Material.METAL)
        foot = cylinder((0, 0, -ez), (0, 0, -0.86 * ez), (1.4 * radius, 1.4 * radius), 10, _DARK, Material.METAL)
        return Part.joined([mast, foot]).scaled_to(extent)
    near, far = (-reach + radius, 0.0), (reach - 0.25, 0.0)
    if not along_x:
        near, far = near[::-1], far[::-1]
    lamp = (0.25, 0.09, 0.05) if along_x else (0.09, 0.25, 0.05)
    top = ez - 0.08
    return Part.joined(
        [
            cylinder((*near, -ez), (*near, top), (radius, 0.6 * radius), 10, _STEEL, Material.METAL),
            cylinder((*near, top - 0.05), (*far, top), (0.05, 0.04), 8, _STEEL, Material.METAL),
            box((*far, top), lamp, (238, 236, 214), Material.LAMP),
        ]
    ).scaled_to(extent)


def traffic_light(extent: np.ndarray, number: int) -> Part:
    """A signal head with three lamps, on a mast when the box is taller than 1.5 m."""
    ex, ey, ez = extent
    head = ez if ez < 0.75 else min(0.5, 0.3 * ez)
    middle = ez - head
    wide = min(ey, 0.8 * head)
    deep = min(ex, 0.8 * head)
    parts = [box((0, 0, middle), (deep, wide, head), _DARK, Material.METAL)]
    for index, colour in enumerate(((226, 40, 34), (238, 180, 44), (48, 200, 92))):
        z = middle + head * (0.62 - 0.62 * index)
        for side in (-1, 1):
            start, end = (side * deep, 0, z), (side * (deep + 0.03), 0, z)
            parts.append(cylinder(start, end, (0.24 * head, 0.24 * head), 10, colour, Material.LAMP))
    if middle - head > -ez + 0.1:
        parts.append(cylinder((0, 0, -ez), (0, 0, middle - head), (0.08, 0.07), 8, _STEEL, Material.METAL))
    return Part.joined(parts).scaled_to(extent)


def traffic_sign(extent: np.ndarray, number: int) -> Part:
    """A round plate with a white face, on a post when the box is taller than 1.2 m."""
    ez = float(extent[2])
    radius = min(0.38, ez)
    centre = ez - radius
    parts = [
        cylinder((-0.02, 0, centre), (0.02, 0, centre), (radius, radius), 16, (206, 34, 34), Material.PAINT),
        cylinder(
            (-0.026, 0, centre), (0.026, 0, centre), (0.74 * radius, 0.74 * radius), 16, (240, 240, 236), Material.PAINT
        ),
    ]
    if centre - radius > -ez + 0.1:
        parts.append(
            cylinder((-0.06, 0, -ez), (-0.06, 0, centre + 0.2 * radius), (0.035, 0.035), 8, _STEEL, Material.METAL)
        )
    return Part.joined(parts).scaled_to(extent)


def tree(extent: np.ndarray, number: int) -> Part:
    """A trunk and a crown of four lobes; a box lower than 2.4 m is a hedge of lobes without a trunk."""
    ex, ey, ez = extent
    leaf = np.array(pick(LEAVES, number), dtype=np.float64)
    crown = -ez if ez < 1.2 else -0.30 * ez
    middle, half = (crown + ez) / 2, (ez - crown) / 2
    lobes = (
        (0.0, 0.0, 0.25, 0.72, 1.00),
        (0.42, 0.18, -0.15, 0.58, 0.86),
        (-0.40, 0.26, -0.05, 0.60, 0.92),
        (0.05, -0.46, -0.20, 0.54, 0.80),
    )
    turn = 2.399963 * (number % 64)
    cos, sin = np.cos(turn), np.sin(turn)
    parts = [
        ellipsoid(
            (ex * (x * cos - y * sin), ey * (x * sin + y * cos), middle + z * half),
            (size * ex, size * ey, size * half),
            np.clip(leaf * shade, 0, 255),
            Material.FOLIAGE,
            8,
            5,
        )
        for x, y, z, size, shade in lobes
    ]
    if ez >= 1.2:
        radius = max(0.08, min(0.05 * ez, 0.3))
        parts.append(cylinder((0, 0, -ez), (0, 0, middle), (radius, 0.6 * radius), 8, (92, 72, 54), Material.BARK))
    return Part.joined(parts).scaled_to(extent)


def plain_box(extent: np.ndarray, number: int) -> Part:
    """A box in a muted colour: what is not modelled closer."""
    colour = np.array(pick(BODY, number), dtype=np.float64) * 0.4 + 90
    return box((0, 0, 0), tuple(extent), colour, Material.PLAIN)


def building(extent: np.ndarray, number: int) -> Part:
    """Walls with a window for every 3 m of facade and 3.2 m of height, a shop floor, a parapet and a roof."""
    ex, ey, ez = extent
    wall = np.array(pick(FACADES, number), dtype=np.float64)
    parapet = min(0.5, 0.1 * ez)
    parts = [
        box((0, 0, -parapet / 2), (0.985 * ex, 0.985 * ey, ez - parapet / 2), wall, Material.FACADE),
        box((0, 0, ez - parapet / 2), (ex, ey, parapet / 2), wall * 0.72, Material.ROOF),
    ]
    x, y = 0.985 * ex, 0.985 * ey
    corners = ((x, -y), (x, y), (-x, y), (-x, -y))
    for side in range(4):
        a, b = corners[side], corners[(side + 1) % 4]
        face = np.array([(*a, -ez), (*b, -ez), (*b, ez - parapet), (*a, ez - parapet)])
        parts += _facade(face, wall, number + side)
    return Part.joined(parts).scaled_to(extent)


def _facade(face: np.ndarray, wall: np.ndarray, number: int) -> list[Part]:
    length, height = float(np.linalg.norm(face[1] - face[0])), float(face[3][2] - face[0][2])
    ground = min(3.6, height)
    columns, floors = int(np.clip(length // 3.0, 1, 24)), int(np.clip((height - ground) // 3.2, 0, 24))
    share = ground / height
    shop = inset(face, (0.0, 1.0), (0.0, 0.985 * share), 0.02)
    parts = [quad(shop, wall * 0.78, Material.FACADE)]
    fronts, windows, sills = [], [], []
    for column in range(columns):
        span = ((column + 0.14) / columns, (column + 0.86) / columns)
        is_door = column == columns // 2
        fronts.append(inset(face, span, (0.0 if is_door else 0.16 * share, (0.66 if is_door else 0.80) * share), 0.04))
        narrow = ((column + 0.24) / columns, (column + 0.76) / columns)
        for floor in range(floors):
            low = share + (1 - share) * (floor + 0.22) / floors
            high = share + (1 - share) * (floor + 0.80) / floors
            windows.append(inset(face, narrow, (low, high), 0.03))
            sills.append(
                inset(face, (narrow[0] - 0.03 / columns, narrow[1] + 0.03 / columns), (low - 0.012, low), 0.05)
            )
    parts.append(quad(np.stack(fronts), _panes(len(fronts), number, (62, 74, 84)), Material.GLASS))
    if windows:
        parts.append(quad(np.stack(windows), _panes(len(windows), number, (70, 88, 108)), Material.GLASS))
        parts.append(quad(np.stack(sills), np.clip(wall * 1.12, 0, 255), Material.FACADE))
    return parts


def _panes(count: int, number: int, colour: tuple[int, int, int]) -> np.ndarray:
    """(count, 3) glass colours: most dark, some with light or curtains, fixed by `number`."""
    draw = np.random.default_rng(number).random(count)
    shade = np.where(draw < 0.15, 1.9, np.where(draw < 0.4, 1.25, 0.9 + 0.3 * draw))
    return np.clip(np.outer(shade, colour), 0, 255).astype(np.uint8)
