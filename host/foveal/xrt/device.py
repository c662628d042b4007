"""The device backend "xrt": the card's driver on an Alveo card."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from foveal.card import Board, FovealDriver, board_names, load_board
from foveal.channel import Channel
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList
from foveal.errors import DeviceBusy, DeviceError, DeviceNotFound
from foveal.frame import Frame
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.xrt.card import XrtCard
from foveal.xrt.clients import other_clients
from foveal.xrt.discovery import FoundCard, find_cards, select, why_none
from foveal.xrt.geometry import XrtGeometry
from foveal.xrt.image import Image
from foveal.xrt.library import load_library
from foveal.xrt.sensors import Telemetry
from foveal.xrt.session import Session
from foveal.xrt.tool import reset_card
from foveal.xrt.traces import let_go

__all__ = ["XrtDevice", "board_of", "open_card", "open_xrt"]


class XrtDevice(FovealDriver):
    """The driver on a real card."""

    def __init__(self, card: XrtCard, info: DeviceInfo, *, reset_on_fault: bool, **options: Any) -> None:
        """reset_on_fault: reset the card and try a failed render() once more; a second failure leaves it broken."""
        super().__init__(card, XrtGeometry(card), info, **options)
        self._xrt = card
        self._reset_on_fault = reset_on_fault

    def render(
        self, draw: DrawList, regions: RegionSet, depth: bool = False, *, channels: Channel = Channel.COLOUR
    ) -> Frame:
        ready = self.broken is None
        try:
            return super().render(draw, regions, depth, channels=channels)
        except DeviceBusy:
            raise
        except DeviceError:
            if not (self._reset_on_fault and ready):
                raise
        self.reset()
        return super().render(draw, regions, depth, channels=channels)

    @property
    def last_fault(self) -> str | None:
        """Why the card last failed, also after its reset; None when it never did."""
        return self._xrt.last_fault

    def telemetry(self) -> Telemetry:
        """What the card's sensors say now."""
        return self._xrt.telemetry()


def open_xrt(
    *,
    card: int | str | None = None,
    xclbin: str | Path | None = None,
    board: str | None = None,
    clock_hz: float | None = None,
    deadline_s: float = 0.1,
    strided: bool = False,
    patience_s: float = 5.0,
    reset_on_fault: bool = False,
    library: Any = None,
    reset: Callable[[str], None] = reset_card,
    pause: Callable[[float], None] = time.sleep,
    clients: Callable[[str], list[int]] = other_clients,
    lock_folder: Path | None = None,
) -> XrtDevice:
    """Open a card.

    card: its index, BDF or serial number; None where there is only one. xclbin: the image; by default
    foveal_<board>.xclbin in the working directory. board: whose facts are used; by default the shell's name tells it.
    clock_hz: the kernel's clock, by default what XRT reports. deadline_s: longest run of a kernel.
    strided: pixels at their place in a full frame instead of packed. patience_s: how long to wait for a card in use.
    reset_on_fault: a failed frame resets the card and is tried once more. It is refused while others use the card, and
    never happens without this option. library: a module of pyxrt's shape. reset: resets the card of a BDF.
    pause: waits so many seconds. clients: other processes that use a BDF. lock_folder: where the cards' locks are.
    Raises DeviceNotFound, DeviceBusy or DeviceError, with what to do.
    """
    library = library if library is not None else load_library()
    cards = find_cards(library)
    if not cards:
        raise DeviceNotFound(f"XRT shows no card: {why_none()}")
    found = select(cards, card)
    facts = load_board(board or board_of(found))
    path = Path(xclbin) if xclbin is not None else Path(f"foveal_{facts.key}.xclbin")
    options = {"patience_s": patience_s, "pause": pause, "reset": reset, "clients": clients, "lock_folder": lock_folder}
    opened = open_card(library, found, facts, path, clock_hz=clock_hz, **options)
    with _given_back(opened):
        info = DeviceInfo("xrt", f"{facts.name} ({found.bdf})", "fpga", opened.describe())
        return XrtDevice(opened, info, reset_on_fault=reset_on_fault, deadline_s=deadline_s, strided=strided)


def open_card(
    library: Any, found: FoundCard, board: Board, path: Path, *, clock_hz: float | None = None, **options: Any
) -> XrtCard:
    """The card with the image `path` on it. clock_hz: by default what XRT reports. options: those of Session.

    Raises DeviceNotFound, DeviceBusy or DeviceError, with what to do.
    """
    session = Session(library, found, Image.read(library, path, board), **options)
    simulated = getattr(library, "clock", None)  # a library without silicon brings its own time
    with _given_back(session):
        clock_hz = clock_hz or session.clock_hz()
        return XrtCard(
            session,
            clock_hz=clock_hz,
            memory_latency_cycles=-(-round(board.latency_ns.value * clock_hz) // 1_000_000_000),
            clock=simulated or time.perf_counter_ns,
            host=Provenance.MODELLED if simulated else Provenance.MEASURED,
            kernel=Provenance.SIMULATED if simulated else Provenance.MEASURED,
        )


def board_of(found: FoundCard) -> str:
    """The board that the shell's name names. Raises DeviceNotFound for a shell that none does."""
    for name in board_names():
        if name in found.name.lower():
            return name
    raise DeviceNotFound(
        f"card {found.bdf} has the shell {found.name}, which no board file is for; name one by board= "
        f"({', '.join(board_names())})"
    )


@contextmanager
def _given_back(taken: Session | XrtCard) -> Iterator[None]:
    """Whatever ends the block early frees the card."""
    try:
        yield
    except BaseException as error:
        let_go(error)
        taken.close()
        raise
