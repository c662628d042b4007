"""Which parts of the device memory are in use: first fit over whole pages."""

from __future__ import annotations

from foveal.errors import DeviceError

__all__ = ["PAGE", "Allocator"]

PAGE = 4096
"""Granularity and alignment, bytes."""


class Allocator:
    """Addresses in [base, base + size). Not thread-safe."""

    def __init__(self, base: int, size: int) -> None:
        self._base, self._size = base, size
        self._used: dict[int, int] = {}

    def allocate(self, size: int) -> int:
        """Address of `size` bytes, rounded up to pages. Raises DeviceError when no gap is large enough."""
        needed = max(1, -(-size // PAGE)) * PAGE
        start = self._base
        for address in sorted(self._used):
            if address - start >= needed:
                break
            start = address + self._used[address]
        if start + needed > self._base + self._size:
            free = self._size - sum(self._used.values())
            raise DeviceError(
                f"device memory is full: {needed} bytes wanted, {free} of {self._size} free; "
                "open the device with a larger memory_bytes"
            )
        self._used[start] = needed
        return start

    def free(self, address: int) -> None:
        """Give back what allocate() returned. Raises ValueError for any other address."""
        if self._used.pop(address, None) is None:
            raise ValueError(f"no buffer starts at 0x{address:X}")

    def clear(self) -> None:
        """Give everything back."""
        self._used.clear()
