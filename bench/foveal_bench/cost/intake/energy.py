"""Energy from a log of power."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Energy", "count", "integrate"]


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
    ordered, flags = _ordered(times_s, watts)
    joules = covered = 0.0
    for (start, first), (end, last) in pairwise(ordered):
        if first is not None and last is not None:
            joules += (first + last) / 2 * (end - start)
            covered += end - start
    return Energy(joules, covered, flags)


def count(times_s: Sequence[float], joules: Sequence[float | None], *, wraps_at: float | None = None) -> Energy:
    """Energy from a counter that only rises; samples are put in order, and missing ones are bridged.

    wraps_at: the value at which it starts again from 0, if that is known. Else a fall is a restart: what was counted
    since is taken, what was lost before is not known, and the flag `reset` says so. Raises ValueError as `integrate`.
    """
    ordered, flags = _ordered(times_s, joules)
    known = [(time, value) for time, value in ordered if value is not None]
    if len(known) < 2:
        raise ValueError("fewer than two samples span no time")
    total = 0.0
    for (_, before), (_, after) in pairwise(known):
        if after >= before:
            total += after - before
        elif wraps_at is not None and before <= wraps_at:
            total += wraps_at - before + after
        else:
            total += after
            flags = tuple(sorted({*flags, "reset"}))
    return Energy(total, known[-1][0] - known[0][0], flags)


def _ordered(
    times_s: Sequence[float], values: Sequence[float | None]
) -> tuple[list[tuple[float, float | None]], tuple[str, ...]]:
    """Samples in the order of time, each time once, and the flags."""
    if len(times_s) != len(values):
        raise ValueError(f"{len(times_s)} times and {len(values)} values")
    flags = set()
    known: dict[float, float | None] = {}
    for time, given in zip(times_s, values, strict=True):
        value = None if given is None or math.isnan(given) else float(given)
        if not math.isfinite(time):
            raise ValueError(f"time {time} is not a number of seconds")
        if value is not None and (value < 0 or math.isinf(value)):
            raise ValueError(f"{value:g} at {time:g} s is not possible")
        if time in known:
            if known[time] != value:
                raise ValueError(f"two values at {time:g} s: {known[time]} and {value}")
            flags.add("duplicates")
        known[time] = value
    if len(known) < 2:
        raise ValueError("fewer than two samples span no time")
    if list(times_s) != sorted(times_s):
        flags.add("reordered")
    if None in known.values():
        flags.add("missing")
    return sorted(known.items()), tuple(sorted(flags))
