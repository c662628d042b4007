"""Road surfaces, markings, sidewalks and ground from lane samples, in the scene's axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.scene.axes import scene_points
from foveal.scene.materials import Material
from foveal.scene.part import Colour, Part
from foveal.scene.solids import quad
from foveal.scene.static import Lane, Mark, StaticScene

__all__ = ["GROUND_DROP_M", "KERB_M", "SIDEWALK_M", "ground", "roads"]

KERB_M = 0.12
"""Height of a sidewalk above the lane beside it."""
SIDEWALK_M = 2.5
"""Width of the sidewalk that a road gets where it ends sideways in nothing."""
GROUND_DROP_M = 0.14
"""Depth of the grass below the lanes."""

_UP = np.array([0.0, 0.0, 1.0])
_ASPHALT, _PAVING, _KERB, _GRASS = (86, 87, 90), (164, 160, 152), (188, 186, 180), (104, 126, 74)
_WHITE, _YELLOW = (236, 236, 230), (228, 184, 56)
_MARK_WIDTH_M, _MARK_LIFT_M, _DASH_M = 0.15, 0.02, 4.0
_JUNCTION_DROP_M = 0.03
_OVERLAP_M = 0.03
_LONGEST_QUAD_M, _SHARPEST_TURN_RAD = 12.0, 0.03
_GROUND_CELL_M, _GROUND_REACH_M, _GROUND_CELLS = 20.0, 300.0, 160


@dataclass(frozen=True, slots=True)
class _Edges:
    """Per lane sample: left and right edge points (L, 2, 3) and the unit vector to the left (L, 3)."""

    point: np.ndarray
    left: np.ndarray


def roads(static: StaticScene) -> list[Part]:
    """Asphalt, paving and markings; an empty list when there are no lanes.

    A quad ends where the lane has turned by 0.03 rad or after 12 m, so that straight roads stay cheap.
    """
    if len(static.lane_s) < 2:
        return []
    edges = _edges(static)
    fine = _segments(static, np.ones(len(static.lane_s), dtype=bool))
    coarse = _segments(static, _kept(static, fine))
    return [
        *_surfaces(static, edges, coarse),
        *_open_sides(static, edges, coarse),
        *_marks(static, edges, fine, coarse),
        *_junctions(static, edges),
    ]


def ground(static: StaticScene) -> Part:
    """Grass in squares of 20 m (larger for a very large map), 300 m beyond the last lane or object, below roads."""
    points = scene_points(np.concatenate([static.lane_pose[:, :3], static.object_box[:, :3], np.zeros((1, 3))]))
    if len(static.lane_s) or len(static.object_id):
        points = points[:-1]
    low, high = points[:, :2].min(axis=0) - _GROUND_REACH_M, points[:, :2].max(axis=0) + _GROUND_REACH_M
    cell = max(_GROUND_CELL_M, float((high - low).max()) / _GROUND_CELLS)
    first = np.floor(low / cell).astype(int)
    nx, ny = (np.ceil(high / cell).astype(int) - first).tolist()
    x, y = (first[0] + np.arange(nx + 1)) * cell, (first[1] + np.arange(ny + 1)) * cell
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    lanes = scene_points(static.lane_pose[:, :3])
    height = _ground_height(grid, lanes[:: max(1, len(lanes) // 1500)], 1.5 * cell) - GROUND_DROP_M
    index = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    triangle = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2).reshape(-1, 3)
    shade = 0.94 + 0.12 * np.random.default_rng(11).random(nx * ny)
    colour = np.repeat(np.outer(shade, _GRASS), 2, axis=0)
    return Part.of(np.column_stack([grid, height]), triangle, colour, Material.GRASS)


def _ground_height(grid: np.ndarray, lanes: np.ndarray, near_m: float) -> np.ndarray:
    """(G,) height of the lowest lane sample within `near_m`, else of the nearest one, else 0."""
    height = np.zeros(len(grid))
    if not len(lanes):
        return height
    for start in range(0, len(grid), 2048):
        block = grid[start : start + 2048]
        distance = np.linalg.norm(block[:, None] - lanes[None, :, :2], axis=2)
        lowest = np.where(distance < near_m, lanes[:, 2], np.inf).min(axis=1)
        height[start : start + 2048] = np.where(np.isfinite(lowest), lowest, lanes[distance.argmin(axis=1), 2])
    return height


def _edges(static: StaticScene) -> _Edges:
    yaw = -np.radians(static.lane_pose[:, 4])
    left = np.column_stack([-np.sin(yaw), np.cos(yaw), np.zeros(len(yaw))])
    centre = scene_points(static.lane_pose[:, :3]) + _overlap(static)
    half = static.lane_width[:, None] / 2 * left
    lift = np.where(static.lane_use == Lane.SIDEWALK, KERB_M, 0.0)[:, None] * _UP
    return _Edges(np.stack([centre + half + lift, centre - half + lift], axis=1), left)


def _overlap(static: StaticScene) -> np.ndarray:
    """(L, 3) shift that lengthens each run of samples at both ends, so that no crack shows where roads meet."""
    centre, strip = scene_points(static.lane_pose[:, :3]), _strip(static)
    ahead = np.zeros_like(centre)
    ahead[:-1] = centre[1:] - centre[:-1]
    within = np.concatenate([strip[1:] == strip[:-1], [False]])
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    shift = np.zeros_like(centre)
    first = within & ~np.concatenate([[False], within[:-1]])
    before_last = np.flatnonzero(within & ~np.concatenate([within[1:], [False]]))
    shift[first] = -_OVERLAP_M * ahead[first]
    shift[before_last + 1] = _OVERLAP_M * ahead[before_last]
    return shift


def _segments(static: StaticScene, keep: np.ndarray) -> np.ndarray:
    """(S, 2) sample pairs that a lane runs through, among the kept samples."""
    kept = np.flatnonzero(keep)
    strip = _strip(static)
    return np.column_stack([kept[:-1], kept[1:]])[strip[kept[:-1]] == strip[kept[1:]]]


def _strip(static: StaticScene) -> np.ndarray:
    """(L,) number of the unbroken run of samples that each sample belongs to."""
    key = np.column_stack([static.lane_key, static.lane_use])
    new = (key[1:] != key[:-1]).any(axis=1) | (np.diff(static.lane_s) > 1.6 * static.step_m)
    return np.concatenate([[0], np.cumsum(new)])


def _kept(static: StaticScene, fine: np.ndarray) -> np.ndarray:
    """(L,) bool: samples where a quad must end."""
    strip = _strip(static)
    step = np.zeros((len(strip), 2))
    direction = np.radians(static.lane_pose[:, [3, 4]])
    turn = np.abs((direction[fine[:, 1]] - direction[fine[:, 0]] + np.pi) % (2 * np.pi) - np.pi).sum(axis=1)
    widen = np.abs(np.diff(static.lane_width[fine], axis=1))[:, 0]
    step[fine[:, 1], 0] = turn / _SHARPEST_TURN_RAD + widen / 0.1
    step[fine[:, 1], 1] = np.diff(static.lane_s[fine], axis=1)[:, 0] / _LONGEST_QUAD_M
    first = np.concatenate([[True], strip[1:] != strip[:-1]])
    total = np.cumsum(step, axis=0)
    total -= total[np.flatnonzero(first)][strip]
    bins = np.floor(total + 1e-9)
    changed = np.concatenate([[True], (bins[1:] != bins[:-1]).any(axis=1)])
    last = np.concatenate([first[1:], [True]])
    mark_ends = np.concatenate([[True], (static.lane_mark[1:] != static.lane_mark[:-1]).any(axis=1)])
    return first | last | changed | mark_ends


def _facing(corners: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Quads (n, 4, 3), turned so that their normal has a positive part along `direction`."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    wrong = (normal * direction).sum(axis=1) < 0
    corners[wrong] = corners[wrong][:, ::-1]
    return corners


def _ribbon(a: np.ndarray, b: np.ndarray, segment: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Quads between the lines a and b (L, 3) along the segments, facing `direction`."""
    i, j = segment[:, 0], segment[:, 1]
    return _facing(np.stack([a[i], a[j], b[j], b[i]], axis=1), direction)


