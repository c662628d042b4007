"""The one protocol every backend speaks, and how backends are found."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from foveal.channel import Channel
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceNotFound
from foveal.frame import Frame
from foveal.region import RegionSet

__all__ = ["GROUP", "Device", "DeviceInfo", "device_names", "open_device"]

GROUP = "foveal.devices"
"""Entry-point group: each entry is a callable that opens a device (keyword options allowed)."""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """name: as the platform reports it. kind: "cpu", "gpu", "fpga" or "reference"; a CPU runtime is a CPU.

    detail: versions, clock, platform; printed in reports.
    """

    backend: str
    name: str
    kind: str
    detail: dict[str, str]


@runtime_checkable
class Device(Protocol):
    """A renderer. Not thread-safe; one device, one thread."""

    @property
    def info(self) -> DeviceInfo: ...

    def load(self, meshes: MeshSet) -> None:
        """Upload static geometry; must come before the first render."""

    def render(self, draw: DrawList, regions: RegionSet, *, channels: Channel = Channel.COLOUR) -> Frame:
        """Draw `draw` inside `regions`; the frame holds `channels`.

        Raises DeviceError; then the device is broken until reset().
        """

    def reset(self) -> None:
        """Bring a broken device back."""

    def close(self) -> None: ...


def device_names() -> list[str]:
    """Backends that are installed, sorted."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def open_device(name: str, **options: object) -> Device:
    """Open the backend `name`. Raises DeviceNotFound (with what to do) when it is unknown or cannot run here."""
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            try:
                opener = entry.load()
            except ImportError as error:
                raise DeviceNotFound(
                    f"device backend {name!r} cannot be loaded ({error}); install the wheel again: pip install ."
                ) from error
            return opener(**options)
    raise DeviceNotFound(f"no device backend {name!r}; installed: {', '.join(device_names()) or 'none'}")
