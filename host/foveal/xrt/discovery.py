"""Cards that XRT shows, the one that is meant, and why there is none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foveal.errors import DeviceNotFound

__all__ = ["FoundCard", "accessible", "find_cards", "select", "why_none"]

XILINX = "0x10ee"
"""PCI vendor."""


@dataclass(frozen=True, slots=True)
class FoundCard:
    """index: XRT's. bdf: PCIe address, "0000:d8:00.1". name: of the shell. serial: of the card, empty if not told."""

    index: int
    bdf: str
    name: str
    serial: str


def find_cards(library: Any) -> list[FoundCard]:
    """All cards, in XRT's order; a card that cannot be opened is left out."""
    found = []
    for index in range(int(library.enumerate_devices())):
        try:
            device = library.device(index)
            keys = library.xrt_info_device
            bdf, name = str(device.get_info(keys.bdf)), str(device.get_info(keys.name))
            serial = next(iter(_values(json.loads(device.get_info(keys.platform)), "serial_number")), "")
        except (RuntimeError, ValueError):
            continue
        found.append(FoundCard(index, bdf, name, str(serial)))
    return found


def select(cards: list[FoundCard], wanted: int | str | None) -> FoundCard:
    """The card of an index, a BDF (with or without domain and function) or a serial number; None: the only one.

    Raises DeviceNotFound, with the cards that there are.
    """
    if wanted is None:
        matches = cards
    elif str(wanted).isdecimal() and any(card.index == int(wanted) for card in cards):
        matches = [card for card in cards if card.index == int(wanted)]
    else:
        text = str(wanted).lower()
        matches = [card for card in cards if text == card.serial.lower() or text in _spellings(card.bdf)]
    if len(matches) == 1:
        return matches[0]
    listed = "; ".join(f"{card.index}: {card.bdf}, serial {card.serial or 'unknown'}, {card.name}" for card in cards)
    what = "several cards, name one by card=" if wanted is None or matches else f"no card {wanted!r}"
    raise DeviceNotFound(f"{what} (index, BDF or serial number); there are: {listed}")


def accessible(node: Path) -> bool:
    """This user may read and write a device node."""
    return os.access(node, os.R_OK | os.W_OK)


def why_none(root: Path = Path("/"), access: Callable[[Path], bool] = accessible) -> str:
    """Why XRT shows no card, and what to do: there is none, its driver is missing, or it may not be opened."""
    nodes = [node for node in sorted((root / "dev/dri").glob("renderD*")) if _vendor(root, node.name) == XILINX]
    closed = [str(node) for node in nodes if not access(node)]
    if closed:
        return (
            f"permission denied: {', '.join(closed)} may not be opened; join the group that owns it: "
            "sudo usermod -aG render $USER, then log in again"
        )
    if nodes:
        return f"no card is ready, yet {', '.join(map(str, nodes))} can be opened; see: xbutil examine"
    boards = [entry.name for entry in (root / "sys/bus/pci/devices").glob("*") if _read(entry / "vendor") == XILINX]
    if boards:
        return (
            f"no device: PCIe shows {', '.join(sorted(boards))}, but no driver has it; install XRT and its xocl module"
        )
    return "no device: PCIe shows no card of AMD or Xilinx in this machine"


def _vendor(root: Path, node: str) -> str:
    return _read(root / "sys/class/drm" / node / "device/vendor")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _spellings(bdf: str) -> set[str]:
    """0000:d8:00.1, d8:00.1, 0000:d8:00 and d8:00."""
    full = bdf.lower()
    short = full.partition(":")[2] if full.count(":") == 2 else full
    return {full, short, full.rpartition(".")[0], short.rpartition(".")[0]}


def _values(document: Any, key: str) -> Iterator[Any]:
    """What stands under `key`, anywhere in a JSON document."""
    if isinstance(document, dict):
        if key in document:
            yield document[key]
        for value in document.values():
            yield from _values(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from _values(value, key)
