"""The cards in pynq.Device.devices, whenever foveal.pynq is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pynq
import pytest
from foveal.card import board_names, load_board
from foveal.card.source import card_sources
from foveal.device import open_device
from foveal.errors import DeviceBroken, DeviceNotFound, XclbinError
from foveal.pynq import FovealDevice
from foveal.xclbin import make_xclbin

LATE = """
import warnings
warnings.simplefilter("ignore")
import pynq
before = len(pynq.Device.devices)
import foveal.pynq
print(before, [device.tag for device in pynq.Device.devices])
"""


def test_every_board_has_a_co_simulated_card() -> None:
    tags = [device.tag for device in pynq.Device.devices if isinstance(device, FovealDevice)]
    assert tags == [source.tag for source in card_sources()]
    assert {f"cosim:{name}" for name in board_names()} <= set(tags)


def test_a_probe_before_the_import_does_not_hide_them() -> None:
    result = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.startswith("0 ['cosim:u280', 'cosim:u55c']")


def test_nothing_is_opened_by_listing() -> None:
    device = FovealDevice(card_sources()[0])
    with pytest.raises(DeviceBroken, match="cosim:u280 holds no image; load one"):
        device.read_registers(0x800000, 4)


def test_an_image_of_another_board_is_refused(card: FovealDevice, tmp_path: Path) -> None:
    path = tmp_path / "other.xclbin"
    path.write_bytes(make_xclbin(load_board("u55c")))
    with pytest.raises(XclbinError, match=r"other\.xclbin: it is for the platform xilinx_u55c"):
        pynq.Overlay(str(path), device=card)


def test_a_real_card_needs_a_bitstream(card: FovealDevice, image: Path) -> None:
    source = card.source
    real = FovealDevice(type(source)("xrt:0000:65:00.1", source.board, source.platform, False, source.open))
    with pytest.raises(XclbinError, match=r"it has no bitstream, and xrt:0000:65:00\.1 is a card"):
        pynq.Overlay(str(image), device=real)


def test_a_file_that_is_cut_short_never_reaches_the_parser_of_pynq(card: FovealDevice, image: Path) -> None:
    image.write_bytes(image.read_bytes()[:5000])
    with pytest.raises(XclbinError, match="cut short"):
        pynq.Overlay(str(image), device=card)


def test_the_same_image_is_shared_and_keeps_buffers(card: FovealDevice, image: Path, overlay: pynq.Overlay) -> None:
    buffer = pynq.allocate(4, "u1", target=overlay.HBM4)
    buffer[:] = (1, 2, 3, 4)
    buffer.flush()
    pynq.Overlay(str(image), device=card)
    buffer[:] = 0
    buffer.invalidate()
    assert buffer.tolist() == [1, 2, 3, 4]


def test_a_card_that_there_is_not_is_named(card: FovealDevice) -> None:
    with pytest.raises(DeviceNotFound, match="no card xrt:9; it has cosim:u280, cosim:u55c"):
        open_device("pynq", device="xrt:9")
