"""The OpenCL device against the golden model, on whatever OpenCL device there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pytest
from foveal import Device, DrawList, Frame, Provenance, Region, RegionSet, Zone
from foveal.errors import DeviceBroken, DeviceError
from foveal.golden.render import render
from foveal.opencl import OpenClDevice, open_opencl
from foveal.opencl.memory import Memory
from random_scenes import Scene, random_scene

CONFIGURATIONS = {"cpu": ("cpu", None), "gpu": ("gpu", None), "integer": ("cpu", False)}


@pytest.fixture(scope="module", params=CONFIGURATIONS)
def device(request: pytest.FixtureRequest) -> Iterator[OpenClDevice]:
    kernels, fp64 = CONFIGURATIONS[request.param]
    opened = open_opencl(kernels=kernels, fp64=fp64)
    yield opened
    opened.close()


@pytest.fixture
def cpu_set() -> Iterator[OpenClDevice]:
    opened = open_opencl(kernels="cpu")
    yield opened
    opened.close()


def expect_golden(device: OpenClDevice, scene: Scene, regions: RegionSet, resident: bool = False) -> Frame:
    """Equal everywhere where division is exact; else only a fraction of edge pixels may differ, by 1/255 or not."""
    frame = device.render(scene.draw, regions)
    golden = render(scene.meshes, scene.draw, regions, resident).pixels
    different = (frame.pixels != golden).any(axis=-1)
    allowed = 0 if device.info.detail["division"] == "correctly rounded" else different.size // 1000
    assert int(different.sum()) <= allowed, scene.name
    assert not frame.pixels[~regions.mask()].any()
    return frame


def test_it_is_a_device_and_a_cpu_is_called_one(device: OpenClDevice) -> None:
    assert isinstance(device, Device)
    types = {d.name.strip(): d.type for p in cl.get_platforms() for d in p.get_devices()}
    assert device.info.kind == ("gpu" if types[device.info.name] & cl.device_type.GPU else "cpu")
    assert device.info.detail["kernels"] in ("cpu set", "gpu set")
    assert len(device.info.detail["source"]) == 16
    assert device.build_ns > 0


def test_random_scenes_equal_the_golden_model(device: OpenClDevice) -> None:
    shown = 0
    for seed in range(40):
        scene = random_scene(seed)
        device.load(scene.meshes)
        frame = expect_golden(device, scene, scene.regions)
        expect_golden(device, scene, RegionSet.full(scene.draw.width, scene.draw.height))
        shown += frame.counters["records"]
    assert shown > 200


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (33, 65), (426, 360)])
def test_odd_sizes_are_drawn_to_the_last_pixel(device: OpenClDevice, size: tuple[int, int]) -> None:
    scene = random_scene(9, *size, full=True)
    device.load(scene.meshes)
    frame = expect_golden(device, scene, scene.regions)
    assert frame.pixels.shape == (size[1], size[0], 4)
    assert (frame.pixels[..., 3] == 255).all()


def test_a_smaller_frame_after_a_larger_one_holds_nothing_old(device: OpenClDevice) -> None:
    large, small = random_scene(2, 190, 130), random_scene(2, 60, 40)
    for scene in (large, small, large):
        device.load(scene.meshes)
        expect_golden(device, scene, scene.regions)


def test_no_region_and_no_instance(device: OpenClDevice) -> None:
    scene = random_scene(3, 50, 40)
    device.load(scene.meshes)
    assert not device.render(scene.draw, RegionSet.of([], 50, 40)).pixels.any()
    empty = DrawList(
        5,
        50,
        40,
        np.zeros(0, np.uint32),
        np.zeros((0, 4, 4), np.float32),
        np.zeros((0, 3), np.float32),
        background=(1, 2, 3),
    )
    frame = device.render(empty, RegionSet.of([Region(3, 4, 9, 8)], 50, 40))
    assert (frame.pixels[4:8, 3:9] == (3, 2, 1, 255)).all()
    assert int(np.count_nonzero(frame.pixels[..., 3])) == 24
    assert frame.frame == 5


def test_the_zone_tints_and_its_margin_keeps_the_tint(device: OpenClDevice) -> None:
    scene = random_scene(12, 120, 90, full=True)
    device.load(scene.meshes)
    zone = Zone(0.0, 0.0, 10.0, 10.0, margin=2.0)
    for x, resident, loads in [(-1.0, False, 0), (5.0, True, 1), (-1.0, True, 1), (-3.0, False, 1), (5.0, True, 2)]:
        here = replace(scene, draw=replace(scene.draw, ego=(x, 5.0), zone=zone))
        frame = expect_golden(device, here, scene.regions, resident)
        assert frame.counters["dma_loads"] == loads
    lit = render(scene.meshes, scene.draw, scene.regions, False).pixels
    assert (frame.pixels != lit).any()
    assert [s.name for s in frame.stages] == ["prepare", "upload", "dma", "geometry", "raster", "read_back"]


def test_a_chunk_that_outgrows_its_room_is_drawn_whole(device: OpenClDevice) -> None:
    scene = random_scene(5, 150, 120, full=True)
    device.load(scene.meshes)
    expected = expect_golden(device, scene, scene.regions).counters["records"]
    device._capacity = 16
    frame = expect_golden(device, scene, scene.regions)
    assert frame.counters["records"] == expected
    assert device._capacity > 16  # so some chunk had overflowed


def test_stages_are_measured_and_sum_to_the_span(device: OpenClDevice) -> None:
    scene = random_scene(6, 150, 100)
    device.load(scene.meshes)
    frame = device.render(scene.draw, scene.regions)
    assert {s.provenance for s in frame.stages} == {Provenance.MEASURED}
    on_device = [s for s in frame.stages if s.name != "prepare"]
    assert [s.name for s in on_device] == ["upload", "geometry", "raster", "read_back"]
    assert sum(s.time_ns for s in on_device) == frame.counters["device_span_ns"]
    assert frame.counters["device_busy_ns"] <= frame.counters["device_span_ns"]
    assert frame.counters["kernel_busy_ns"] <= frame.counters["kernel_span_ns"] <= frame.counters["device_span_ns"]


def test_misuse_is_refused_with_a_message(cpu_set: OpenClDevice) -> None:
    scene = random_scene(6, 50, 40)
    with pytest.raises(DeviceError, match="call load"):
        cpu_set.render(scene.draw, scene.regions)
    cpu_set.load(scene.meshes)
    with pytest.raises(ValueError, match="regions are for 51x40"):
        cpu_set.render(scene.draw, RegionSet.full(51, 40))
    with pytest.raises(ValueError, match="names mesh 99"):
        cpu_set.render(replace(scene.draw, mesh=np.full_like(scene.draw.mesh, 99)), scene.regions)
    with pytest.raises(ValueError, match="expected auto, cpu or gpu"):
        open_opencl(kernels="fast")


def test_a_failed_device_refuses_work_until_reset(cpu_set: OpenClDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = random_scene(6, 50, 40, full=True)
    cpu_set.load(scene.meshes)

    def fail(*_: object) -> None:
        raise cl.RuntimeError("clEnqueueNDRangeKernel failed: OUT_OF_RESOURCES")

    with monkeypatch.context() as patch:
        patch.setattr(cpu_set, "_launch", fail)
        with pytest.raises(DeviceError, match="OUT_OF_RESOURCES"):
            cpu_set.render(scene.draw, scene.regions)
    with pytest.raises(DeviceBroken, match="call reset"):
        cpu_set.render(scene.draw, scene.regions)
    cpu_set.reset()
    expect_golden(cpu_set, scene, scene.regions)


def test_a_closed_device_refuses_work(cpu_set: OpenClDevice) -> None:
    cpu_set.close()
    with pytest.raises(DeviceBroken, match="closed"):
        cpu_set.load(random_scene(1).meshes)


class TestMemory:
    @pytest.fixture
    def memory(self, cpu_set: OpenClDevice) -> Memory:
        context = cpu_set._context
        return Memory(context, cl.CommandQueue(context))

    def test_an_empty_request_makes_a_buffer_and_no_copy(self, memory: Memory) -> None:
        assert memory.upload("nothing", np.zeros(0, np.uint8)) == []
        assert memory.buffer("nothing", 0).size > 0

    def test_above_the_limit_is_refused_before_the_driver_sees_it(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(memory, "_limit", 1000)
        assert memory.buffer("fits", 1000).size == 1000
        with pytest.raises(DeviceError, match=r"'large' needs 1001 bytes, .* allows 1000"):
            memory.buffer("large", 1001)

    def test_a_buffer_grows_and_never_shrinks(self, memory: Memory) -> None:
        first = memory.buffer("b", 100)
        assert memory.buffer("b", 80) is first
        assert memory.buffer("b", 200).size >= 200
