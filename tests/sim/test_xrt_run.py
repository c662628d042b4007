"""What a run through XRT writes, and that the kernel takes no harm from it: every word from the first argument on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from foveal.card import FovealDriver, registers
from foveal.card.kernel import load_kernel
from foveal.card.roles import KERNEL
from foveal.drawlist import DrawList, MeshSet, Zone
from foveal.errors import DeviceError
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal.xrt.device import XrtDevice, open_xrt
from foveal_sim.cosim import Fault
from foveal_sim.xrt import SimulatedXrt
from xrt_double import write_image

ARGUMENTS = load_kernel(KERNEL).arguments
WORDS = {offset for argument in ARGUMENTS for offset in range(argument.offset, argument.offset + argument.size, 4)}
ALL = set(range(0x10, ARGUMENTS[-1].offset + ARGUMENTS[-1].size, 4))


def opened(folder: Path, library: SimulatedXrt) -> XrtDevice:
    return open_xrt(library=library, xclbin=write_image(folder), reset=library.reset, lock_folder=folder)


@pytest.fixture(scope="module")
def street() -> tuple[MeshSet, DrawList, RegionSet]:
    meshes, draw = reference.load()
    return meshes, draw, RegionSet.of([Region(700, 500, 1031, 611)], draw.width, draw.height)


def test_no_word_of_a_run_is_refused_and_gaps_change_nothing(
    tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]
) -> None:
    """36 words between the arguments are no register; CTRL_RESET is one, to which a run writes 0: nothing happens."""
    library = SimulatedXrt()
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    pixels = [device.render(draw, regions).pixels for _ in range(2)]
    np.testing.assert_array_equal(*pixels)
    assert not library.world.refused_writes
    assert len(ALL - WORDS) == 37
    assert {registers.CTRL_RESET} == (ALL - WORDS) & set(registers.OFFSETS.values())
    assert library.world.card.read(registers.FRAMES) == 2  # CTRL_RESET would have cleared it


def test_invalidations_reach_one_frame_alone(tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]) -> None:
    library = SimulatedXrt()
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    inside = DrawList(
        frame=1, width=draw.width, height=draw.height, mesh=draw.mesh, mvp=draw.mvp, sun=draw.sun,
        zone=Zone(-10.0, -10.0, 10.0, 10.0),
    )  # fmt: skip
    device.load(meshes)
    loads = [device.render(inside, regions).counters["dma_loads"] for _ in range(3)]
    assert loads == [1, 1, 1]
    device._xrt.write(registers.MAT_INVALIDATE, 1)
    loads = [device.render(inside, regions).counters["dma_loads"] for _ in range(2)]
    assert loads == [2, 2]


def test_each_run_commits_its_own_regions(tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]) -> None:
    library = SimulatedXrt()
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    sets = [device.render(draw, each).counters["roi_sets"] for each in (regions, reference.regions("10%"), regions)]
    assert sets == [1, 2, 3]


def test_a_set_that_was_given_beside_a_run_ends_with_it(
    tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]
) -> None:
    library = SimulatedXrt()
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    before = device.render(draw, regions).pixels
    device._xrt.set_regions_now(RegionSet.of([Region(1, 2, 30, 40)], draw.width, draw.height))
    assert library.world.card.read(registers.roi_lo(0)) == 1 | 2 << 16
    np.testing.assert_array_equal(device.render(draw, regions).pixels, before)


def test_the_order_in_which_words_are_written_is_that_of_their_offsets() -> None:
    """The commit comes behind the words that it commits, and the start, which XRT writes last, behind all."""
    offsets = {argument.name: argument.offset for argument in ARGUMENTS}
    last = max(offset for name, offset in offsets.items() if name.startswith("ROI_") and name != "ROI_COMMIT")
    assert last < offsets["ROI_COMMIT"]
    assert min(offsets.values()) > registers.CTRL


SEEN_BY_BOTH = ["hang", "slverr:gmem1", "silent:gmem1", "lost_interrupt", "reset"]


@pytest.mark.parametrize(
    ("kind", "has_registers"),
    [(kind, has) for kind in SEEN_BY_BOTH for has in (True, False)] + [("slverr:gmem0", True)],
)
def test_a_frame_that_fails_below_xrt_does_not_count(
    kind: str, has_registers: bool, tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]
) -> None:
    library = SimulatedXrt(registers=has_registers, faults=[Fault.parse(f"{kind}@1")])
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    first = device.render(draw, regions).pixels
    with pytest.raises(DeviceError):
        device.render(draw, regions)
    assert isinstance(device, FovealDriver)
    device.reset()
    np.testing.assert_array_equal(device.render(draw, regions).pixels, first)


def test_a_bad_record_is_seen_by_the_status_register_alone(
    tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet]
) -> None:
    """With pyxrt the frame ends, and all its pixels are written. What it cannot see, the device says of itself."""
    library = SimulatedXrt(registers=False, faults=[Fault.parse("slverr:gmem0@1")])
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    for _ in range(2):
        device.render(draw, regions)
    status, _ = library.world.card.kernel.read_register(registers.STATUS)
    assert status & registers.STATUS_ERROR_MASK
    assert "errors of memory reads are not seen" in device.info.detail["registers"]


@pytest.mark.parametrize("frame", [0, 1])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("fault", ["off_the_bus", "foreign"])
def test_a_reset_mends_the_card_where_its_error_is_caught(
    tmp_path: Path, street: tuple[MeshSet, DrawList, RegionSet], fault: str, streamed: bool, frame: int
) -> None:
    """The error's traceback leads through this library's objects; it lets nobody reset a card that they hold."""
    library = SimulatedXrt(faults=f"{fault}@{1 + frame}")
    device = opened(tmp_path, library)
    meshes, draw, regions = street
    device.load(meshes)
    sound = device.render(draw, regions).pixels
    try:
        for _ in range(2):
            list(device.stream([(draw, regions)] * 2)) if streamed else device.render(draw, regions)
    except DeviceError:
        device.reset()
    else:
        pytest.fail("the fault did not strike")
    np.testing.assert_array_equal(device.render(draw, regions).pixels, sound)


def test_what_is_never_set_is_zero_as_after_a_reset_but_for_the_timeout() -> None:
    resets = {register.offset: register.reset for register in registers.REGISTERS}
    assert {offset for offset in WORDS if resets[offset]} == {registers.TIMEOUT}
