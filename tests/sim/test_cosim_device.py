"""The co-simulated card end to end: the RTL against the golden model, faults, independence of devices."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from foveal.card import registers
from foveal.card.status import undrained
from foveal.drawlist import Zone
from foveal.errors import DeviceBroken, DeviceError, DeviceNotFound, DeviceTimeout
from foveal.frame import Frame
from foveal.golden import render
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal_sim.cosim import MemoryTiming, PortFault, open_cosim
from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.device import CosimDevice
from random_scenes import Scene, random_scene

SEEDS = range(12)
EVERYWHERE = Zone(-1e4, -1e4, 1e4, 1e4)
FAST = MemoryTiming(1, {"gmem0": 1.0, "gmem1": 1.0, "gmem2": 1.0})
SLOW = MemoryTiming(200, {"gmem0": 0.11, "gmem1": 0.23, "gmem2": 0.5}, outstanding=2)


@pytest.fixture
def device() -> Iterator[CosimDevice]:
    opened = open_cosim(memory_bytes=64 << 20)
    yield opened
    opened.close()


@pytest.fixture
def scene() -> Scene:
    """A frame of three bands whose regions hold part of each."""
    made = random_scene(3, 160, 96)
    boxes = [Region(0, 0, 70, 40), Region(33, 20, 91, 96), Region(151, 50, 160, 51)]
    return replace(made, regions=RegionSet.of(boxes, 160, 96))


def card_of(device: CosimDevice) -> CosimCard:
    card = device._card
    assert isinstance(card, CosimCard)
    return card


def show(device: CosimDevice, scene: Scene, depth: bool = False) -> Frame:
    device.load(scene.meshes)
    return device.render(scene.draw, scene.regions, depth)


def depth_words(frame: Frame) -> np.ndarray:
    return frame.pixels.view("<u4")[..., 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_scene_equals_the_golden_model(device: CosimDevice, seed: int) -> None:
    scene = random_scene(seed)
    golden = render(scene.meshes, scene.draw, scene.regions, resident=False)
    np.testing.assert_array_equal(show(device, scene).pixels, golden.pixels, err_msg=scene.name)
    np.testing.assert_array_equal(depth_words(show(device, scene, depth=True)), golden.depth_words())


def test_material_table_tints_inside_the_zone(device: CosimDevice, scene: Scene) -> None:
    inside = replace(scene, draw=replace(scene.draw, zone=EVERYWHERE))
    golden = render(scene.meshes, scene.draw, scene.regions, resident=True)
    frame = show(device, inside)
    np.testing.assert_array_equal(frame.pixels, golden.pixels)
    assert (frame.counters["dma_loads"], frame.counters["dma_bytes"], frame.counters["dma_state"]) == (1, 1024, 3)
    again = device.render(inside.draw, inside.regions)
    assert (again.counters["dma_loads"], again.counters["dma_skipped"]) == (1, 1)


def test_new_mesh_set_brings_its_own_material_table(device: CosimDevice, scene: Scene) -> None:
    inside = replace(scene, draw=replace(scene.draw, zone=EVERYWHERE))
    show(device, inside)
    material = np.ascontiguousarray(scene.meshes.material[::-1])
    other = replace(inside, meshes=replace(scene.meshes, material=material))
    golden = render(other.meshes, other.draw, other.regions, resident=True)
    np.testing.assert_array_equal(show(device, other).pixels, golden.pixels)


def test_memory_speed_changes_cycles_and_no_pixel(scene: Scene) -> None:
    frames = []
    for timing in (FAST, SLOW):
        device = open_cosim(memory_bytes=64 << 20, timing=timing)
        frames.append(show(device, scene))
        device.close()
    np.testing.assert_array_equal(frames[0].pixels, frames[1].pixels)
    assert frames[1].counters["frame_cycles"] > frames[0].counters["frame_cycles"]


def test_strided_layout_holds_the_same_pixels(device: CosimDevice, scene: Scene) -> None:
    strided = open_cosim(memory_bytes=64 << 20, strided=True)
    np.testing.assert_array_equal(show(strided, scene).pixels, show(device, scene).pixels)


def test_counters_agree_with_the_memory(device: CosimDevice, scene: Scene) -> None:
    counters = show(device, scene).counters
    read, wrote = (card_of(device).kernel.statistics(port) for port in ("gmem0", "gmem1"))
    kept = int(np.count_nonzero(scene.regions.mask()))
    assert (counters["rd_bytes"], counters["rd_bursts"]) == (read.bytes, read.bursts)
    assert (counters["wr_bytes"], counters["wr_bursts"]) == (wrote.bytes, wrote.bursts)
    assert counters["pixels_kept"] == kept
    assert counters["wr_bytes"] == counters["out_bytes"] == 4 * kept


def test_region_set_takes_effect_within_five_cycles(device: CosimDevice, scene: Scene) -> None:
    counters = show(device, scene).counters
    assert counters["roi_sets"] == 1
    assert 1 <= counters["roi_inject_cycles"] <= 5  # SPEC section 6
    assert counters["roi_wait_cycles"] < counters["frame_cycles"]


def test_stages_are_simulated_or_modelled_and_add_up(device: CosimDevice, scene: Scene) -> None:
    frame = show(device, scene)
    assert {stage.provenance for stage in frame.stages} == {Provenance.SIMULATED, Provenance.MODELLED}
    simulated = sum(stage.time_ns for stage in frame.stages if stage.provenance is Provenance.SIMULATED)
    assert simulated == pytest.approx(frame.counters["frame_cycles"] / 0.3)
    assert all(stage.time_ns >= 0 for stage in frame.stages)


def test_same_frame_costs_the_same(device: CosimDevice, scene: Scene) -> None:
    show(device, scene)
    second, third = (device.render(scene.draw, scene.regions) for _ in range(2))
    assert second.stages == third.stages


@pytest.mark.parametrize("response", [2, 3])
@pytest.mark.parametrize("port", ["gmem0", "gmem1", "gmem2"])
def test_memory_error_breaks_the_device_until_a_reset(
    device: CosimDevice, scene: Scene, port: str, response: int
) -> None:
    inside = replace(scene, draw=replace(scene.draw, zone=EVERYWHERE))
    expected = show(device, inside)
    device.load(scene.meshes)
    card = card_of(device)
    card.inject(PortFault(port, 0, 1 << 63, response))
    with pytest.raises(DeviceError, match=f"{port}.*{ {2: 'SLVERR', 3: 'DECERR'}[response] }"):
        device.render(inside.draw, inside.regions)
    card.clear_faults()
    with pytest.raises(DeviceBroken):
        device.render(inside.draw, inside.regions)
    device.reset()
    np.testing.assert_array_equal(device.render(inside.draw, inside.regions).pixels, expected.pixels)


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("port", ["gmem0", "gmem1"])
def test_dead_memory_port_ends_in_an_error_and_not_in_a_hang(
    device: CosimDevice, scene: Scene, port: str, silent: bool
) -> None:
    expected = show(device, scene)
    card = card_of(device)
    card.set_dead(port, silent=silent)
    with pytest.raises(DeviceError, match=f"{port} did not answer.*{port} still owe.*needs a reset"):
        device.render(scene.draw, scene.regions)
    card.clear_faults()
    device.reset()
    np.testing.assert_array_equal(device.render(scene.draw, scene.regions).pixels, expected.pixels)


@pytest.mark.parametrize("latency", [7, 42, 900])
def test_timeout_is_far_above_the_modelled_latency(scene: Scene, latency: int) -> None:
    rates = {"gmem0": 1.0, "gmem1": 1.0, "gmem2": 1.0}
    device = open_cosim(memory_bytes=64 << 20, timing=MemoryTiming(latency, rates))
    assert 10 * latency <= card_of(device).read(registers.TIMEOUT) < registers.DEFAULT_TIMEOUT * 2
    golden = render(scene.meshes, scene.draw, scene.regions, resident=False)
    np.testing.assert_array_equal(show(device, scene).pixels, golden.pixels)


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("port", ["gmem0", "gmem1"])
def test_kernel_reset_alone_revives_it_once_the_memory_answers(
    device: CosimDevice, scene: Scene, port: str, silent: bool
) -> None:
    expected = show(device, scene)
    card = card_of(device)
    card.set_dead(port, silent=silent)
    with pytest.raises(DeviceError):
        device.render(scene.draw, scene.regions)
    card.write(registers.CTRL_RESET, 1)
    card.kernel.step(5000)
    assert undrained(card.read(registers.STATUS)) == [port]
    card.clear_faults()
    card.kernel.step(5000)
    assert card.read(registers.STATUS) == 0
    card.write(registers.CTRL, registers.CTRL_AP_START_MASK)
    card.wait_done(0.01)
    assert card.read(registers.STATUS) & registers.STATUS_ERROR_MASK == 0
    assert card.read(registers.OUT_BYTES) == expected.counters["out_bytes"]


@pytest.mark.parametrize(
    ("deadline_s", "words"),
    [(1e-7, r"geometry kernel did not end its run within 0.0001 ms"), (3e-5, r"within 9000 cycles \(0.03 ms\)")],
)
def test_frame_beyond_its_deadline_is_a_timeout(scene: Scene, deadline_s: float, words: str) -> None:
    """Geometry takes 8 us of the 1st frame; its raster run waits 16,384 cycles for the sweep after the reset."""
    device = open_cosim(memory_bytes=64 << 20, deadline_s=deadline_s)
    with pytest.raises(DeviceTimeout, match=words):
        show(device, scene)
    with pytest.raises(DeviceBroken):
        device.load(scene.meshes)


def test_two_devices_in_two_threads_do_not_meet(scene: Scene) -> None:
    other = random_scene(8, 120, 80)

    def drive(shown: Scene) -> np.ndarray:
        device = open_cosim(memory_bytes=64 << 20)
        device.load(shown.meshes)
        return np.stack([device.render(shown.draw, shown.regions).pixels for _ in range(3)])

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(drive, (scene, other)))
    for shown, frames in zip((scene, other), results, strict=True):
        golden = render(shown.meshes, shown.draw, shown.regions, resident=False)
        np.testing.assert_array_equal(frames, np.stack([golden.pixels] * 3))


def test_corrupted_pixel_differs_in_one_bit_of_one_frame(device: CosimDevice, scene: Scene) -> None:
    expected = show(device, scene).pixels
    changed = []
    for number in range(3):
        device.spoil_next = (40, 30) if number == 1 else None
        changed.append(show(device, scene).pixels ^ expected)
    assert [int(np.unpackbits(bits).sum()) for bits in changed] == [0, 1, 0]
    assert changed[1][30, 40].any()


def test_card_answers_a_wrong_register_with_an_error(device: CosimDevice) -> None:
    card = card_of(device)
    for offset in (0x06C, 0xFFC):
        with pytest.raises(DeviceError, match="AXI response 2"):
            card.read(offset)
    for offset in (0xFFC, registers.ID):
        with pytest.raises(DeviceError, match="AXI response 2"):
            card.write(offset, 1)
    card.write(0x06C, 1)  # a gap between arguments, which a run through XRT writes as well
    assert card.read(registers.ID) == registers.DEFAULT_ID


def test_buffers_end_where_they_end(device: CosimDevice) -> None:
    card = card_of(device)
    buffer = card.allocate(100, "output")
    assert buffer.address % 4096 == 0
    buffer.write(np.arange(50, dtype=np.uint16))
    np.testing.assert_array_equal(buffer.read(4, offset=6), [3, 0, 4, 0])
    with pytest.raises(ValueError, match="buffer of 100"):
        buffer.write(np.zeros(1, np.uint8), offset=100)
    buffer.free()
    with pytest.raises(DeviceError, match="freed"):
        buffer.read(1)


def test_out_of_memory_says_what_to_do() -> None:
    device = open_cosim(memory_bytes=1 << 20)
    with pytest.raises(DeviceError, match="memory_bytes"):
        show(device, random_scene(1))


def test_unknown_board_is_refused() -> None:
    with pytest.raises(DeviceNotFound, match="u280"):
        open_cosim(board="u999")


def test_kernels_may_end_in_any_order() -> None:
    """In a process of its own: whoever ends wrongly waits for ever."""
    code = """
import random
from foveal_sim.cosim._cosim import Kernel
rng = random.Random(1)
alive = []
for _ in range(80):
    if len(alive) < 4 or rng.random() < 0.5:
        alive.append(Kernel(1 << 32, 1 << 20))
    else:
        del alive[rng.randrange(len(alive))]
    litter = [bytearray(rng.randrange(16, 4000)) for _ in range(50)]
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=environment)
