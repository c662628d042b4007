"""A buffer object of XRT as the driver's Buffer: a copy on the host, one on the card, and transfers between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from foveal.errors import DeviceError

if TYPE_CHECKING:
    from foveal.xrt.card import XrtCard

__all__ = ["PAGE", "XrtBuffer"]

T = TypeVar("T")

PAGE = 4096
"""Alignment and granularity of buffer objects, bytes."""


class XrtBuffer:
    """See foveal.card.Buffer. `size` is the payload that was asked for; the object behind it holds whole pages.

    Bytes are always copied into memory that XRT owns, and the copy counts as transfer time: a pointer of the caller
    would have to lie on a page, and some platforms refuse or copy it unseen.
    """

    def __init__(self, card: XrtCard, bo: Any, role: str, size: int) -> None:
        self._card, self.bo, self.role, self._size = card, bo, role, size
        self._address = int(bo.address())
        self._parts: dict[int, Any] = {}
        if self._address % PAGE:
            raise DeviceError(f"the buffer {role!r} lies at 0x{self._address:X}, which is not aligned to {PAGE} bytes")

    @property
    def address(self) -> int:
        return self._address

    @property
    def size(self) -> int:
        return self._size

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        source = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self._check(source.size, offset)
        if not source.size:
            return
        to_card = self._card.library.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE

        def transfer() -> None:
            self.bo.write(source, offset)
            self.bo.sync(to_card, source.size, offset)

        self._move(f"writing {source.size} bytes to", transfer)

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        self._check(size, offset)
        if not size:
            return np.zeros(0, np.uint8)
        from_card = self._card.library.xclBOSyncDirection.XCL_BO_SYNC_BO_FROM_DEVICE

        def transfer() -> np.ndarray:
            self.bo.sync(from_card, size, offset)
            return np.asarray(self.bo.read(size, offset)).view(np.uint8)  # pyxrt gives signed bytes

        return self._move(f"reading {size} bytes from", transfer)

    def part(self, offset: int) -> Any:
        """An object for the bytes from `offset` on, inside the buffer's own; it lives as long as the buffer."""
        if offset not in self._parts:
            self._parts[offset] = self._card.library.bo(self.bo, self.bo.size() - offset, offset)
        return self._parts[offset]

    def drop(self) -> None:
        """Let go of the library's objects, which frees the memory on the card."""
        self._parts.clear()
        self.bo = None

    def free(self) -> None:
        self._card.release(self)

    def _check(self, size: int, offset: int) -> None:
        if not self._card.owns(self):
            raise DeviceError(f"buffer 0x{self._address:X} was freed, or the card was reset since")
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(f"bytes {offset}..{offset + size} of a buffer of {self._size}")

    def _move(self, what: str, transfer: Callable[[], T]) -> T:
        with self._card.host_time(), self._card.breaks():
            try:
                return transfer()
            except RuntimeError as error:
                raise DeviceError(f"{what} the buffer {self.role!r} at 0x{self._address:X} failed: {error}") from error
