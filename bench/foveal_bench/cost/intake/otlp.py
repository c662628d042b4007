"""Samples from OTLP/JSON metrics, as exporters really write them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from foveal.sample import Sample

from foveal_bench.cost.intake.periods import plausible

__all__ = ["Problem", "Sample", "duration_ms", "nanoseconds", "read_samples", "time_status"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A point that was not accepted: malformed_attribute, implausible_time, malformed_time or malformed_value."""

    status: str
    metric: str
    detail: str


def nanoseconds(value: Any) -> int:
    """A 64-bit time: a number, its digits as text, or two signed halves {low, high} that one exporter sent.

    Raises ValueError for anything else.
    """
    if isinstance(value, dict) and set(value) >= {"low", "high"}:
        low, high = value["low"], value["high"]
        if not all(isinstance(half, int) and not isinstance(half, bool) for half in (low, high)):
            raise ValueError(f"{value!r} is not a time in two halves")
        return high * 2**32 + low % 2**32
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(f"{value!r} is not a time in nanoseconds")
    text = str(value)
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{value!r} is not a time in nanoseconds")
    return int(text)


def duration_ms(start: Any, end: Any) -> float:
    """Milliseconds between two times as `nanoseconds` reads them."""
    return (nanoseconds(end) - nanoseconds(start)) / 1e6


def time_status(time_ns: int, now: datetime) -> str:
    """ok, or implausible_time: before 2015 or later than a day from now (a tick count, a part of a second)."""
    try:
        time = datetime.fromtimestamp(time_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return "implausible_time"
    return "ok" if plausible(time, now) else "implausible_time"


def read_samples(document: Any, now: datetime) -> tuple[list[Sample], list[Problem]]:
    """The samples of one ExportMetricsServiceRequest (gauges and sums), and what was not accepted.

    An attribute without a value spoils its point: without it, series of two cards would become one.
    """
    samples: list[Sample] = []
    problems: list[Problem] = []
    for resource in _list(document, "resourceMetrics"):
        shared = _list(resource.get("resource") or {}, "attributes")
        for scope in _list(resource, "scopeMetrics"):
            for metric in _list(scope, "metrics"):
                for point in _list(metric.get("gauge") or metric.get("sum") or {}, "dataPoints"):
                    found = _sample(metric, [*shared, *_list(point, "attributes")], point, now)
                    (samples if isinstance(found, Sample) else problems).append(found)  # type: ignore[arg-type]
    return samples, problems


def _sample(metric: dict[str, Any], attributes: list[Any], point: dict[str, Any], now: datetime) -> Sample | Problem:
    name = str(metric.get("name", ""))
    named: dict[str, str] = {}
    for attribute in attributes:
        value = attribute.get("value")
        if "key" not in attribute or not isinstance(value, dict) or len(value) != 1:
            return Problem("malformed_attribute", name, f"{attribute!r} has no value")
        named[str(attribute["key"])] = str(next(iter(value.values())))
    try:
        time_ns = nanoseconds(point.get("timeUnixNano"))
    except ValueError as error:
        return Problem("malformed_time", name, str(error))
    if (status := time_status(time_ns, now)) != "ok":
        return Problem(status, name, f"{time_ns} ns is not between 2015 and now")
    raw = point.get("asDouble", point.get("asInt"))
    try:
        value_found = float(raw)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return Problem("malformed_value", name, f"{raw!r} is not a number")
    if isinstance(raw, bool) or not math.isfinite(value_found):
        return Problem("malformed_value", name, f"{raw!r} is not a finite number")
    return Sample(time_ns, name, value_found, str(metric.get("unit", "")), tuple(sorted(named.items())))


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    entries = holder.get(key) or []
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
