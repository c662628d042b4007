"""The co-simulated kernel against cocotb: the same RTL and parameters (PPC 8), the same frame, in one run.

The frame is the reference street's at 320x180 in 25 % of the pixels, as the host's driver prepared it; each simulator
must write the same bytes. cocotb runs it on Icarus and on Verilator, with the agents that its users know
(cocotbext-axi's memories and register master) and with this project's own lean ones. All are timed from the write of
ap_start to the end of the frame. Beside that stands the whole device at 1920x1080, host's work included. Rates are
measured on this machine and count processor time of one core, so that a busy machine changes them alike: speeds of
simulators, no latency.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from recorded import RecordedFrame

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 320, 180
FRAMES = 15
SIMULATORS = ("icarus", "verilator")
AGENTS = ("cocotbext-axi agents", "lean agents")


@dataclass(frozen=True)
class Pace:
    """Of one frame: clock cycles, processor seconds and wall seconds."""

    cycles: int
    cpu_s: float
    wall_s: float

    @property
    def rate(self) -> float:
        return self.cycles / self.cpu_s


def small_street():
    """Meshes, draw list and the 25 % region set at 320x180."""
    from foveal.region import Region, RegionSet
    from foveal.scene import reference

    boxes = reference.regions("25%")
    scaled = [
        Region(b.x0 * WIDTH // 1920, b.y0 * HEIGHT // 1080, -(-b.x1 * WIDTH // 1920), -(-b.y1 * HEIGHT // 1080))
        for b in boxes
    ]
    return *reference.load(WIDTH, HEIGHT), RegionSet.of(scaled, WIDTH, HEIGHT)


def record(folder: Path) -> tuple[Path, Pace]:
    """Draw the frame on the co-simulated card; the file that holds it, and the pace of its kernel alone."""
    from foveal.card import registers
    from foveal_sim.cosim import open_cosim

    meshes, draw, boxes = small_street()
    device = open_cosim(memory_bytes=32 << 20)
    device.load(meshes)
    counters = device.render(draw, boxes).counters
    kernel = device._card.kernel
    frame = RecordedFrame.of(kernel, counters["out_bytes"])
    paces = []
    for _ in range(FRAMES):
        kernel.memory[frame.output_at - kernel.base :][: frame.output.size] = 0
        if kernel.interrupt:
            kernel.write_register(registers.ISR, registers.ISR_AP_DONE_MASK)
            kernel.step(4)
        cycle, wall, start = kernel.cycles, time.perf_counter(), time.process_time()
        kernel.write_register(registers.CTRL, registers.CTRL_AP_START_MASK)
        kernel.run(10_000_000)
        cpu_s, wall_s = time.process_time() - start, time.perf_counter() - wall
        assert kernel.interrupt
        assert kernel.read_register(registers.OFFSETS["STATUS"])[0] & 0xF == 0
        paces.append(Pace(kernel.cycles - cycle, cpu_s, wall_s))
        written = kernel.memory[frame.output_at - kernel.base :][: frame.output.size]
        np.testing.assert_array_equal(written, frame.output)
    device.close()
    path = folder / "frame.npz"
    frame.save(path)
    return path, median_pace(paces)


def median_pace(paces: list[Pace]) -> Pace:
    return Pace(paces[0].cycles, median(p.cpu_s for p in paces), median(p.wall_s for p in paces))


def cocotb_paces(sim: str, frame: Path) -> dict[str, Pace]:
    """The recorded frame in cocotb on `sim`, by agents."""
    command = [sys.executable, "sim/run.py", "--benches", "bench/perf/tb", "--module", "host_frame", "--sim", sim]
    run = subprocess.run([*command, "--seed", "1"], cwd=ROOT, env={**os.environ, "FOVEAL_FRAME": str(frame)}, text=True,
                         capture_output=True)  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    log = (ROOT / "build" / "sim" / f"host_frame_{sim}_PPC=8" / "sim.log").read_text(errors="replace")
    paces = {}
    for agents in AGENTS:
        (found,) = re.findall(rf" {agents}: (\d+) cycles in ([0-9.]+) s of processor, ([0-9.]+) s of wall", log)
        paces[agents] = Pace(int(found[0]), float(found[1]), float(found[2]))
    return paces


@pytest.mark.timeout(1800)  # Icarus takes half a minute of processor time, and compiles come before
def test_cosimulation_against_cocotb(benchmark, street, cosim, tmp_path):
    pytest.importorskip("cocotb_tools")
    from foveal.scene import reference

    regions = reference.regions("25%")
    cosim.render(street[1], regions)
    whole = []

    def render():
        wall, start = time.perf_counter(), time.process_time()
        cycles = cosim.render(street[1], regions).counters["frame_cycles"]
        whole.append(Pace(cycles, time.process_time() - start, time.perf_counter() - wall))

    benchmark.pedantic(render, rounds=5)
    frame, kernel = record(tmp_path)
    rows = [("device, 1920x1080, with the host's work", median_pace(whole)), ("kernel alone, the frame below", kernel)]
    rows += [
        (f"cocotb on {sim}, {agents}", pace) for sim in SIMULATORS for agents, pace in cocotb_paces(sim, frame).items()
    ]
    heads = f"{'cycles':>9}{'cpu s':>9}{'wall s':>9}{'cycles/cpu s':>14}{'the kernel is':>15}"
    print(f"\n{'measured, a frame in 25 % of the pixels':46}{heads}")
    for name, pace in rows:
        benchmark.extra_info[name] = round(pace.rate)
        ratio = f"{kernel.rate / pace.rate:>13,.0f} x" if name.startswith("cocotb") else ""
        print(f"{name:46}{pace.cycles:>9,}{pace.cpu_s:>9.3f}{pace.wall_s:>9.3f}{pace.rate:>14,.0f}{ratio}")
