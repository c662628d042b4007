"""Keys of a run's configurations: what was drawn with, full frames or regions."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BASELINE", "MEASURED_CARD", "SHARED", "SIMULATED_CARD", "accelerated"]

BASELINE, SHARED = "opencl-full", "opencl-region"
SIMULATED_CARD, MEASURED_CARD = "cosim", "card"
"""First half of the keys of a card's configurations; the other half is full or region."""


def accelerated(names: Iterable[str]) -> str:
    """Key of the card's region frames among the configurations `names`; the co-simulated card's if there is none."""
    measured = f"{MEASURED_CARD}-region"
    return measured if measured in names else f"{SIMULATED_CARD}-region"
