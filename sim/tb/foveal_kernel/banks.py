"""The band banks and the state of their tiles as clearing leaves them, without the cycles that clearing takes."""

from __future__ import annotations

from typing import Any

from foveal_tb.records import FAR
from picture import BAND_ROWS, NOTHING

__all__ = ["MAX_WIDTH", "init_cycles", "put_cleared"]

MAX_WIDTH = 4096
TILE_ROWS = 8


def init_cycles(ppc: int) -> int:
    """Cycles of the clearing after a reset, a word of both banks each."""
    return BAND_ROWS * MAX_WIDTH // ppc


def put_cleared(dut: Any, ppc: int, width: int) -> None:
    """Clear the words that frames of at most `width` pixels use, and let the kernel take all of them for clear.

    Simulating the clearing takes most of a bench's time on Icarus; band_store's own bench, and the tests of the kernel
    that start a frame meanwhile, go through it.
    """
    blocks, line = -(-width // ppc), MAX_WIDTH // ppc
    clear = sum(NOTHING << 56 * lane + 32 for lane in range(ppc))
    for bank in dut.u_store.bank[0], dut.u_store.bank[1]:
        for row in range(BAND_ROWS):
            for block in range(blocks):
                bank.ram.mem[row * line + block].value = clear
    dut.u_store.init_reg.value = BAND_ROWS * line
    tiles = BAND_ROWS // TILE_ROWS
    unknown = FAR << TILE_ROWS * ppc + 24
    for bank in dut.u_raster.behind.bank[0], dut.u_raster.behind.bank[1]:
        for row in range(tiles):
            for block in range(blocks):
                bank.ram.mem[row * line + block].value = unknown
    dut.u_raster.behind.sweep_reg.value = tiles * line
