"""The geometry kernel on the co-simulated card: the HLS source, compiled natively, on the device memory itself."""

from __future__ import annotations

from typing import cast

import numpy as np
from foveal import _geometry
from foveal.card import Buffer, FrameCall, GeometryBuffers, GeometryRun
from foveal.card.engine import INSTANCE_OFFSET
from foveal.errors import DeviceError, DeviceTimeout
from foveal.geometry import INSTANCE, MAX_BANDS, MESH, RECORD_BYTES, STATISTICS, TRIANGLE
from foveal.provenance import Provenance

from foveal_sim.cosim.card import CosimBuffer, CosimCard

__all__ = ["CosimGeometry"]


class CosimGeometry:
    """A foveal.card.GeometryEngine. Time: the kernel's modelled cycles at the card's clock.

    The results are there when start() returns, long before the run's modelled end.
    """

    def __init__(self, card: CosimCard) -> None:
        self._card = card
        self._time_ns: float | None = None

    def start(self, buffers: GeometryBuffers, call: FrameCall) -> None:
        self._card.faults.check_transfer()  # a launch is one, too
        statistics = _rows(buffers.statistics, 1, STATISTICS.itemsize)
        _geometry.geometry(
            _rows(buffers.position, call.vertices, 12).view(np.float32),
            _rows(buffers.triangle, call.triangles, TRIANGLE.itemsize),
            _rows(buffers.mesh, call.meshes, MESH.itemsize),
            _rows(buffers.frame, call.instances, INSTANCE.itemsize, INSTANCE_OFFSET),
            _rows(buffers.frame, call.regions, 8),
            call.width,
            call.height,
            call.ambient,
            call.diffuse,
            bool(call.labels),
            _rows(buffers.staging, call.staging_capacity, RECORD_BYTES),
            _rows(buffers.record, call.record_capacity * (2 if call.labels else 1), RECORD_BYTES),
            _rows(buffers.band, MAX_BANDS, 8),
            statistics,
        )
        cycles = int(statistics.reshape(-1).view(STATISTICS)["cycles"][0])
        self._time_ns = cycles * 1e9 / self._card.clock_hz
        self._card.spend(self._card.pcie.launch_ns)

    def wait(self, deadline_s: float) -> GeometryRun:
        time_ns, self._time_ns = self._time_ns, None
        if time_ns is None:
            raise DeviceError("no run of the geometry kernel was started")
        if time_ns > deadline_s * 1e9:
            raise DeviceTimeout(f"the geometry kernel did not end its run within {deadline_s * 1e3:g} ms")
        return GeometryRun(time_ns, Provenance.MODELLED)


def _rows(buffer: Buffer, count: int, size: int, offset: int = 0) -> np.ndarray:
    """(count, size) uint8: the rows in device memory."""
    return cast(CosimBuffer, buffer).view(count * size, offset).reshape(count, size)
