"""When the material table is on the device: the zone with hysteresis (hw/SPEC.md, section 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from foveal.drawlist import Zone

__all__ = ["TABLE_BYTES", "Residency", "ResidencyState", "ZoneWindow", "centimetres"]

TABLE_BYTES = 1024
"""Bytes one load of the material table moves."""

_INT32 = 2**31


def centimetres(metres: float) -> int:
    """Metres as the registers take them: whole centimetres, to the nearest (half up), saturated to signed 32 bits."""
    return min(max(math.floor(metres * 100.0 + 0.5), -_INT32), _INT32 - 1)


class ResidencyState(IntEnum):
    """States of `dma_trigger`, as its status field encodes them. A frame starts in OUTSIDE or RESIDENT."""

    OUTSIDE = 0
    ARMED = 1
    LOADING = 2
    RESIDENT = 3


@dataclass(frozen=True, slots=True)
class ZoneWindow:
    """The zone in centimetres, half-open in x and y; empty (x0 >= x1 or y0 >= y1) holds nothing."""

    x0: int
    y0: int
    x1: int
    y1: int
    margin: int

    @classmethod
    def of(cls, zone: Zone | None) -> ZoneWindow:
        """The window of `zone`; None is an empty one. A negative margin counts as none."""
        if zone is None:
            return cls(0, 0, 0, 0, 0)
        x0, y0, x1, y1 = (centimetres(edge) for edge in (zone.x0, zone.y0, zone.x1, zone.y1))
        return cls(x0, y0, x1, y1, max(0, centimetres(zone.margin)))

    def holds(self, x: int, y: int, margin: int = 0) -> bool:
        """Whether the point (centimetres) is inside, with `margin` added on each side."""
        if self.x0 >= self.x1 or self.y0 >= self.y1:
            return False
        return self.x0 - margin <= x < self.x1 + margin and self.y0 - margin <= y < self.y1 + margin


class Residency:
    """State of one device's material table. loads, skipped: frames that fetched the table and frames that did not."""

    def __init__(self) -> None:
        self.state = ResidencyState.OUTSIDE
        self.loads = 0
        self.skipped = 0
        self._stale = False

    @property
    def resident(self) -> bool:
        """Whether the frame that was begun last draws with the table."""
        return self.state is ResidencyState.RESIDENT

    def begin_frame(self, ego: tuple[float, float], zone: Zone | None) -> tuple[ResidencyState, ...]:
        """Start a frame with the ego at `ego` (metres); returns the states passed through, the frame's own last.

        A load is taken as done at once: the frame's scan-out waits for it.
        """
        window = ZoneWindow.of(zone)
        x, y = (centimetres(value) for value in ego)
        if self.resident and not window.holds(x, y, window.margin):
            self.state = ResidencyState.OUTSIDE
        inside = window.holds(x, y)
        if (self.resident and not self._stale) or (not self.resident and not inside):
            self.skipped += 1
            return (self.state,)
        self._stale = False
        self.loads += 1
        self.state = ResidencyState.RESIDENT
        return (ResidencyState.ARMED, ResidencyState.LOADING, ResidencyState.RESIDENT)

    def invalidate(self) -> None:
        """The table changed or moved: a resident one is loaded again at the next frame."""
        self._stale = self.resident

    def fail(self) -> None:
        """The load of this frame ended in an error: the frame draws lit colours and the next one tries again."""
        self.state = ResidencyState.OUTSIDE
