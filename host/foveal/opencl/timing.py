"""Stage times from profiling events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foveal.frame import StageTime
from foveal.provenance import Provenance

__all__ = ["Interval", "busy_ns", "span_ns", "stage_times"]


@dataclass(frozen=True, slots=True)
class Interval:
    """One command on the device's clock, nanoseconds; stage: what it belongs to."""

    stage: str
    start_ns: int
    end_ns: int


def span_ns(intervals: Sequence[Interval]) -> int:
    """First start to last end, gaps included; 0 for none. Never the duration of the last command alone."""
    if not intervals:
        return 0
    return max(i.end_ns for i in intervals) - min(i.start_ns for i in intervals)


def busy_ns(intervals: Sequence[Interval]) -> int:
    """Sum of the durations: without gaps; commands that overlap count twice."""
    return sum(i.end_ns - i.start_ns for i in intervals)


def stage_times(intervals: Sequence[Interval]) -> tuple[StageTime, ...]:
    """Measured stage times of commands in queue order, whose sum is the span of all of them.

    A stage lasts from the end of the stage before it (the first: from its own start) to its last command's end, so a
    gap counts for the stage that the device was waiting to begin.
    """
    stages: list[StageTime] = []
    reached = min((i.start_ns for i in intervals), default=0)
    for name in dict.fromkeys(i.stage for i in intervals):
        end = max(i.end_ns for i in intervals if i.stage == name)
        begin, reached = reached, max(reached, end)
        stages.append(StageTime(name, float(reached - begin), Provenance.MEASURED))
    return tuple(stages)
