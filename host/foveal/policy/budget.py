"""At most so many pixels, the most important first."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from foveal.policy.coverage import Coverage
from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy, Wishes

__all__ = ["Budget"]


class Budget:
    """The most important wishes of `policy` whose regions, once merged, hold at most `share` of the frame's pixels.

    The first that does not fit is shrunk about its middle, in its own shape, until it does; all behind it are dropped.
    So what is near does not vanish because it is near. The middle is what an agent needs of it: the sides are margin,
    and the corners around a stretch of lane lie beside the lane.
    """

    def __init__(self, policy: Policy, share: float) -> None:
        """share: 0..1. Raises ValueError for another."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a budget is a share of the frame, 0..1, got {share}")
        self._policy, self._share = policy, share

    def wishes(self, sight: Sight) -> Wishes:
        wanted = self._policy.wishes(sight).by_weight()
        size = np.array((sight.camera.width, sight.camera.height) * 2)
        box = np.clip(wanted.box, 0, size)
        seen = (box[:, 2] > box[:, 0]) & (box[:, 3] > box[:, 1])
        box, weight, actor = box[seen], wanted.weight[seen], wanted.actor[seen]
        coverage, frame = Coverage(box), sight.camera.width * sight.camera.height

        def fits(count: int, more: np.ndarray | None = None) -> bool:
            return coverage.pixels(count, more) / frame <= self._share

        kept = len(box) if fits(len(box)) else _largest(fits, len(box))
        if kept < len(box):
            left = self._share * frame - coverage.pixels(kept)
            part = _shrunk(box[kept], left, lambda shrunk: fits(kept, shrunk))
            if part is not None:
                box[kept] = part
                kept += 1
        dropped = {**wanted.dropped, "over_budget": wanted.dropped.get("over_budget", 0) + len(box) - kept}
        return Wishes(box[:kept], weight[:kept], actor[:kept], dropped)


def _shrunk(box: np.ndarray, left: float, fits: Callable[[np.ndarray], bool]) -> np.ndarray | None:
    """(4,) the largest rectangle about the middle of `box`, of its shape, that fits; None where no pixel does.

    left: pixels that it may have where it overlaps nothing.
    """
    size = box[2:] - box[:2]
    longer, shape = int(size.max()), float(size.min() / size.max())

    def part(length: int) -> np.ndarray:
        kept = -(-size * length // longer)
        start = box[:2] + (size - kept) // 2
        return np.concatenate([start, start + kept])

    guess = int((math.sqrt(1 + 4 * shape * left) - 1) / (2 * shape))  # length * (length * shape + 1) = left
    length = _largest(lambda length: fits(part(length)), longer, guess)
    return part(length) if length else None


def _largest(fits: Callable[[int], bool], fails: int, guess: int = 0) -> int:
    """How many fit of 0, which do, to `fails`, which do not. What it answers was tried, though more might fit.

    guess: tried first, and the next; then the rest is halved.
    """
    best = 0
    for tried in (guess, guess + 1) if guess else ():
        if tried < fails:
            best, fails = (tried, fails) if fits(tried) else (best, tried)
    while fails - best > 1:
        middle = (best + fails) // 2
        best, fails = (middle, fails) if fits(middle) else (best, middle)
    return best
