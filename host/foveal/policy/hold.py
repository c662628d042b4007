"""What was wanted a moment ago is still wanted: no flicker at thresholds."""

from __future__ import annotations

from collections import deque

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy, Wishes

__all__ = ["Hold"]


class Hold:
    """The wishes of `policy`, and those of the last ticks whose actor has none now.

    A rectangle of no actor is held where no present one of no actor touches it. Frames that do not follow (a jump back
    or ahead by more than `ticks`) forget the past.
    """

    def __init__(self, policy: Policy, ticks: int = 5) -> None:
        """ticks: how long. Raises ValueError below 0."""
        if ticks < 0:
            raise ValueError(f"wishes are held for 0 or more ticks, got {ticks}")
        self._policy, self._ticks = policy, ticks
        self._past: deque[tuple[int, Wishes]] = deque()

    def wishes(self, sight: Sight) -> Wishes:
        frame = sight.tick.frame
        now = self._policy.wishes(sight)
        if self._past and not self._past[-1][0] <= frame <= self._past[-1][0] + self._ticks:
            self._past.clear()
        while self._past and self._past[0][0] < frame - self._ticks:
            self._past.popleft()
        shown = now
        for then, past in reversed(self._past):
            if then < frame:
                shown = Wishes.joined([shown, _missing(past, shown)])
        if not self._past or self._past[-1][0] != frame:
            self._past.append((frame, now))
        return Wishes(shown.box, shown.weight, shown.actor, now.dropped)


def _missing(past: Wishes, shown: Wishes) -> Wishes:
    """Those of `past` that nothing in `shown` stands for."""
    free = past.box[past.actor < 0][:, None], shown.box[shown.actor < 0][None]
    touch = np.asarray((free[0][..., :2] < free[1][..., 2:]).all(-1) & (free[1][..., :2] < free[0][..., 2:]).all(-1))
    gone = np.zeros(len(past.weight), bool)
    gone[past.actor < 0] = ~touch.any(axis=1)
    gone[past.actor >= 0] = ~np.isin(past.actor[past.actor >= 0], shown.actor)
    return past.take(gone)
