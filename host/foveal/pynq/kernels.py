"""The kernels of an overlay: ``overlay.foveal_1.start(...)``, ``.call(...)``, ``.register_map``."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, ClassVar

from pynq.overlay import DefaultIP, UnsupportedConfiguration

from foveal.card import registers
from foveal.card.engine import GeometryRun
from foveal.pynq.device import FovealDevice

__all__ = ["FovealKernel", "GeometryKernel", "RunHandle"]

DEADLINE_S = 1.0
"""Longest run in the device's own time, unless told otherwise."""


class RunHandle:
    """A run that was started."""

    def __init__(self, kernel: _Kernel) -> None:
        self._kernel = kernel

    def wait(self, deadline_s: float = DEADLINE_S) -> GeometryRun | None:
        """Wait for the end. Gives the time of a run of the geometry kernel. Raises DeviceTimeout or DeviceError."""
        return self._kernel.device.wait(self._kernel.mmio.base_addr, deadline_s)


class _Kernel(DefaultIP):
    """Common to both kernels. Arguments are those of kernel.xml, in its order or by name."""

    def __init__(self, description: dict[str, Any]) -> None:
        super().__init__(description)
        if not isinstance(self.device, FovealDevice):
            raise UnsupportedConfiguration(f"{type(self).__name__} needs a device of foveal.pynq")
        entries = [(name, entry) for name, entry in self._registers.items() if entry["id"] is not None]
        self._arguments = dict(sorted(entries, key=lambda item: item[1]["id"]))
        kind = Parameter.POSITIONAL_OR_KEYWORD
        self._buffers: dict[str, Any] = {}  # a buffer lives while a register holds its address
        self._signature = Signature(
            [Parameter(name, kind, annotation=entry["type"]) for name, entry in self._arguments.items()]
        )

    def start(self, *args: Any, **kwargs: Any) -> RunHandle:
        """Set arguments and start. Those that are left out keep what their registers hold.

        Addresses take buffers of pynq.allocate(), which must have been flushed; values take integers. Raises
        TypeError for arguments that there are not, ValueError for buffers that are not on the card.
        """
        bound = self._signature.bind_partial(*args, **kwargs)
        words = [word for name, value in bound.arguments.items() for word in self._words(name, value)]
        self._buffers |= {name: value for name, value in bound.arguments.items() if self._is_pointer(name)}
        self.device.prepare(self.mmio.base_addr)
        for offset, word in words:
            self.write(offset, word)
        self.write(registers.CTRL, registers.CTRL_AP_START_MASK)
        return RunHandle(self)

    def call(self, *args: Any, deadline_s: float = DEADLINE_S, **kwargs: Any) -> GeometryRun | None:
        """start(), and wait for the end."""
        return self.start(*args, **kwargs).wait(deadline_s)

    def _is_pointer(self, name: str) -> bool:
        return "*" in self._arguments[name]["type"]

    def _words(self, name: str, value: Any) -> list[tuple[int, int]]:
        entry = self._arguments[name]
        offset = entry["address_offset"]
        if self._is_pointer(name):
            address = self.device.check_argument(name, value)
            return [(offset, address & 0xFFFFFFFF), (offset + 4, address >> 32)]
        number = int(value)
        if not -(1 << 31) <= number < 1 << 32:
            raise ValueError(f"argument {name} takes 32 bits; {number} has more")
        return [(offset, number & 0xFFFFFFFF)]


class FovealKernel(_Kernel):
    """The raster kernel. Its register_map has all registers of hw/REGISTERS.md."""

    bindto: ClassVar[list[str]] = ["foveal:kernel:foveal_kernel:1.0"]


class GeometryKernel(_Kernel):
    """The geometry kernel. Its scalars lie in the buffer `frame` (foveal.geometry.PARAMETERS)."""

    bindto: ClassVar[list[str]] = ["foveal:kernel:geometry:1.0"]
