"""The co-simulated device against cocotb on the same RTL (PPC 8, Verilator), in one run: simulated cycles a second.

cocotb clocks a small frame with the kernel bench's agents in Python; the co-simulated device renders the reference
street in 25 % of the pixels, host work included. Both rates count processor time of one core, so that a busy machine
changes them alike; they are the speed of simulators, never latency.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASE = "a_read_error_on_records_ends_the_frame_with_status"


def cocotb_rate() -> float:
    """Cycles a second of the kernel bench on Verilator; the median of its frames."""
    command = [sys.executable, "sim/run.py", "--module", "foveal_kernel", "--sim", "verilator", "--seed", "1"]
    subprocess.run(
        [*command, "--parameter", "PPC=8", "--testcase", CASE], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    log = (ROOT / "build" / "sim" / "foveal_kernel_verilator_PPC=8" / "sim.log").read_text(errors="replace")
    frames = re.findall(r"frame: (\d+) cycles simulated in ([0-9.]+) s", log)
    rates = sorted(int(cycles) / float(seconds) for cycles, seconds in frames)
    return rates[len(rates) // 2]


def test_cosimulation_against_cocotb(benchmark, street, cosim):
    pytest.importorskip("cocotb_tools")
    from foveal.scene import reference

    regions = reference.regions("25%")
    cosim.render(street[1], regions)
    rates = []

    def render():
        start = time.process_time()
        cycles = cosim.render(street[1], regions).counters["frame_cycles"]
        rates.append(cycles / (time.process_time() - start))

    benchmark.pedantic(render, rounds=3)
    device, bench = sorted(rates)[1], cocotb_rate()
    benchmark.extra_info |= {
        "device_cycles_per_cpu_second": round(device),
        "cocotb_cycles_per_cpu_second": round(bench),
        "ratio": round(device / bench),
    }
    print(f"\nco-simulation {device:,.0f} cycles/s, cocotb {bench:,.0f} cycles/s, ratio {device / bench:,.0f}")
