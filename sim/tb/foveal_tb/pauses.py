"""Patterns of activity: infinite iterators of booleans, true in a cycle in which a side wants to move."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

__all__ = ["PAUSES", "bursty", "geometric", "pattern", "pauses"]

PAUSES = ("always", "geometric", "rare", "bursty", "alternate", "three_of_four")


def pattern(text: str) -> Iterator[bool]:
    """Repeat a string of ones and zeros."""
    return itertools.cycle([char == "1" for char in text])


def geometric(rng: random.Random, p: float) -> Iterator[bool]:
    """Active with probability `p`, independent in each cycle."""
    while True:
        yield rng.random() < p


def bursty(rng: random.Random, on: int = 12, off: int = 20) -> Iterator[bool]:
    """Runs of activity and of silence, of uniform length up to `on` and `off` cycles."""
    while True:
        yield from [True] * rng.randint(1, on)
        yield from [False] * rng.randint(1, off)


def pauses(kind: str, rng: random.Random) -> Iterator[bool]:
    """The pattern named `kind`, one of PAUSES."""
    if kind == "always":
        return itertools.repeat(True)
    if kind == "geometric":
        return geometric(rng, 0.5)
    if kind == "rare":
        return geometric(rng, 0.3)
    if kind == "bursty":
        return bursty(rng)
    return pattern({"alternate": "10", "three_of_four": "1110"}[kind])
