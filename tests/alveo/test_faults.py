"""Faults of the co-simulated card that PYNQ has opened."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pynq
import pytest
from card_faults import CASES, DEADLINE_S, FAULTY, MODES, Request, faulty_scene, strike
from foveal.card import FovealDriver, load_board
from foveal.card.source import CardSource, OpenCard
from foveal.device import DeviceInfo, open_device
from foveal.errors import DeviceError
from foveal.pynq import FovealDevice
from foveal.pynq.card import PynqCard, PynqGeometry
from foveal_sim.cosim import Fault
from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.geometry import CosimGeometry
from random_scenes import Scene

BOARD = load_board("u280")


@pytest.fixture(scope="module")
def scene() -> Scene:
    return faulty_scene()[0]


@pytest.fixture(scope="module")
def requests() -> list[Request]:
    return faulty_scene()[1]


@pytest.fixture(scope="module")
def expected(scene: Scene, requests: list[Request]) -> list[np.ndarray]:
    """Of the co-simulated card itself, which equals the golden model (tests/sim/test_card_faults.py)."""
    device = open_device("cosim")
    device.load(scene.meshes)
    return [device.render(*one).pixels for one in requests]


def opened(image: Path, fault: str) -> tuple[FovealDriver, CosimCard]:
    card = CosimCard(BOARD, clock_hz=BOARD.clock_hz.value, faults=[Fault.parse(fault)])

    def give(card: CosimCard, path: Path) -> OpenCard:
        return OpenCard(card, CosimGeometry(card))

    source = CardSource("faulty:u280", BOARD.key, BOARD.platform, True, partial(give, card))
    through = PynqCard(pynq.Overlay(str(image), device=FovealDevice(source)))
    info = DeviceInfo("pynq", source.tag, "fpga", through.describe())
    return FovealDriver(through, PynqGeometry(through), info, deadline_s=DEADLINE_S), card


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_fault_ends_in_a_clear_error_no_frame_of_it_counts_and_a_reset_mends_it(
    case: str, mode: str, scene: Scene, requests: list[Request], expected: list[np.ndarray], image: Path
) -> None:
    device, card = opened(image, f"{case}@{FAULTY}")
    device.load(scene.meshes)
    strike(device, card, CASES[case], mode, requests, expected)


@pytest.mark.parametrize(("case", "words"), [("foreign", "does not hold a Foveal kernel"), ("full", "memory is full")])
def test_card_that_is_wrong_from_the_start(case: str, words: str, scene: Scene, image: Path) -> None:
    with pytest.raises(DeviceError, match=words):
        opened(image, case)[0].load(scene.meshes)
