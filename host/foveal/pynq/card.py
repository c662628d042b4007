"""An overlay of PYNQ as the driver's Card and GeometryEngine: everything goes through PYNQ's own interfaces."""

from __future__ import annotations

from typing import cast

import numpy as np
import pynq

from foveal.card.engine import INSTANCE_OFFSET, FrameCall, GeometryBuffers, GeometryRun
from foveal.card.roles import GEOMETRY, KERNEL
from foveal.errors import DeviceError
from foveal.geometry import PARAMETERS
from foveal.provenance import Provenance
from foveal.pynq.buffer import FovealBuffer
from foveal.pynq.device import FovealDevice
from foveal.pynq.kernels import RunHandle

__all__ = ["PynqBuffer", "PynqCard", "PynqGeometry"]


class PynqBuffer:
    """A foveal.card.Buffer over an array of pynq.allocate()."""

    def __init__(self, array: FovealBuffer) -> None:
        """array: (size,) uint8."""
        self.array = array

    @property
    def address(self) -> int:
        return int(self.array.device_address)

    @property
    def size(self) -> int:
        return int(self.array.nbytes)

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        source = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        piece = self._piece(source.size, offset)
        piece[:] = source
        piece.flush()

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        piece = self._piece(size, offset)
        piece.invalidate()
        return np.asarray(piece)

    def free(self) -> None:
        self.array.freebuffer()

    def _piece(self, size: int, offset: int) -> FovealBuffer:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset}..{offset + size} of a buffer of {self.size}")
        if not self.array.bo.live:
            raise DeviceError(f"buffer 0x{self.address:X} was freed, or the card was reset since")
        return self.array[offset : offset + size]


class PynqCard:
    """See foveal.card.Card."""

    def __init__(self, overlay: pynq.Overlay) -> None:
        """overlay: of an image that is on a FovealDevice. Raises DeviceError for another device."""
        if not isinstance(overlay.device, FovealDevice):
            raise DeviceError(f"the overlay is on {overlay.device}, which is no device of foveal.pynq")
        self.overlay = overlay
        self._device: FovealDevice = overlay.device
        instances = {instance.kernel.name: instance.name for instance in self._device.image.instances}
        self._raster = getattr(overlay, instances[KERNEL])
        self.geometry_kernel = getattr(overlay, instances[GEOMETRY])

    @property
    def clock_hz(self) -> float:
        return self._device.opened.card.clock_hz

    @property
    def memory_latency_cycles(self) -> int:
        return self._device.opened.card.memory_latency_cycles

    @property
    def provenance(self) -> Provenance:
        return self._device.opened.card.provenance

    @property
    def shows_registers(self) -> bool:
        return self._device.opened.card.shows_registers

    @property
    def run_ns(self) -> float:
        return self._device.opened.card.run_ns

    def read(self, offset: int) -> int:
        return int(self._raster.read(offset))

    def write(self, offset: int, value: int) -> None:
        self._raster.write(offset, value)

    def allocate(self, size: int, role: str) -> PynqBuffer:
        banks = self._device.banks_for(role)
        if not banks:
            raise DeviceError(f"no memory of the image is reached by all kernel arguments that use the buffer {role!r}")
        memory = self._device.get_memory_by_name(banks[0])
        return PynqBuffer(pynq.allocate((size,), "u1", target=memory))

    def wait_done(self, deadline_s: float) -> None:
        self._device.opened.card.wait_done(deadline_s)

    def take_time(self) -> tuple[float, Provenance]:
        return self._device.opened.card.take_time()

    def reset(self) -> None:
        self._device.reset_card()

    def describe(self) -> dict[str, str]:
        facts = {"pynq": pynq.__version__, "pynq_device": self._device.tag, "xclbin": str(self._device.image.uuid)}
        return self._device.opened.card.describe() | facts

    def close(self) -> None:
        self._device.release()


class PynqGeometry:
    """See foveal.card.GeometryEngine."""

    def __init__(self, card: PynqCard) -> None:
        self._card = card
        self._parameters: PynqBuffer | None = None
        self._held = b""
        self._run: RunHandle | None = None

    def start(self, buffers: GeometryBuffers, call: FrameCall) -> None:
        frame = _array(buffers.frame)
        names = ("position", "triangle", "mesh", "staging", "record", "band", "statistics")
        self._run = self._card.geometry_kernel.start(
            instance=frame[INSTANCE_OFFSET:],
            region=frame,
            frame=self._upload(call).array,
            **{name: _array(getattr(buffers, name)) for name in names},
        )

    def wait(self, deadline_s: float) -> GeometryRun:
        run, self._run = self._run, None
        if run is None:
            raise DeviceError("no run of the geometry kernel was started")
        return cast(GeometryRun, run.wait(deadline_s))

    def _upload(self, call: FrameCall) -> PynqBuffer:
        row = np.zeros(1, PARAMETERS)
        for name in (PARAMETERS.names or ())[:-1]:
            row[name] = getattr(call, name)
        if self._parameters is None or not self._parameters.array.bo.live:
            self._parameters, self._held = self._card.allocate(row.nbytes, "parameters"), b""
        if row.tobytes() != self._held:
            self._parameters.write(row)
            self._held = row.tobytes()
        return self._parameters


def _array(buffer: object) -> FovealBuffer:
    return cast(PynqBuffer, buffer).array
