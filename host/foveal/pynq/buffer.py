"""Buffers of PYNQ on a card: a host array and device memory, copied where and when the program says."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from pynq.buffer import PynqBuffer

from foveal.card.card import Buffer

__all__ = ["Allocation", "FovealBuffer", "as_array", "on_card", "payload_bytes"]


class Allocation:
    """The `bo` of a PynqBuffer and of its views. host: (size,) uint8, what programs see. Freed with its last user."""

    def __init__(self, memory: Buffer, size: int) -> None:
        """memory: `size` bytes of device memory, or more."""
        self.memory, self.size = memory, size
        self.host = np.zeros(size, np.uint8)
        self.owner: weakref.ref[FovealBuffer] | None = None
        self._free = weakref.finalize(self, memory.free)
        self._free.atexit = False

    @property
    def address(self) -> int:
        """Device address of the first byte."""
        return self.memory.address

    @property
    def live(self) -> bool:
        return self._free.alive

    def flush(self, offset: int, size: int) -> None:
        """Copy `size` bytes from `offset` on to the card; none are none, whatever a library takes 0 for."""
        self._check(offset, size)
        if size:
            self.memory.write(self.host[offset : offset + size], offset)

    def invalidate(self, offset: int, size: int) -> None:
        """Copy `size` bytes from `offset` on from the card."""
        self._check(offset, size)
        if size:
            self.host[offset : offset + size] = self.memory.read(size, offset)

    def free(self) -> None:
        """Give the device memory back. More than once does nothing."""
        self._free()

    def return_pointer(self, allocation: Allocation) -> None:
        """PYNQ calls this when a buffer is freed early; without it, it would unmap memory that is not its own."""
        self.free()
        owner = self.owner() if self.owner is not None else None
        if owner is not None:
            owner.freed = True

    def _check(self, offset: int, size: int) -> None:
        if not self.live:
            raise ValueError("the buffer was freed; allocate another one")
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset} to {offset + size} of a buffer of {self.size}")


class FovealBuffer(PynqBuffer):
    """A PynqBuffer that refuses to copy what PYNQ would copy wrongly.

    PYNQ hands the first byte and the number of bytes of an array to the device. For a view with gaps that is another
    piece of memory; for the result of arithmetic, which is a PynqBuffer too, it is none of the card's.
    """

    def flush(self) -> None:
        """Copy this array's bytes to the card. Raises ValueError for a view with gaps, or an array elsewhere."""
        self._check()
        super().flush()

    def invalidate(self) -> None:
        """Copy this array's bytes from the card. Raises ValueError as flush() does."""
        self._check()
        super().invalidate()

    def _check(self) -> None:
        if not self.flags.c_contiguous:
            raise ValueError(
                f"this view of shape {self.shape} has gaps between its pieces; copy the whole buffer, or row by row"
            )
        if not on_card(self):
            raise ValueError(
                "this array is not memory of the card: it is the result of a computation or a copy. Write it into the "
                "buffer: buffer[:] = array"
            )


def on_card(array: np.ndarray) -> bool:
    """`array` is a PynqBuffer whose bytes are its allocation's own."""
    bo = getattr(array, "bo", None)
    if not isinstance(bo, Allocation):
        return False
    offset = array.__array_interface__["data"][0] - bo.host.__array_interface__["data"][0]
    return offset == getattr(array, "offset", None) and offset >= 0 and offset + array.nbytes <= bo.size


def as_array(bo: Allocation, shape: Any, dtype: Any, device: Any, target: Any) -> FovealBuffer:
    """The array of an allocation of as many bytes. device, target: PYNQ's device and memory that it belongs to."""
    buffer = FovealBuffer(shape, dtype, buffer=bo.host, bo=bo, device=device, device_address=bo.address, coherent=False)
    bo.owner = weakref.ref(buffer)
    buffer.memory, buffer.pointer, buffer.return_to = target, bo, bo
    return buffer


def payload_bytes(shape: Any, dtype: Any) -> int:
    """Bytes of an array. Raises ValueError for none, which libraries take for "all", and for negative ones."""
    sides = (shape,) if np.isscalar(shape) else tuple(shape)
    size = int(np.prod([int(side) for side in sides], dtype=object)) * np.dtype(dtype).itemsize
    if any(int(side) < 0 for side in sides) or size < 1:
        raise ValueError(
            f"a buffer of shape {shape} and type {np.dtype(dtype)} has {size} bytes; at least one is needed"
        )
    return size
