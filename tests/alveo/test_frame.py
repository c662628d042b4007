"""The reference scene through the unmodified pynq package, and the example."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pynq
import pytest
from foveal.card import FovealDriver, load_board
from foveal.device import DeviceInfo, open_device
from foveal.errors import DeviceBroken, DeviceBusy
from foveal.pynq import FovealDevice
from foveal.pynq.card import PynqCard, PynqGeometry
from foveal.region import Region, RegionSet
from foveal.scene import reference
from foveal.xclbin import make_xclbin
from foveal.xrt.source import xrt_cards
from foveal_sim.xrt import SimulatedXrt

EXAMPLE = str(Path(__file__).resolve().parents[2] / "docs" / "pynq_overlay.py")


@pytest.mark.parametrize("strided", [False, True])
def test_region_frames_are_those_of_the_co_simulated_card_bit_for_bit(strided: bool) -> None:
    meshes, draw = reference.load()
    frames = []
    for backend in ("cosim", "pynq"):
        device = open_device(backend, strided=strided)
        assert isinstance(device, FovealDriver)
        device.load(meshes)
        sets = [reference.regions(share) for share in ("10%", "25%")]
        frames.append([device.render(draw, regions) for regions in sets])
        overlapped = device.stream(((draw, regions) for regions in sets), counters=True)
        frames[-1] += overlapped
        device.close()
    for cosim, through in zip(*frames, strict=True):
        assert cosim.pixels.any()
        assert np.array_equal(cosim.pixels, through.pixels)
        assert [(s.name, s.provenance) for s in cosim.stages] == [(s.name, s.provenance) for s in through.stages]
        for counter in ("triangles_out", "records_written"):
            assert cosim.counters[f"geometry_{counter}"] == through.counters[f"geometry_{counter}"]
        for counter in ("blocks_covered", "tiles_hidden", "out_bytes", "wr_bytes"):
            assert cosim.counters[counter] == through.counters[counter]


def test_only_construction_differs(image: Path) -> None:
    device = open_device("pynq", device="cosim:u280", xclbin=image)
    assert type(device) is FovealDriver
    assert isinstance(device._card, PynqCard)
    assert isinstance(device._geometry, PynqGeometry)
    assert device.info.detail["pynq_device"] == "cosim:u280"
    device.close()


def test_one_driver_has_a_card_until_it_is_closed(image: Path, tmp_path: Path) -> None:
    """Two that do not know of each other would draw into each other's buffers."""
    meshes, draw = reference.load(320, 180)
    regions = RegionSet.full(320, 180)
    first = open_device("pynq", device="cosim:u280", xclbin=image)
    first.load(meshes)
    before = first.render(draw, regions).pixels
    card = next(device for device in pynq.Device.devices if device.tag == "cosim:u280")
    other = tmp_path / "other.xclbin"
    board = load_board("u280")
    other.write_bytes(make_xclbin(replace(board, clock_hz=replace(board.clock_hz, value=200e6))))
    with pytest.raises(DeviceBusy, match=r"cosim:u280 is driven by .*; close\(\) that one first"):
        open_device("pynq", device="cosim:u280", xclbin=image)
    with pytest.raises(DeviceBusy, match="cosim:u280 is driven"):
        pynq.Overlay(str(other), device=card)
    assert np.array_equal(first.render(draw, regions).pixels, before)
    first.close()
    for action in (first.reset, lambda: first.load(meshes)):
        with pytest.raises(DeviceBroken, match="was closed; open it again"):
            action()
    second = open_device("pynq", device="cosim:u280", xclbin=image)
    first.close()
    second.load(meshes)
    assert np.array_equal(second.render(draw, regions).pixels, before)
    del second  # nobody can close it any more
    open_device("pynq", device="cosim:u280", xclbin=image).close()


def test_a_reset_brings_the_driver_back() -> None:
    meshes, draw = reference.load(320, 180)
    regions = RegionSet.full(320, 180)
    device = open_device("pynq")
    device.load(meshes)
    before = device.render(draw, regions).pixels
    device.reset()
    assert np.array_equal(device.render(draw, regions).pixels, before)
    device.close()


def test_the_example_runs(
    card: FovealDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pynq.Device, "_devices", [card])
    asked = [] if card.tag == "cosim:u280" else ["--device", card.tag]  # the co-simulated U280 is what it takes else
    monkeypatch.setattr("sys.argv", ["pynq_overlay.py", *asked])
    runpy.run_path(EXAMPLE)
    printed = capsys.readouterr().out
    assert card.tag in printed
    assert "the same picture: True" in printed


def test_the_example_runs_on_the_other_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["pynq_overlay.py", "--device", "cosim:u55c"])
    runpy.run_path(EXAMPLE)
    assert "the same picture: True" in capsys.readouterr().out
    assert (tmp_path / "foveal_u55c.xclbin").exists()


def test_the_example_says_what_a_card_needs(card: FovealDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pynq.Device, "_devices", [card])
    monkeypatch.setattr("sys.argv", ["pynq_overlay.py", "--device", "xrt:0000:01:00.1"])
    with pytest.raises(SystemExit, match=rf"no device xrt:0000:01:00.1; it has {card.tag}"):
        runpy.run_path(EXAMPLE)
    monkeypatch.setattr("sys.argv", ["pynq_overlay.py", "--device", card.tag])
    monkeypatch.setattr(card, "source", replace(card.source, simulated=False))
    with pytest.raises(SystemExit, match=r"needs its image: --xclbin foveal_u280\.xclbin"):
        runpy.run_path(EXAMPLE)


@pytest.mark.parametrize("registers", [True, False])
def test_a_card_behind_xrt_draws_the_same_through_pynq(registers: bool, image: Path, tmp_path: Path) -> None:
    (source,) = xrt_cards(SimulatedXrt(registers=registers), lock_folder=tmp_path)
    meshes, draw = reference.load(640, 360)
    regions = RegionSet.of([Region(40, 60, 200, 240)], 640, 360)
    expected = open_device("cosim")
    card = PynqCard(pynq.Overlay(str(image), device=FovealDevice(source)))
    found = FovealDriver(card, PynqGeometry(card), DeviceInfo("pynq", source.tag, "fpga", card.describe()))
    frames = []
    for device in (expected, found):
        device.load(meshes)
        frames.append(device.render(draw, regions).pixels)
        device.close()
    assert frames[0].any()
    assert np.array_equal(*frames)
