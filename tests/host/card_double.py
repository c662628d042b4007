"""A strict transaction double of a card: it checks every access against the register map and can be told to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from foveal.card import FrameCall, GeometryBuffers, GeometryRun, registers
from foveal.card.engine import INSTANCE_OFFSET
from foveal.card.roles import ROLES
from foveal.errors import DeviceError, DeviceTimeout
from foveal.geometry import INSTANCE, STATISTICS
from foveal.provenance import Provenance

BASE = 0x4_0000_0000
ACCESS_NS = 10.0
GEOMETRY_NS = 7000.0
TABLE = {register.offset: register for register in registers.REGISTERS}


def pattern(width: int, height: int) -> np.ndarray:
    """(height, width) uint32: what the double "renders"; every pixel is different."""
    return np.arange(width, dtype=np.uint32) | np.arange(height, dtype=np.uint32)[:, None] << 12 | np.uint32(0xFF000000)


KERNEL_BUFFERS = (registers.TRI_BASE_LO, registers.BAND_BASE_LO, registers.OUT_BASE_LO, registers.MAT_BASE_LO)
AT_REST = ("CTRL", "CTRL_RESET", "ISR", "GIE", "IER", "MAT_INVALIDATE", "TEX_INVALIDATE")
WRITABLE_IN_A_FRAME = {r.offset for r in registers.REGISTERS if "w" in r.access and r.name not in AT_REST}
"""The next frame's configuration and region set: a frame keeps what it began with."""

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
        self.card.check_untouched(self.address)
        if offset + size > self.size:
            raise ValueError("beyond the end")

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        self._check(data.nbytes, offset)
        self.data[offset : offset + data.nbytes] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        self._check(size, offset)
        return self.data[offset : offset + size].copy()

    def free(self) -> None:
        self.card.check_untouched(self.address)
        assert self.card.buffers.pop(self.address, None) is not None, "freed twice"


