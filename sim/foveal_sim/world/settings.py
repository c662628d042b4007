"""Episode settings and weather as the client sends and reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from foveal_sim.world.arguments import like

__all__ = ["ASYNCHRONOUS_STEP_S", "EpisodeSettings", "default_weather"]

ASYNCHRONOUS_STEP_S = 0.05
"""Step when the client sets none: 20 Hz."""

_MAX_STEP_S = 10.0
_REST = (True, 0.01, 10, 0.0, False, 3000.0, 2000.0, True)


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """fixed_delta_s: None for a step of ASYNCHRONOUS_STEP_S. rest: the fields after it, kept for clients only."""

    synchronous: bool = False
    no_rendering: bool = False
    fixed_delta_s: float | None = None
    rest: tuple[object, ...] = field(default=_REST)

    @classmethod
    def parse(cls, fields: Sequence[object]) -> EpisodeSettings:
        """From the wire; fields that are missing keep their defaults.

        Raises ValueError for a step that is not positive, finite and at most 10 s, and for a field of another type.
        """
        synchronous, no_rendering, delta = fields[:3]
        step = float(delta[1]) if isinstance(delta, Sequence) and len(delta) > 1 and delta[0] else None  # type: ignore[arg-type]
        if step == 0.0:
            step = None
        if step is not None and not (math.isfinite(step) and 0 < step <= _MAX_STEP_S):
            raise ValueError(f"fixed_delta_seconds must be in (0, {_MAX_STEP_S:g}] s, got {step}")
        return cls(bool(synchronous), bool(no_rendering), step, tuple(like(fields[3:], _REST)))

    @property
    def step_s(self) -> float:
        """Seconds of simulated time per tick."""
        return ASYNCHRONOUS_STEP_S if self.fixed_delta_s is None else self.fixed_delta_s

    def wire(self) -> list[object]:
        delta = [False] if self.fixed_delta_s is None else [True, self.fixed_delta_s]
        return [self.synchronous, self.no_rendering, delta, *self.rest]


def default_weather() -> list[float]:
    """A clear noon in the client's field order: the fifth and sixth are the sun's azimuth and altitude in degrees."""
    return [5.0, 0.0, 0.0, 10.0, 45.0, 60.0, 2.0, 0.75, 0.1, 0.0, 1.0, 0.03, 0.0331, 0.0]
