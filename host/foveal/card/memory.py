"""Device buffers of a driver: static geometry once, scratch and results as large as the frames need."""

from __future__ import annotations

import numpy as np

from foveal.card.card import Buffer, Card
from foveal.card.engine import GeometryBuffers
from foveal.geometry import MAX_BANDS, RECORD_BYTES, STATISTICS, PackedMeshes
from foveal.scene.materials import neutral_table

__all__ = ["SLOTS", "DeviceMemory"]

SLOTS = 2
"""Frames that may be on the card at a time: what one writes, another never reads."""

PER_SLOT = ("frame", "record", "band", "output")
"""Buffers that each slot has of its own. The others are static, or used by the one geometry kernel within one run."""

NEUTRAL = 1
"""Slot of the second material table: labels are drawn with it."""

RECORDS_PER_PAGE = 4096 // RECORD_BYTES
"""Where labels begin is a page, as every base address is."""

BAND_ENTRY_BYTES = 8


class DeviceMemory:
    """Buffers for one mesh set. Raises DeviceError when the card has no room.

    A slot's own buffers are made when a frame first uses it.
    """

    def __init__(self, card: Card, packed: PackedMeshes, material: np.ndarray, capacity: int) -> None:
        """material: (256, 4) uint8. capacity: triangles and records to make room for at first."""
        self._card = card
        self._capacity = capacity
        self.packed = packed
        self._buffers: dict[tuple[str, int], Buffer] = {}
        self._scratch = np.zeros(0, np.uint8)
        for name, array in (
            ("position", self.packed.position),
            ("triangle", self.packed.triangle),
            ("mesh", self.packed.mesh),
            ("material", material),
        ):
            self._write(name, array)
        self.ensure("statistics", STATISTICS.itemsize)
        self.ensure("staging", RECORD_BYTES * capacity)

    def ensure(self, name: str, size: int, slot: int = 0) -> Buffer:
        """The buffer `name` (a role) of `slot`, at least `size` bytes; a larger one has undefined contents."""
        key = (name, slot)
        held = self._buffers.get(key)
        if held is not None and held.size >= size:
            return held
        if held is not None:
            held.free()
            del self._buffers[key]
        self._buffers[key] = self._card.allocate(max(size, 64), name)
        return self._buffers[key]

    def geometry_buffers(self, slot: int) -> GeometryBuffers:
        """Buffers of one geometry call; the slot's "frame" must be there."""
        self.ensure("band", BAND_ENTRY_BYTES * MAX_BANDS, slot)
        self.ensure("record", self._room("record", slot), slot)
        names = ("position", "triangle", "mesh", "frame", "staging", "record", "band", "statistics")
        return GeometryBuffers(**{name: self._buffers[name, slot if name in PER_SLOT else 0] for name in names})

    def scratch(self, size: int) -> np.ndarray:
        """(size,) uint8 on the host, with undefined contents, to put together what is uploaded next."""
        if self._scratch.size < size:
            self._scratch = np.zeros(size, np.uint8)
        return self._scratch[:size]

    def material(self, neutral: bool) -> Buffer:
        """The material table; neutral: one that leaves every colour as it is, made when it is first asked for."""
        if neutral and ("material", NEUTRAL) not in self._buffers:
            self._write("material", neutral_table(), NEUTRAL)
        return self._buffers["material", NEUTRAL if neutral else 0]

    def output(self, size: int, slot: int, turn: int) -> Buffer:
        """At least `size` bytes for what the slot's frame writes in its raster pass `turn`, from 0."""
        return self.ensure("output", size, slot + SLOTS * turn)

    @property
    def staging_capacity(self) -> int:
        return self._buffers["staging", 0].size // RECORD_BYTES

    def record_capacity(self, slot: int, labels: bool) -> int:
        """Records that the slot has room for; with labels, for each of both kinds, in whole pages."""
        held = self._buffers["record", slot].size // RECORD_BYTES
        return held // (2 * RECORDS_PER_PAGE) * RECORDS_PER_PAGE if labels else held

    def free(self) -> None:
        """Give everything back."""
        for buffer in self._buffers.values():
            buffer.free()
        self._buffers.clear()

    def _write(self, name: str, array: np.ndarray, slot: int = 0) -> None:
        buffer = self.ensure(name, array.nbytes, slot)
        if array.nbytes:
            buffer.write(array)

    def _room(self, name: str, slot: int) -> int:
        """What the slots before found to be enough is where this one begins."""
        held = [buffer.size for (other, _), buffer in self._buffers.items() if other == name]
        return max([RECORD_BYTES * self._capacity, *held])
