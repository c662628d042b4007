"""One kernel of the image and its run: arguments that are set where they changed, a start, an end within a deadline."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from foveal.card.kernel import load_kernel
from foveal.errors import DeviceError
from foveal.xrt.states import COMPLETED, TIMEOUT, failure

if TYPE_CHECKING:
    from foveal.xrt.buffer import XrtBuffer

__all__ = ["KernelRun"]

SLICE_MS = 200
"""Longest single wait; pyxrt holds Python's lock meanwhile, so that no signal arrives. 0 would mean for ever."""


class KernelRun:
    """A run that is reused from frame to frame, one at a time. Every failure of the library raises DeviceError.

    duration_ns: of the last run, from the return of its start to the moment in which its end was seen.
    waited_ns: how much of that the host spent in nothing but waiting for it.
    """

    def __init__(self, library: Any, kernel: Any, name: str, clock: Callable[[], int]) -> None:
        """kernel: the library's object. clock: nanoseconds, monotonic."""
        self._kernel: Any = kernel
        self._name, self._clock = name, clock
        self._index = {argument.name: argument.index for argument in load_kernel(name).arguments}
        self._scalars = {argument.name for argument in load_kernel(name).arguments if not argument.pointer}
        self._run: Any = self._call(library.run, kernel)
        self._set: dict[str, int] = {}
        self._started: int | None = None
        self.duration_ns = self.waited_ns = 0

    @property
    def started(self) -> bool:
        """A run was started, and its end was not waited for."""
        return self._started is not None

    def scalar(self, name: str, value: int) -> None:
        """Set a 32-bit argument. pyxrt takes a signed C integer and nothing else; the bits are what counts."""
        if self._set.get(name) != value:
            self._call(self._run.set_arg, self._index[name], value - (1 << 32) if value >> 31 else value)
            self._set[name] = value

    def pointer(self, name: str, buffer: XrtBuffer, offset: int = 0) -> None:
        """Set a buffer argument to the buffer's byte `offset`."""
        address = buffer.address + offset
        if self._set.get(name) != address:
            self._call(self._run.set_arg, self._index[name], buffer.part(offset) if offset else buffer.bo)
            self._set[name] = address

    def forget(self, first: int, last: int) -> None:
        """What lies in device addresses [first, last) was freed: set it again, even where the next lies there, too."""
        self._set = {
            name: value for name, value in self._set.items() if name in self._scalars or not first <= value < last
        }

    def drop(self) -> None:
        """Let go of the library's objects: an error that is kept may still hold this one."""
        self._run = self._kernel = None

    def start(self) -> None:
        """Hand the run to the card."""
        if self._started is not None:
            raise DeviceError(f"{self._name} was started while it runs")
        self._call(self._run.start)
        self._started = self._clock()

    def wait(self, deadline_s: float) -> None:
        """Wait for the end, at most `deadline_s`. Raises DeviceTimeout, or DeviceError with the run's state."""
        if self._started is None:
            raise DeviceError(f"{self._name} was not started")
        begin, left, state = self._clock(), max(1, math.ceil(deadline_s * 1000)), TIMEOUT
        while left > 0:
            state = int(self._call(self._run.wait, min(left, SLICE_MS)))
            left -= SLICE_MS
            if state != TIMEOUT:
                break
        end = self._clock()
        self.duration_ns, self.waited_ns, self._started = end - self._started, end - begin, None
        if state != COMPLETED:
            raise failure(self._name, state, int(self._call(self._run.state)), deadline_s)

    def read_register(self, offset: int) -> int:
        """The 32-bit register at byte `offset`; only where the library has register access."""
        return int(self._call(self._kernel.read_register, offset)) & 0xFFFFFFFF

    def write_register(self, offset: int, value: int) -> None:
        """Write the 32-bit register at byte `offset`; only where the library has register access."""
        self._call(self._kernel.write_register, offset, value)

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (RuntimeError, IndexError) as error:
            raise DeviceError(f"{self._name}: {error}") from error
