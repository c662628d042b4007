"""What happens around the end of a reset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cocotb.triggers import RisingEdge

from .clocked import Clocked, bit

__all__ = ["release_under_load"]


async def release_under_load(loop: Clocked, source: Any, beats: Iterable[tuple[int, ...]]) -> None:
    """End a reset while `source` already offers the first of `beats`; until then nothing may be taken."""
    await RisingEdge(loop.clk)
    for reset in loop.resets:
        reset.value = 0
    for agent in loop.agents:
        agent.reset()
    await RisingEdge(loop.clk)  # what the test before left inside is gone before anyone looks
    await loop.step(3)
    source.send(beats)
    await loop.step()  # valid is up before the first edge that sees no reset
    assert not bit(source.ready), "ready in reset"
    await loop.release()
