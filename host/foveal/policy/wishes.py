"""What a policy answers: rectangles, and how much each of them matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from foveal.policy.sight import Sight

__all__ = ["Policy", "Wishes"]


@dataclass(frozen=True, slots=True, eq=False)
class Wishes:
    """box: (N, 4) int64 half-open x0, y0, x1, y1 in pixels, which may leave the frame.

    weight: (N,) float64 >= 0, more is more important; policies use the reciprocal of the seconds until it is reached.
    actor: (N,) int64 the actor that a rectangle is for, -1 for none. dropped: how many have no rectangle, by reason.
    Raises ValueError for other shapes and for weights that are negative or NaN.
    """

    box: np.ndarray
    weight: np.ndarray
    actor: np.ndarray
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.weight)
        if self.box.shape != (n, 4) or self.weight.shape != (n,) or self.actor.shape != (n,):
            raise ValueError(
                f"wishes have boxes {self.box.shape}, weights {self.weight.shape} and actors {self.actor.shape}; "
                "expected (N, 4), (N,) and (N,)"
            )
        if not (self.weight >= 0).all():
            raise ValueError("a wish's weight must be a number >= 0")

    @classmethod
    def of(cls, box: np.ndarray, weight: float | np.ndarray = 1.0) -> Wishes:
        """Rectangles for no actor. box: (N, 4) integers. weight: one for all, or (N,)."""
        box = np.asarray(box, dtype=np.int64).reshape(-1, 4)
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), len(box)).copy()
        return cls(box, weights, np.full(len(box), -1, np.int64))

    @classmethod
    def joined(cls, parts: Iterable[Wishes]) -> Wishes:
        """All rectangles of `parts`, in their order; what was dropped is added up."""
        parts = list(parts)
        dropped: dict[str, int] = {}
        for part in parts:
            for reason, count in part.dropped.items():
                dropped[reason] = dropped.get(reason, 0) + count
        return cls(
            np.concatenate([np.zeros((0, 4), np.int64), *(part.box for part in parts)]),
            np.concatenate([np.zeros(0), *(part.weight for part in parts)]),
            np.concatenate([np.zeros(0, np.int64), *(part.actor for part in parts)]),
            dropped,
        )

    def take(self, rows: np.ndarray) -> Wishes:
        """The rectangles of `rows` (indices or a mask), in that order."""
        return Wishes(self.box[rows], self.weight[rows], self.actor[rows], self.dropped)

    def by_weight(self) -> Wishes:
        """The most important first; equals keep their order."""
        return self.take(np.argsort(-self.weight, kind="stable"))


class Policy(Protocol):
    """One method; a policy that remembers earlier ticks notices when time jumps back."""

    def wishes(self, sight: Sight) -> Wishes:
        """Rectangles for this tick. Raises SceneError when something in the snapshot is not finite."""
