"""frame_stats: every counter, its place in the register map, its clear and its wrap."""

from __future__ import annotations

import json
import os
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng

WIDTH = json.loads(os.environ["FOVEAL_PARAMETERS"])["WIDTH"]

# Pins whose bits are counted, and the totals that stand behind the first 15 counters, in the order of the register map.
STEPS = {"now": 8, "event_pulse": 7, "spent": 3, "fetch": 4, "write": 4}
TOTALS = {
    **{"bands_skipped": 8, "pixels_kept": 32, "out_bytes": 32},
    **{"rd_bursts": 32, "rd_bytes": 32, "wr_bursts": 32, "wr_bytes": 32},
}
BEFORE = 15


class Bench:
    """Drives all pins at random and compares all counters in every cycle."""

    def __init__(self, dut: Any, name: str, busy: float) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.busy = busy  # share of the cycles in which a bit is set
        self.loop = Clocked(dut)
        self.loop.add(self)
        self.start = False

    def reset(self) -> None:
        self.counts = [0] * sum(STEPS.values())
        for name in ("frame_start", *STEPS, *TOTALS):
            getattr(self.dut, name).value = 0
        self.driven = dict.fromkeys((*STEPS, *TOTALS), 0)

    def drive(self) -> None:
        self.driven = {
            name: sum((self.rng.random() < self.busy) << n for n in range(width)) for name, width in STEPS.items()
        }
        self.driven |= {name: self.rng.getrandbits(width) for name, width in TOTALS.items()}
        for name, value in self.driven.items():
            getattr(self.dut, name).value = value
        self.dut.frame_start.value = int(self.start)

    def sample(self) -> None:
        totals = [self.driven[name] for name in TOTALS]
        packed = int(self.dut.frame_counters.value)
        found = [packed >> 32 * n & 0xFFFFFFFF for n in range(len(self.counts) + len(totals))]
        assert found == [*self.counts[:BEFORE], *totals, *self.counts[BEFORE:]]
        steps = [self.driven[name] >> n & 1 for name, width in STEPS.items() for n in range(width)]
        for n, step in enumerate(steps):
            self.counts[n] = 0 if self.start else (self.counts[n] + step) % (1 << WIDTH)


@cocotb.test
async def every_counter_counts_its_own_bit(dut: Any) -> None:
    """Over frames of different lengths: a counter is cleared at a frame's start, in that cycle nothing is counted."""
    bench = Bench(dut, "bits", 0.5)
    await bench.loop.reset()
    for length in (1, 2, 40, 90):
        bench.start = True
        await bench.loop.step()
        bench.start = False
        await bench.loop.step(length)


@cocotb.test
async def counters_wrap_and_hold(dut: Any) -> None:
    """At 7 bits each counter wraps; then nothing happens for a while."""
    bench = Bench(dut, "wrap", 0.9)
    await bench.loop.reset()
    await bench.loop.step(300)
    assert max(bench.counts) > (200 if WIDTH == 32 else 0)
    bench.busy = 0.0
    await bench.loop.step(10)


@cocotb.test
async def a_reset_clears(dut: Any) -> None:
    bench = Bench(dut, "reset", 0.5)
    for cycles in (1, 5, 20):
        await bench.loop.reset()
        await bench.loop.step(cycles)
