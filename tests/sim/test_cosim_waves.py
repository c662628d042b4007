"""Waves of one frame: a file that says what the kernel did, from a model that does what the fast one does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from foveal.drawlist import Zone
from foveal.errors import DeviceError
from foveal.frame import Frame
from foveal.region import Region, RegionSet
from foveal_sim.cosim import MemoryTiming, open_cosim
from random_scenes import Scene, random_scene
from vcd import Vcd

RTL = Path(__file__).resolve().parents[2] / "hw" / "rtl"
KERNEL = "foveal_kernel"
WIDEST = 256
MEMORY = 16 << 20


def some_scene() -> Scene:
    """Two bands, regions in both, materials loaded."""
    made = random_scene(5, 64, 48)
    boxes = RegionSet.of([Region(3, 2, 40, 30), Region(20, 25, 64, 47)], 64, 48)
    return replace(made, regions=boxes, draw=replace(made.draw, zone=Zone(-1e4, -1e4, 1e4, 1e4)))


@pytest.fixture(scope="module")
def scene() -> Scene:
    return some_scene()


@pytest.fixture(scope="module")
def waved(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Frame], Vcd, float]:
    """Three frames, the waves of the second, and the clock."""
    path = tmp_path_factory.mktemp("waves") / "frame.vcd"
    device = open_cosim(memory_bytes=MEMORY, waves=True)
    device.load(scene.meshes)
    frames = [device.render(scene.draw, scene.regions)]
    device.wave_next = path
    frames.append(device.render(scene.draw, scene.regions))
    written = path.stat().st_size
    frames.append(device.render(scene.draw, scene.regions))
    assert path.stat().st_size == written, "the third frame was written as well"
    clock = device.clock_hz
    device.close()
    return frames, Vcd.open(path), clock


def test_the_model_with_waves_does_what_the_fast_one_does(scene: Scene, waved: tuple[list[Frame], Vcd, float]) -> None:
    device = open_cosim(memory_bytes=MEMORY)
    device.load(scene.meshes)
    for number, frame in enumerate(waved[0]):
        fast = device.render(scene.draw, scene.regions)
        np.testing.assert_array_equal(frame.pixels, fast.pixels)
        assert frame.counters == fast.counters, f"frame {number}"
    device.close()


@pytest.mark.parametrize("seed", range(4))
def test_no_cycle_is_lost_where_outputs_are_not_settled(seed: int) -> None:
    """The fast model never sees a falling edge: a pin that followed an input within a cycle would change counters."""
    scene = random_scene(seed, 96, 40)
    timing = MemoryTiming(3 + 17 * seed, {"gmem0": 0.31, "gmem1": 0.23, "gmem2": 0.5}, outstanding=1 + seed)
    frames = []
    for waves in (False, True):
        device = open_cosim(memory_bytes=MEMORY, timing=timing, waves=waves)
        device.load(scene.meshes)
        frames.append(device.render(scene.draw, scene.regions))
        device.close()
    np.testing.assert_array_equal(frames[0].pixels, frames[1].pixels)
    assert frames[0].counters == frames[1].counters


def test_the_file_holds_every_port_and_the_registers_of_every_stage(waved: tuple[list[Frame], Vcd, float]) -> None:
    width = waved[1].width
    ports = re.findall(r"^ +(?:in|out)put\s+wire(?:\s*\[[^]]+\])?\s+(\w+)", (RTL / f"{KERNEL}.v").read_text(), re.M)
    assert len(ports) > 100
    missing = {port for port in ports if f"{KERNEL}.{KERNEL}.{port}" not in width}
    wide = {f"m_axi_gmem{n}_{side}data" for n in (0, 2) for side in "rw"} | {"m_axis_shade_tdata"}
    assert missing == wide, "only buses above 256 bits may be missing"
    assert max(width.values()) <= WIDEST
    for stage in (
        "u_fetch",
        "u_cull",
        "u_raster",
        "u_store",
        "u_ctl",
        "u_scan",
        "u_clip",
        "u_write",
        "u_regs",
        "u_dma",
    ):
        registers = [name for name in width if f".{stage}." in name and re.search(r"_reg(\[\d+\])?$", name)]
        assert registers, stage


def test_the_clock_ticks_once_a_cycle_of_the_frame(waved: tuple[list[Frame], Vcd, float]) -> None:
    frames, vcd, clock_hz = waved
    clock, running = f"{KERNEL}.ap_clk", f"{KERNEL}.{KERNEL}.u_ctl.now_running"
    assert vcd.timescale == "1ps"
    edges, cycles, before = [], 0, (1, 0)
    for time, values in vcd.samples(clock, running):
        if values[clock] and not before[0]:
            edges.append(time)
            cycles += before[1]
        before = values[clock], values[running]
    assert cycles == frames[1].counters["frame_cycles"]
    period = 1e12 / clock_hz
    assert np.abs(np.diff(edges) - period).max() <= 1
    assert edges[-1] - edges[0] == pytest.approx((len(edges) - 1) * period, abs=1)


def test_beats_in_the_waves_are_the_bytes_that_were_written(waved: tuple[list[Frame], Vcd, float]) -> None:
    frames, vcd, _ = waved
    clock, valid, ready, strobe = (
        f"{KERNEL}.{name}" for name in ("ap_clk", "m_axi_gmem1_wvalid", "m_axi_gmem1_wready", "m_axi_gmem1_wstrb")
    )
    beats = written = 0
    before: dict[str, int] = {clock: 1}
    for _, values in vcd.samples(clock, valid, ready, strobe):
        if values[clock] and not before[clock] and before[valid] and before[ready]:
            beats += 1
            written += before[strobe].bit_count()
        before = dict(values)
    assert beats == frames[1].counters["write_beats"] > 0
    assert written == frames[1].counters["wr_bytes"]


def test_a_device_without_waves_says_how_to_get_them(scene: Scene, tmp_path: Path) -> None:
    device = open_cosim(memory_bytes=MEMORY)
    device.load(scene.meshes)
    device.wave_next = tmp_path / "frame.vcd"
    with pytest.raises(DeviceError, match="waves=True"):
        device.render(scene.draw, scene.regions)
    assert device.render(scene.draw, scene.regions).counters["frame_cycles"] > 0
    device.close()


def test_a_file_that_cannot_be_written_is_named(scene: Scene, tmp_path: Path) -> None:
    device = open_cosim(memory_bytes=MEMORY, waves=True)
    device.load(scene.meshes)
    device.wave_next = tmp_path / "missing" / "frame.vcd"
    with pytest.raises(DeviceError, match=r"missing/frame\.vcd"):
        device.render(scene.draw, scene.regions)
    assert device.render(scene.draw, scene.regions).counters["frame_cycles"] > 0
    device.close()
