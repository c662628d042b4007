"""What a value may be: a declared distribution, checked against the values that make sense.

A spread is written in YAML as [low, high] (triangular with its mode at the value) or as a mapping with `distribution`
and its own parameters. All are sampled by their quantile function, so the same uniform numbers serve every scenario.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["Spread", "read_spread"]

Array = NDArray[np.float64]
PARAMETERS = {
    "triangular": ("low", "mode", "high"),
    "uniform": ("low", "high"),
    "normal": ("mean", "sd", "low", "high"),
    "lognormal": ("median", "sigma"),
    "beta": ("a", "b"),
}


@dataclass(frozen=True, slots=True)
class Spread:
    """One distribution. normal is truncated to [low, high]: without a support a price could be negative."""

    distribution: str
    parameters: dict[str, float]

    def quantile(self, u: Array) -> Array:
        """The values that a share `u` (0..1) of the draws stays below; shape of `u`."""
        p = self.parameters
        if self.distribution == "uniform":
            return p["low"] + u * (p["high"] - p["low"])
        if self.distribution == "triangular":
            return _triangular(u, p["low"], p["mode"], p["high"])
        if self.distribution == "normal":
            a, b = special.ndtr((p["low"] - p["mean"]) / p["sd"]), special.ndtr((p["high"] - p["mean"]) / p["sd"])
            return np.clip(p["mean"] + p["sd"] * special.ndtri(a + u * (b - a)), p["low"], p["high"])
        if self.distribution == "lognormal":
            return p["median"] * np.exp(p["sigma"] * special.ndtri(u))
        return np.asarray(special.betaincinv(p["a"], p["b"], u))

    @property
    def support(self) -> tuple[float, float]:
        """Smallest and largest value that can come out."""
        if self.distribution == "lognormal":
            return 0.0, math.inf
        if self.distribution == "beta":
            return 0.0, 1.0
        return self.parameters["low"], self.parameters["high"]


def _triangular(u: Array, low: float, mode: float, high: float) -> Array:
    if high == low:
        return np.full_like(u, low)
    rising = (mode - low) / (high - low)
    left = low + np.sqrt(u * (high - low) * (mode - low))
    right = high - np.sqrt((1 - u) * (high - low) * (high - mode))
    return np.where(u < rising, left, right)


def read_spread(entry: Any, value: float, name: str, *, least: float = 0.0, most: float = math.inf) -> Spread:
    """The spread in `entry` of a figure whose value is `value`, and which makes sense in [least, most].

    Raises ValueError naming `name` when a parameter is missing or no number, when the order is wrong, or when the
    support leaves [least, most] (a share above 1, a negative price).
    """
    if isinstance(entry, list):
        if len(entry) != 2:
            raise ValueError(f"{name}: a spread is [low, high], got {len(entry)} numbers")
        entry = {"distribution": "triangular", "low": entry[0], "mode": value, "high": entry[1]}
    if not isinstance(entry, dict) or entry.get("distribution") not in PARAMETERS:
        raise ValueError(f"{name}: a spread is [low, high] or has a distribution of {', '.join(PARAMETERS)}")
    kind = entry["distribution"]
    given = {key: entry[key] for key in entry if key != "distribution"}
    if set(given) != set(PARAMETERS[kind]):
        raise ValueError(
            f"{name}: {kind} needs exactly {', '.join(PARAMETERS[kind])}, got {', '.join(given) or 'none'}"
        )
    parameters = {}
    for key, text in given.items():
        try:
            parameters[key] = float(text)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {key} {text!r} is not a number") from None
        if not math.isfinite(parameters[key]):
            raise ValueError(f"{name}: {key} is not finite")
    _check(kind, parameters, name)
    spread = Spread(kind, parameters)
    low, high = spread.support
    if low < least or (high > most and not (math.isinf(high) and math.isinf(most))):
        raise ValueError(f"{name}: {kind} reaches from {low:g} to {high:g}, which leaves {least:g} to {most:g}")
    return spread


def _check(kind: str, p: dict[str, float], name: str) -> None:
    if "low" in p and p["low"] > p["high"]:
        raise ValueError(f"{name}: low {p['low']:g} is above high {p['high']:g}")
    if kind == "triangular" and not p["low"] <= p["mode"] <= p["high"]:
        raise ValueError(f"{name}: {p['mode']:g} is not between {p['low']:g} and {p['high']:g}")
    for key in ("sd", "sigma", "median", "a", "b"):
        if key in p and p[key] <= 0:
            raise ValueError(f"{name}: {key} must be positive")
    if kind == "normal" and not p["low"] <= p["mean"] <= p["high"]:
        raise ValueError(f"{name}: the mean {p['mean']:g} is not between {p['low']:g} and {p['high']:g}")
