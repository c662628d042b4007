"""The geometry kernel of the image as the driver's GeometryEngine."""

from __future__ import annotations

from typing import cast

import numpy as np

from foveal.card.engine import INSTANCE_OFFSET, FrameCall, GeometryBuffers, GeometryRun
from foveal.card.roles import GEOMETRY
from foveal.geometry import PARAMETERS
from foveal.xrt.buffer import XrtBuffer
from foveal.xrt.card import XrtCard

__all__ = ["XrtGeometry"]


class XrtGeometry:
    """Time of a run: from its start to the moment in which its end was seen."""

    def __init__(self, card: XrtCard) -> None:
        self._card = card
        self._parameters: XrtBuffer | None = None
        self._held = b""

    def start(self, buffers: GeometryBuffers, call: FrameCall) -> None:
        """See foveal.card.engine.GeometryEngine."""
        card, run = self._card, self._card.run(GEOMETRY)
        parameters = self._upload(call)
        with card.host_time(), card.breaks():
            for name in ("position", "triangle", "mesh", "staging", "record", "band", "statistics"):
                buffer = cast(XrtBuffer, getattr(buffers, name))
                run.pointer(name, buffer)
            frame = cast(XrtBuffer, buffers.frame)
            run.pointer("region", frame)
            run.pointer("instance", frame, INSTANCE_OFFSET)
            run.pointer("frame", parameters)
            run.start()

    def wait(self, deadline_s: float) -> GeometryRun:
        """See foveal.card.engine.GeometryEngine."""
        card, run = self._card, self._card.run(GEOMETRY)
        with card.breaks():
            run.wait(deadline_s)
        return GeometryRun(float(run.duration_ns), card.host_provenance)

    def _upload(self, call: FrameCall) -> XrtBuffer:
        """The kernel takes its scalars from memory."""
        row = np.zeros(1, PARAMETERS)
        for name in (PARAMETERS.names or ())[:-1]:
            row[name] = getattr(call, name)
        if self._parameters is None or not self._card.owns(self._parameters):
            self._parameters, self._held = self._card.allocate(row.nbytes, "parameters"), b""
        if row.tobytes() != self._held:
            self._parameters.write(row)
            self._held = row.tobytes()
        return self._parameters
