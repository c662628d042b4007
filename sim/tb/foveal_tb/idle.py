"""Payload pins of an interface at rest: nothing may depend on them, so they hold what would show in a result."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import Any

import cocotb

__all__ = ["Idle"]


class Idle:
    """Makes pins unknown. Verilator knows no X; there they get random bits, others at each rest."""

    def __init__(self, handles: Iterable[Any]) -> None:
        self.handles = [(handle, len(handle)) for handle in handles]
        self.rng = random.Random(f"{os.environ.get('FOVEAL_SEED', '1')}/{[h._path for h, _ in self.handles]}")
        self.four_state = not cocotb.SIM_NAME.startswith("Verilator")

    def rest(self) -> None:
        """Call in the cycle in which valid falls, and at reset."""
        for handle, width in self.handles:
            handle.value = "X" * width if self.four_state else self.rng.getrandbits(width)
