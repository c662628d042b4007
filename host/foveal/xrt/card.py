"""A card behind XRT as the driver's Card: registers are arguments of a run, buffers lie in the memory of their role."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from foveal.card import registers
from foveal.card.kernel import load_kernel
from foveal.card.pixels import UNWRITTEN
from foveal.card.program import region_words
from foveal.card.roles import GEOMETRY, KERNEL
from foveal.errors import DeviceBroken, DeviceError
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.xrt.buffer import PAGE, XrtBuffer
from foveal.xrt.runs import KernelRun
from foveal.xrt.sensors import Telemetry
from foveal.xrt.session import Session
from foveal.xrt.traces import let_go

__all__ = ["XrtCard"]

OF_THE_RUNTIME = (registers.GIE, registers.IER, registers.ISR)
"""XRT enables and clears the kernel's interrupt itself; whoever reads or writes them beside it loses ends of runs."""

STROBES = ("ROI_COMMIT", "MAT_INVALIDATE", "TEX_INVALIDATE")
"""Arguments that act when a 1 is written. Each run writes all arguments: they go back to 0 once they have acted."""

NO_REGISTERS = (
    "needs access to the kernel's registers, which pyxrt does not give; "
    "install Foveal from its source on a machine with XRT"
)


class XrtCard:
    """See foveal.card.Card. One thread at a time. last_fault: why it last refused work; a reset does not forget it.

    After a failure of a run or a transfer it refuses everything (DeviceBroken) until reset().
    """

    def __init__(
        self,
        session: Session,
        *,
        clock_hz: float,
        memory_latency_cycles: int,
        clock: Callable[[], int] = time.perf_counter_ns,
        host: Provenance = Provenance.MEASURED,
        kernel: Provenance = Provenance.MEASURED,
    ) -> None:
        """session: the open card. clock_hz: the kernel's clock.

        clock: nanoseconds; host, kernel: what its differences, and the kernel's counters, are worth.
        Raises DeviceError when the image does not fit this driver.
        """
        self._session = session
        self._clock_hz = clock_hz
        self._latency = memory_latency_cycles
        self._clock = clock
        self._host, self._provenance = host, kernel
        self._fault: str | None = None
        self._closed = False
        self.last_fault: str | None = None
        self._live: dict[int, XrtBuffer] = {}
        self._words: dict[int, int] = {}
        self._spent_ns = 0.0
        self._ended = False
        self._open()

    def _open(self) -> None:
        session = self._session
        self.library = session.library
        self._groups = session.groups()
        self._runs = {
            name: KernelRun(self.library, session.kernels[name], name, self._clock) for name in (KERNEL, GEOMETRY)
        }

    @property
    def clock_hz(self) -> float:
        return self._clock_hz

    @property
    def memory_latency_cycles(self) -> int:
        return self._latency

    @property
    def provenance(self) -> Provenance:
        return self._provenance

    @property
    def host_provenance(self) -> Provenance:
        """What times that the host took are worth."""
        return self._host

    @property
    def shows_registers(self) -> bool:
        return self._session.shows_registers

    @property
    def run_ns(self) -> float:
        """Of the last frame: from the kernel's start to its end as the host saw it, in nanoseconds."""
        return float(self._runs[KERNEL].duration_ns)

    def read(self, offset: int) -> int:
        self._check()
        if offset == registers.CTRL:
            return self._control()
        if offset in OF_THE_RUNTIME:
            raise DeviceError(f"register 0x{offset:03X} belongs to XRT while it runs the kernel")
        if offset in _WORDS:
            return self._words.get(offset, 0)
        if self.shows_registers:
            with self.host_time(), self.breaks():
                return self._runs[KERNEL].read_register(offset)
        known = self._session.image.identity_words()
        if offset in known:
            return known[offset]
        raise DeviceError(f"reading register 0x{offset:03X} {NO_REGISTERS}")

    def write(self, offset: int, value: int) -> None:
        self._check()
        if offset in OF_THE_RUNTIME:
            return
        if offset == registers.CTRL:
            self._start(value)
        elif offset in _WORDS:
            self._words[offset] = value & 0xFFFFFFFF
        else:
            self.write_now(offset, value)

    def set_regions_now(self, regions: RegionSet) -> None:
        """Give the kernel a region set beside its run; with FLAGS.immediate it clips the running frame.

        The next run brings its own set with it, whatever was set here. Raises DeviceError without register access.
        """
        for n, words in enumerate(region_words(regions)):
            for offset, word in zip((registers.roi_lo(n), registers.roi_hi(n)), words, strict=True):
                self.write_now(offset, word)
        self.write_now(registers.ROI_COMMIT, 1)

    def write_now(self, offset: int, value: int) -> None:
        """Write a register of the kernel at once, beside its run.

        Raises DeviceError without register access.
        """
        self._check()
        if not self.shows_registers:
            raise DeviceError(f"writing register 0x{offset:03X} at once {NO_REGISTERS}")
        with self.host_time(), self.breaks():
            self._runs[KERNEL].write_register(offset, value & 0xFFFFFFFF)

    def allocate(self, size: int, role: str) -> XrtBuffer:
        self._check()
        whole = -(-max(size, 1) // PAGE) * PAGE
        group = self._groups.group(role)
        self._groups.take(role, whole)
        try:
            buffer = XrtBuffer(self, self._session.allocate(whole, group), role, size)
        except BaseException as error:
            let_go(error)
            self._groups.give(role, whole)
            raise
        self._live[buffer.address] = buffer
        return buffer

    def owns(self, buffer: XrtBuffer) -> bool:
        """The buffer was allocated here and is still valid."""
        return self._live.get(buffer.address) is buffer

    def release(self, buffer: XrtBuffer) -> None:
        """Take a buffer back. More than once does nothing."""
        if self.owns(buffer):
            del self._live[buffer.address]
            for run in self._runs.values():
                run.forget(buffer.address, buffer.address + buffer.size)
            buffer.drop()
            self._groups.give(buffer.role, -(-max(buffer.size, 1) // PAGE) * PAGE)

    def wait_done(self, deadline_s: float) -> None:
        self._check()
        with self.breaks():
            run = self._runs[KERNEL]
            run.wait(deadline_s)
            kernel_ns = float(run.duration_ns)
            if self.shows_registers:
                kernel_ns = run.read_register(registers.FRAME_CYCLES) * 1e9 / self._clock_hz
        busy_ns = run.duration_ns - run.waited_ns  # what the host did meanwhile is counted already
        self._spent_ns += max(0.0, run.duration_ns - max(busy_ns, kernel_ns))
        self._ended = True

    def take_time(self) -> tuple[float, Provenance]:
        spent, self._spent_ns = self._spent_ns, 0.0
        return spent, self._host

    @contextmanager
    def host_time(self) -> Iterator[None]:
        """What the block takes is the host's time."""
        begin = self._clock()
        try:
            yield
        finally:
            self._spent_ns += self._clock() - begin

    @contextmanager
    def breaks(self) -> Iterator[None]:
        """After a DeviceError inside, the card refuses all work until its reset."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, DeviceError):
                self._fault = self.last_fault = str(error)
            let_go(error)
            raise

    def reset(self) -> None:
        """Reset the whole card and load its image again.

        Raises DeviceError, and resets nothing, while other processes use the card, or when it was closed.
        """
        self._check_open()
        self._session.check_alone()
        self._fault = "a reset of the card has not succeeded"
        self._drop()
        try:
            self._session.reset()
            self._open()
        except BaseException as error:
            let_go(error)
            raise
        self._fault = None

    def telemetry(self) -> Telemetry:
        """What the card's sensors say now."""
        self._check()
        return self._session.telemetry()

    def describe(self) -> dict[str, str]:
        return self._session.describe() | {"clock": f"{self._clock_hz / 1e6:g} MHz"}

    def close(self) -> None:
        self._closed = True
        self._drop()
        self._session.close()

    def run(self, kernel: str) -> KernelRun:
        """The run of one of the image's kernels."""
        self._check()
        return self._runs[kernel]

    def _drop(self) -> None:
        """Let go of all objects of the library: a reset ends every process that still holds one of the card's."""
        for buffer in self._live.values():
            buffer.drop()
        self._live.clear()
        for run in self._runs.values():
            run.drop()
        self._runs.clear()
        self._words.clear()
        self._ended = False

    def _control(self) -> int:
        """CTRL as far as the run tells: the register itself is read by XRT, and its done bit clears by reading."""
        if self._runs[KERNEL].started:
            return registers.CTRL_AP_START_MASK
        done = registers.CTRL_AP_DONE_MASK | registers.CTRL_AP_READY_MASK if self._ended else 0
        self._ended = False
        return done | registers.CTRL_AP_IDLE_MASK

    def _start(self, value: int) -> None:
        if value != registers.CTRL_AP_START_MASK:
            raise DeviceError(f"CTRL takes ap_start alone, not 0x{value:X}")
        if not self.shows_registers:
            self._poison()
        with self.host_time(), self.breaks():
            run = self._runs[KERNEL]
            for argument in _ARGUMENTS:
                word = self._words.get(argument.offset)
                if argument.pointer:
                    self._set_pointer(argument.name, (word or 0) | self._words.get(argument.offset + 4, 0) << 32)
                elif word is not None:
                    run.scalar(argument.name, word)
            run.start()
        self._ended = False
        for argument in _ARGUMENTS:
            if argument.name in STROBES and argument.offset in self._words:
                self._words[argument.offset] = 0

    def _poison(self) -> None:
        """Without STATUS, a pixel that is still poison afterwards is what tells of a frame that failed."""
        output = self._live.get(self._words.get(registers.OUT_BASE_LO, 0) | self._words.get(_OUT_BASE_HI, 0) << 32)
        if output is not None:
            output.write(np.full(output.size // 4, UNWRITTEN, "<u4"))

    def _set_pointer(self, name: str, address: int) -> None:
        buffer = next((one for one in self._live.values() if one.address <= address < one.address + one.size), None)
        if buffer is not None:
            self._runs[KERNEL].pointer(name, buffer, address - buffer.address)
        elif name != "TEX_BASE" or self._words.get(registers.TEX_PAGES):
            # Without pages nothing is read there, and the pages before may be gone.
            raise DeviceError(f"{name} is 0x{address:X}, where no buffer of this card lies")

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceBroken(f"the card {self._session.bdf} was closed; open it again")

    def _check(self) -> None:
        self._check_open()
        if self._fault is not None:
            raise DeviceBroken(f"the card {self._session.bdf} refuses work until its reset: {self._fault}")


_ARGUMENTS = load_kernel(KERNEL).arguments

_OUT_BASE_HI = registers.OUT_BASE_LO + 4

_WORDS = frozenset(
    offset for argument in _ARGUMENTS for offset in range(argument.offset, argument.offset + argument.size, 4)
)
"""Byte offsets of the words that a run sets."""
