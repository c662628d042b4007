"""Latency statistics: nearest-rank percentiles, when they may be claimed, and ratios with an interval.

Nothing is trimmed: outliers are counted and kept. All functions take plain sequences of one unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["CLAIMABLE_FROM", "RATIO_FROM", "Ratio", "Summary", "nearest_rank", "ratio_of_medians", "summarise"]

CLAIMABLE_FROM = {0.5: 11, 0.9: 64, 0.99: 662, 0.999: 6636}
"""Samples needed to claim a percentile at 99 % confidence with one sample over the limit allowed.

Source for 0.9, 0.99, 0.999: the early-stopping test of MLPerf LoadGen; 0.5 by the same binomial sum.
"""


def _checked(samples: Sequence[float] | np.ndarray) -> np.ndarray:
    values = np.sort(np.asarray(samples, dtype=np.float64))
    if values.ndim != 1 or values.size == 0:
        raise ValueError("no samples")
    if not np.isfinite(values).all():
        raise ValueError("a sample is NaN or infinite")
    if values[0] < 0:
        raise ValueError(f"a duration is negative ({values[0]:g}); the clock or the arithmetic is wrong")
    return values


def nearest_rank(samples: Sequence[float] | np.ndarray, p: float) -> float:
    """The ceil(p n)-th smallest sample, 0 < p <= 1. Raises ValueError without samples or for NaN or negative ones."""
    if not 0 < p <= 1:
        raise ValueError(f"p must be in (0, 1], got {p}")
    values = _checked(samples)
    return float(values[math.ceil(p * values.size - 1e-9) - 1])


@dataclass(frozen=True, slots=True)
class Summary:
    """Percentiles of n samples, in the samples' unit; None where n is too small to claim it. max is always given."""

    n: int
    mean: float
    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    max: float
    outliers: int


def summarise(samples: Sequence[float] | np.ndarray) -> Summary:
    """Summary of durations; `outliers` counts samples beyond 1.5 interquartile ranges (kept, never removed)."""
    values = _checked(samples)
    n = values.size
    claimed = {p: nearest_rank(values, p) if n >= least else None for p, least in CLAIMABLE_FROM.items()}
    q1, q3 = nearest_rank(values, 0.25), nearest_rank(values, 0.75)
    reach = 1.5 * (q3 - q1)
    outliers = int(np.count_nonzero((values < q1 - reach) | (values > q3 + reach)))
    return Summary(
        n, float(values.mean()), claimed[0.5], claimed[0.9], claimed[0.99], claimed[0.999], float(values[-1]), outliers
    )


RATIO_FROM = 6
"""Pairs needed for a ratio's interval: with five, all on one side, a sign test cannot reach 95 % (2 / 2^5 > 0.05)."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """median(a) / median(b) with a bootstrap interval; below 1 means a is smaller."""

    value: float
    low: float
    high: float
    confidence: float


def ratio_of_medians(
    a: Sequence[float] | np.ndarray,
    b: Sequence[float] | np.ndarray,
    *,
    seed: int = 1,
    draws: int = 2000,
    confidence: float = 0.95,
) -> Ratio:
    """Ratio of medians with a percentile bootstrap interval (seeded). Raises ValueError if median(b) is 0."""
    x, y = _checked(a), _checked(b)
    if np.median(y) == 0:
        raise ValueError("the median of the denominator is 0")
    rng = np.random.default_rng(seed)
    top = np.median(x[rng.integers(x.size, size=(draws, x.size))], axis=1)
    bottom = np.median(y[rng.integers(y.size, size=(draws, y.size))], axis=1)
    ratios = top[bottom > 0] / bottom[bottom > 0]
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return Ratio(float(np.median(x) / np.median(y)), float(low), float(high), confidence)
