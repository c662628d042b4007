"""The kernels of a card behind their control registers, as a program of PYNQ sees them."""

from __future__ import annotations

from collections.abc import Callable

from foveal.card import registers
from foveal.card.card import Buffer, Card
from foveal.card.engine import INSTANCE_OFFSET, FrameCall, GeometryBuffers, GeometryEngine, GeometryRun
from foveal.card.kernel import Kernel
from foveal.errors import DeviceError
from foveal.geometry import PARAMETERS, RECORD_BYTES, TRIANGLE

__all__ = ["GeometryUnit", "RasterUnit"]

DONE = registers.CTRL_AP_DONE_MASK | registers.CTRL_AP_READY_MASK


class RasterUnit:
    """The raster kernel: its registers are the card's.

    A run through XRT writes all arguments, those that nobody set as zeros: they are set to what their registers hold
    after a reset.
    """

    def __init__(self, card: Card, kernel: Kernel) -> None:
        self._card = card
        resets = {register.offset: register.reset for register in registers.REGISTERS}
        for argument in kernel.arguments:
            if resets[argument.offset]:
                card.write(argument.offset, resets[argument.offset])

    def read(self, offset: int) -> int:
        return self._card.read(offset)

    def write(self, offset: int, value: int) -> None:
        self._card.write(offset, value)

    def prepare(self) -> None:
        """Before a start: its end shall raise the interrupt that wait() waits for."""
        self._card.write(registers.GIE, registers.GIE_ENABLE_MASK)
        self._card.write(registers.IER, registers.IER_AP_DONE_MASK)

    def wait(self, deadline_s: float) -> None:
        """Wait for the interrupt, and take it back. Raises DeviceTimeout or DeviceError."""
        self._card.wait_done(deadline_s)
        self._card.write(registers.ISR, registers.ISR_AP_DONE_MASK)


class GeometryUnit:
    """The geometry kernel: argument registers that are kept here, and a start that hands them to the card's engine."""

    def __init__(self, engine: GeometryEngine, kernel: Kernel, find: Callable[[int], tuple[Buffer, int]]) -> None:
        """find: the buffer that holds a device address, and the offset in it. Raises DeviceError where none does."""
        self._engine, self._kernel, self._find = engine, kernel, find
        self._words: dict[int, int] = {}
        self._running = self._done = False

    def read(self, offset: int) -> int:
        if offset != registers.CTRL:
            return self._words.get(offset, 0)
        done, self._done = self._done, False  # reading clears it
        return registers.CTRL_AP_START_MASK if self._running else registers.CTRL_AP_IDLE_MASK | DONE * done

    def write(self, offset: int, value: int) -> None:
        if offset != registers.CTRL:
            self._words[offset] = value
        elif value & registers.CTRL_AP_START_MASK:
            if self._running:
                raise DeviceError("the geometry kernel was started while it runs; wait for its end first")
            self._engine.start(*self._call())
            self._running, self._done = True, False

    def prepare(self) -> None:
        """Nothing: the card's engine waits for the end itself."""

    def wait(self, deadline_s: float) -> GeometryRun:
        """Wait for the end. Raises DeviceTimeout or DeviceError."""
        self._running = False
        run = self._engine.wait(deadline_s)
        self._done = True
        return run

    def _call(self) -> tuple[GeometryBuffers, FrameCall]:
        found = {argument.name: self._find(self._address(argument.name)) for argument in self._kernel.arguments}
        frame, instance = found["region"], found["instance"]
        if instance != (frame[0], INSTANCE_OFFSET):
            raise DeviceError(
                f"instances must begin {INSTANCE_OFFSET} bytes behind the regions, in the same buffer: allocate one "
                f"for both and pass buffer[{INSTANCE_OFFSET}:] as the instances"
            )
        names = ("position", "triangle", "mesh", "staging", "record", "band", "statistics")
        for name in (*names, "region", "frame"):
            if found[name][1]:
                raise DeviceError(f"argument {name} is {found[name][1]} bytes inside a buffer; pass the buffer itself")
        buffers = GeometryBuffers(frame=frame[0], **{name: found[name][0] for name in names})
        row = found["frame"][0].read(PARAMETERS.itemsize).view(PARAMETERS)[0]
        values = {name: row[name].item() for name in PARAMETERS.names or () if name != "reserved"}
        for name in ("staging", "record"):
            room = getattr(buffers, name).size // RECORD_BYTES
            if name == "record" and values["labels"]:
                room //= 2
            if values[f"{name}_capacity"] > room:
                raise DeviceError(
                    f"the parameters promise room for {values[f'{name}_capacity']} entries in {name}; it has {room}"
                )
        vertices, triangles = buffers.position.size // 12, buffers.triangle.size // TRIANGLE.itemsize
        return buffers, FrameCall(vertices=vertices, triangles=triangles, **values)

    def _address(self, name: str) -> int:
        offset = self._kernel.argument(name).offset
        return self._words.get(offset, 0) | self._words.get(offset + 4, 0) << 32
