"""The co-simulated device against cocotb on the same RTL (PPC 8), in one run: simulated cycles a second.

cocotb clocks a frame of 64x32 in two ways, with the agents that its users know (cocotbext-axi's memories and register
master) and with this project's own lean ones, each on Icarus and on Verilator. The co-simulated device renders the
reference street in 25 % of the pixels, host work included. All rates are measured on this machine and count processor
time of one core, so that a busy machine changes them alike; they are the speed of simulators, never latency.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASE = "agents_of_others_see_the_same_frame"
AGENTS = {"cocotbext-axi agents": "frame of cocotbext-axi", "lean agents": "frame"}
SIMULATORS = ("icarus", "verilator")


def cocotb_rates(sim: str) -> dict[str, float]:
    """Cycles a processor second of the kernel bench on `sim`, by agents."""
    command = [sys.executable, "sim/run.py", "--module", "foveal_kernel", "--sim", sim, "--seed", "1"]
    command += ["--parameter", "PPC=8", "--exact", "--testcase", CASE]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    log = (ROOT / "build" / "sim" / f"foveal_kernel_{sim}_PPC=8" / "sim.log").read_text(errors="replace")
    rates = {}
    for agents, line in AGENTS.items():
        (found,) = re.findall(rf" {line}: (\d+) cycles simulated in ([0-9.]+) s", log)
        rates[agents] = int(found[0]) / float(found[1])
    return rates


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
    device = sorted(rates)[1]
    benchmark.extra_info["device_cycles_per_cpu_second"] = round(device)
    print(f"\ncycles a processor second, measured: co-simulated device {device:,.0f}")
    for sim in SIMULATORS:
        for agents, rate in cocotb_rates(sim).items():
            benchmark.extra_info[f"cocotb, {sim}, {agents}"] = round(rate)
            print(f"  cocotb on {sim:9} with {agents:20} {rate:>9,.0f}: the device is {device / rate:>6,.0f} x as fast")
