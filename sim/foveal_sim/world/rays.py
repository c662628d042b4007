"""Where rays first meet the ground or a box: one compiled pass over all rays that leave one point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from foveal.jit import compiled

from foveal_sim.world.ground import LEVELS, make_ground
from foveal_sim.world.solids import Solids

__all__ = ["GROUND", "NOTHING", "Hits", "cast", "crossings", "warm_up"]

NOTHING, GROUND = -2, -1
"""What `Hits.index` says where no box was met."""

_SECTORS = 512
_LABELS = np.array([label for label, _ in LEVELS], dtype=np.uint8)
_LIFTS = np.array([lift for _, lift in LEVELS])
_NO_GROUND = 0


@dataclass(frozen=True, slots=True)
class Hits:
    """distance: (n,) metres, inf for none. index: (n,) box, GROUND or NOTHING. cosine: (n,) of the incidence angle.

    label: (n,) uint8 `CityObjectLabel`, 0 for none.
    """

    distance: np.ndarray
    index: np.ndarray
    cosine: np.ndarray
    label: np.ndarray


def cast(solids: Solids, origin: np.ndarray, direction: np.ndarray, reach_m: float) -> Hits:
    """First hits of rays from `origin` (3,) along `direction` (n, 3), unit vectors in the world, up to `reach_m`.

    A box that holds the origin is not met. Boxes are sorted into sectors of azimuth round the origin, nearest first,
    so that a ray looks at few of them.
    """
    count = len(direction)
    distance, index = np.full(count, np.inf), np.full(count, NOTHING, dtype=np.int64)
    cosine, label = np.zeros(count), np.zeros(count, dtype=np.uint8)
    order, near, first, last = _sectors(solids, origin, reach_m)
    ground = solids.ground
    _cast(
        np.asarray(origin, dtype=np.float64),
        np.ascontiguousarray(direction, dtype=np.float64),
        float(reach_m),
        solids.centre[order],
        solids.axes[order],
        solids.half[order],
        near,
        *_buckets(first, last),
        ground.corner[0],
        ground.corner[1],
        ground.cell,
        ground.label,
        ground.hill,
        ground.height,
        distance,
        index,
        cosine,
        label,
    )
    met = index >= 0
    index[met] = order[index[met]]
    label[met] = solids.label[index[met]]
    return Hits(distance, index, cosine, label)


def crossings(solids: Solids, origin: np.ndarray, direction: np.ndarray, reach_m: float) -> list[tuple[float, int]]:
    """All that one ray (3,) enters, as distance in metres and box or GROUND, nearest first."""
    turned = np.einsum("nkd,d->nk", solids.axes, direction)
    start = np.einsum("nkd,nd->nk", solids.axes, np.asarray(origin) - solids.centre)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-solids.half - start) / turned, (solids.half - start) / turned
    inside = np.abs(start) <= solids.half
    enter = np.where(turned == 0.0, np.where(inside, -np.inf, np.inf), np.minimum(one, two)).max(
        axis=1, initial=-np.inf
    )
    leave = np.where(turned == 0.0, np.where(inside, np.inf, -np.inf), np.maximum(one, two)).min(axis=1, initial=np.inf)
    found = np.flatnonzero((enter <= leave) & (enter > 0.0) & (enter <= reach_m))
    met = [(float(enter[number]), int(number)) for number in found]
    below = cast(solids.nothing_but_ground(), np.asarray(origin), np.asarray(direction)[None], reach_m)
    if below.index[0] == GROUND:
        met.append((float(below.distance[0]), GROUND))
    return sorted(met)


def warm_up() -> None:
    """Compile what `cast` needs, so that no client waits for it at its first measurement."""
    nothing = Solids.of([], np.empty((0, 6)), make_ground([]))
    cast(nothing, np.zeros(3), np.array([[1.0, 0.0, 0.0]]), 1.0)


def _sectors(
    solids: Solids, origin: np.ndarray, reach_m: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Boxes in reach by nearness: their numbers, least horizontal distance, first and last sector (not wrapped)."""
    offset = solids.centre[:, :2] - np.asarray(origin)[:2]
    distance = np.hypot(offset[:, 0], offset[:, 1])
    radius = np.hypot(*np.einsum("nkd,nk->dn", np.abs(solids.axes[:, :, :2]), solids.half))
    near = np.maximum(distance - radius, 0.0)
    order = np.argsort(near, kind="stable")
    order = order[near[order] <= reach_m]
    ratio = radius[order] / np.maximum(distance[order], 1e-9)
    spread = np.where(ratio < 1.0, np.arcsin(np.minimum(ratio, 1.0)), np.pi)
    azimuth = np.arctan2(offset[order, 1], offset[order, 0])
    width = 2 * np.pi / _SECTORS
    first = np.floor((azimuth - spread) / width).astype(np.int64)
    last = np.floor((azimuth + spread) / width).astype(np.int64)
    return order, near[order], first, np.minimum(last, first + _SECTORS - 1)


