"""How long a committed region set takes to reach the output of the clip, as hw/SPEC.md, section 6, counts it."""

from __future__ import annotations

from collections import deque
from typing import Any

from .clocked import Clocked, bit

__all__ = ["InjectionWatch"]


class InjectionWatch:
    """An agent that looks at the clip's ports alone and knows nothing of how the RTL counts.

    A set's injection are the cycles, less those with a stalled output, from its change to the leaving of the first beat
    that it clips, but not those before this beat was offered. For sets that come one at a time: the next one only when
    the last one has arrived.
    """

    def __init__(self, loop: Clocked, valid: Any, ready: Any, change: Any, stalled: Any, fire: Any, fresh: Any) -> None:
        self.loop = loop
        self.valid, self.ready, self.change = valid, ready, change
        self.stalled, self.fire, self.fresh = stalled, fire, fresh
        self.injections: list[int] = []  # of the sets that arrived
        self.arrived_at = 0  # cycle in which the last one did
        self.reset()

    def reset(self) -> None:
        self.changed_at: int | None = None  # of the set that is under way
        self.stalls: list[int] = []  # cycles since then
        self.offers: deque[int] = deque()  # first cycle at the input of each beat that has not left
        self.taken = True

    @property
    def under_way(self) -> bool:
        """A set has changed and no beat that it clips has left."""
        return self.changed_at is not None

    def drive(self) -> None:
        """It only listens."""

    def sample(self) -> None:
        cycle = self.loop.cycle
        if bit(self.valid):
            if self.taken:
                self.offers.append(cycle)
            self.taken = bool(bit(self.ready))
        if bit(self.change):
            self.changed_at = cycle
            self.stalls.clear()
        if bit(self.stalled):
            self.stalls.append(cycle)
        if bit(self.fire):
            offered = self.offers.popleft()
            if self.changed_at is not None and self.changed_at < cycle and bit(self.fresh):
                span = range(max(self.changed_at, offered), cycle + 1)
                self.injections.append(len(span) - sum(stall in span for stall in self.stalls))
                self.changed_at, self.arrived_at = None, cycle
