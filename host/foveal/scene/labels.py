"""What the triangles of a scene show: semantic tags, and instances of things that do not move."""

from __future__ import annotations

import numpy as np

from foveal.channel import label_of
from foveal.scene.kind import Kind
from foveal.scene.materials import Material
from foveal.scene.part import Part
from foveal.tag import Tag

__all__ = ["STATIC", "actor", "static_object", "surface"]

STATIC = 0x8000
"""Bit of an instance that is no actor: static objects show it and the low 15 bits of their identity."""

_SURFACE = {
    Material.ASPHALT: Tag.ROADS,
    Material.MARKING: Tag.ROAD_LINES,
    Material.PAVEMENT: Tag.SIDEWALKS,
    Material.GRASS: Tag.TERRAIN,
}

_ACTOR = {
    Kind.CAR: Tag.CAR,
    Kind.VAN: Tag.CAR,
    Kind.TRUCK: Tag.TRUCK,
    Kind.BUS: Tag.BUS,
    Kind.MOTORCYCLE: Tag.MOTORCYCLE,
    Kind.BICYCLE: Tag.BICYCLE,
    Kind.PEDESTRIAN: Tag.PEDESTRIANS,
    Kind.TRAFFIC_LIGHT: Tag.TRAFFIC_LIGHT,
    Kind.TRAFFIC_SIGN: Tag.TRAFFIC_SIGNS,
    Kind.BOX: Tag.DYNAMIC,
}


def surface(part: Part) -> Part:
    """Ground, roads and markings: tagged by material, no instance."""
    table = np.zeros(256, np.uint32)
    for material, tag in _SURFACE.items():
        table[material] = tag
    return part.labelled(label_of(0, table[part.material]))


def actor(part: Part, kind: Kind) -> Part:
    """An actor's mesh: tagged by its kind; the draw list names the instance."""
    return part.labelled(label_of(0, _with_rider(part, _ACTOR[kind])))


def static_object(part: Part, identity: int, tag: int) -> Part:
    """An object with the tag that the server gives it."""
    return part.labelled(label_of(STATIC | identity & (STATIC - 1), _with_rider(part, tag)))


def _with_rider(part: Part, tag: int) -> np.ndarray:
    """(T,) uint32 tags: on a two-wheeler, what is skin or cloth is its rider."""
    tags = np.full(len(part.triangle), tag, np.uint32)
    if tag in (Tag.MOTORCYCLE, Tag.BICYCLE):
        tags[np.isin(part.material, (Material.SKIN, Material.CLOTH))] = Tag.RIDER
    return tags
