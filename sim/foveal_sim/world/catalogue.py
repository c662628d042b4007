"""The blueprint library as a list to read: for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.counted import counted

from foveal_sim.world.blueprints import KINDS, LIBRARY, Attribute, Blueprint
from foveal_sim.world.camera_attributes import CAMERA_ATTRIBUTES, FOLLOWED

__all__ = ["as_text", "catalogue"]

_FOLLOWED = {name for name, _, _ in FOLLOWED}


def catalogue() -> list[dict[str, Any]]:
    """One entry a blueprint, in the library's order.

    id; size_m: length, width and height of the bounding box, None for what has none; attributes: name, type, default,
    choices (values that the library recommends), fixed (a script cannot set it), effect (False: a camera takes it, and
    nothing in the picture changes).
    """
    return [
        {
            "id": blueprint.id,
            "size_m": [2 * half for half in blueprint.half] if any(blueprint.half) else None,
            "attributes": [_attribute(blueprint, attribute) for attribute in blueprint.attributes],
        }
        for blueprint in LIBRARY.values()
    ]


def as_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """The same, for a terminal: one line a blueprint, and below it one an attribute."""
    lines: list[str] = []
    for entry in entries:
        size = entry["size_m"]
        lines.append(entry["id"] + ("  " + " x ".join(f"{side:.2f}" for side in size) + " m" if size else ""))
        lines += [_line(row) for row in entry["attributes"]]
    sensors = sum(entry["id"].startswith("sensor.") for entry in entries)
    return "\n".join([*lines, f"{counted(len(entries), 'blueprint')}, {counted(sensors, 'sensor')} among them"])


def _line(row: Mapping[str, Any]) -> str:
    others = [choice for choice in row["choices"] if choice != row["default"]]
    notes = [f"or {' or '.join(others)}"] if others else []
    notes += ["fixed"] if row["fixed"] else []
    notes += [] if row["effect"] else ["no effect"]
    return f"    {row['name']:36} {row['type']:7} {row['default']:14} {'; '.join(notes)}".rstrip()


def _attribute(blueprint: Blueprint, attribute: Attribute) -> dict[str, Any]:
    camera = {name for name, _, _ in CAMERA_ATTRIBUTES.get(blueprint.id, ())}
    return {
        "name": attribute.name,
        "type": KINDS[attribute.kind],
        "default": attribute.value,
        "choices": list(attribute.recommended),
        "fixed": not attribute.modifiable,
        "effect": attribute.name not in camera or attribute.name in _FOLLOWED,
    }
