"""Time on PCIe and in the driver stack, modelled; inputs are a board's facts, each with its source.

A transfer of n bytes takes transfer_ns + max(0, n - overlap_bytes) / bandwidth: small ones take the driver's fixed cost
whatever their size, and the rate that a program sees ramps from 5 MB/s for 64 bytes to that of the link for megabytes.
"""

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
        return self._transfer_ns(size, self.board.host_to_card_bytes_per_s.value)

    def read_ns(self, size: int) -> float:
        """One transfer of `size` bytes from the card."""
        return self._transfer_ns(size, self.board.card_to_host_bytes_per_s.value)

    def _transfer_ns(self, size: int, bytes_per_s: float) -> float:
        late = max(0.0, size - self.board.overlap_bytes.value)
        return self.board.transfer_ns.value + late * 1e9 / bytes_per_s

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
