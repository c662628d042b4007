"""Numbers from the attributes that a client set on a sensor's blueprint."""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = ["flag", "number", "whole"]


def number(attributes: Mapping[str, str], name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number from `low` to `high`. Raises ValueError naming the attribute."""
    try:
        value = float(attributes[name])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and low <= value <= high):
        raise ValueError(f"{name} must be {_range(low, high)}, got {attributes[name]!r}")
    return value


def whole(attributes: Mapping[str, str], name: str, low: int, high: int) -> int:
    """An integer from `low` to `high`. Raises ValueError naming the attribute."""
    try:
        value = int(attributes[name])
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, got {attributes[name]!r}")
    return value


def flag(attributes: Mapping[str, str], name: str) -> bool:
    """A truth value as the client writes it. Raises ValueError naming the attribute."""
    text = attributes[name].lower()
    if text not in ("true", "false", "1", "0"):
        raise ValueError(f"{name} must be true or false, got {attributes[name]!r}")
    return text in ("true", "1")


def _range(low: float, high: float) -> str:
    if math.isinf(low):
        return "a finite number"
    return f"{low:g} or more" if math.isinf(high) else f"a number from {low:g} to {high:g}"
