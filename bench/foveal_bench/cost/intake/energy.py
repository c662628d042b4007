"""Energy from a log of power."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Energy", "integrate"]


@dataclass(frozen=True, slots=True)
class Energy:
    """joules over `covered_s` seconds; flags: reordered, duplicates, missing (spans beside it are not covered)."""

    joules: float
    covered_s: float
    flags: tuple[str, ...]


def integrate(times_s: Sequence[float], watts: Sequence[float | None]) -> Energy:
    """Trapezoids between neighbouring samples, in the order of time.

    A sample without a value ends a span: what lies beside it is not covered. Raises ValueError for two values of one
    time, negative or infinite power, a time that is no number, and for fewer than two samples.
    """
    if len(times_s) != len(watts):
        raise ValueError(f"{len(times_s)} times and {len(watts)} values")
    flags = []
    known: dict[float, float | None] = {}
    for time, power in zip(times_s, watts, strict=True):
        value = None if power is None or math.isnan(power) else float(power)
        if not math.isfinite(time):
            raise ValueError(f"time {time} is not a number of seconds")
        if value is not None and (value < 0 or math.isinf(value)):
            raise ValueError(f"power {value:g} W at {time:g} s is not possible")
        if time in known:
            if known[time] != value:
                raise ValueError(f"two values at {time:g} s: {known[time]} and {value}")
            flags.append("duplicates")
        known[time] = value
    if len(known) < 2:
        raise ValueError("fewer than two samples span no time")
    if list(times_s) != sorted(times_s):
        flags.append("reordered")
    if None in known.values():
        flags.append("missing")
    joules = covered = 0.0
    ordered = sorted(known.items())
    for (start, first), (end, last) in pairwise(ordered):
        if first is not None and last is not None:
            joules += (first + last) / 2 * (end - start)
            covered += end - start
    return Energy(joules, covered, tuple(sorted(set(flags))))
