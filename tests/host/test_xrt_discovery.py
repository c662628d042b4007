"""Why there is no card, and who uses one, from folders of the kind that the kernel shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from foveal.errors import DeviceNotFound
from foveal.xrt import discovery
from foveal.xrt.clients import other_clients
from foveal.xrt.device import open_xrt
from foveal.xrt.discovery import find_cards, why_none
from foveal.xrt.library import load_library
from xrt_double import StrictXrt

NODE = "renderD130"


def machine(root: Path, *, board: bool, node: bool, vendor: str = "0x10ee") -> Path:
    """A machine with a board on PCIe, and a node of the driver for it."""
    if board:
        (root / "sys/bus/pci/devices/0000:d8:00.1").mkdir(parents=True)
        (root / "sys/bus/pci/devices/0000:d8:00.1/vendor").write_text(f"{vendor}\n")
    if node:
        (root / "dev/dri").mkdir(parents=True)
        (root / "dev/dri" / NODE).touch()
        (root / "sys/class/drm" / NODE / "device").mkdir(parents=True)
        (root / "sys/class/drm" / NODE / "device/vendor").write_text(f"{vendor}\n")
    return root


def test_no_card_at_all(tmp_path: Path) -> None:
    text = why_none(machine(tmp_path, board=False, node=False))
    assert text.startswith("no device")
    assert "render" not in text


def test_another_vendor_s_device_is_no_card(tmp_path: Path) -> None:
    assert why_none(machine(tmp_path, board=True, node=True, vendor="0x10de")).startswith(
        "no device: PCIe shows no card"
    )


def test_a_board_without_its_driver(tmp_path: Path) -> None:
    text = why_none(machine(tmp_path, board=True, node=False))
    assert "0000:d8:00.1" in text
    assert "xocl" in text


def test_a_card_that_may_not_be_opened_needs_a_group_and_no_driver(tmp_path: Path) -> None:
    text = why_none(machine(tmp_path, board=True, node=True), access=lambda node: False)
    assert text.startswith("permission denied")
    assert NODE in text
    assert "usermod -aG render" in text


def test_a_node_that_can_be_opened_is_another_matter(tmp_path: Path) -> None:
    assert "xbutil examine" in why_none(machine(tmp_path, board=True, node=True), access=lambda node: True)


def test_opening_without_a_card_tells_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.xrt.device.why_none", lambda: "permission denied: join the group render")
    with pytest.raises(DeviceNotFound, match="permission denied"):
        open_xrt(library=StrictXrt(cards=[]))


def test_a_card_that_cannot_be_asked_is_left_out() -> None:
    library = StrictXrt(cards=[("0000:3b:00.1", "A"), ("0000:d8:00.1", "B")])
    library.fail["device"] = RuntimeError("Permission denied")
    assert [card.bdf for card in find_cards(library)] == ["0000:d8:00.1"]


def test_without_the_library_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.xrt.library.MODULES", ("foveal.no_such_module", "no_such_pyxrt"))
    with pytest.raises(DeviceNotFound, match=r"no_such_pyxrt.*source /opt/xilinx/xrt/setup\.sh"):
        load_library()


KDSSTAT = """xclbin:\t\t\t0f0e0d0c-0b0a-0908-0706-050403020100
outstanding execs:\t0
total execs:\t\t918273
contexts:\t\t3
client pid:
\t\t\t{own}
\t\t\t4711
\t\t\t99
"""


def test_other_clients_are_those_that_the_driver_lists(tmp_path: Path) -> None:
    (tmp_path / "0000:d8:00.1").mkdir()
    (tmp_path / "0000:d8:00.1/kdsstat").write_text(KDSSTAT.format(own=os.getpid()))
    assert other_clients("0000:d8:00.1", tmp_path) == [99, 4711]
    assert other_clients("0000:3b:00.1", tmp_path) == []


def test_access_is_asked_for_as_this_user(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.touch()
    assert discovery.accessible(node)
    assert not discovery.accessible(tmp_path / "gone")
