"""A buffer object in pyxrt's shape: the host's copy and the card's differ until they are synchronised."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from foveal_sim.cosim.card import CosimBuffer
from foveal_sim.xrt.world import World

__all__ = ["SimulatedBo"]

STALE = 0xEE
"""Bytes that nobody has written, on either side."""


class SimulatedBo:
    """bo(device, size, flags, group), or bo(parent, size, offset) for a part of another one."""

    world: World

    def __init__(self, owner: Any, size: int, *rest: int) -> None:
        self._size, self._offset = size, 0
        self._parent: SimulatedBo | None = None
        self._buffer: CosimBuffer
        self._mirror: np.ndarray
        self.group: int
        if isinstance(owner, SimulatedBo):
            (self._offset,) = rest
            if self._offset + size > owner.size():
                raise RuntimeError("sub buffer size and offset")
            self._parent, self._buffer = owner, owner._buffer
            self._mirror, self.group = owner._mirror[self._offset : self._offset + size], owner.group
            return
        _, self.group = rest
        image = self.world.image
        groups = (image.groups or image.memories) if image is not None else ()
        if self.group >= len(groups) or size > groups[self.group].size:
            raise MemoryError("std::bad_alloc")
        self._buffer = self.world.card.allocate(size, "output")
        self._mirror = np.full(size, STALE, np.uint8)
        self._buffer.view(size)[:] = STALE
        self.world.buffers.add(self)

    def __del__(self) -> None:
        if getattr(self, "_parent", self) is None and hasattr(self, "_buffer"):
            self._buffer.free()

    @property
    def device_buffer(self) -> CosimBuffer:
        """The card's memory of the whole object."""
        return self._buffer

    def size(self) -> int:
        return self._size

    def address(self) -> int:
        return self._buffer.address + self._offset

    def write(self, data: Any, seek: int) -> None:
        """As pyxrt does it: as many bytes as the array has, from its first one on, whatever its strides are."""
        array = np.asarray(data)
        if seek + array.nbytes > self._size:
            raise RuntimeError("attempting to write past buffer size")
        self._mirror[seek : seek + array.nbytes] = np.frombuffer(
            ctypes.string_at(array.ctypes.data, array.nbytes), np.uint8
        )

    def read(self, size: int, skip: int) -> np.ndarray:
        if skip + size > self._size:
            raise RuntimeError("attempting to read past buffer size")
        return self._mirror[skip : skip + size].view(np.int8).copy()

    def sync(self, direction: int, size: int, offset: int) -> None:
        if size <= 0 or offset + size > self._size:
            raise RuntimeError("offset exceeds buffer size")
        mirror = self._mirror[offset : offset + size]
        if direction:
            mirror[:] = self._buffer.read(size, self._offset + offset)
        else:
            self._buffer.write(mirror, self._offset + offset)
