"""One loop that clocks a bench.

In each cycle every agent first drives its pins (after the rising edge) and then samples all pins (at the falling edge,
when combinational paths have settled). What an agent sees in `sample` is exactly what the next rising edge will act
upon, in every simulator; nothing depends on the order of the agents.

The design has one clock, so a cycle is a time, and no bench can wait on the wrong one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any, Protocol

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

__all__ = ["Agent", "Clocked", "bench_rng", "bit", "number"]

PERIOD_NS = 4


class Agent(Protocol):
    """Something that holds one side of an interface."""

    def reset(self) -> None:
        """Forget everything in flight and put the pins to rest (called while the reset is active)."""

    def drive(self) -> None:
        """Set output pins for this cycle."""

    def sample(self) -> None:
        """Look at the pins as the next rising edge will."""


def number(handle: Any) -> int:
    """Unsigned value of pins; AssertionError with their name where a bit is X or Z."""
    value = handle.value
    try:
        return int(value)
    except ValueError:
        raise AssertionError(f"{handle._path} is {value}") from None


bit = number
"""The same, where a pin is meant."""


def bench_rng(name: str) -> random.Random:
    """The seeded source of all random choices of a test; prints the seed."""
    seed = int(os.environ.get("FOVEAL_SEED", "1"))
    cocotb.log.info("%s: FOVEAL_SEED=%d", name, seed)
    return random.Random(f"{seed}/{name}")


class Clocked:
    """The clock, the reset and the agents of a bench. A module with a memory port has a second reset, of the port."""

    def __init__(self, dut: Any, clock: str = "clk", reset: str = "rst_n") -> None:
        self.dut = dut
        self.clk = getattr(dut, clock)
        self.resets = [getattr(dut, reset), *([dut.port_rst_n] if hasattr(dut, "port_rst_n") else [])]
        self.agents: list[Agent] = []
        self.cycle = 0
        # The simulator's own clock: two events a cycle less that go through Python.
        Clock(self.clk, PERIOD_NS, unit="ns", impl="gpi").start()

    def add(self, agent: Any) -> Any:
        """Register `agent`, and return it."""
        self.agents.append(agent)
        return agent

    async def reset(self, cycles: int = 4) -> None:
        """Hold the resets for `cycles`; the first `drive` is in the cycle in which they are released."""
        await RisingEdge(self.clk)
        for reset in self.resets:
            reset.value = 0
        for agent in self.agents:
            agent.reset()
        for _ in range(cycles - 1):
            await RisingEdge(self.clk)
        await self.release()

    async def release(self) -> None:
        """End the reset behind the next edge, and run that cycle."""
        await RisingEdge(self.clk)
        for reset in self.resets:
            reset.value = 1
        for agent in self.agents:
            agent.drive()
        await FallingEdge(self.clk)
        for agent in self.agents:
            agent.sample()

    async def step(self, cycles: int = 1) -> None:
        """Run `cycles` whole cycles."""
        for _ in range(cycles):
            await RisingEdge(self.clk)
            self.cycle += 1
            for agent in self.agents:
                agent.drive()
            await FallingEdge(self.clk)
            for agent in self.agents:
                agent.sample()

    async def until(self, condition: Callable[[], Any], limit: int, what: str) -> int:
        """Step until `condition()` holds and return the cycles it took; AssertionError after `limit`."""
        for taken in range(limit):
            if condition():
                return taken
            await self.step()
        assert condition(), f"{what}: not within {limit} cycles"
        return limit
