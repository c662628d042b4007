"""The device backend "pynq": the card's driver over an overlay of the pynq package. It imports without pynq."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from foveal.card import FovealDriver, load_board
from foveal.device import DeviceInfo
from foveal.errors import DeviceNotFound
from foveal.xclbin import make_xclbin

if TYPE_CHECKING:
    from foveal.pynq.device import FovealDevice

__all__ = ["MISSING", "open_pynq"]

MISSING = (
    "PYNQ is not installed in this environment; from the clone, tools/setup.sh pynq makes .venv-pynq with it, or "
    "pip install '.[alveo]' puts it into an environment of its own"
)
"""What an import or a device without PYNQ says."""


def open_pynq(
    *,
    device: str | None = None,
    xclbin: str | Path | None = None,
    deadline_s: float = 0.1,
    strided: bool = False,
) -> FovealDriver:
    """Open a card through PYNQ.

    device: its tag in ``pynq.Device.devices`` ("cosim:u280"), by default the first one. xclbin: the image; a
    co-simulated card needs none. deadline_s: longest run of a kernel, in the device's own time. strided: pixels at
    their place in a full frame instead of packed.
    Raises DeviceNotFound without PYNQ, that card or an image; XclbinError or DeviceError when the image cannot be used;
    DeviceBusy while an open device of this process has the card.
    """
    if find_spec("pynq") is None:
        raise DeviceNotFound(MISSING)
    import pynq

    from foveal.pynq.card import PynqCard, PynqGeometry

    found = _found(device)
    found.check_undriven()  # before its image is touched
    board = load_board(found.source.board)
    with tempfile.TemporaryDirectory(prefix="foveal-") as folder:
        if xclbin is None:
            if not found.source.simulated:
                raise DeviceNotFound(
                    f"{found.tag} is a card and needs an image; name one: xclbin='foveal_{board.key}.xclbin'"
                )
            xclbin = Path(folder, f"foveal_{board.key}.xclbin")
            xclbin.write_bytes(make_xclbin(board))
        overlay = pynq.Overlay(str(xclbin), device=found)
    card = PynqCard(overlay)
    kind = "co-simulated RTL behind PYNQ" if found.source.simulated else found.tag
    info = DeviceInfo("pynq", f"{board.name} ({kind})", "fpga", card.describe())
    driver = FovealDriver(card, PynqGeometry(card), info, deadline_s=deadline_s, strided=strided)
    found.drive(driver)
    return driver


def _found(tag: str | None) -> FovealDevice:
    import pynq

    from foveal.pynq.device import FovealDevice

    devices = [device for device in pynq.Device.devices if isinstance(device, FovealDevice)]
    for device in devices:
        if tag is None or device.tag == tag:
            return device
    names = ", ".join(device.tag for device in devices) or "none"
    raise DeviceNotFound(f"PYNQ has no card {tag or 'of ours'}; it has {names}")
