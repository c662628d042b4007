"""Time on PCIe and in the driver stack, modelled: fixed cost + bytes / bandwidth; inputs are a board's facts."""

from __future__ import annotations

from dataclasses import dataclass

from foveal.card import Board

__all__ = ["PcieModel"]


@dataclass(frozen=True, slots=True)
class PcieModel:
    """Nanoseconds of host operations on `board`."""

    board: Board

    def write_ns(self, size: int) -> float:
        """One transfer of `size` bytes to the card."""
        return self.board.transfer_ns.value + size * 1e9 / self.board.host_to_card_bytes_per_s.value

    def read_ns(self, size: int) -> float:
        """One transfer of `size` bytes from the card."""
        return self.board.transfer_ns.value + size * 1e9 / self.board.card_to_host_bytes_per_s.value

    @property
    def register_write_ns(self) -> float:
        return self.board.register_write_ns.value

    @property
    def register_read_ns(self) -> float:
        return self.board.register_read_ns.value

    @property
    def launch_ns(self) -> float:
        """One kernel run through the driver stack, without the kernel's own time."""
        return self.board.launch_ns.value
