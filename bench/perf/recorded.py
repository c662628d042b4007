"""A frame as the kernel sees it, for any simulator of the kernel to run: configuration, memory, output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = ["PAGE", "RecordedFrame"]

PAGE = 4096
CONFIGURATION = (*range(0x010, 0x0B8, 4), *range(0x100, 0x180, 4))
"""Byte offsets of the words that keep what is written: configuration and shadow region set (hw/REGISTERS.md)."""


@dataclass(frozen=True)
class RecordedFrame:
    """registers: (N, 2) uint32, byte offset and value. pages: (P, 4096) uint8, memory that is not all zero; page_at:
    (P,) uint64, its device addresses. output: (B,) uint8, what the frame writes from output_at on."""

    registers: np.ndarray
    pages: np.ndarray
    page_at: np.ndarray
    output: np.ndarray
    output_at: int

    @classmethod
    def of(cls, kernel, output_bytes: int) -> RecordedFrame:
        """The frame that the co-simulated `kernel` drew last, which wrote `output_bytes` from OUT_BASE on."""
        found = [(offset, *kernel.read_register(offset)) for offset in CONFIGURATION]
        registers = np.array([(offset, value) for offset, value, code in found if code == 0], np.uint32)
        low, high = (int(registers[registers[:, 0] == offset, 1][0]) for offset in (0x028, 0x02C))
        output_at = high << 32 | low
        memory = kernel.memory
        first = output_at - kernel.base
        output = memory[first : first + output_bytes].copy()
        before = memory.copy()
        before[first : first + output_bytes] = 0
        paged = before.reshape(-1, PAGE)
        used = np.flatnonzero(paged.any(axis=1))
        return cls(registers, paged[used], kernel.base + used.astype(np.uint64) * PAGE, output, output_at)

    @property
    def memory_bytes(self) -> int:
        """A power of two that holds all of the frame's memory, addresses counted modulo it."""
        last = max(int(self.page_at.max()), self.output_at + self.output.size) + PAGE
        return 1 << (last & 0xFFFF_FFFF).bit_length()

    def save(self, path: Path) -> None:
        np.savez(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> RecordedFrame:
        with np.load(path) as data:
            return cls(**{name: data[name] if data[name].ndim else int(data[name]) for name in data.files})
