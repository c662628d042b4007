"""What all objects of one library share: the card, its image and its time."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from foveal.card import Board
from foveal.xclbin import Image

from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.geometry import CosimGeometry

__all__ = ["World"]


@dataclass
class World:
    """What all objects of one library share.

    image: on the card. clock_ns: the card's time, in which the host's work is modelled.
    """

    board: Board
    card: CosimCard
    image: Image | None = None
    clock_ns: float = 0.0
    kernels: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    buffers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    refused_writes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.geometry = CosimGeometry(self.card)

    def now_ns(self) -> int:
        """The card's time with what the host has done since it was last asked."""
        self.clock_ns += self.card.take_time()[0]
        return int(self.clock_ns)

    @property
    def loaded(self) -> str:
        """UUID of the image on the card; zeros without one."""
        return str(self.image.uuid) if self.image is not None else str(UUID(int=0))
