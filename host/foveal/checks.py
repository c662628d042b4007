"""What a caller may give as a number: an error names the field instead of failing deep inside a frame."""

from __future__ import annotations

import numpy as np

__all__ = ["integer", "real"]


def integer(name: str, value: object) -> int:
    """`value` as an int. Raises TypeError for what is no integer, bool included."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    return int(value)


def real(name: str, value: object) -> float:
    """`value` as a float. Raises TypeError for what is no real number, ValueError for integers beyond a double."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{name} is larger than any double") from error