@dataclass
class CardDouble:
    """overrides: values that registers read as. lose: offsets whose writes are lost. hang: the kernel never ends.

    short: bytes that OUT_BYTES falls short of. log: ("r" or "w", register name, value) of every access.
    eager: a frame's pixels are written as soon as it starts, not when its end is waited for: both are legal.
    at_geometry: addresses that the geometry kernel holds.
    """

    overrides: dict[int, int] = field(default_factory=dict)
    lose: set[int] = field(default_factory=set)
    hang: bool = False
    short: int = 0
    eager: bool = False
    at_geometry: frozenset[int] = frozenset()
    log: list[tuple[str, str, int]] = field(default_factory=list)
    buffers: dict[int, DoubleBuffer] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    frame: dict[int, int] | None = None
    resets: int = 0
    allocations: int = 0
    clock_hz: float = 100e6
    memory_latency_cycles: int = 42
    shows_registers: bool = True
    run_ns: float = 1e6
    provenance: Provenance = Provenance.SIMULATED

    def __post_init__(self) -> None:
        self._next = BASE
        self._time_ns = 0.0
        self._power_on()

    def _power_on(self) -> None:
        self.values = {register.offset: register.reset for register in registers.REGISTERS}
        self.buffers.clear()
        self.frame = None
        self.at_geometry = frozenset()

    @property
    def running(self) -> bool:
        return self.frame is not None

    def check_untouched(self, address: int) -> None:
        """A kernel that runs owns its buffers."""
        if self.frame is not None:
            held = {self._address(self.frame, low) for low in KERNEL_BUFFERS}
            assert address not in held, "device memory was touched while the kernel ran on it"
        assert address not in self.at_geometry, "device memory was touched while the geometry kernel ran on it"

    def read(self, offset: int) -> int:
        register = TABLE.get(offset)
        if register is None or "r" not in register.access:
            raise DeviceError(f"no readable register at {offset:#x}")
        late = self.hang and offset == registers.CTRL  # who has waited in vain may look
        assert not self.running or register.name.startswith("ROI_") or late, f"{register.name} was read in mid-frame"
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
        assert not self.running or offset in WRITABLE_IN_A_FRAME, f"{register.name} was written while the kernel ran"
        self._time_ns += ACCESS_NS
        self.log.append(("w", register.name, value))
        if offset == registers.ISR:
            self.values[offset] ^= value
        elif offset == registers.CTRL:
            assert value == registers.CTRL_AP_START_MASK
            self.frame = dict(self.values)
            if self.eager:
                self._draw(self.frame)
        elif offset not in self.lose:
            self.values[offset] = value

    def allocate(self, size: int, role: str) -> DoubleBuffer:
        assert role in ROLES
        self.allocations += 1
        buffer = DoubleBuffer(self, self._next, size)
        self.buffers[self._next] = buffer
        self._next += (size + 4095) // 4096 * 4096
        return buffer

    def wait_done(self, deadline_s: float) -> None:
        assert self.running, "nothing was started"
        assert self.values[registers.GIE] & self.values[registers.IER] & 1, "the interrupt is not enabled"
        if self.hang:
            raise DeviceTimeout(f"no interrupt within {deadline_s} s")
        if not self.eager:
            self._draw(self.frame)
        kept = int(np.count_nonzero(self._keep(self.frame)))
        self.values[registers.OUT_BYTES] = 4 * kept - self.short
        self.values |= CYCLES
        self.frame = None
        self.values[registers.ISR] |= registers.ISR_AP_DONE_MASK
        self.values[registers.CTRL] |= registers.CTRL_AP_DONE_MASK

    def address(self, low: int) -> int:
        return self._address(self.values, low)

    @staticmethod
    def _address(values: dict[int, int], low: int) -> int:
        return values[low] | values[low + 4] << 32

    @staticmethod
    def _keep(values: dict[int, int]) -> np.ndarray:
        keep = np.zeros((values[registers.HEIGHT], values[registers.WIDTH]), bool)
        for n in range(registers.ROI_COUNT):
            low, high = values[registers.roi_lo(n)], values[registers.roi_hi(n)]
            keep[low >> 16 : high >> 16, low & 0xFFFF : high & 0xFFFF] = True
        return keep

    def _draw(self, values: dict[int, int]) -> None:
        """The records' first word, which the engine double sets to the frame's instances, is added to each pixel."""
        width, height = values[registers.WIDTH], values[registers.HEIGHT]
        keep = self._keep(values)
        record = self.buffers[self._address(values, registers.TRI_BASE_LO)].data.view("<u4")
        image = pattern(width, height) + record[0]
        out = self.buffers[self._address(values, registers.OUT_BASE_LO)].data.view("<u4")
        if values[registers.FLAGS] & registers.FLAGS_STRIDED_MASK:
            stride = values[registers.STRIDE] // 4
            rows = out[: stride * height].reshape(height, stride)
            rows[:, :width][keep] = image[keep]
        else:
            out[: np.count_nonzero(keep)] = image[keep]

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
    """Writes the statistics of a run that needs `needed` records; calls: the arguments of each run.

    The first record's first word becomes the number of the first instance's mesh. eager: at start(), not at wait().
    """

    needed: int = 0
    eager: bool = False
    calls: list[FrameCall] = field(default_factory=list)
    after: Callable[[GeometryBuffers], None] = lambda buffers: None
    hang: bool = False

    def __post_init__(self) -> None:
        self._run: tuple[GeometryBuffers, FrameCall] | None = None
        self._resets = 0  # of the card, when the run was started

    def start(self, buffers: GeometryBuffers, call: FrameCall) -> None:
        resets = buffers.frame.card.resets
        assert self._run is None or self._resets != resets, "the geometry kernel was started while it ran"
        self._resets = resets
        self.calls.append(call)
        self._run = (buffers, call)
        names = ("frame", "staging", "record", "band", "statistics")
        held: list[DoubleBuffer] = [getattr(buffers, name) for name in names]
        card = held[0].card
        for buffer in held:
            assert buffer.address in card.buffers, "the geometry kernel was given a freed buffer"
            card.check_untouched(buffer.address)
        if self.eager:
            self._work()
        card.at_geometry = frozenset(buffer.address for buffer in held)

    def wait(self, deadline_s: float) -> GeometryRun:
        assert self._run is not None, "no run was started"
        if self.hang:
            raise DeviceTimeout(f"the geometry kernel did not end within {deadline_s} s")
        self._run[0].frame.card.at_geometry = frozenset()
        if not self.eager:
            self._work()
        self._run = None
        return GeometryRun(GEOMETRY_NS, Provenance.MODELLED)

    def _work(self) -> None:
        assert self._run is not None
        buffers, call = self._run
        row = np.zeros(1, STATISTICS)
        row["triangles_out"] = row["records_needed"] = self.needed
        row["flags"] = (self.needed > call.staging_capacity) | (self.needed > call.record_capacity) << 1
        buffers.statistics.write(row)
        instance = buffers.frame.data[INSTANCE_OFFSET:].view(INSTANCE) if call.instances else None
        buffers.record.write(np.array([0 if instance is None else instance["mesh"][0]], "<u4"))
        self.after(buffers)
