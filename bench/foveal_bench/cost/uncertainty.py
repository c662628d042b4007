"""How sure a comparison is: draws of every figure that has a spread, and what the saving becomes.

Each figure draws from a stream of its own, seeded by the run's seed and the figure's name. So two scenarios that share
a figure share its draws (common random numbers), and adding a figure changes no other.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foveal_bench.cost.comparison import Comparison
from foveal_bench.cost.tco import PARTS, Inputs, parts_of

__all__ = ["DRAWS", "Interval", "Outcome", "Swing", "draw", "interval", "outcome", "outcome_of", "tornado"]

Array = NDArray[np.float64]
DRAWS = 10_000
CONFIDENCE = 0.95
TORNADO_TAIL = 0.05


@dataclass(frozen=True, slots=True)
class Interval:
    """Median, and what 95 % of the draws lie between."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Yearly totals of both fleets and the saving, a value a draw."""

    baseline: Array
    alternative: Array

    @property
    def saving(self) -> Array:
        """Share of the baseline's cost; 0 where nothing is spent."""
        spent = np.where(self.baseline > 0, self.baseline, 1.0)
        return np.where(self.baseline > 0, 1 - self.alternative / spent, 0.0)

    def probability(self, least: float) -> float:
        """Share of the draws in which at least this is saved."""
        return float(np.mean(self.saving >= least))


def interval(values: Array) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low, median, high = np.quantile(values, [tail, 0.5, 1 - tail])
    return Interval(float(median), float(low), float(high))


def _uniform(name: str, draws: int, seed: int) -> Array:
    return np.random.default_rng([seed, zlib.crc32(name.encode())]).random(draws)


def draw(inputs: Inputs, draws: int, seed: int) -> dict[str, Array]:
    """Every figure by name: an array of draws where it has a spread, else its value."""
    return {
        name: np.asarray(float(figure.value))
        if figure.spread is None
        else figure.spread.quantile(_uniform(name, draws, seed))
        for name, figure in inputs.figures.items()
    }


def outcome(comparison: Comparison, streams: int, draws: int = DRAWS, seed: int = 42) -> Outcome:
    """The comparison under `draws` draws of its figures."""
    return outcome_of(comparison, streams, draw(comparison.inputs, draws, seed), draws)


def outcome_of(comparison: Comparison, streams: int, values: Mapping[str, Array], draws: int) -> Outcome:
    """The comparison at given values: arrays of `draws`, or single ones."""
    fps = np.asarray(float(comparison.service.fps))
    totals = []
    for fleet in comparison.fleets:
        parts = parts_of(values, fleet, streams, fps)
        exact = sum((np.asarray(parts[name]) for name in PARTS), np.asarray(0.0))
        totals.append(np.broadcast_to(exact, (draws,)))
    return Outcome(*totals)


@dataclass(frozen=True, slots=True)
class Swing:
    """The saving when one figure is at its 5 % and 95 % quantile, and all others at their values."""

    name: str
    at_low: float
    at_high: float
    low: float
    high: float


def tornado(comparison: Comparison, streams: int) -> list[Swing]:
    """Swings of all figures with a spread, the widest first."""
    middle = {name: np.asarray(float(figure.value)) for name, figure in comparison.inputs.figures.items()}
    swings = []
    for name, figure in comparison.inputs.figures.items():
        if figure.spread is None:
            continue
        ends = figure.spread.quantile(np.array([TORNADO_TAIL, 1 - TORNADO_TAIL]))
        low, high = outcome_of(comparison, streams, middle | {name: ends}, 2).saving
        swings.append(Swing(name, float(low), float(high), float(ends[0]), float(ends[1])))
    return sorted(swings, key=lambda s: abs(s.at_high - s.at_low), reverse=True)
