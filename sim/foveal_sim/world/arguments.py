"""Client values from their wire form. All raise TypeError, ValueError or IndexError for malformed ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["attributes", "pose", "vector"]


def vector(fields: Sequence[Any]) -> tuple[float, float, float]:
    """x, y, z of a finite Location or Vector3D."""
    x, y, z = (float(value) for value in fields[:3])
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise ValueError(f"vector is not finite: {[x, y, z]}")
    return x, y, z


def pose(fields: Sequence[Any]) -> tuple[float, ...]:
    """x, y, z, pitch, yaw, roll of a finite Transform."""
    return (*vector(fields[0]), *vector(fields[1]))


def attributes(fields: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Attribute values by name of an ActorDescription's list."""
    return {str(item[0]): str(item[2]) for item in fields}
