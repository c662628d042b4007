"""Numba compilation with a disk cache where one can be written, and without where none can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["compiled"]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`numba.njit`, cached beside the module or in the user's cache folder; uncached if neither can be written."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # numba: "no locator available"
        return numba.njit(function)
