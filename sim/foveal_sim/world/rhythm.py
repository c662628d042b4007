"""Ticks in a row: while they come, the server waits for the next one awake."""

from __future__ import annotations

import os

__all__ = ["Rhythm"]


class Rhythm:
    """How long to wait awake for the next call of a client that ticks.

    A core that has gone to sleep takes longer to come back than a tick takes. So when a tick comes soon after the last
    answer, the server waits awake from then on, and as long at most; then it sleeps. A client that pauses longer finds
    it asleep and costs nothing, and neither does a server whose world nobody ticks.
    """

    SOON_S = 0.0005

    def __init__(self, cores: int | None = None) -> None:
        """cores: that this process may use, counted when None. On a single one the client needs it: never awake."""
        self._possible = (len(os.sched_getaffinity(0)) if cores is None else cores) > 1
        self._answered_s = -self.SOON_S
        self._row = False

    def tick(self, now_s: float) -> None:
        """A client asks for a synchronous tick."""
        self._row = self._possible and now_s - self._answered_s <= self.SOON_S

    def answered(self, now_s: float) -> None:
        """A call has been dealt with."""
        self._answered_s = now_s

    def awake(self, now_s: float) -> bool:
        """Is the next call still worth waiting for awake?"""
        return self._row and now_s - self._answered_s <= self.SOON_S
