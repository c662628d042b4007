"""Memory that the process has freed and the allocator has kept."""

from __future__ import annotations

import ctypes

__all__ = ["give_back"]


def give_back() -> None:
    """Return free pages to the system, after something large was replaced.

    glibc keeps them, up to twice the largest block ever freed (mallopt(3), M_TRIM_THRESHOLD), which lets a server's
    size swing by tens of MiB from map to map. Elsewhere than with glibc nothing is done.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
