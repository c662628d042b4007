"""Errors a user may meet. Each message names the object and what to do next."""

from __future__ import annotations

__all__ = [
    "DeviceBroken",
    "DeviceBusy",
    "DeviceError",
    "DeviceNotFound",
    "DeviceTimeout",
    "FovealError",
    "MapError",
    "SceneError",
    "ServerLost",
    "XclbinError",
]


class FovealError(Exception):
    """Base of all errors that are shown without a traceback."""


class DeviceNotFound(FovealError):
    """A backend is unknown, or what it needs is not installed."""


class DeviceError(FovealError):
    """A device failed; it is broken until reset() succeeds."""


class DeviceTimeout(DeviceError):
    """A wait ran into its deadline."""


class DeviceBroken(DeviceError):
    """A broken device was asked to work."""


class DeviceBusy(DeviceError):
    """A device that is in use was asked for something else; it goes on with what it does."""


class SceneError(FovealError):
    """A scene, trace or transform cannot be used (malformed file, NaN, ...)."""


class MapError(FovealError):
    """A map is not usable OpenDRIVE."""


class ServerLost(FovealError):
    """The CARLA server went away or did not answer in time."""


class XclbinError(FovealError):
    """A file is no whole xclbin, contradicts itself, or is not for this card or this driver."""
