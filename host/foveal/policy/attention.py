"""Regions from a map of attention: a network's saliency, a driver's gaze."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage

from foveal.errors import SceneError
from foveal.policy.sight import Sight
from foveal.policy.wishes import Wishes

__all__ = ["AttentionMap"]


class AttentionMap:
    """A rectangle around each connected part of a map that is above a threshold; its weight is its largest value."""

    def __init__(self, source: np.ndarray | Callable[[Sight], np.ndarray], threshold: float = 0.5) -> None:
        """source: (H, W) values >= 0 over the whole picture at any resolution, or what gives one for a tick.

        threshold: share of the map's largest value, 0..1. Raises ValueError for another.
        """
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"the threshold of an attention map is a share of its maximum, 0..1, got {threshold}")
        self._source, self._threshold = source, threshold

    def wishes(self, sight: Sight) -> Wishes:
        """Raises SceneError for a map that is not two-dimensional, is empty, or holds negatives, NaN or infinity."""
        source = self._source
        values = np.asarray(source(sight) if callable(source) else source, dtype=np.float64)
        if values.ndim != 2 or not values.size or not np.isfinite(values).all() or values.min() < 0:
            raise SceneError(
                f"frame {sight.tick.frame}: an attention map is (height, width) finite values >= 0, got {values.shape}"
            )
        above = (values >= self._threshold * values.max()) & (values > 0)
        label, count = ndimage.label(above, structure=np.ones((3, 3)))
        part = ndimage.find_objects(label)
        cell = np.array([(s[1].start, s[0].start, s[1].stop, s[0].stop) for s in part], np.float64).reshape(-1, 4)
        scale = np.array([sight.camera.width / values.shape[1], sight.camera.height / values.shape[0]])
        box = np.concatenate([np.floor(cell[:, :2] * scale), np.ceil(cell[:, 2:] * scale)], axis=1).astype(np.int64)
        weight = np.asarray(ndimage.maximum(values, label, np.arange(1, count + 1)), np.float64).reshape(-1)
        return Wishes.of(box, weight)
