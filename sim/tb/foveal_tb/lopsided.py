"""Numbers with runs of equal bits, for fields of which every bit must count beside its neighbours."""

from __future__ import annotations

import random

__all__ = ["lopsided"]


def lopsided(rng: random.Random, limit: int, count: int, ones: bool) -> list[int]:
    """`count` different numbers below `limit`, ascending, most of whose bits are ones, or zeros."""
    found: set[int] = set()
    while len(found) < count:
        one, other = rng.randrange(limit), rng.randrange(limit)
        found.add((one | other if ones else one & other) % limit)
    return sorted(found)
