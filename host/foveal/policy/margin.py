"""Room around a projected box."""

from __future__ import annotations

import numpy as np

__all__ = ["widened"]


def widened(region: np.ndarray, margin_px: float, margin_share: float) -> np.ndarray:
    """(N, 4) int64: (N, 4) rectangles, each side moved out by `margin_px` plus `margin_share` of the size along it."""
    grown = np.ceil(margin_px + margin_share * (region[:, 2:] - region[:, :2])).astype(np.int64)
    return np.concatenate([region[:, :2] - grown, region[:, 2:] + grown], axis=1)
