"""What the benchmarks share: the reference scene, and devices that hold it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from foveal.device import Device, open_device
from foveal.drawlist import DrawList, MeshSet
from foveal.region import RegionSet
from foveal.scene import reference

collect_ignore = ["tb"]  # benches of the RTL: the files here start them in a simulator


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


NOTES = pytest.StashKey[list[dict[str, Any]]]()


@pytest.fixture(scope="session")
def notes(pytestconfig: pytest.Config) -> list[dict[str, Any]]:
    """What renders of the co-simulated card note, for the table behind pytest-benchmark's own."""
    return pytestconfig.stash.setdefault(NOTES, [])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The card's own figures: those of the simulated clock, never wall time."""
    rows = config.stash.get(NOTES, [])
    if not rows:
        return
    full = next((row for row in rows if row["region_share"] == 1), None)
    terminalreporter.section("co-simulated card, reference street (wall times above are the simulator's)")
    for row in rows:
        ratio = f" ({row['kernel_cycles'] / full['kernel_cycles']:.3f} x full)" if full else ""
        terminalreporter.write_line(
            f"{100 * row['region_share']:5.1f} % of the pixels: {row['kernel_cycles']:>9,} cycles{ratio},"
            f" frame {row['latency_ms']:.2f} ms ({row['provenance']});"
            f" {row['simulated_cycles_per_wall_second'] / 1e6:.2f} million simulated cycles a second of wall time"
        )
        cycles = ", ".join(f"{name} {value:,}" for name, value in row["stage_cycles"].items())
        terminalreporter.write_line(f"      cycles: {cycles}")
        terminalreporter.write_line(
            f"      {row['records']:,} records fetched, {row['blocks']:,} blocks drawn, {row['bytes']:,} bytes written"
        )
