"""Where cards come from: real and co-simulated ones, found through entry points, opened when an image is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from foveal.card.card import Card
from foveal.card.engine import GeometryEngine

__all__ = ["GROUP", "CardSource", "OpenCard", "card_sources"]

GROUP = "foveal.cards"
"""Entry-point group: each entry is a callable without arguments that returns the CardSources of one kind."""


@dataclass(frozen=True, slots=True)
class OpenCard:
    """A card with its image, and what runs the geometry kernel on it."""

    card: Card
    geometry: GeometryEngine


@dataclass(frozen=True, slots=True)
class CardSource:
    """A card that is there. tag: names it on this machine ("cosim:u280"). board: name of its board file.

    platform: the shell that images must be for. simulated: it needs no bitstream, and is not a card.
    open: gives the card with the image of that path on it. Raises DeviceError.
    """

    tag: str
    board: str
    platform: str
    simulated: bool
    open: Callable[[Path], OpenCard]


def card_sources() -> list[CardSource]:
    """All cards of this machine, real ones first. Where the library of a kind is missing, there are none of it."""
    found: list[CardSource] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        listed: Sequence[CardSource] = entry.load()()
        found += listed
    return sorted(found, key=lambda source: source.simulated)
