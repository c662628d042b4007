"""What the benchmarks share: the reference scene, and devices that hold it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from foveal.device import Device, open_device
from foveal.drawlist import DrawList, MeshSet
from foveal.region import RegionSet
from foveal.scene import reference


@pytest.fixture(scope="session")
def street() -> tuple[MeshSet, DrawList]:
    return reference.load()


@pytest.fixture(scope="session", params=["100%", "25%", "10%"])
def share(request: pytest.FixtureRequest) -> RegionSet:
    return RegionSet.full(1920, 1080) if request.param == "100%" else reference.regions(request.param)


def _loaded(name: str, meshes: MeshSet) -> Iterator[Device]:
    device = open_device(name)
    device.load(meshes)
    yield device
    device.close()


@pytest.fixture(scope="session")
def opencl(street: tuple[MeshSet, DrawList]) -> Iterator[Device]:
    yield from _loaded("opencl", street[0])


@pytest.fixture(scope="session")
def cosim(street: tuple[MeshSet, DrawList]) -> Iterator[Device]:
    yield from _loaded("cosim", street[0])


@pytest.fixture(scope="session")
def model(street: tuple[MeshSet, DrawList]) -> Iterator[Device]:
    yield from _loaded("model", street[0])