@compiled
def _buckets(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start of each sector's list (sectors + 1,) and the lists one after the other; each keeps the boxes' order."""
    start = np.zeros(_SECTORS + 1, dtype=np.int64)
    for box in range(len(first)):
        for sector in range(first[box], last[box] + 1):
            start[sector % _SECTORS + 1] += 1
    for sector in range(_SECTORS):
        start[sector + 1] += start[sector]
    member = np.empty(start[_SECTORS], dtype=np.int64)
    filled = start[:_SECTORS].copy()
    for box in range(len(first)):
        for sector in range(first[box], last[box] + 1):
            member[filled[sector % _SECTORS]] = box
            filled[sector % _SECTORS] += 1
    return start, member


@compiled
def _cast(
    origin: np.ndarray,
    direction: np.ndarray,
    reach: float,
    centre: np.ndarray,
    axes: np.ndarray,
    half: np.ndarray,
    near: np.ndarray,
    start: np.ndarray,
    member: np.ndarray,
    corner_x: float,
    corner_y: float,
    cell: float,
    labels: np.ndarray,
    hill: float,
    height: np.ndarray,
    distance: np.ndarray,
    index: np.ndarray,
    cosine: np.ndarray,
    label: np.ndarray,
) -> None:
    local = np.empty((len(centre), 3))
    for box in range(len(centre)):
        for k in range(3):
            local[box, k] = 0.0
            for d in range(3):
                local[box, k] += axes[box, k, d] * (origin[d] - centre[box, d])
    for ray in range(len(direction)):
        dx, dy, dz = direction[ray]
        best, steepness, found = _meet_ground(origin, dx, dy, dz, reach, corner_x, corner_y, cell, labels, hill, height)
        if found != _NO_GROUND:
            distance[ray], index[ray], cosine[ray], label[ray] = best, GROUND, steepness, found
        level = math.hypot(dx, dy)
        sector = math.floor(math.atan2(dy, dx) / (2.0 * math.pi / _SECTORS)) % _SECTORS
        for position in range(start[sector], start[sector + 1]):
            box = member[position]
            if near[box] > best * level:
                break
            enter, leave, side = -math.inf, math.inf, 0.0
            for k in range(3):
                turned = axes[box, k, 0] * dx + axes[box, k, 1] * dy + axes[box, k, 2] * dz
                if turned == 0.0:
                    if abs(local[box, k]) > half[box, k]:
                        leave = -math.inf
                    continue
                one = (-half[box, k] - local[box, k]) / turned
                two = (half[box, k] - local[box, k]) / turned
                if min(one, two) > enter:
                    enter, side = min(one, two), abs(turned)
                leave = min(leave, max(one, two))
            if 0.0 < enter <= leave and enter <= best:
                best = enter
                distance[ray], index[ray], cosine[ray] = enter, box, side


@compiled
def _meet_ground(
    origin: np.ndarray,
    dx: float,
    dy: float,
    dz: float,
    reach: float,
    corner_x: float,
    corner_y: float,
    cell: float,
    labels: np.ndarray,
    hill: float,
    height: np.ndarray,
) -> tuple[float, float, int]:
    """Distance, cosine and label of the ground that one ray meets; reach, 0, 0 where it meets none.

    Each label has a surface of its own, from the highest down; a ray that passes below an edge between two of them
    has met the side of the upper one, and gets the lower surface's place.
    """
    for level in range(len(_LABELS)):
        if height.size == 1:
            up = origin[2] - height[0, 0] - _LIFTS[level]
            if up <= 0.0 or dz >= 0.0:
                continue
            along = -up / dz
            cosine = -dz
        else:
            along, cosine = _descend(origin, dx, dy, dz, reach, corner_x, corner_y, hill, height, _LIFTS[level])
        if not 0.0 < along <= reach:
            continue
        column = math.floor((origin[0] + dx * along - corner_x) / cell)
        row = math.floor((origin[1] + dy * along - corner_y) / cell)
        here = _LABELS[len(_LABELS) - 1]
        if 0 <= row < labels.shape[0] and 0 <= column < labels.shape[1]:
            here = labels[row, column]
        for above in range(level + 1):
            if here == _LABELS[above]:
                return along, cosine, int(here)
    return reach, 0.0, _NO_GROUND


@compiled
def _descend(
    origin: np.ndarray,
    dx: float,
    dy: float,
    dz: float,
    reach: float,
    corner_x: float,
    corner_y: float,
    hill: float,
    height: np.ndarray,
    lift: float,
) -> tuple[float, float]:
    """Distance and cosine where a ray meets hilly ground: steps of half a cell, then bisection; else inf."""
    high = height.max() + lift
    along = 0.0
    if origin[2] > high:
        if dz >= 0.0:
            return math.inf, 0.0
        along = (high - origin[2]) / dz
    if origin[2] <= _height(origin[0], origin[1], corner_x, corner_y, hill, height) + lift:
        return math.inf, 0.0
    step = hill / 2.0 / max(math.hypot(dx, dy), 0.05)
    before = along
    while before <= reach:
        x, y, z = origin[0] + dx * along, origin[1] + dy * along, origin[2] + dz * along
        if z <= _height(x, y, corner_x, corner_y, hill, height) + lift:
            break
        if dz >= 0.0 and z > high:
            return math.inf, 0.0
        before = along
        along += step
    else:
        return math.inf, 0.0
    for _ in range(24):
        middle = (before + along) / 2.0
        x, y, z = origin[0] + dx * middle, origin[1] + dy * middle, origin[2] + dz * middle
        if z <= _height(x, y, corner_x, corner_y, hill, height) + lift:
            along = middle
        else:
            before = middle
    x, y = origin[0] + dx * along, origin[1] + dy * along
    slope_x = _height(x + 0.5, y, corner_x, corner_y, hill, height) - _height(
        x - 0.5, y, corner_x, corner_y, hill, height
    )
    slope_y = _height(x, y + 0.5, corner_x, corner_y, hill, height) - _height(
        x, y - 0.5, corner_x, corner_y, hill, height
    )
    return along, abs(slope_x * dx + slope_y * dy - dz) / math.sqrt(1.0 + slope_x**2 + slope_y**2)


@compiled
def _height(x: float, y: float, corner_x: float, corner_y: float, hill: float, height: np.ndarray) -> float:
    """Bilinear between the points of the raster, the border's height outside."""
    column = min(max((x - corner_x) / hill, 0.0), height.shape[1] - 1.000001)
    row = min(max((y - corner_y) / hill, 0.0), height.shape[0] - 1.000001)
    i, j = int(row), int(column)
    v, u = row - i, column - j
    upper = height[i, j] * (1.0 - u) + height[i, j + 1] * u
    lower = height[i + 1, j] * (1.0 - u) + height[i + 1, j + 1] * u
    return upper * (1.0 - v) + lower * v
