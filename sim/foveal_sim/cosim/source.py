"""The co-simulated cards of this machine: one for each board."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from foveal.card import Board, board_names, load_board
from foveal.card.source import CardSource, OpenCard
from foveal.errors import DeviceError, DeviceNotFound
from foveal.xclbin import check_board, read_file, read_image

__all__ = ["cosim_cards"]


def cosim_cards() -> list[CardSource]:
    """A card for each board file; nothing is simulated before one is opened."""
    boards = [load_board(name) for name in board_names()]
    return [CardSource(f"cosim:{b.key}", b.key, b.platform, True, partial(_open, b)) for b in boards]


def _open(board: Board, path: Path) -> OpenCard:
    """The card with the image `path`. Raises DeviceError when it cannot be read, DeviceNotFound without the model.

    Raises XclbinError when the image is not for this board.
    """
    try:
        from foveal_sim.cosim.card import CosimCard
        from foveal_sim.cosim.geometry import CosimGeometry
    except ImportError as error:
        raise DeviceNotFound(
            f"the co-simulation module is not built ({error}); install the wheel: pip install ."
        ) from error
    try:
        image = read_image(read_file(path))
    except OSError as error:
        raise DeviceError(f"{path} cannot be read: {error.strerror}") from error
    check_board(image, board)
    card = CosimCard(board, clock_hz=image.clock_hz or board.clock_hz.value)
    return OpenCard(card, CosimGeometry(card))
