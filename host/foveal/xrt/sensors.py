"""What a card's sensors say, from the library or from the command line tool, as samples."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foveal.sample import Sample
from foveal.xrt.tool import Report

__all__ = ["Telemetry", "from_library", "from_report"]

POWER, TEMPERATURE, CLOCK = "card.power", "card.temperature", "card.clock"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """samples: card.power in W, card.temperature in Cel (by sensor), card.clock in MHz (by clock).

    remarks: what was printed beside them, such as that driver and tool are of different versions.
    """

    samples: tuple[Sample, ...]
    remarks: str = ""


def from_library(library: Any, device: Any, bdf: str, time_ns: int) -> Telemetry:
    """Sensors of an open device. What it cannot tell is left out, and remarked."""
    documents: dict[str, Any] = {}
    remarks = []
    for key in ("electrical", "thermal", "platform"):
        try:
            documents[key] = json.loads(device.get_info(getattr(library.xrt_info_device, key)))
        except (RuntimeError, ValueError) as error:
            remarks.append(f"{key}: {error}")
    return Telemetry(tuple(_samples(documents, bdf, time_ns)), "; ".join(remarks))


def from_report(report: Report, bdf: str, time_ns: int) -> Telemetry:
    """Sensors of a card in a report of the tool (foveal.xrt.tool.examine)."""
    devices = report.content.get("devices", []) if isinstance(report.content, dict) else []
    mine = [device for device in devices if isinstance(device, dict) and device.get("device_id") == bdf]
    return Telemetry(tuple(sample for device in mine for sample in _samples(device, bdf, time_ns)), report.printed)


def _samples(document: Any, bdf: str, time_ns: int) -> Iterator[Sample]:
    for metric, unit, key, naming in (
        (POWER, "W", "power_consumption_watts", ()),
        (TEMPERATURE, "Cel", "temp_C", ("location_id", "description")),
        (CLOCK, "MHz", "freq_mhz", ("id", "description")),
    ):
        for holder in _holders(document, key):
            value = _number(holder[key])
            if value is None or str(holder.get("is_present", "true")).lower() == "false":
                continue
            name = next((str(holder[word]) for word in naming if holder.get(word)), "")
            attributes = (("card", bdf), *((("sensor", name),) if name else ()))
            yield Sample(time_ns, metric, value, unit, attributes)


def _holders(document: Any, key: str) -> Iterator[dict[str, Any]]:
    """Objects that have `key`, anywhere in a JSON document."""
    if isinstance(document, dict):
        if key in document:
            yield document
        for value in document.values():
            yield from _holders(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from _holders(value, key)


def _number(value: Any) -> float | None:
    """XRT writes numbers as text, and N/A for what it does not know."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool) else None
