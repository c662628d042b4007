"""Devices and steps for tests of the bench layer: a painter that needs no renderer."""

from __future__ import annotations

import numpy as np
from foveal.channel import Channel
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList
from foveal.frame import Frame, StageTime
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal_bench.loop import Step

WIDTH, HEIGHT = 64, 48


class Painter:
    """Paints the frame number inside the regions; `fault(frame, pixels)` may change them."""

    def __init__(self, time_ns: float = 1e6, provenance: Provenance = Provenance.MEASURED, fault=None, counters=None):
        self.info = DeviceInfo("painter", "Painter", "reference", {})
        self._time_ns, self._provenance, self._fault = time_ns, provenance, fault
        self._counters = counters or {}

    def load(self, meshes) -> None:
        pass

    def render(self, draw: DrawList, regions: RegionSet, *, channels: Channel = Channel.COLOUR) -> Frame:
        pixels = np.zeros((draw.height, draw.width, 4), np.uint8)
        pixels[regions.mask()] = (draw.frame % 251, 7, 9, 255)
        frame = draw.frame
        if self._fault:
            frame = self._fault(frame, pixels) or frame
        stages = (StageTime("paint", self._time_ns * (1 + draw.frame % 3), self._provenance),)
        return Frame(frame, pixels, regions, stages, dict(self._counters))

    def reset(self) -> None:
        pass

    def close(self) -> None:
        pass


def make_step(tick: int) -> Step:
    draw = DrawList(
        frame=100 + tick,
        width=WIDTH,
        height=HEIGHT,
        mesh=np.zeros(0, np.uint32),
        mvp=np.zeros((0, 4, 4), np.float32),
        sun=np.zeros((0, 3), np.float32),
        ego=(float(tick), 0.0),
    )
    return Step(tick, draw, RegionSet.of([Region(3, 5, 40, 30)], WIDTH, HEIGHT))
