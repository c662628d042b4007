"""At most so many pixels, the most important first."""

from __future__ import annotations

import numpy as np

from foveal.policy.choice import merged_share
from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy, Wishes

__all__ = ["Budget"]


class Budget:
    """The most important wishes of `policy` whose regions, once merged, hold at most `share` of the frame's pixels.

    If the first alone is too large, the middle of it is kept: something near must not vanish because it is near.
    """

    def __init__(self, policy: Policy, share: float) -> None:
        """share: 0..1. Raises ValueError for another."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a budget is a share of the frame, 0..1, got {share}")
        self._policy, self._share = policy, share

    def wishes(self, sight: Sight) -> Wishes:
        wanted = self._policy.wishes(sight).by_weight()
        width, height = sight.camera.width, sight.camera.height
        box = np.stack([np.clip(wanted.box[:, k], 0, (width, height)[k % 2]) for k in range(4)], axis=1)
        seen = (box[:, 2] > box[:, 0]) & (box[:, 3] > box[:, 1])
        wanted = Wishes(box[seen], wanted.weight[seen], wanted.actor[seen], wanted.dropped)
        kept = self._fitting(wanted.box, width, height)
        over = max(0, len(wanted.weight) - max(kept, 1))
        dropped = {**wanted.dropped, "over_budget": wanted.dropped.get("over_budget", 0) + over}
        if kept == 0 and len(wanted.weight):
            first = _middle(wanted.box[0], self._share * width * height)
            return Wishes(first[None], wanted.weight[:1], wanted.actor[:1], dropped)
        return Wishes(wanted.box[:kept], wanted.weight[:kept], wanted.actor[:kept], dropped)

    def _fitting(self, box: np.ndarray, width: int, height: int) -> int:
        """How many of the first rectangles fit, found by halving: what it answers was tried, though more might fit."""
        if merged_share(box, width, height) <= self._share:
            return len(box)
        fits, fails = 0, len(box)
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if merged_share(box[:middle], width, height) <= self._share:
                fits = middle
            else:
                fails = middle
        return fits


def _middle(box: np.ndarray, pixels: float) -> np.ndarray:
    """(4,) the part around the middle of `box`, of its shape, that holds at most `pixels`; may be empty."""
    size = box[2:] - box[:2]
    kept = np.floor(size * np.sqrt(min(1.0, pixels / float(size[0] * size[1])))).astype(np.int64)
    start = box[:2] + (size - kept) // 2
    return np.concatenate([start, start + kept])
