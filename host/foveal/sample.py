"""Telemetry: one measured value of one series."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """time_ns: since 1970, UTC. attributes: what tells series apart, such as the card.

    A sensor that tells nothing has no sample; it is never one of 0.
    """

    time_ns: int
    metric: str
    value: float
    unit: str
    attributes: tuple[tuple[str, str], ...]
