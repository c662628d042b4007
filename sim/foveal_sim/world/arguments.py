"""Client values from their wire form. All raise TypeError, ValueError or IndexError for malformed ones.

What is kept here comes back to every client, and a client trusts it: no type or range may slip through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["attributes", "like", "number", "pose", "text", "unsigned", "vector"]

_LARGEST = 1e7
_TEXT = 1024


def number(value: Any) -> float:
    """A finite number, in metres or m/s, that motion cannot carry out of 32-bit floats: at most 10,000 km."""
    if isinstance(value, str | bytes):
        raise TypeError(f"{value[:20]!r} is not a number")
    result = float(value)
    if not abs(result) <= _LARGEST:
        raise ValueError(f"{result} is not finite or beyond {_LARGEST:.0f}")
    return result


def unsigned(value: Any, bits: int = 32) -> int:
    """An unsigned integer of so many bits."""
    if not isinstance(value, int) or not 0 <= value < 1 << bits:
        raise ValueError(f"{value!r} is not an unsigned {bits}-bit integer")
    return int(value)


def text(value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text"[:_TEXT])
    return value


def like(value: Any, pattern: Any) -> Any:
    """A value with the types of `pattern`, which lends what is missing; what goes beyond it is left out.

    Only a list of lists may be of any length, its items being like the pattern's first.
    """
    if isinstance(pattern, list | tuple):
        if not isinstance(value, list | tuple):
            raise TypeError(f"{value!r} is not a list"[:_TEXT])
        if pattern and all(isinstance(item, list) for item in pattern):
            return [like(item, pattern[0]) for item in value]
        return [*map(like, value, pattern), *pattern[len(value) :]]
    if isinstance(pattern, bool):
        return bool(value)
    if isinstance(pattern, int):
        if not isinstance(value, int) or not abs(value) < 1 << 31:
            raise TypeError(f"{value!r} is not a 32-bit integer"[:_TEXT])
        return int(value)
    return number(value)


def vector(fields: Sequence[Any]) -> tuple[float, float, float]:
    """x, y, z of a Location or Vector3D."""
    x, y, z = fields[:3]
    return number(x), number(y), number(z)


def pose(fields: Sequence[Any]) -> tuple[float, ...]:
    """x, y, z, pitch, yaw, roll of a Transform."""
    return (*vector(fields[0]), *vector(fields[1]))


def attributes(fields: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Attribute values by name of an ActorDescription's list."""
    found = {str(item[0]): str(item[2]) for item in fields}
    for name, value in found.items():
        if len(value) > _TEXT:
            raise ValueError(f"attribute {name[:40]} has {len(value)} characters, more than {_TEXT}")
    return found
