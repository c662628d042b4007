"""A strict transaction double of a card: it checks every access against the register map and can be told to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from foveal.card import FrameCall, GeometryBuffers, GeometryRun, registers
from foveal.card.roles import ROLES
from foveal.errors import DeviceError, DeviceTimeout
from foveal.geometry import STATISTICS
from foveal.provenance import Provenance

BASE = 0x4_0000_0000
ACCESS_NS = 10.0
TABLE = {register.offset: register for register in registers.REGISTERS}


def pattern(width: int, height: int) -> np.ndarray:
    """(height, width) uint32: what the double "renders"; every pixel is different."""
    return np.arange(width, dtype=np.uint32) | np.arange(height, dtype=np.uint32)[:, None] << 12 | np.uint32(0xFF000000)


CYCLES = {
    registers.FRAME_CYCLES: 1000,
    registers.FETCH_WAIT_CYCLES: 100,
    registers.RASTER_CYCLES: 700,
    registers.RASTER_STALL_CYCLES: 50,
    registers.SCAN_ALONE_CYCLES: 180,
    registers.DMA_ALONE_CYCLES: 40,
    registers.DRAIN_CYCLES: 30,
}
"""A frame's cycles, as the kernel accounts for them: serially 100 + 650 + 180 + 40 + 30."""


class DoubleBuffer:
    def __init__(self, card: CardDouble, address: int, size: int) -> None:
        self.card, self.address, self.size = card, address, size
        self.data = np.full(size, 0xA5, np.uint8)

    def _check(self, size: int, offset: int) -> None:
        assert self.address in self.card.buffers, "a freed buffer was used"
        assert not self.card.running, "device memory was touched while the kernel ran"
        if offset + size > self.size:
            raise ValueError("beyond the end")

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        self._check(data.nbytes, offset)
        self.data[offset : offset + data.nbytes] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        self._check(size, offset)
        return self.data[offset : offset + size].copy()

    def free(self) -> None:
        assert self.card.buffers.pop(self.address, None) is not None, "freed twice"


@dataclass
class CardDouble:
    """overrides: values that registers read as. lose: offsets whose writes are lost. hang: the kernel never ends.

    short: bytes that OUT_BYTES falls short of. log: ("r" or "w", register name, value) of every access.
    """

    overrides: dict[int, int] = field(default_factory=dict)
    lose: set[int] = field(default_factory=set)
    hang: bool = False
    short: int = 0
    log: list[tuple[str, str, int]] = field(default_factory=list)
    buffers: dict[int, DoubleBuffer] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    running: bool = False
    resets: int = 0
    clock_hz: float = 100e6
    memory_latency_cycles: int = 42
    shows_registers: bool = True
    provenance: Provenance = Provenance.SIMULATED

    def __post_init__(self) -> None:
        self._next = BASE
        self._time_ns = 0.0
        self._power_on()

    def _power_on(self) -> None:
        self.values = {register.offset: register.reset for register in registers.REGISTERS}
        self.buffers.clear()
        self.running = False
        self._ended = False

    def read(self, offset: int) -> int:
        register = TABLE.get(offset)
        if register is None or "r" not in register.access:
            raise DeviceError(f"no readable register at {offset:#x}")
        assert not self.running, f"{register.name} was read while the kernel ran"
        self._time_ns += ACCESS_NS
        value = self.overrides.get(offset, self.values[offset])
        if offset == registers.CTRL:
            self.values[offset] &= ~(registers.CTRL_AP_DONE_MASK | registers.CTRL_AP_READY_MASK)
        self.log.append(("r", register.name, value))
        return value

    def write(self, offset: int, value: int) -> None:
        register = TABLE.get(offset)
        if register is None or "w" not in register.access:
            raise DeviceError(f"no writable register at {offset:#x}")
        assert 0 <= value < 1 << 32
        assert not self.running, f"{register.name} was written while the kernel ran"
        self._time_ns += ACCESS_NS
        self.log.append(("w", register.name, value))
        if offset == registers.ISR:
            self.values[offset] ^= value
        elif offset == registers.CTRL:
            assert value == registers.CTRL_AP_START_MASK
            self.running = True
        elif offset not in self.lose:
            self.values[offset] = value

    def allocate(self, size: int, role: str) -> DoubleBuffer:
        assert role in ROLES
        buffer = DoubleBuffer(self, self._next, size)
        self.buffers[self._next] = buffer
        self._next += (size + 4095) // 4096 * 4096
        return buffer

    def wait_done(self, deadline_s: float) -> None:
        assert self.running, "nothing was started"
        assert self.values[registers.GIE] & self.values[registers.IER] & 1, "the interrupt is not enabled"
        if self.hang:
            raise DeviceTimeout(f"no interrupt within {deadline_s} s")
        self.running = False
        self._draw()
        self.values[registers.ISR] |= registers.ISR_AP_DONE_MASK
        self.values[registers.CTRL] |= registers.CTRL_AP_DONE_MASK

    def address(self, low: int) -> int:
        return self.values[low] | self.values[low + 4] << 32

    def _draw(self) -> None:
        width, height = self.values[registers.WIDTH], self.values[registers.HEIGHT]
        keep = np.zeros((height, width), bool)
        for n in range(registers.ROI_COUNT):
            low, high = self.values[registers.roi_lo(n)], self.values[registers.roi_hi(n)]
            keep[low >> 16 : high >> 16, low & 0xFFFF : high & 0xFFFF] = True
        image = pattern(width, height)
        out = self.buffers[self.address(registers.OUT_BASE_LO)].data.view("<u4")
        if self.values[registers.FLAGS] & registers.FLAGS_STRIDED_MASK:
            stride = self.values[registers.STRIDE] // 4
            rows = out[: stride * height].reshape(height, stride)
            rows[:, :width][keep] = image[keep]
        else:
            out[: np.count_nonzero(keep)] = image[keep]
        self.values[registers.OUT_BYTES] = 4 * int(np.count_nonzero(keep)) - self.short
        self.values |= CYCLES

    def take_time(self) -> tuple[float, Provenance]:
        spent, self._time_ns = self._time_ns, 0.0
        return spent, Provenance.MODELLED

    def reset(self) -> None:
        self.resets += 1
        self._power_on()

    def describe(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        self.buffers.clear()


@dataclass
class EngineDouble:
    """Writes the statistics of a run that needs `needed` records; calls: the arguments of each run."""

    needed: int = 0
    calls: list[FrameCall] = field(default_factory=list)
    after: Callable[[GeometryBuffers], None] = lambda buffers: None

    def __call__(self, buffers: GeometryBuffers, call: FrameCall) -> GeometryRun:
        self.calls.append(call)
        row = np.zeros(1, STATISTICS)
        row["triangles_out"] = row["records_needed"] = self.needed
        row["flags"] = (self.needed > call.staging_capacity) | (self.needed > call.record_capacity) << 1
        buffers.statistics.write(row)
        self.after(buffers)
        return GeometryRun(7000.0, Provenance.MODELLED)
