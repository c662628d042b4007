"""The kernel among the agents that cocotb users know: cocotbext-axi's memories and register master."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

__all__ = ["StandardAgents"]

# cocotbext-axi 0.1.28 still uses what cocotb 2 renamed; that is for its authors to mend.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.")

POLL_CYCLES = 16


class StandardAgents:
    """A memory behind each port and a master in front of the registers. Addresses count modulo `size`."""

    def __init__(self, dut: Any, size: int, fill: int) -> None:
        self.clock = dut.ap_clk
        reset = {"reset": dut.ap_rst_n, "reset_active_level": False}
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.ap_clk, **reset)
        self.memory = [
            AxiRam(AxiBus.from_prefix(dut, f"m_axi_gmem{port}"), dut.ap_clk, **reset, size=size) for port in range(3)
        ]
        for port in self.memory:
            port.write(0, bytes([fill]) * size)
        # They would log every transfer with its bytes.
        for agent in (self.registers, *self.memory):
            agent.write_if.log.setLevel(logging.WARNING)
            agent.read_if.log.setLevel(logging.WARNING)

    async def write(self, address: int, value: int) -> None:
        await self.registers.write_dword(address, value & 0xFFFFFFFF)

    async def read(self, address: int) -> int:
        return await self.registers.read_dword(address)

    async def run(self, control: int, limit: int) -> None:
        """Write ap_start to `control` and poll it until ap_done; AssertionError after `limit` cycles."""
        await self.write(control, 1)
        for _ in range(limit // POLL_CYCLES):
            if await self.read(control) & 2:
                return
            await ClockCycles(self.clock, POLL_CYCLES)
        raise AssertionError(f"no ap_done within {limit} cycles")
