"""Map layers: groups of scenery that a client loads and unloads as one."""

from __future__ import annotations

from collections.abc import Iterable

from foveal_sim.world.scenery import BUILDINGS, CAR, POLES, SIGNAL_POLE, VEGETATION, EnvironmentObject

__all__ = ["ALL_LAYERS", "in_layers"]

ALL_LAYERS = 0xFFFF
"""Bits as `carla.MapLayer` numbers them."""

_LABELS = {1: BUILDINGS, 4: VEGETATION, 16: CAR, 128: POLES}


def in_layers(scenery: Iterable[EnvironmentObject], layers: int) -> set[int]:
    """Ids of what belongs to one of the layers: buildings, foliage, parked vehicles, street lights.

    Poles of traffic lights and signs belong to none.
    """
    labels = {label for bit, label in _LABELS.items() if bit & layers}
    return {thing.id for thing in scenery if thing.label in labels and not thing.name.startswith(SIGNAL_POLE)}
