"""What can be said of a claim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Finding", "Verdict"]


class Verdict(Enum):
    """A claim holds; holds under a named condition; does not agree with itself or with what it cites; is unchecked."""

    HOLDS = "holds"
    ONLY_IF = "holds only if"
    CONTRADICTS = "contradicts itself"
    UNCHECKED = "not checked here"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with the recomputed value (None: there is none) and the reason or condition.

    provenance: how the value came about: modelled (arithmetic, a formula), simulated, measured; empty where unchecked.
    """

    verdict: Verdict
    value: float | None
    reason: str
    provenance: str = "modelled"
