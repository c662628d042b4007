"""What the devices' own sensors say around a drive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from foveal.device import Device
from foveal.errors import DeviceError

from foveal_bench.failure import one_line

__all__ = ["read_telemetry"]


def read_telemetry(devices: Mapping[str, Device]) -> list[dict[str, Any]]:
    """For each device that has sensors: its name, its samples (foveal.sample.Sample) as objects, and remarks.

    A device that cannot be asked has none, and the reason as a remark.
    """
    rows: list[dict[str, Any]] = []
    for name, device in devices.items():
        ask = getattr(device, "telemetry", None)
        if ask is None:
            continue
        try:
            found = ask()
        except DeviceError as error:
            rows.append({"device": name, "samples": [], "remarks": one_line(error)})
            continue
        samples = [asdict(sample) | {"attributes": dict(sample.attributes)} for sample in found.samples]
        rows.append({"device": name, "samples": samples, "remarks": found.remarks})
    return rows
