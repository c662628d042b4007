"""The cards that XRT shows, for whoever opens cards by an image (foveal.card.source)."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from typing import Any

from foveal.card import Board, load_board
from foveal.card.source import CardSource, OpenCard
from foveal.errors import DeviceNotFound
from foveal.xrt.device import board_of, open_card
from foveal.xrt.discovery import FoundCard, find_cards
from foveal.xrt.geometry import XrtGeometry
from foveal.xrt.library import load_library

__all__ = ["xrt_cards"]

_log = logging.getLogger(__name__)


def xrt_cards(library: Any = None, **options: Any) -> list[CardSource]:
    """Cards whose shell is one of the described boards'; none without XRT, which is no error here.

    library: a module of pyxrt's shape. options: those of foveal.xrt.session.Session.
    """
    try:
        library = library if library is not None else load_library()
    except DeviceNotFound as error:
        _log.info("no cards through XRT: %s", error)
        return []
    sources = []
    for found in find_cards(library):
        try:
            board = load_board(board_of(found))
        except DeviceNotFound as error:
            _log.warning("left out: %s", error)
            continue
        opener = partial(_open, library, found, board, options)
        sources.append(CardSource(f"xrt:{found.bdf}", board.key, found.name, hasattr(library, "clock"), opener))
    return sources


def _open(library: Any, found: FoundCard, board: Board, options: dict[str, Any], path: Path) -> OpenCard:
    card = open_card(library, found, board, path, **options)
    return OpenCard(card, XrtGeometry(card))
