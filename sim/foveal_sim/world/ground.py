"""The ground as rays meet it: heights and labels on a raster made from the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from foveal.scene.roads import GROUND_DROP_M, KERB_M, SIDEWALK_M
from foveal.tag import Tag
from scipy.spatial import cKDTree

from foveal_sim.world.lanes import LaneStrip
from foveal_sim.world.scenery import outermost

__all__ = ["LEVELS", "Ground", "make_ground"]

LEVELS = ((Tag.SIDEWALKS, KERB_M), (Tag.ROADS, 0.0), (Tag.TERRAIN, -GROUND_DROP_M))
"""Each tag's height over the lane's, from the highest down: what the cameras draw."""

_CELL_M = 0.125
# Samples so many cells apart leave no cell out, however a lane lies.
_DENSITY = 0.7
_MAX_CELLS = 16_000_000
_MARGIN_M = 5.0
_FLAT_M = 1e-3
_HILL_CELL_M = 2.0
_MAX_HEIGHTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Ground:
    """Where each label lies and how high.

    corner: x and y of the raster's first corner. label: (ny, nx) uint8 `Tag` in cells of `cell` m; terrain outside.
    height: (my, mx) lane heights at points `hill` metres apart from the same corner, interpolated between and
    continued outside; (1, 1) where all lanes have one height.
    """

    corner: tuple[float, float]
    cell: float
    label: np.ndarray
    hill: float
    height: np.ndarray

    @property
    def flat(self) -> bool:
        return self.height.size == 1


def make_ground(strips: Sequence[LaneStrip]) -> Ground:
    """From all lanes of a map; without any, terrain at the height of a lane at 0."""
    if not strips:
        return Ground((0.0, 0.0), _CELL_M, np.full((1, 1), Tag.TERRAIN, np.uint8), _HILL_CELL_M, np.zeros((1, 1)))
    lines = np.concatenate([strip.xyz for strip in strips])
    reach = max(strip.width for strip in strips) + SIDEWALK_M + _MARGIN_M
    low, high = lines[:, :2].min(axis=0) - reach, lines[:, :2].max(axis=0) + reach
    cell = max(_CELL_M, float(np.sqrt((high - low).prod() / _MAX_CELLS)))
    nx, ny = np.ceil((high - low) / cell).astype(int)
    label = np.full((ny, nx), Tag.TERRAIN, np.uint8)
    edge = {strip.key for strip in outermost(strips) if strip.span.kind != "sidewalk"}
    for strip in strips:
        if strip.key in edge:
            _paint(label, low, cell, strip, Tag.SIDEWALKS, strip.width / 2, strip.width / 2 + SIDEWALK_M)
    for kind in (Tag.SIDEWALKS, Tag.ROADS):
        for strip in strips:
            if _label(strip.span.kind) == kind:
                _paint(label, low, cell, strip, kind, -strip.width / 2, strip.width / 2)
    hill = max(_HILL_CELL_M, float(np.sqrt((high - low).prod() / _MAX_HEIGHTS)))
    return Ground((float(low[0]), float(low[1])), cell, label, hill, _heights(lines, low, high, hill))


def _label(kind: str) -> int:
    if kind == "sidewalk":
        return Tag.SIDEWALKS
    return Tag.TERRAIN if kind in ("median", "border", "none") else Tag.ROADS


def _paint(
    label: np.ndarray, low: np.ndarray, cell: float, strip: LaneStrip, value: int, left: float, right: float
) -> None:
    """Fill the band between `left` and `right` metres to the right of the lane's centre line.

    The outermost samples lie half a cell inside, so that cells count by their middles.
    """
    left, right = left + cell / 2, max(right - cell / 2, left + cell / 2)
    along = np.linspace(0.0, len(strip.xyz) - 1.0, max(2, int(np.ceil(strip.length / (cell * _DENSITY))) + 1))
    index = np.arange(len(strip.xyz))
    x, y = (np.interp(along, index, strip.xyz[:, axis]) for axis in (0, 1))
    yaw = np.deg2rad(np.interp(along, index, strip.yaw))
    across = np.linspace(left, right, max(2, int(np.ceil((right - left) / (cell * _DENSITY))) + 1))
    column = ((x[:, None] - np.sin(yaw)[:, None] * across - low[0]) / cell).astype(int)
    row = ((y[:, None] + np.cos(yaw)[:, None] * across - low[1]) / cell).astype(int)
    label[np.clip(row, 0, label.shape[0] - 1), np.clip(column, 0, label.shape[1] - 1)] = value


def _heights(lines: np.ndarray, low: np.ndarray, high: np.ndarray, hill: float) -> np.ndarray:
    if np.ptp(lines[:, 2]) < _FLAT_M:
        return np.full((1, 1), float(lines[0, 2]))
    x, y = (np.arange(low[axis], high[axis] + hill, hill) for axis in (0, 1))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    nearest = cKDTree(lines[:, :2]).query(points)[1]
    return lines[nearest, 2].reshape(len(y), len(x))
