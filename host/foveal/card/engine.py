"""The geometry kernel as the driver sees it: buffers in, records and bands out. A card backend implements the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from foveal.card.card import Buffer
from foveal.provenance import Provenance

__all__ = ["INSTANCE_OFFSET", "FrameCall", "GeometryBuffers", "GeometryEngine", "GeometryRun"]

INSTANCE_OFFSET = 128
"""Byte of the first instance in the frame buffer; the (16) regions of 8 bytes stand before."""


@dataclass(frozen=True, slots=True)
class GeometryBuffers:
    """Device buffers of one call, laid out as hw/hls/geometry.hpp says.

    position, triangle, mesh: static. frame: regions at 0, instances at INSTANCE_OFFSET. staging: scratch. record,
    band, statistics: results.
    """

    position: Buffer
    triangle: Buffer
    mesh: Buffer
    frame: Buffer
    staging: Buffer
    record: Buffer
    band: Buffer
    statistics: Buffer


@dataclass(frozen=True, slots=True)
class FrameCall:
    """Scalar arguments of one call. width, height in pixels; counts of rows; capacities of the scratch and results.

    labels: 1 to write each record a second time, with its label for a surface, record_capacity records behind; then
    the record buffer holds twice as many.
    """

    width: int
    height: int
    ambient: float
    diffuse: float
    vertices: int
    triangles: int
    meshes: int
    instances: int
    regions: int
    staging_capacity: int
    record_capacity: int
    labels: int = 0


@dataclass(frozen=True, slots=True)
class GeometryRun:
    """Time of one run of the kernel in nanoseconds, without its launch, and its provenance."""

    time_ns: float
    provenance: Provenance


class GeometryEngine(Protocol):
    """Runs the geometry kernel, one run at a time. Failures raise DeviceError."""

    def start(self, buffers: GeometryBuffers, call: FrameCall) -> None:
        """Begin a run. Until wait() the card may read and write all of `buffers`. Its host time goes to the card's."""

    def wait(self, deadline_s: float) -> GeometryRun:
        """Wait for the run's end, at most `deadline_s` of the device's own time. Raises DeviceTimeout."""
