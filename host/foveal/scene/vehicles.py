"""Vehicle meshes in the frame of their bounding box: origin at the box's centre, X forward, bounds = the box."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from foveal.scene.materials import Material
from foveal.scene.palette import BODY, CLOTHES, SKINS, TROUSERS, pick
from foveal.scene.part import Part
from foveal.scene.solids import box, cylinder, ellipsoid, inset, loft, quad, section

__all__ = ["bus", "car", "truck", "two_wheeler", "van"]

_TYRE, _RIM, _GLASS = (28, 28, 30), (168, 170, 174), (48, 62, 76)
_TRIM, _HEADLAMP, _TAIL_LAMP, _PLATE = (36, 37, 40), (250, 246, 224), (206, 24, 22), (226, 224, 208)


def car(extent: np.ndarray, number: int) -> Part:
    """Saloon: body, cabin with windows, wheels, lamps. extent: (3,) half sizes in metres; number picks the colour."""
    ex, ey, ez = extent
    paint = pick(BODY, number)
    floor, shoulder, radius = -0.62 * ez, 0.16 * ez, 0.44 * ez
    stations = (
        (-1.0, 0.90, 0.04, -0.36),
        (-0.95, 0.97, 0.0, 0.12),
        (-0.55, 1.0, 0.0, 0.19),
        (0.35, 1.0, 0.0, 0.16),
        (0.86, 0.97, 0.0, -0.02),
        (1.0, 0.86, 0.06, -0.24),
    )
    body = loft(
        np.stack([section(x * ex, w * ey, floor + lift * ez, top * ez, 0.93) for x, w, lift, top in stations]),
        paint,
        Material.PAINT,
    )
    base, roof = (-0.86, 0.44, 0.90), (-0.56, 0.06, 0.72)
    cabin, sides = _cabin(base, roof, (shoulder, ez), extent, paint)
    rear, front, left, right = sides
    windows = [
        inset(rear, (0.08, 0.92), (0.14, 0.88)),
        inset(front, (0.06, 0.94), (0.08, 0.90)),
        *(inset(side, span, (0.10, 0.86)) for side in (left, right) for span in ((0.10, 0.50), (0.55, 0.94))),
    ]
    nose, tail = _ends(ex, ey, ez)
    return Part.joined(
        [
            body,
            cabin,
            quad(np.stack(windows), _GLASS, Material.GLASS),
            *_lamps(nose, tail),
            quad(inset(nose, (0.30, 0.70), (0.30, 0.62), 0.0), _TRIM, Material.RUBBER),
            quad(inset(nose, (0.06, 0.94), (0.02, 0.20), 0.0), _TRIM, Material.RUBBER),
            quad(inset(tail, (0.06, 0.94), (0.02, 0.20), 0.0), _TRIM, Material.RUBBER),
            *_wheels(extent, radius, (-0.60, 0.62)),
            *(
                box((0.36 * ex, side * 0.97 * ey, 0.28 * ez), (0.04 * ex, 0.03 * ey, 0.07 * ez), paint, Material.PAINT)
                for side in (-1, 1)
            ),
        ]
    ).scaled_to(extent)


def van(extent: np.ndarray, number: int) -> Part:
    """Van: one tall body with a sloping front."""
    ex, ey, ez = extent
    paint = pick(BODY, number)
    floor = -0.70 * ez
    stations = (
        (-1.0, 0.94, 0.94),
        (-0.92, 1.0, 1.0),
        (0.42, 1.0, 1.0),
        (0.70, 0.98, 0.22),
        (0.97, 0.94, 0.02),
        (1.0, 0.90, -0.10),
    )
    body = loft(np.stack([section(x * ex, w * ey, floor, t * ez, 0.94) for x, w, t in stations]), paint, Material.PAINT)
    nose, tail = _ends(ex, ey, ez)
    screen = np.array([(0.42, -0.9, 1.0), (0.70, -0.9, 0.22), (0.70, 0.9, 0.22), (0.42, 0.9, 1.0)]) * extent
    windows = [inset(screen, (0.08, 0.94), (0.06, 0.94), 0.03)]
    for left in (True, False):
        windows.append(_side_quad(extent, left, (0.10, 0.56), (0.30, 0.86), 1.005))
    return Part.joined(
        [
            body,
            quad(np.stack(windows), _GLASS, Material.GLASS),
            quad(
                inset(_end_quad(-ex, ey, (0.25 * ez, 0.85 * ez), False), (0.1, 0.9), (0.0, 1.0)), _GLASS, Material.GLASS
            ),
            *_lamps(nose, tail),
            quad(inset(nose, (0.28, 0.72), (0.12, 0.5), 0.0), _TRIM, Material.RUBBER),
            *_wheels(extent, 0.34 * ez, (-0.62, 0.66)),
        ]
    ).scaled_to(extent)


def truck(extent: np.ndarray, number: int) -> Part:
    """Truck: cab, cargo box, chassis, six wheels."""
    ex, ey, ez = extent
    paint, cargo = pick(BODY, number), (214, 214, 208)
    radius = min(0.36 * ez, 0.55)
    deck = -ez + 1.5 * radius
    cab = loft(
        np.stack(
            [
                section(x * ex, w * ey, deck - 0.3 * radius, t * ez, 0.95)
                for x, w, t in ((0.52, 0.98, 0.78), (0.84, 0.98, 0.80), (0.97, 0.95, 0.1), (1.0, 0.92, -0.1))
            ]
        ),
        paint,
        Material.PAINT,
    )
    screen = np.array([(0.84, -0.9, 0.80), (0.97, -0.9, 0.1), (0.97, 0.9, 0.1), (0.84, 0.9, 0.80)]) * extent
    nose, tail = _ends(ex, ey, ez)
    stripe = [_side_quad(extent, left, (-0.96, 0.42), (0.30, 0.46), 1.004) for left in (True, False)]
    return Part.joined(
        [
            cab,
            box((-0.27 * ex, 0, (ez + deck) / 2), (0.73 * ex, ey, (ez - deck) / 2), cargo, Material.PAINT),
            box((0.0, 0, deck - 0.25 * radius), (0.98 * ex, 0.5 * ey, 0.25 * radius), _TRIM, Material.METAL),
            quad(np.stack(stripe), paint, Material.PAINT),
            quad(inset(screen, (0.10, 0.92), (0.06, 0.94), 0.03), _GLASS, Material.GLASS),
            quad(
                np.stack([_side_quad(extent, left, (0.60, 0.82), (0.16, 0.66), 1.004) for left in (True, False)]),
                _GLASS,
                Material.GLASS,
            ),
            *_lamps(nose, tail),
            *_wheels(extent, radius, (-0.74, -0.74 + 2.4 * radius / ex, 0.70)),
        ]
    ).scaled_to(extent)


def bus(extent: np.ndarray, number: int) -> Part:
    """Bus: one long body with a row of windows, doors and a destination panel."""
    ex, ey, ez = extent
    paint = pick(BODY, number)
    radius = min(0.34 * ez, 0.5)
    body = loft(
        np.stack(
            [
                section(x * ex, w * ey, -0.78 * ez, ez * t, 0.96)
                for x, w, t in ((-1, 0.97, 0.98), (-0.97, 1, 1), (0.96, 1, 1), (1, 0.96, 0.95))
            ]
        ),
        paint,
        Material.PAINT,
    )
    count = max(4, round(2 * ex / 1.5))
    edge = np.linspace(-0.94, 0.94, count + 1)
    gap = 0.06 * (edge[1] - edge[0])
    windows = [
        _side_quad(extent, left, (a + gap, b - gap), (0.10, 0.72), 1.004)
        for left in (True, False)
        for a, b in pairwise(edge)
    ]
    nose, tail = _ends(ex, ey, ez)
    front = _end_quad(1.003 * ex, ey, (-0.15 * ez, 0.62 * ez), True)
    back = _end_quad(-1.003 * ex, ey, (0.05 * ez, 0.66 * ez), False)
    sign = _end_quad(1.003 * ex, ey, (0.70 * ez, 0.88 * ez), True)
    return Part.joined(
        [
            body,
            quad(np.stack(windows), _GLASS, Material.GLASS),
            quad(
                np.stack([inset(end, (0.08, 0.92), (0.0, 1.0), 0.0) for end in (front, back)]), _GLASS, Material.GLASS
            ),
            quad(inset(sign, (0.25, 0.75), (0.0, 1.0), 0.0), (250, 176, 40), Material.LAMP),
            *_lamps(nose, tail),
            *_wheels(extent, radius, (-0.62, 0.66)),
        ]
    ).scaled_to(extent)


def two_wheeler(extent: np.ndarray, number: int, motor: bool) -> Part:
    """Bicycle or motorcycle with its rider; `motor` gives thick tyres, a tank and an engine."""
    ex, ey, ez = extent
    paint, tyre = pick(BODY, number), 0.14 if motor else 0.07
    radius = min(0.40 * ez, 0.42 * ex)
    hub, saddle = -ez + radius, -0.05 * ez
    wide = 0.6 * ey
    parts = [
        cylinder((x, -tyre / 2, hub), (x, tyre / 2, hub), (radius, radius), 16, _TYRE, Material.RUBBER)
        for x in (-ex + radius, ex - radius)
    ]
    parts += [
        cylinder(
            (x, -tyre / 2 - 0.01, hub),
            (x, tyre / 2 + 0.01, hub),
            (0.6 * radius, 0.6 * radius),
            12,
            _RIM,
            Material.METAL,
        )
        for x in (-ex + radius, ex - radius)
    ]
    bars = [
        ((-ex + radius, 0, hub), (-0.1 * ex, 0, saddle)),
        ((-0.1 * ex, 0, saddle), (0.45 * ex, 0, 0.02 * ez)),
        ((0.0, 0, hub), (0.45 * ex, 0, 0.02 * ez)),
        ((ex - radius, 0, hub), (0.45 * ex, 0, 0.15 * ez)),
        ((0.42 * ex, -0.95 * ey, 0.17 * ez), (0.42 * ex, 0.95 * ey, 0.17 * ez)),
    ]
    tube = 0.045 if motor else 0.03
    parts += [cylinder(a, b, (tube, tube), 6, paint, Material.PAINT) for a, b in bars]
    if motor:
        parts.append(ellipsoid((0.15 * ex, 0, saddle), (0.30 * ex, 0.5 * ey, 0.16 * ez), paint, Material.PAINT, 10, 5))
        parts.append(box((0.0, 0, hub + 0.05 * ez), (0.22 * ex, 0.4 * ey, 0.14 * ez), (84, 86, 90), Material.METAL))
        parts.append(box((-0.33 * ex, 0, 0.02 * ez), (0.22 * ex, 0.3 * ey, 0.06 * ez), _TRIM, Material.RUBBER))
        parts.append(box((0.50 * ex, 0, 0.06 * ez), (0.07, 0.09, 0.07), _HEADLAMP, Material.LAMP))
        parts.append(box((-0.56 * ex, 0, 0.02 * ez), (0.04, 0.08, 0.04), _TAIL_LAMP, Material.LAMP))
    parts += _rider(extent, number, saddle, wide)
    return Part.joined(parts).scaled_to(extent)


def _rider(extent: np.ndarray, number: int, saddle: float, wide: float) -> list[Part]:
    ex, ey, ez = extent
    shirt, trousers = pick(CLOTHES, number, 1), pick(TROUSERS, number, 2)
    seat, neck = (-0.18 * ex, 0.0, saddle + 0.04 * ez), (0.02 * ex, 0.0, 0.66 * ez)
    parts = [
        cylinder(seat, neck, (0.7 * wide, 0.9 * wide), 9, shirt, Material.CLOTH),
        ellipsoid((0.04 * ex, 0, 0.84 * ez), (0.11, 0.10, 0.16 * ez), (40, 42, 48), Material.PAINT, 9, 6),
        ellipsoid(
            (0.04 * ex + 0.05, 0, 0.82 * ez), (0.075, 0.075, 0.09 * ez), pick(SKINS, number, 3), Material.SKIN, 8, 5
        ),
    ]
    for side in (-1, 1):
        hip, knee, foot = (
            (-0.15 * ex, side * 0.5 * wide, saddle),
            (0.22 * ex, side * 0.9 * wide, -0.18 * ez),
            (0.05 * ex, side * 0.8 * wide, -0.68 * ez),
        )
        shoulder, hand = (0.02 * ex, side * 0.95 * wide, 0.58 * ez), (0.42 * ex, side * 0.85 * ey, 0.19 * ez)
        parts += [
            cylinder(hip, knee, (0.085, 0.07), 7, trousers, Material.CLOTH),
            cylinder(knee, foot, (0.07, 0.05), 7, trousers, Material.CLOTH),
            cylinder(shoulder, hand, (0.06, 0.045), 7, shirt, Material.CLOTH),
        ]
    return parts


def _cabin(
    base: tuple, roof: tuple, height: tuple[float, float], extent: np.ndarray, paint: tuple
) -> tuple[Part, list[np.ndarray]]:
    ring = []
    for (back, front, wide), z in zip((base, roof), height, strict=True):
        x0, x1, y = back * extent[0], front * extent[0], wide * extent[1]
        ring.append([(x0, -y, z), (x1, -y, z), (x1, y, z), (x0, y, z)])
    low, high = np.array(ring, dtype=np.float64)
    crown = high * (0.9, 0.9, 1.0) + (0.1 * high[:, 0].mean(), 0, 0)
    high[:, 2] -= 0.08 * extent[2]
    rear = np.array([low[3], low[0], high[0], high[3]])
    front = np.array([low[1], low[2], high[2], high[1]])
    left = np.array([low[2], low[3], high[3], high[2]])
    right = np.array([low[0], low[1], high[1], high[0]])
    return loft(np.stack([low, high, crown]), paint, Material.PAINT), [rear, front, left, right]


def _end_quad(x: float, ey: float, z: tuple[float, float], front: bool) -> np.ndarray:
    y = 0.9 * ey if front else -0.9 * ey
    return np.array([(x, -y, z[0]), (x, y, z[0]), (x, y, z[1]), (x, -y, z[1])])


def _ends(ex: float, ey: float, ez: float) -> tuple[np.ndarray, np.ndarray]:
    height = (-0.58 * ez, -0.10 * ez)
    return _end_quad(1.006 * ex, ey, height, True), _end_quad(-1.006 * ex, ey, height, False)


def _side_quad(
    extent: np.ndarray, left: bool, x: tuple[float, float], z: tuple[float, float], out: float
) -> np.ndarray:
    x0, x1 = (v * extent[0] for v in x)
    z0, z1 = (v * extent[2] for v in z)
    shift = np.array([0.0, extent[1], 0.0])
    if left:
        return np.array([(x1, 0, z0), (x0, 0, z0), (x0, 0, z1), (x1, 0, z1)]) + out * shift
    return np.array([(x0, 0, z0), (x1, 0, z0), (x1, 0, z1), (x0, 0, z1)]) - out * shift


def _lamps(nose: np.ndarray, tail: np.ndarray) -> list[Part]:
    spans = ((0.02, 0.22), (0.78, 0.98))
    return [
        quad(np.stack([inset(nose, u, (0.62, 0.95), 0.0) for u in spans]), _HEADLAMP, Material.LAMP),
        quad(np.stack([inset(tail, u, (0.58, 0.98), 0.0) for u in spans]), _TAIL_LAMP, Material.LAMP),
        quad(inset(tail, (0.36, 0.64), (0.32, 0.62), 0.0), _PLATE, Material.PAINT),
    ]


def _wheels(extent: np.ndarray, radius: float, axles: tuple[float, ...]) -> list[Part]:
    ex, ey, ez = extent
    wide = min(0.24, 0.35 * ey)
    parts = []
    for axle in axles:
        for side in (-1, 1):
            hub = (axle * ex, side * (ey - wide / 2 + 0.004), -ez + radius)
            low, high = (hub[0], hub[1] - wide / 2, hub[2]), (hub[0], hub[1] + wide / 2, hub[2])
            parts.append(cylinder(low, high, (radius, radius), 14, _TYRE, Material.RUBBER))
            cap = (hub[0], hub[1] - wide / 2 - 0.008, hub[2]), (hub[0], hub[1] + wide / 2 + 0.008, hub[2])
            parts.append(cylinder(*cap, (0.62 * radius, 0.62 * radius), 10, _RIM, Material.METAL))
    return parts
