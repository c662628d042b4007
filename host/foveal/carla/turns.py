"""One device for several cameras, each in a thread of its own."""

from __future__ import annotations

import threading
from dataclasses import fields
from typing import ClassVar
from weakref import WeakValueDictionary

import numpy as np

from foveal.channel import Channel
from foveal.device import Device
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.region import RegionSet

__all__ = ["DeviceTurns"]


class DeviceTurns:
    """A device that threads use in turns; who comes with other meshes than the last one loads them first."""

    _known: ClassVar[WeakValueDictionary[int, DeviceTurns]] = WeakValueDictionary()
    _knowing: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, device: Device) -> None:
        self.device = device
        self._turn = threading.Lock()
        self._loaded: MeshSet | None = None

    @classmethod
    def of(cls, device: Device) -> DeviceTurns:
        """The same object for the same device, as long as somebody holds it."""
        with cls._knowing:
            known = cls._known.get(id(device))
            if known is None:
                known = cls._known[id(device)] = cls(device)
            return known

    def load(self, meshes: MeshSet) -> None:
        """Have them on the device before the first picture needs them."""
        with self._turn:
            self._load(meshes)

    def render(self, meshes: MeshSet, draw: DrawList, regions: RegionSet, channels: Channel) -> Frame:
        """Raises DeviceError."""
        with self._turn:
            self._load(meshes)
            return self.device.render(draw, regions, channels=channels)

    def close(self) -> None:
        """Close the device, after the picture that it draws."""
        with self._turn:
            self.device.close()

    def _load(self, meshes: MeshSet) -> None:
        if self._loaded is None or not _equal(self._loaded, meshes):
            self._loaded = None
            self.device.load(meshes)
        self._loaded = meshes


def _equal(one: MeshSet, other: MeshSet) -> bool:
    return one is other or all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(MeshSet)
    )
