"""Questions about single rays: `World.cast_ray`, `project_point` and `ground_projection`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foveal_sim.world.arguments import vector
from foveal_sim.world.rays import GROUND, NOTHING, cast, crossings
from foveal_sim.world.rpc import MethodTable
from foveal_sim.world.world import World

__all__ = ["register_rays"]


def register_rays(table: MethodTable, world: World) -> None:
    """Offer the questions."""

    def cast_ray(start: Sequence[Any], end: Sequence[Any]) -> list[object]:
        origin = np.array(vector(start))
        direction, length = _unit(np.array(vector(end)) - origin)
        solids = world.solids.now(world.episode)
        points: list[object] = []
        for distance, index in crossings(solids, origin, direction, length):
            if index == GROUND:
                label = int(cast(solids.nothing_but_ground(), origin, direction[None], length).label[0])
            else:
                label = int(solids.label[index])
            points.append([(origin + direction * distance).tolist(), label])
        return points

    def project_point(start: Sequence[Any], towards: Sequence[Any], reach: float) -> list[object]:
        origin = np.array(vector(start))
        direction, _ = _unit(np.array(vector(towards)))
        hits = cast(world.solids.now(world.episode), origin, direction[None], float(reach))
        if hits.index[0] == NOTHING:
            return [False, [[0.0, 0.0, 0.0], 0]]
        return [True, [(origin + direction * hits.distance[0]).tolist(), int(hits.label[0])]]

    table.value("cast_ray", cast_ray)
    table.value("project_point", project_point)


def _unit(way: np.ndarray) -> tuple[np.ndarray, float]:
    length = float(np.linalg.norm(way))
    if length == 0.0:
        raise ValueError("a ray needs two different points or a direction that is not 0")
    return way / length, length
