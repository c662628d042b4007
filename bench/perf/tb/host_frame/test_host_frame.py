"""A frame that the host prepared (FOVEAL_FRAME, see recorded.py) in cocotb: the same bytes, in how much time."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import cocotb
from banks import put_cleared
from cocotb.utils import get_sim_time
from foveal_tb.clocked import PERIOD_NS
from kernel_bench import PPC, REG, Bench
from recorded import PAGE, RecordedFrame
from standard_agents import StandardAgents

WIDEST = 320  # pixels of a line
LIMIT = 400_000
"""Cycles; the device needs a tenth of it."""


async def timed(agents: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a frame from its start to its end and log the time that this process and the wall clock took."""
    cycle, wall, start = get_sim_time("ns"), time.perf_counter(), time.process_time()
    await run()
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    cycles = (get_sim_time("ns") - cycle) // PERIOD_NS
    cocotb.log.info("%s: %d cycles in %.4f s of processor, %.4f s of wall time", agents, cycles, seconds, wall)


@cocotb.test
async def agents_draw_what_the_device_drew(dut: Any) -> None:
    """This project's lean agents first, then cocotbext-axi's, which the same clock drives."""
    frame = RecordedFrame.load(Path(os.environ["FOVEAL_FRAME"]))
    bench = Bench(dut, "host")
    await bench.loop.reset()
    await bench.loop.step(12)
    put_cleared(dut, PPC, WIDEST)  # a first frame's wait for that is none of its work
    await bench.loop.step(2)
    for page, address in zip(frame.pages, frame.page_at, strict=True):
        for memory in bench.memory:
            memory.pages[int(address) // PAGE] = bytearray(page)
    for offset, value in frame.registers:
        await bench.access(int(offset), int(value))
    await bench.write("ROI_COMMIT", 1)

    async def run() -> None:
        await bench.write("CTRL", 1)
        for _ in range(LIMIT // 20):
            if await bench.read("CTRL") & 2:
                return
            await bench.loop.step(16)
        raise AssertionError(f"no ap_done within {LIMIT} cycles")

    await timed("lean agents", run)
    assert bench.memory[1].read(frame.output_at, frame.output.size) == frame.output.tobytes()
    await bench.loop.step(2)  # the last answer must be gone before others look

    size = frame.memory_bytes
    others = StandardAgents(dut, size, fill=0)
    for page, address in zip(frame.pages, frame.page_at, strict=True):
        for memory in others.memory:
            memory.write(int(address) % size, page.tobytes())
    await timed("cocotbext-axi agents", lambda: others.run(REG["CTRL"], LIMIT))
    assert others.memory[1].read(frame.output_at % size, frame.output.size) == frame.output.tobytes()
