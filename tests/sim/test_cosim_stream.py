"""Frames in flight together on the co-simulated card: the RTL must allow what the driver does, and it must pay."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from foveal.drawlist import DrawList, Zone
from foveal.geometry import RECORD_BYTES
from foveal.golden.device import ModelDevice
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal.timeline import FOLLOWERS, period_ns
from foveal_sim.cosim import open_cosim
from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.device import CosimDevice
from kernel_rig import Job, Rig
from random_scenes import random_scene

LIMIT = 400_000
"""Cycles that a frame of these may take at most."""


def model_of(device_requests: list[tuple[DrawList, RegionSet]], meshes: object) -> list[np.ndarray]:
    model = ModelDevice()
    model.load(meshes)  # type: ignore[arg-type]
    return [model.render(*one).pixels for one in device_requests]


def counted(device: CosimDevice) -> CosimCard:
    card = device._card
    assert isinstance(card, CosimCard)
    return card


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_overlapped_frames_equal_the_golden_model(seed: int, strided: bool) -> None:
    """Sizes, instances, background, ego, zone and regions change from frame to frame."""
    rng = np.random.default_rng(seed)
    scene = random_scene(seed, 160, 96)
    requests = []
    for n in range(9):
        width, height = int(rng.integers(20, 200)), int(rng.integers(20, 130))
        kept = np.sort(rng.permutation(len(scene.draw.mesh))[: max(1, int(rng.integers(1, len(scene.draw.mesh) + 1)))])
        draw = replace(
            scene.draw,
            frame=n,
            width=width,
            height=height,
            mesh=scene.draw.mesh[kept],
            mvp=scene.draw.mvp[kept],
            sun=scene.draw.sun[kept],
            instance=scene.draw.instance[kept],
            background=tuple(int(v) for v in rng.integers(0, 256, 3)),
            ego=(float(rng.uniform(-20, 20)), 0.0),
            zone=Zone(-10.0, -10.0, 10.0, 10.0, margin=2.0),
        )
        boxes = [Region(*map(int, rng.integers(0, 200, 4))) for _ in range(int(rng.integers(0, 8)))]
        requests.append((draw, RegionSet.of(boxes, width, height)))
    device = open_cosim(memory_bytes=64 << 20, strided=strided)
    device.load(scene.meshes)
    for n, (frame, pixels) in enumerate(zip(device.stream(requests), model_of(requests, scene.meshes), strict=True)):
        assert frame.frame == n
        np.testing.assert_array_equal(frame.pixels, pixels, err_msg=f"{scene.name}, frame {n}")


@pytest.mark.parametrize("delay", [0, 1, 2, 3, 4, 5, 7, 11, 100, 1000, 3000, 9000])
def test_the_next_frame_s_registers_may_be_written_while_one_runs(delay: int) -> None:
    """Every register that configures a frame gets another value `delay` cycles after the start."""
    first = random_scene(3, 160, 96)
    second = random_scene(5, 90, 70)
    one, other = Job.of(first), Job.of(second, strided=True, depth=True, extra_beats=1, inside=True)
    rig, spare = Rig(seed=1), Rig(seed=2)
    rig.clean_frame(one, LIMIT)  # the sweep after the reset is over
    rig.prepare(one)
    rig.start()
    rig.kernel.step(delay)
    held = (rig.tri_at, rig.band_at)
    rig.tri_at, rig.band_at = spare.tri_at + (1 << 19), spare.band_at + (1 << 18)
    rig.configure(other)
    rig.regions(other.regions)
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(one, resident=False)
    assert held != (rig.tri_at, rig.band_at)
    rig.place(other)
    rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(other)


def test_start_in_mid_frame_starts_nothing() -> None:
    job = Job.of(random_scene(3, 160, 96))
    rig = Rig()
    rig.prepare(job)
    frames = rig.read("FRAMES")
    rig.start()
    rig.kernel.step(2000)
    rig.start()
    rig.finish(LIMIT)
    rig.kernel.step(LIMIT)
    assert not rig.kernel.interrupt
    assert rig.read("FRAMES") == frames + 1
    rig.compare(job)


def test_stream_has_more_than_1_6_times_the_throughput_and_longer_frames() -> None:
    """The reference street in 10 % of the pixels, where overheads weigh most."""
    meshes, draw = reference.load()
    regions = reference.regions("10%")
    device = open_cosim()
    device.load(meshes)
    device.render(draw, regions)
    alone = device.render(draw, regions)
    card = counted(device)
    taken = []
    allocate = card.allocate

    def counting(size: int, role: str) -> object:
        taken.append(role)
        return allocate(size, role)

    card.allocate = counting  # type: ignore[method-assign,assignment]
    frames = []
    for frame in device.stream([(draw, regions)] * 7):
        if len(frames) == 1:
            taken.clear()
        frames.append(frame)
    assert taken == []
    assert alone.latency_ns > 1.6 * period_ns(frames)
    assert all(frame.latency_ns > alone.latency_ns for frame in frames[1:-FOLLOWERS])
    assert {str(piece.provenance) for piece in frames[3].timeline} == {"modelled", "simulated"}
    for frame in frames:
        np.testing.assert_array_equal(frame.pixels, alone.pixels)


@pytest.mark.parametrize("strided", [False, True])
def test_steady_stream_makes_nothing_but_the_pictures_it_hands_out(strided: bool) -> None:
    """A second copy of the pixels, or a mask of them, would show: each is a quarter of the picture or more."""
    meshes, draw = reference.load(640, 360)
    regions = RegionSet.full(640, 360)
    device = open_cosim(memory_bytes=64 << 20, strided=strided)
    device.load(meshes)
    frames = device.stream((draw, regions) for _ in range(7))
    for _ in range(3):
        next(frames)
    tracemalloc.start()
    try:
        for _ in range(3):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            frame = next(frames)
            _, peak = tracemalloc.get_traced_memory()
            assert frame.pixels.nbytes <= peak - before < 1.1 * frame.pixels.nbytes
            del frame
    finally:
        tracemalloc.stop()
    frames.close()


def test_records_of_both_kernels_together_leave_half_of_a_memory_channel_idle() -> None:
    """Each port is modelled alone on its channel. Records are what both kernels move, of two frames at a time."""
    meshes, draw = reference.load()
    device = open_cosim()
    device.load(meshes)
    device.render(draw, reference.regions("25%"))
    frames = list(device.stream([(draw, reference.regions("25%"))] * 5, counters=True))
    counters = frames[2].counters
    moved = counters["rd_bytes"] + RECORD_BYTES * counters["geometry_records_written"]
    channel = counted(device).pcie.board.port_bytes_per_s.value
    assert moved * 1e9 / period_ns(frames) < channel / 2
