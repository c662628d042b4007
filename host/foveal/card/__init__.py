"""The FPGA card: its protocol, the driver that renders on it, and the facts of the boards it may be."""

from foveal.card.bank import Bank
from foveal.card.board import Board, Fact, Placement, board_names, load_board
from foveal.card.card import Buffer, Card
from foveal.card.driver import FovealDriver
from foveal.card.engine import FrameCall, GeometryBuffers, GeometryEngine, GeometryRun

__all__ = [
    "Bank",
    "Board",
    "Buffer",
    "Card",
    "Fact",
    "FovealDriver",
    "FrameCall",
    "GeometryBuffers",
    "GeometryEngine",
    "GeometryRun",
    "Placement",
    "board_names",
    "load_board",
]
