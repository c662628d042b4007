"""Faults that a co-simulated card can be told to have, each once, in a frame of one's choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from foveal.card import registers
from foveal.errors import DeviceError, DeviceNotFound

from foveal_sim.cosim.memory import PORTS

if TYPE_CHECKING:
    from foveal_sim.cosim.card import CosimCard

__all__ = ["FAULTS", "Fault", "FaultInjector", "parse_faults"]

FAULTS = {
    "hang": "the frame never ends: its records never come, and the kernel waits for ever",
    "slverr": "the next beat on PORT answers SLVERR",
    "decerr": "the next beat on PORT answers DECERR",
    "silent": "PORT takes requests and never answers them",
    "lost_interrupt": "the frame ends, and its interrupt does not arrive",
    "off_the_bus": "in mid-frame the card leaves PCIe: registers read all ones, writes are lost, transfers fail",
    "reset": "somebody else resets the card in mid-frame",
    "foreign": "the card holds another kernel",
    "full": "no memory can be allocated any more",
}
"""Kinds, and what each does. All end with the card's reset."""

ON_PORT = ("slverr", "decerr", "silent")
RESPONSE = {"slverr": 2, "decerr": 3}
MID_FRAME_CYCLES = 500
"""After the start: band table and first records have been asked for, nothing has been written."""

FOREIGN_ID = 0x12345678
FOREIGN_RESPONSE = 2
"""What another kernel answers for ID, and (SLVERR) for registers that it does not have."""

FOR_EVER = 0xFFFFFFFF

_WRITTEN = re.compile(r"(?P<kind>\w+?)(?::(?P<port>\w+))?(?:@(?P<frame>\d+))?")


@dataclass(frozen=True, slots=True)
class Fault:
    """kind: one of FAULTS. frame: which of the frames that the card is started with, from 0 (all since it was opened).

    "foreign" and "full" at frame 0 are there when the card is opened; later, "full" begins when the frame before has
    started. port: of kinds that name one. Raises ValueError for an unknown kind or port.
    """

    kind: str
    frame: int = 0
    port: str = PORTS[0]

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"no fault {self.kind!r}; there are {', '.join(FAULTS)}")
        if self.port not in PORTS:
            raise ValueError(f"fault {self.kind!r}: no memory port {self.port!r}; there are {', '.join(PORTS)}")
        if self.frame < 0:
            raise ValueError(f"fault {self.kind!r}: frames count from 0, not {self.frame}")

    @classmethod
    def parse(cls, text: str) -> Fault:
        """KIND[:PORT][@FRAME], such as "hang@3" or "slverr:gmem1@5". Raises ValueError."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not KIND[:PORT][@FRAME], such as hang@3 or slverr:gmem1@5")
        if found["port"] and found["kind"] not in ON_PORT:
            raise ValueError(f"{text!r}: only {', '.join(ON_PORT)} name a port")
        return cls(found["kind"], int(found["frame"] or 0), found["port"] or PORTS[0])


def parse_faults(faults: str | Fault | Iterable[str | Fault]) -> list[Fault]:
    """Faults as they may be given to open_device(); a string may hold several, with commas between them.

    Raises DeviceNotFound, as open_device() does for other options that it cannot take.
    """
    given = [faults] if isinstance(faults, str | Fault) else list(faults)
    try:
        return [
            one
            for each in given
            for one in ([each] if isinstance(each, Fault) else [Fault.parse(part.strip()) for part in each.split(",")])
        ]
    except ValueError as error:
        raise DeviceNotFound(str(error)) from error


class FaultInjector:
    """Makes the faults of a plan happen to a card, which asks it at the places where they show."""

    def __init__(self, plan: Iterable[Fault]) -> None:
        self._plan = list(plan)
        self._active: set[str] = set()
        self._started = 0

    @property
    def gone(self) -> bool:
        """The card is off the bus."""
        return "off_the_bus" in self._active

    @property
    def foreign(self) -> bool:
        if self._started == 0:
            self._due("foreign")
        return "foreign" in self._active

    @property
    def full(self) -> bool:
        self._take(lambda fault: fault.kind == "full" and fault.frame <= self._started)
        return "full" in self._active

    @property
    def deaf(self) -> bool:
        """The interrupt does not arrive."""
        return "lost_interrupt" in self._active or self.gone

    @property
    def endless(self) -> bool:
        """Nothing that the card is doing will ever end."""
        return bool(self._active & {"hang", "off_the_bus", "reset"})

    def before_start(self, card: CosimCard) -> None:
        """The host is about to write ap_start."""
        for fault in self._due("hang", *ON_PORT, "lost_interrupt", "foreign"):
            if fault.kind == "hang":
                card.kernel.write_register(registers.TIMEOUT, FOR_EVER)
            if fault.kind in ("hang", "silent"):
                card.set_dead(fault.port, silent=True)
            if fault.kind in RESPONSE:
                card.kernel.fail_beat(fault.port, 0, RESPONSE[fault.kind])

    def after_start(self, card: CosimCard) -> None:
        """The host has written ap_start."""
        for fault in self._due("off_the_bus", "reset"):
            card.kernel.step(MID_FRAME_CYCLES)
            if fault.kind == "reset":
                card.kernel.reset()
        self._started += 1

    def clear(self, card: CosimCard) -> None:
        """The card was reset: what has happened is over; what lies ahead stays in the plan."""
        if self._active:
            card.clear_faults()
        self._active.clear()

    def check_transfer(self) -> None:
        """Raises DeviceError when there is no card to transfer to or from."""
        if self.gone:
            raise DeviceError("the transfer failed: the card does not answer")

    def _due(self, *kinds: str) -> list[Fault]:
        return self._take(lambda fault: fault.kind in kinds and fault.frame == self._started)

    def _take(self, wanted: Callable[[Fault], bool]) -> list[Fault]:
        taken = [fault for fault in self._plan if wanted(fault)]
        self._plan = [fault for fault in self._plan if fault not in taken]
        self._active |= {fault.kind for fault in taken}
        return taken
