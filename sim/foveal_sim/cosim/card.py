"""A foveal.card.Card whose kernel is the RTL itself and whose PCIe time is modelled. It never reads a clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from foveal.card import Board, registers
from foveal.card.roles import ROLES
from foveal.card.status import ALL_ONES
from foveal.errors import DeviceError, DeviceTimeout
from foveal.provenance import Provenance

from foveal_sim.cosim import _cosim, _cosim_wave
from foveal_sim.cosim.allocator import Allocator
from foveal_sim.cosim.faults import FOREIGN_ID, FOREIGN_RESPONSE, Fault, FaultInjector
from foveal_sim.cosim.memory import PORTS, MemoryTiming, PortFault
from foveal_sim.cosim.pcie import PcieModel

__all__ = ["CosimBuffer", "CosimCard"]

MEMORY_BASE = 0x4_0000_0000
"""Device address of the first byte; above 4 GiB, so that a driver or an engine that drops high bits fails."""

SLICE_CYCLES = 1_000_000
"""Cycles stepped in one call; between calls Python sees Ctrl-C."""


class CosimBuffer:
    """A piece of the device memory; see foveal.card.Buffer."""

    def __init__(self, card: CosimCard, address: int, size: int) -> None:
        self._card, self._address, self._size = card, address, size
        self._live = True

    @property
    def address(self) -> int:
        return self._address

    @property
    def size(self) -> int:
        return self._size

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        self._card.faults.check_transfer()
        source = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self.view(source.size, offset)[:] = source
        self._card.spend(self._card.pcie.write_ns(source.size))

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        self._card.faults.check_transfer()
        data = self.view(size, offset)
        self._card.spend(self._card.pcie.read_ns(size))
        return data

    def view(self, size: int, offset: int = 0) -> np.ndarray:
        """(size,) uint8 that is the device memory itself: what a kernel on the card sees. Costs no PCIe time."""
        if not self._live or not self._card.owns(self):
            raise DeviceError(f"buffer 0x{self._address:X} was freed, or the card was reset since")
        if offset < 0 or size < 0 or offset + size > self._size:
            raise ValueError(f"bytes {offset}..{offset + size} of a buffer of {self._size}")
        return self._card.memory(self._address + offset, size)

    def free(self) -> None:
        if self._live and self._card.owns(self):
            self._card.release(self)
        self._live = False


class CosimCard:
    """The co-simulated card. One thread at a time; several cards may run in several threads."""

    def __init__(
        self,
        board: Board,
        *,
        clock_hz: float,
        memory_bytes: int = 256 << 20,
        timing: MemoryTiming | None = None,
        waves: bool = False,
        faults: Iterable[Fault] = (),
    ) -> None:
        """clock_hz: the clock that cycles are converted with. timing: by default that of `board`'s HBM.

        faults: what shall go wrong, and when.
        waves: use the slower model of the same RTL that wave() needs.
        """
        self.pcie = PcieModel(board)
        self.faults = FaultInjector(faults)
        self._board = board
        self._clock_hz = clock_hz
        self._waves: _cosim_wave.Kernel | None = None
        self._kernel: _cosim.Kernel
        if waves:
            self._kernel = self._waves = _cosim_wave.Kernel(MEMORY_BASE, memory_bytes)
        else:
            self._kernel = _cosim.Kernel(MEMORY_BASE, memory_bytes)
        self._dead = _cosim_wave.Dead if waves else _cosim.Dead
        self._memory = self._kernel.memory
        self._allocator = Allocator(MEMORY_BASE, memory_bytes)
        self._live: set[CosimBuffer] = set()
        self._spent_ns = 0.0
        timing = timing or MemoryTiming.of(board, clock_hz)
        for port in PORTS:
            self._kernel.set_timing(port, timing.latency_cycles, timing.bandwidth[port], timing.outstanding)
        self._timing = timing

    @property
    def kernel(self) -> _cosim.Kernel:
        """The compiled model, for faults and statistics."""
        return self._kernel

    @contextmanager
    def wave(self, path: Path) -> Iterator[None]:
        """Write every clock cycle inside the block into the VCD file `path`, in picoseconds of the stated clock.

        Raises DeviceError when the card was made without waves or the file cannot be written.
        """
        if self._waves is None:
            raise DeviceError("this card was made without waves; open the device with waves=True")
        try:
            self._waves.open_wave(str(path), 1e12 / self._clock_hz)
        except RuntimeError as error:
            raise DeviceError(str(error)) from error
        try:
            yield
        finally:
            self._waves.close_wave()

    @property
    def clock_hz(self) -> float:
        return self._clock_hz

    @property
    def memory_latency_cycles(self) -> int:
        return self._timing.latency_cycles

    @property
    def provenance(self) -> Provenance:
        return Provenance.SIMULATED

    def read(self, offset: int) -> int:
        self.spend(self.pcie.register_read_ns)
        if self.faults.gone:
            return ALL_ONES
        if self.faults.foreign:
            value, code = FOREIGN_ID, 0 if offset == registers.ID else FOREIGN_RESPONSE
        else:
            with _dead_control():
                value, code = self._kernel.read_register(offset)
        if code:
            raise DeviceError(f"reading register 0x{offset:03X} answered AXI response {code}")
        return value

    def write(self, offset: int, value: int) -> None:
        self.spend(self.pcie.register_write_ns)
        if self.faults.gone:
            return
        starts = offset == registers.CTRL and bool(value & registers.CTRL_AP_START_MASK)
        if starts:
            self.faults.before_start(self)
        code = FOREIGN_RESPONSE
        if not self.faults.foreign:
            with _dead_control():
                code = self._kernel.write_register(offset, value & 0xFFFFFFFF)
        if starts:
            self.faults.after_start(self)
        if code:
            raise DeviceError(f"writing register 0x{offset:03X} answered AXI response {code}")

    @property
    def shows_registers(self) -> bool:
        return True

    @property
    def run_ns(self) -> float:
        return self._kernel.read_register(registers.FRAME_CYCLES)[0] * 1e9 / self._clock_hz

    def allocate(self, size: int, role: str) -> CosimBuffer:
        """Every port of the co-simulated card reaches all of its memory: the role is checked, and decides nothing."""
        if role not in ROLES:
            raise KeyError(role)
        if self.faults.full:
            raise DeviceError(f"device memory is full: {size} bytes wanted, none free (an injected fault)")
        buffer = CosimBuffer(self, self._allocator.allocate(size), size)
        self._live.add(buffer)
        return buffer

    def owns(self, buffer: CosimBuffer) -> bool:
        """The buffer was allocated here and is still valid."""
        return buffer in self._live

    def release(self, buffer: CosimBuffer) -> None:
        """Take a buffer back."""
        self._live.discard(buffer)
        self._allocator.free(buffer.address)

    def memory(self, address: int, size: int) -> np.ndarray:
        """(size,) uint8 view of the device memory at `address`."""
        start = address - MEMORY_BASE
        return self._memory[start : start + size]

    def wait_done(self, deadline_s: float) -> None:
        left = limit = max(1, round(deadline_s * self._clock_hz))
        if self.faults.endless:
            left = min(left, SLICE_CYCLES)  # waiting longer shows nothing
        while left > 0 and not self._kernel.interrupt and not self.faults.gone:
            left -= self._kernel.run(min(left, SLICE_CYCLES))
        if not self._kernel.interrupt or self.faults.deaf:
            raise DeviceTimeout(f"the kernel did not end its frame within {limit} cycles ({deadline_s * 1e3:g} ms)")
        if self._kernel.violation_count:
            texts = self._kernel.violations()
            raise DeviceError(f"the kernel broke an AXI rule {self._kernel.violation_count} times, first: {texts[0]}")

    def spend(self, time_ns: float) -> None:
        """Add modelled time of a host operation."""
        self._spent_ns += time_ns

    def take_time(self) -> tuple[float, Provenance]:
        spent, self._spent_ns = self._spent_ns, 0.0
        return spent, Provenance.MODELLED

    def sample_texture(
        self, u: np.ndarray, v: np.ndarray, first: int = 0, log2_wide: int = 0, log2_high: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """(N, 4) uint8 R, G, B, A and (N,) bool misses from the kernel's texture port, as a shading kernel sees it.

        Arguments as in foveal.golden.sample. Costs no host time.
        """
        words = (np.asarray(u, np.int64) & 0xFFFFFF) | (np.asarray(v, np.int64) & 0xFFFFFF) << 24
        head = first << 48 | log2_wide << 56 | log2_high << 58
        results = np.array(self._kernel.sample([word | head for word in words.reshape(-1).tolist()]), "<u8")
        return results.view(np.uint8).reshape(-1, 8)[:, :4].copy(), results >> 32 != 0

    def inject(self, fault: PortFault) -> None:
        """Make beats answer with an error until clear_faults()."""
        self._kernel.fail_range(fault.port, fault.first, fault.last, fault.response)

    def set_dead(self, port: str, *, silent: bool) -> None:
        """Kill a memory port until clear_faults(): silent ones accept requests, others refuse them."""
        self._kernel.set_dead(port, self._dead.SILENT if silent else self._dead.REFUSE)

    def clear_faults(self) -> None:
        """The memory answers again; requests that a dead port swallowed are answered late."""
        self._kernel.clear_faults()

    def reset(self) -> None:
        self.faults.clear(self)
        self._kernel.reset()
        self._allocator.clear()
        self._live.clear()

    def describe(self) -> dict[str, str]:
        timing = self._timing
        rates = ", ".join(f"{port} {rate:.3f}" for port, rate in timing.bandwidth.items())
        return {
            "execution": "co-simulated RTL (Verilator); not a card",
            "clock": f"{self._clock_hz / 1e6:g} MHz (stated)",
            "board_model": f"{self._board.name}, {self._board.platform}",
            "memory_model": f"latency {timing.latency_cycles} cycles; beats a cycle: {rates}",
            "pcie_model": (
                f"transfer {self.pcie.board.transfer_ns.value / 1e3:g} us + bytes beyond"
                f" {self.pcie.board.overlap_bytes.value:.0f} at "
                f"{self.pcie.board.host_to_card_bytes_per_s.value / 1e9:.2f} GB/s out, "
                f"{self.pcie.board.card_to_host_bytes_per_s.value / 1e9:.2f} GB/s back; "
                f"register {self.pcie.register_read_ns / 1e3:g} us; launch {self.pcie.launch_ns / 1e3:g} us"
            ),
        }

    def close(self) -> None:
        self._live.clear()
        self._allocator.clear()


@contextmanager
def _dead_control() -> Iterator[None]:
    """A register access that the kernel never answered is a timeout."""
    try:
        yield
    except RuntimeError as error:
        raise DeviceTimeout(f"{error}; the control port is dead") from error
