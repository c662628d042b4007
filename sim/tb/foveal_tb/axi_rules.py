"""Rules of AXI4 that every master of the kernel keeps, as plain functions and one monitor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .clocked import bit, number

__all__ = ["Burst", "Held", "check_burst", "max_beats", "split"]

Burst = tuple[int, int]  # byte address, beats


def max_beats(data_bits: int) -> int:
    """Beats of the longest burst that can stay inside one 4 KiB page: min(256, 4096 / bytes of a beat)."""
    return min(256, 4096 * 8 // data_bits)


def check_burst(addr: int, length: int, size: int, burst: int, data_bytes: int) -> None:
    """AssertionError unless the request is an aligned INCR burst of full beats that stays in its 4 KiB page."""
    beats = length + 1
    assert burst == 1, f"burst type {burst} at {addr:#x}, expected INCR"
    assert data_bytes == 1 << size, f"beats of {1 << size} bytes at {addr:#x} on a bus of {data_bytes}"
    assert addr % data_bytes == 0, f"{addr:#x} is not aligned to {data_bytes}"
    assert beats <= 256, f"{beats} beats at {addr:#x}"
    last = addr + beats * data_bytes - 1
    assert addr >> 12 == last >> 12, f"{addr:#x} to {last:#x} crosses 4 KiB"


def split(addr: int, size: int, data_bytes: int, longest: int | None = None) -> list[Burst]:
    """Bursts for `size` bytes from the aligned `addr`; each runs to a boundary of `longest` beats or to the end."""
    limit = (longest or max_beats(data_bytes * 8)) * data_bytes
    end = addr + size
    bursts: list[Burst] = []
    while addr < end:
        stop = min(end, (addr // limit + 1) * limit)
        bursts.append((addr, -(-(stop - addr) // data_bytes)))
        addr = stop
    return bursts


class Held:
    """Asserts on one channel that valid and payload stay until ready."""

    def __init__(self, dut: Any, channel: str, payload: Sequence[str]) -> None:
        self.channel = channel
        self.valid = getattr(dut, f"{channel}valid")
        self.ready = getattr(dut, f"{channel}ready")
        self.payload = [getattr(dut, f"{channel}{name}") for name in payload]
        self.held: tuple[int, ...] | None = None

    def reset(self) -> None:
        self.held = None

    def sample(self) -> tuple[int, ...] | None:
        """The payload if it is handed over in this cycle, else None."""
        if not bit(self.valid):
            assert self.held is None, f"{self.channel}: valid withdrawn before ready"
            return None
        payload = tuple(number(handle) for handle in self.payload)
        assert self.held in (None, payload), f"{self.channel}: payload changed before ready"
        if bit(self.ready):
            self.held = None
            return payload
        self.held = payload
        return None
