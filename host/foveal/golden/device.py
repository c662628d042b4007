"""The golden model as a device: the reference that other devices are compared with. It claims no time."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from foveal.channel import Channel, checked
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceError
from foveal.frame import Frame
from foveal.golden.render import GoldenFrame, render
from foveal.region import RegionSet
from foveal.residency import Residency

__all__ = ["ModelDevice", "open_model"]


class ModelDevice:
    """A :class:`foveal.device.Device` of kind "reference"; its frames have no stages."""

    def __init__(self) -> None:
        self._meshes: MeshSet | None = None
        self._residency = Residency()
        self._golden: GoldenFrame | None = None

    @property
    def info(self) -> DeviceInfo:
        detail = {"numpy": version("numpy"), "numba": version("numba")}
        return DeviceInfo("model", "golden model", "reference", detail)

    @property
    def golden(self) -> GoldenFrame | None:
        """The last frame with its depth and material, None before the first."""
        return self._golden

    def load(self, meshes: MeshSet) -> None:
        """Take static geometry; the material table of an earlier set is forgotten."""
        self._meshes = meshes
        self._residency.invalidate()

    def render(self, draw: DrawList, regions: RegionSet, *, channels: Channel = Channel.COLOUR) -> Frame:
        """Draw exactly. Counters: pixels_kept, and dma_loads and dma_skipped since reset.

        Raises DeviceError before load() or after close(), ValueError as :func:`foveal.golden.render` does.
        """
        if self._meshes is None:
            raise DeviceError("the golden model has no geometry; call load() before render()")
        checked(channels)
        self._residency.begin_frame(draw.ego, draw.zone)
        self._golden = golden = render(self._meshes, draw, regions, self._residency.resident, channels)
        counters = {
            "pixels_kept": int(np.count_nonzero(regions.mask())),
            "dma_loads": self._residency.loads,
            "dma_skipped": self._residency.skipped,
        }
        return golden.frame(draw.frame, regions, channels, counters)

    def reset(self) -> None:
        """Forget the material table, as a kernel reset does; the geometry stays."""
        self._residency = Residency()

    def close(self) -> None:
        self._meshes = None


def open_model() -> ModelDevice:
    """Entry point `model` of the group `foveal.devices`."""
    return ModelDevice()
