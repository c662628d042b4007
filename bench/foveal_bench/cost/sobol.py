"""Which figure the uncertainty of the saving comes from: Sobol indices."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from foveal_bench.cost.comparison import Comparison
from foveal_bench.cost.uncertainty import outcome_of

__all__ = ["Index", "sobol_indices"]

BASE = 512
"""Base samples, a power of two; the model is evaluated BASE x (figures + 2) times."""


@dataclass(frozen=True, slots=True)
class Index:
    """first: share of the saving's variance that the figure explains alone; total: with its interactions."""

    name: str
    first: float
    total: float
    total_margin: float


def sobol_indices(comparison: Comparison, streams: int, seed: int = 42, base: int = BASE) -> list[Index]:
    """Indices of all figures with a spread, the largest total first; none where the saving does not vary."""
    from SALib.analyze import sobol as analyse
    from SALib.sample import sobol as sample

    figures = comparison.inputs.figures
    names = [name for name, figure in figures.items() if figure.spread is not None]
    if not names:
        return []
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    points = sample.sample(problem, base, calc_second_order=False, seed=seed)
    # An end of the unit interval has no quantile where a distribution is unbounded.
    points = np.clip(points, 1e-9, 1 - 1e-9)
    values = {name: np.asarray(float(figure.value)) for name, figure in figures.items()}
    for at, name in enumerate(names):
        spread = figures[name].spread
        assert spread is not None
        values[name] = spread.quantile(points[:, at])
    saving = outcome_of(comparison, streams, values, len(points)).saving
    if np.ptp(saving) < 1e-12:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = analyse.analyze(problem, saving, calc_second_order=False, seed=seed)
    rows = zip(names, found["S1"], found["ST"], found["ST_conf"], strict=True)
    return sorted((Index(n, float(s1), float(st), float(c)) for n, s1, st, c in rows), key=lambda i: -i.total)
