"""Choosing an OpenCL device: names, indices, GPU before CPU, and what is said when there is none."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyopencl as cl
import pytest
from foveal.errors import DeviceNotFound
from foveal.opencl.selection import kind_of, select


@dataclass
class FakeDevice:
    name: str
    type: int
    available: bool = True


@dataclass
class FakePlatform:
    name: str
    devices: list[FakeDevice] = field(default_factory=list)
    version: str = "OpenCL 3.0"

    def get_devices(self) -> list[FakeDevice]:
        if not self.devices:
            raise cl.RuntimeError("clGetDeviceIDs failed: DEVICE_NOT_FOUND")
        return self.devices


CPU = FakeDevice("EPYC", cl.device_type.CPU)
GPU = FakeDevice("H200 (0)", cl.device_type.GPU)
SECOND_GPU = FakeDevice("H200 (1)", cl.device_type.GPU)
CARD = FakeDevice("U280", cl.device_type.ACCELERATOR)


@pytest.fixture
def platforms(monkeypatch: pytest.MonkeyPatch) -> list[FakePlatform]:
    there = [FakePlatform("PoCL", [CPU]), FakePlatform("Empty"), FakePlatform("CUDA", [GPU, SECOND_GPU, CARD])]
    monkeypatch.setattr(cl, "get_platforms", lambda: there)
    return there


def test_a_gpu_comes_before_a_cpu(platforms: list[FakePlatform]) -> None:
    assert select() is GPU
    assert (kind_of(GPU), kind_of(CPU)) == ("gpu", "cpu")


def test_part_of_a_name_or_an_index_chooses(platforms: list[FakePlatform]) -> None:
    assert select(platform="pocl") is CPU
    assert select(device="(1)") is SECOND_GPU
    assert select(platform=2, device=1) is SECOND_GPU
    assert select(device=0) is CPU


def test_an_unavailable_gpu_and_an_accelerator_are_not_taken(
    platforms: list[FakePlatform], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platforms[2], "devices", [FakeDevice("H200", cl.device_type.GPU, available=False), CARD])
    assert select() is CPU


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"platform": "amd"}, "no OpenCL platform 'amd'; there are 0: PoCL"),
        ({"device": "arc"}, r"no OpenCL device 'arc'; there are 0: EPYC; 1: H200 \(0\)"),
        ({"device": 7}, "no OpenCL device 7"),
        ({"device": -1}, "no OpenCL device -1"),
        ({"platform": "empty"}, "no OpenCL GPU or CPU on Empty"),
    ],
)
def test_a_wrong_name_lists_what_there_is(
    platforms: list[FakePlatform], options: dict[str, str | int], message: str
) -> None:
    with pytest.raises(DeviceNotFound, match=message):
        select(**options)


def test_no_platform_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[FakePlatform]:
        raise cl.LogicError("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")

    for there in (fail, list):
        monkeypatch.setattr(cl, "get_platforms", there)
        with pytest.raises(DeviceNotFound, match=r"no OpenCL platform.*pip install pocl-binary-distribution"):
            select()
