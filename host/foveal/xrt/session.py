"""An open card: device, lock, image and kernels, taken with patience and given back whole."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from foveal.card.roles import GEOMETRY, KERNEL
from foveal.errors import DeviceBusy, DeviceError, DeviceNotFound, FovealError
from foveal.xrt.clients import other_clients
from foveal.xrt.discovery import FoundCard
from foveal.xrt.groups import Bank, Groups
from foveal.xrt.image import Image
from foveal.xrt.lock import CardLock
from foveal.xrt.sensors import CLOCK, POWER, Telemetry, from_library, from_report
from foveal.xrt.tool import examine, reset_card
from foveal.xrt.traces import let_go

__all__ = ["Session"]

KERNEL_CLOCK = "DATA"
"""In the name of the clock that Vitis drives kernels with (ap_clk)."""

UNSEEN = (
    "not readable through pyxrt: no counters, no STATUS; the kernel's time is from its start to its end as the host "
    "saw them; pixels that were not written are seen, errors of memory reads are not seen"
)

SENSORS = ("electrical", "thermal", "platform")
"""Reports of the command line tool."""

FIRST_PAUSE_S = 0.1
"""Between two tries for a card that is in use; each pause is twice the one before."""


class Session:
    """One card for one process. kernels: the library's kernel objects by name."""

    def __init__(
        self,
        library: Any,
        found: FoundCard,
        image: Image,
        *,
        patience_s: float = 5.0,
        pause: Callable[[float], None] = time.sleep,
        reset: Callable[[str], None] = reset_card,
        clients: Callable[[str], list[int]] = other_clients,
        lock_folder: Path | None = None,
    ) -> None:
        """patience_s: how long to try for a card that another process uses; nothing is timed meanwhile.

        reset: resets the card of a BDF. clients: process ids, but our own, that use it.
        Raises DeviceBusy when the card stays in use, DeviceError when the image cannot be loaded or does not fit.
        """
        self.library, self.image, self.bdf = library, image, found.bdf
        self._found = found
        self._patience_s, self._pause, self._reset, self._clients = patience_s, pause, reset, clients
        self.kernels: dict[str, Any] = {}
        self._device: Any = None
        self._lock = CardLock(found.bdf, lock_folder)
        try:
            self._open()
        except BaseException as error:
            let_go(error)
            self.close()
            raise

    @property
    def shows_registers(self) -> bool:
        """The library reads and writes the kernel's registers."""
        return hasattr(self.library.kernel, "read_register")

    def groups(self) -> Groups:
        """The memory of each buffer's role. Raises DeviceError when two kernels share no memory."""
        banks = [
            Bank(int(memory.get_index()), str(memory.get_tag()), 1024 * int(memory.get_size_kb()))
            for memory in self.image.xclbin.get_mems()
        ]
        with _library_errors("the image's memories"):
            return Groups(banks, lambda kernel, argument: int(self.kernels[kernel].group_id(argument)))

    def allocate(self, size: int, group: int) -> Any:
        """A buffer object of `size` bytes in a memory group. Raises DeviceError when the library refuses."""
        try:
            return self.library.bo(self._device, size, self.library.bo.flags.normal, group)
        except (RuntimeError, MemoryError) as error:
            raise DeviceError(
                f"allocating {size} bytes in memory group {group} of {self.bdf} failed: {error}"
            ) from error

    def check_alone(self) -> None:
        """Raises DeviceBusy when other processes use the card: its reset would end them."""
        others = self._clients(self.bdf)
        if others:
            names = ", ".join(map(str, others))
            raise DeviceBusy(
                f"card {self.bdf} was not reset: it is used by process {names} too, which its reset would end; "
                "end it first"
            )

    def reset(self) -> None:
        """Reset the card and load the image again. The caller holds no object of the library any more.

        Raises DeviceError when the card was not reset, or does not take its image.
        """
        self.kernels.clear()
        self._device = None
        try:
            self._reset(self.bdf)
        except RuntimeError as error:
            raise DeviceError(
                f"card {self.bdf} was not reset: {error}; close the device, drop it and the errors that were kept, and "
                "open it again"
            ) from error
        self._open()

    def telemetry(self) -> Telemetry:
        """What the card's sensors say now: to the library, and where it knows no power, to the command line tool."""
        now_ns = time.time_ns()
        found = from_library(self.library, self._device, self.bdf, now_ns)
        if any(sample.metric == POWER for sample in found.samples):
            return found
        try:
            more = from_report(examine(self.bdf, SENSORS), self.bdf, now_ns)
        except FovealError as error:
            return Telemetry(found.samples, f"{found.remarks}; {error}".strip("; "))
        return Telemetry(more.samples or found.samples, f"{found.remarks}; {more.remarks}".strip("; "))

    def clock_hz(self) -> float:
        """The clock of the kernels. Raises DeviceNotFound where XRT does not tell it."""
        for sample in from_library(self.library, self._device, self.bdf, time.time_ns()).samples:
            if sample.metric == CLOCK and KERNEL_CLOCK in dict(sample.attributes).get("sensor", "").upper():
                return sample.value * 1e6
        if self.image.clock_hz:
            return self.image.clock_hz
        raise DeviceNotFound(f"XRT does not tell the kernels' clock of card {self.bdf}; name it by clock_hz=")

    def describe(self) -> dict[str, str]:
        """Facts for a report."""
        return {
            "execution": "FPGA card through XRT",
            "card": f"{self._found.name}, {self.bdf}",
            "serial": self._found.serial or "unknown",
            "xclbin": f"{self.image.path.name}, {self.image.uuid}",
            "registers": "read and written" if self.shows_registers else UNSEEN,
        }

    def close(self) -> None:
        """Give everything back."""
        self.kernels.clear()
        self._device = None
        self._lock.release()

    def _open(self) -> None:
        with _library_errors(f"opening card {self.bdf}"):
            self._device = self.library.device(self._found.index)
        # Newer versions advise against these calls. What replaces them, hw_context, loads no image on an Alveo card.
        if not hasattr(self._device, "load_xclbin"):
            raise DeviceNotFound(
                f"{getattr(self.library, '__name__', 'this library')} cannot load an image on a card any more; install "
                "Foveal from its source on a machine with XRT, which gives it a binding of its own"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            # An image that is on the card already stays, and is shared; what XRT knows of it, it knows by process.
            self._patiently(f"loading {self.image.path.name}", lambda: self._device.load_xclbin(self.image.xclbin))
            if self.loaded() != self.image.uuid:
                raise DeviceError(
                    f"card {self.bdf} holds the image {self.loaded()} after {self.image.path.name} "
                    f"({self.image.uuid}) was loaded"
                )
            for name in (KERNEL, GEOMETRY):
                self.kernels[name] = self._patiently(f"opening the kernel {name}", partial(self._kernel, name))

    def _kernel(self, name: str) -> Any:
        """Nobody else runs it meanwhile; registers are shown to such a holder alone."""
        mode = self.library.kernel.cu_access_mode.exclusive
        return self.library.kernel(self._device, self.image.xclbin.get_uuid(), self.image.names[name], mode)

    def _patiently(self, what: str, action: Callable[[], Any]) -> Any:
        """The action's result, tried again while the card is in use. Raises DeviceBusy when that does not end."""
        pause_s, left_s = FIRST_PAUSE_S, self._patience_s
        while True:
            try:
                return action()
            except (RuntimeError, IndexError) as error:
                busy = any(word in str(error).lower() for word in ("busy", "in use"))
                if not busy:
                    raise DeviceError(f"{what} on card {self.bdf} failed: {error}") from error
                if left_s <= 0:
                    others = ", ".join(map(str, self._clients(self.bdf))) or "unknown"
                    raise DeviceBusy(
                        f"{what} on card {self.bdf} failed, which holds the image {self.loaded()} and is in use "
                        f"(process {others}); tried for {self._patience_s:g} s. Nothing was reset or replaced"
                    ) from error
            self._pause(min(pause_s, left_s))
            left_s -= pause_s
            pause_s *= 2

    def loaded(self) -> str:
        """UUID of the image on the card, in lower case; empty when there is none."""
        with _library_errors(f"asking card {self.bdf} for its image"):
            return str(self._device.get_xclbin_uuid().to_string()).lower()


@contextmanager
def _library_errors(what: str) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, IndexError) as error:
        raise DeviceError(f"{what} failed: {error}") from error
