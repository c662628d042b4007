"""These tests run in .venv-pynq, with the real pynq package (tools/setup.sh pynq; tests/integration/test_pynq.py)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import pynq
    from foveal.pynq import FovealDevice

if find_spec("pynq") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(params=["cosim", "xrt"])
def card(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FovealDevice]:
    """The co-simulated U280, itself and behind a module of pyxrt's shape, without an image."""
    import pynq
    from foveal.pynq import FovealDevice
    from foveal.xrt.source import xrt_cards
    from foveal_sim.xrt import SimulatedXrt

    if request.param == "cosim":
        device = next(device for device in pynq.Device.devices if device.tag == "cosim:u280")
    else:
        library = SimulatedXrt()
        (source,) = xrt_cards(library, lock_folder=tmp_path, reset=library.reset)
        device = FovealDevice(source)
    yield device
    device.release()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """The U280's image without a bitstream."""
    from foveal.card import load_board
    from foveal.xclbin import make_xclbin

    path = tmp_path / "foveal_u280.xclbin"
    path.write_bytes(make_xclbin(load_board("u280")))
    return path


@pytest.fixture
def overlay(card: FovealDevice, image: Path) -> pynq.Overlay:
    import pynq

    return pynq.Overlay(str(image), device=card)
