"""The HLS shading kernel in C simulation: beats of the shading stream (hw/SPEC.md, section 12) in, shaded beats out."""

from __future__ import annotations

import numpy as np

from foveal import _shading

__all__ = ["beat_type", "shade"]

PIXEL = np.dtype([("surface", "<u4"), ("depth", "u1", 3), ("tint", "u1", 3)])
"""A pixel of a beat; depth is 24 bits, least significant byte first."""


def beat_type(ppc: int) -> np.dtype:
    """A beat of `ppc` pixels as it lies on m_axis_shade: 10 (ppc + 1) bytes."""
    head = [("x", "<u2"), ("y", "<u2"), ("keep", "<u2"), ("flags", "u1"), ("background", "u1", 3)]
    return np.dtype([*head, ("pixel", PIXEL, ppc)])


def shade(
    beats: np.ndarray, last: np.ndarray, *, answers: int | None = None, patience_ms: int = 2000
) -> tuple[np.ndarray, np.ndarray]:
    """(n, ppc, 4) uint8 B, G, R, 255 (or depth and material; zeros where not kept) and (n,) bool TLAST.

    beats: (n,) of beat_type(ppc). last: (n,) bool TLAST. answers: beats to wait for, by default n.
    Raises RuntimeError that names the stream when one is stuck for `patience_ms`, ValueError for other shapes.
    """
    ppc = beats.dtype.itemsize // PIXEL.itemsize - 1
    if beats.dtype != beat_type(ppc) or beats.shape != last.shape or beats.ndim != 1:
        raise ValueError(f"beats are {beats.dtype} {beats.shape}, expected (n,) of beat_type(ppc), and (n,) `last`")
    count = len(beats) if answers is None else answers
    shaded = np.zeros((count, 4 * ppc), np.uint8)
    shaded_last = np.zeros(count, np.uint8)
    rows = np.ascontiguousarray(beats).view(np.uint8).reshape(len(beats), -1)
    _shading.shade(ppc, rows, np.ascontiguousarray(last, np.uint8), shaded, shaded_last, patience_ms)
    return shaded.reshape(count, ppc, 4), shaded_last.astype(bool)