def _painted(corners: np.ndarray, colour: Colour, material: Material) -> list[Part]:
    return [quad(corners, colour, material)] if len(corners) else []


def _surfaces(static: StaticScene, edges: _Edges, segment: np.ndarray) -> list[Part]:
    use = static.lane_use[segment[:, 0]]
    left, right = edges.point[:, 0], edges.point[:, 1]
    parts = []
    looks = (
        (np.isin(use, (Lane.DRIVING, Lane.PAVED)), _ASPHALT, Material.ASPHALT),
        (use == Lane.SIDEWALK, _PAVING, Material.PAVEMENT),
        (use == Lane.GREEN, _GRASS, Material.GRASS),
    )
    for chosen, colour, material in looks:
        parts += _painted(_ribbon(left, right, segment[chosen], _UP), colour, material)
    walk = segment[use == Lane.SIDEWALK]
    for line, sign in ((left, 1.0), (right, -1.0)):
        outward = sign * edges.left[walk[:, 0]]
        parts += _painted(_ribbon(line, line - 2 * KERB_M * _UP, walk, outward), _KERB, Material.PAVEMENT)
    return parts


def _open_sides(static: StaticScene, edges: _Edges, segment: np.ndarray) -> list[Part]:
    """A sidewalk where a road ends sideways in nothing."""
    parts = []
    first = segment[:, 0]
    road = np.isin(static.lane_use[first], (Lane.DRIVING, Lane.PAVED)) & (static.lane_key[first, 3] < 0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        walk = segment[road & static.lane_open[first, side]]
        inner = edges.point[:, side] + KERB_M * _UP
        outer = inner + sign * SIDEWALK_M * edges.left
        parts += _painted(_ribbon(inner, outer, walk, _UP), _PAVING, Material.PAVEMENT)
        kerb = _ribbon(inner, inner - 2 * KERB_M * _UP, walk, -sign * edges.left[walk[:, 0]])
        parts += _painted(kerb, _KERB, Material.PAVEMENT)
        parts += _painted(
            _ribbon(outer, outer - 3 * KERB_M * _UP, walk, sign * edges.left[walk[:, 0]]), _KERB, Material.PAVEMENT
        )
    return parts


def _marks(static: StaticScene, edges: _Edges, fine: np.ndarray, coarse: np.ndarray) -> list[Part]:
    """Solid lines along coarse segments, dashes of 4 m along fine ones; a line that two lanes share is drawn once."""
    quads, yellow = [], []
    for side in (0, 1):
        line = edges.point[:, side] + _MARK_LIFT_M * _UP
        half = _MARK_WIDTH_M / 2 * edges.left
        for segment, kind in ((coarse, Mark.SOLID), (fine, Mark.BROKEN)):
            i, j = segment[:, 0], segment[:, 1]
            chosen = (static.lane_mark[i, side] == kind) & (static.lane_key[i, 3] < 0)
            chosen &= static.lane_use[i] == Lane.DRIVING
            if kind == Mark.BROKEN:
                middle = (static.lane_s[i] + static.lane_s[j]) / 2
                chosen &= np.floor(middle / _DASH_M) % 2 == 0
            quads.append(_ribbon(line + half, line - half, segment[chosen], _UP))
            yellow.append(static.lane_yellow[i[chosen], side])
    corners, is_yellow = np.concatenate(quads), np.concatenate(yellow)
    if not len(corners):
        return []
    place = np.round(corners.mean(axis=1) / 0.25).astype(np.int64)
    once = np.sort(np.unique(place, axis=0, return_index=True)[1])
    return _painted(corners[once], np.where(is_yellow[once, None], _YELLOW, _WHITE), Material.MARKING)


def _junctions(static: StaticScene, edges: _Edges) -> list[Part]:
    """Asphalt under the convex hull of each junction's lanes, a little lower than they are."""
    parts = []
    driving = static.lane_use == Lane.DRIVING
    for junction in np.unique(static.lane_key[:, 3]):
        points = edges.point[driving & (static.lane_key[:, 3] == junction)].reshape(-1, 3)
        if junction < 0 or len(points) < 3:
            continue
        hull = _hull(points)
        if len(hull) < 3:
            continue
        fan = np.column_stack([np.zeros(len(hull) - 2, int), np.arange(1, len(hull) - 1), np.arange(2, len(hull))])
        parts.append(Part.of(hull - _JUNCTION_DROP_M * _UP, fan, np.array(_ASPHALT), Material.ASPHALT))
    return parts


def _hull(points: np.ndarray) -> np.ndarray:
    """(H, 3) convex hull seen from above, counter-clockwise (Andrew's monotone chain)."""
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    chains = []
    for run in (points, points[::-1]):
        chain: list[np.ndarray] = []
        for p in run:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 1e-6:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return np.array(chains).reshape(-1, 3)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
