"""Device buffers of a driver: static geometry once, scratch and results as large as the frames need."""

from __future__ import annotations

import numpy as np

from foveal.card.card import Buffer, Card
from foveal.card.engine import INSTANCE_OFFSET, GeometryBuffers
from foveal.geometry import INSTANCE, MAX_BANDS, RECORD_BYTES, STATISTICS, PackedMeshes

__all__ = ["DeviceMemory"]

BAND_ENTRY_BYTES = 8


class DeviceMemory:
    """Buffers for one mesh set. Raises DeviceError when the card has no room."""

    def __init__(self, card: Card, packed: PackedMeshes, material: np.ndarray, capacity: int) -> None:
        """material: (256, 4) uint8. capacity: triangles and records to make room for at first."""
        self._card = card
        self.packed = packed
        self._buffers: dict[str, Buffer] = {}
        for name, array in (
            ("position", self.packed.position),
            ("triangle", self.packed.triangle),
            ("mesh", self.packed.mesh),
            ("material", material),
        ):
            buffer = self.ensure(name, array.nbytes)
            if array.nbytes:
                buffer.write(array)
        self.ensure("band", BAND_ENTRY_BYTES * MAX_BANDS)
        self.ensure("statistics", STATISTICS.itemsize)
        self.ensure("staging", RECORD_BYTES * capacity)
        self.ensure("record", RECORD_BYTES * capacity)

    def ensure(self, name: str, size: int) -> Buffer:
        """The buffer `name` (a role), at least `size` bytes; a larger one has undefined contents."""
        held = self._buffers.get(name)
        if held is not None and held.size >= size:
            return held
        if held is not None:
            held.free()
            del self._buffers[name]
        self._buffers[name] = self._card.allocate(max(size, 64), name)
        return self._buffers[name]

    def geometry_buffers(self, instances: int) -> GeometryBuffers:
        """Buffers of one geometry call with room for `instances`."""
        self.ensure("frame", INSTANCE_OFFSET + INSTANCE.itemsize * instances)
        names = ("position", "triangle", "mesh", "frame", "staging", "record", "band", "statistics")
        return GeometryBuffers(**{name: self._buffers[name] for name in names})

    @property
    def material(self) -> Buffer:
        return self._buffers["material"]

    @property
    def staging_capacity(self) -> int:
        return self._buffers["staging"].size // RECORD_BYTES

    @property
    def record_capacity(self) -> int:
        return self._buffers["record"].size // RECORD_BYTES

    def free(self) -> None:
        """Give everything back."""
        for buffer in self._buffers.values():
            buffer.free()
        self._buffers.clear()
