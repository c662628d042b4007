"""Instants and windows of time: one zone, no guessing, nothing from the year 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

__all__ = ["EARLIEST", "Window", "hourly", "hours_of_day", "instant", "per_frame", "plausible"]

EARLIEST = datetime(2015, 1, 1, tzinfo=UTC)
"""Before this nothing was measured: an unset time, a tick count, a part of a second."""
ISO = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?")

T = TypeVar("T")


def zone_of(name: str) -> ZoneInfo:
    """Raises ValueError for a zone that is not known."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name!r} is not a time zone such as Europe/Berlin") from None


def instant(text: str, *, zone: str | None = None) -> datetime:
    """An ISO 8601 time in UTC. zone: of a time that names none.

    Raises ValueError: not ISO 8601, no zone, or a local time that the clock change skips or passes twice.
    """
    if not ISO.fullmatch(text):
        raise ValueError(f"{text!r} is not ISO 8601 (2026-05-01T00:00:00Z)")
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is not ISO 8601: {error}") from None
    if time.tzinfo is not None:
        return time.astimezone(UTC)
    if zone is None:
        raise ValueError(f"{text!r} has no zone; end it with Z, or declare one")
    local = time.replace(tzinfo=zone_of(zone))
    back = local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=None)
    if back != time:
        raise ValueError(f"{text!r} is a nonexistent local time in {zone} (the clock is put forward)")
    if local.utcoffset() != local.replace(fold=1).utcoffset():
        raise ValueError(f"{text!r} is an ambiguous local time in {zone} (the clock is put back); write its offset")
    return local.astimezone(UTC)


def hours_of_day(day: date, zone: str) -> int:
    """Hours between midnight and midnight: 23, 24 or 25."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone_of(zone))
    following = day + timedelta(days=1)
    end = datetime(following.year, following.month, following.day, tzinfo=midnight.tzinfo)
    return int((end.astimezone(UTC) - midnight.astimezone(UTC)).total_seconds() // 3600)


def hourly(day: date, zone: str, prices: Sequence[T]) -> dict[datetime, T]:
    """The prices of a day by the UTC hour that each is for. Raises ValueError when their number is not the day's."""
    hours = hours_of_day(day, zone)
    if len(prices) != hours:
        raise ValueError(f"{day} has {hours} hours in {zone}: expected {hours} prices, got {len(prices)}")
    start = datetime(day.year, day.month, day.day, tzinfo=zone_of(zone)).astimezone(UTC)
    return {start + timedelta(hours=n): price for n, price in enumerate(prices)}


def plausible(time: datetime, now: datetime) -> bool:
    """Not before EARLIEST and not later than a day from now."""
    return EARLIEST <= time <= now + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Window:
    """From start to end, both UTC."""

    start: datetime
    end: datetime

    def status(self, now: datetime) -> str:
        """ok, zero_length, negative_length, implausible_start or implausible_end."""
        if not plausible(self.start, now):
            return "implausible_start"
        if self.end < self.start:
            return "negative_length"
        if self.end == self.start:
            return "zero_length"
        return "ok" if plausible(self.end, now) else "implausible_end"


def per_frame(cost: Decimal, frames: int, window: Window, now: datetime) -> tuple[Decimal | None, str]:
    """(cost of a frame, status). None where it is not defined: never a NaN, and no cost of two thousand years."""
    status = window.status(now)
    if status != "ok":
        return None, status
    return (cost / frames, "ok") if frames > 0 else (None, "no_frames")
