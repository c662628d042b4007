"""Which OpenCL device to use."""

from __future__ import annotations

import logging
from typing import TypeVar

import pyopencl as cl

from foveal.errors import DeviceNotFound

__all__ = ["kind_of", "select"]

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)
_INSTALL = (
    "install the GPU vendor's OpenCL driver, or a CPU runtime with `pip install pocl-binary-distribution`; "
    "`clinfo` lists what the loader sees"
)


def select(platform: str | int | None = None, device: str | int | None = None) -> cl.Device:
    """The device that the arguments name, by index or by part of the name; a GPU before a CPU where they do not.

    Indices count as `clinfo` lists. Raises DeviceNotFound, with what there is, when nothing matches.
    """
    platforms = _platforms()
    chosen = _matching(platforms, platform, "platform", [_platform_name(p) for p in platforms])
    devices = [d for p in chosen for d in _devices(p)]
    if not devices:
        raise DeviceNotFound(f"no OpenCL GPU or CPU on {', '.join(_platform_name(p) for p in chosen)}; {_INSTALL}")
    candidates = _matching(devices, device, "device", [d.name.strip() for d in devices])
    return min(candidates, key=lambda d: kind_of(d) != "gpu")


def kind_of(device: cl.Device) -> str:
    """ "gpu" or "cpu": a CPU runtime is a CPU."""
    return "gpu" if device.type & cl.device_type.GPU else "cpu"


def _platforms() -> list[cl.Platform]:
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise DeviceNotFound(f"no OpenCL platform found ({error}); {_INSTALL}") from error
    if not platforms:
        raise DeviceNotFound(f"no OpenCL platform found; {_INSTALL}")
    return platforms


def _platform_name(platform: cl.Platform) -> str:
    return f"{platform.name.strip()} ({platform.version.strip()})"


def _devices(platform: cl.Platform) -> list[cl.Device]:
    try:
        devices = platform.get_devices()
    except cl.Error as error:
        _LOG.warning("platform %s lists no device: %s", _platform_name(platform), error)
        return []
    return [d for d in devices if d.type & (cl.device_type.GPU | cl.device_type.CPU) and d.available]


def _matching(items: list[_T], wanted: str | int | None, what: str, names: list[str]) -> list[_T]:
    if wanted is None:
        return items
    if isinstance(wanted, int):
        found = items[wanted : wanted + 1] if wanted >= 0 else []
    else:
        found = [item for item, name in zip(items, names, strict=True) if wanted.lower() in name.lower()]
    if not found:
        listed = "; ".join(f"{n}: {name}" for n, name in enumerate(names))
        raise DeviceNotFound(f"no OpenCL {what} {wanted!r}; there are {listed}")
    return found
