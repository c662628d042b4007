"""What the driver needs of a card: registers, buffers, a wait with a deadline. A card backend implements this."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from foveal.provenance import Provenance

__all__ = ["Buffer", "Card"]


class Buffer(Protocol):
    """Device memory, 4 KiB aligned. Invalid after :meth:`free` and after the card's reset."""

    @property
    def address(self) -> int:
        """Device address of the first byte."""

    @property
    def size(self) -> int:
        """Bytes."""

    def write(self, data: np.ndarray, offset: int = 0) -> None:
        """Copy the bytes of a C-contiguous array to the card. Raises ValueError beyond the end."""

    def read(self, size: int, offset: int = 0) -> np.ndarray:
        """(size,) uint8 from the card. Raises ValueError beyond the end.

        It may lie in memory that the buffer uses for its transfers: take what you need before the buffer's next use.
        """

    def free(self) -> None: ...


class Card(Protocol):
    """One kernel on one card. Every failure raises DeviceError; a wait beyond its deadline raises DeviceTimeout."""

    @property
    def clock_hz(self) -> float:
        """The kernel's clock."""

    @property
    def memory_latency_cycles(self) -> int:
        """Cycles from a request to its answer on an idle memory port; what the driver derives its patience from."""

    @property
    def provenance(self) -> Provenance:
        """What the kernel's own cycle counters are worth here: measured on a card, simulated in co-simulation."""

    def read(self, offset: int) -> int:
        """Read the 32-bit register at byte `offset`. Raises DeviceError when the bus answers with an error."""

    def write(self, offset: int, value: int) -> None:
        """Write the 32-bit register at byte `offset`. Raises DeviceError when the bus answers with an error."""

    @property
    def shows_registers(self) -> bool:
        """STATUS and the counters can be read; without, only arguments, CTRL and identity can.

        Then the output buffer of each frame is filled with foveal.card.pixels.UNWRITTEN before its start.
        """

    @property
    def run_ns(self) -> float:
        """Of the last frame: nanoseconds from the kernel's start to its end, as far as the card can tell by itself.

        What frames are timed by where no register is shown; else the kernel's own count of cycles is.
        """

    def allocate(self, size: int, role: str) -> Buffer:
        """`size` bytes of device memory that all kernel arguments of foveal.card.roles.ROLES[role] reach.

        Raises DeviceError when there is no room, or no memory that all of them are connected to; KeyError for a word
        that is no role.
        """

    def wait_done(self, deadline_s: float) -> None:
        """Wait for the kernel's interrupt, at most `deadline_s` of the device's own time. Raises DeviceTimeout."""

    def take_time(self) -> tuple[float, Provenance]:
        """Nanoseconds in transfers, register accesses and launches since the last call, without the kernel's cycles."""

    def reset(self) -> None:
        """Power-on state: no request in flight, registers at their reset values, every buffer gone."""

    def describe(self) -> dict[str, str]:
        """Facts for a report: name, clock, versions."""

    def close(self) -> None: ...
