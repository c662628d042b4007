"""The backend "pynq" in an environment without PYNQ, and where cards come from."""

from __future__ import annotations

import importlib
import sys

import pytest
from foveal.card import source
from foveal.card.source import CardSource, OpenCard, card_sources
from foveal.device import open_device
from foveal.errors import DeviceNotFound


def test_without_pynq_the_backend_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynq", None)
    with pytest.raises(DeviceNotFound, match=r"PYNQ is not installed .* tools/setup.sh pynq"):
        open_device("pynq")


def test_the_plug_in_without_pynq_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynq", None)
    monkeypatch.delitem(sys.modules, "foveal.pynq", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"PYNQ is not installed .* tools/setup.sh pynq"):
        importlib.import_module("foveal.pynq")


def test_real_cards_come_before_simulated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: object) -> OpenCard:
        raise AssertionError("listing opens nothing")

    class Entry:
        def __init__(self, name: str, simulated: bool) -> None:
            self.name, self.simulated = name, simulated

        def load(self) -> object:
            return lambda: [CardSource(f"{self.name}:{n}", "u280", "shell", self.simulated, opened) for n in range(2)]

    entries = [Entry("twin", True), Entry("xrt", False)]
    monkeypatch.setattr(source, "entry_points", lambda group: entries if group == "foveal.cards" else [])
    assert [card.tag for card in card_sources()] == ["xrt:0", "xrt:1", "twin:0", "twin:1"]
