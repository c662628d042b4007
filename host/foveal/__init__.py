"""Foveal: render only what a driving agent looks at, on an FPGA or a GPU, inside CARLA."""

from foveal.channel import Channel
from foveal.device import Device, DeviceInfo, device_names, open_device
from foveal.drawlist import DrawList, MeshSet, Zone
from foveal.frame import Frame, StageTime
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal.stream import stream

__all__ = [
    "Channel",
    "Device",
    "DeviceInfo",
    "DrawList",
    "Frame",
    "MeshSet",
    "Provenance",
    "Region",
    "RegionSet",
    "StageTime",
    "Zone",
    "device_names",
    "open_device",
    "stream",
]
