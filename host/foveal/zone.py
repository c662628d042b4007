"""Zones from places in CARLA's world: where materials and textures are fetched, decided anew each tick."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from foveal.drawlist import Zone
from foveal.errors import SceneError
from foveal.residency import ZoneWindow, centimetres
from foveal.scene.tick import Tick

__all__ = ["EVERYWHERE", "Area", "Circle", "Rectangle", "ZonePlan", "ZoneSource", "zone_around"]

EVERYWHERE = Zone(-20_000.0, -20_000.0, 20_000.0, 20_000.0)
"""As far as the kernel's coordinates go (centimetres in 32 bits): the ego never leaves it."""

TELEPORT_M_S = 100.0
"""An ego that moved faster between two ticks did not drive: it was put somewhere else."""

_SLACK_M = 0.02
"""More than rounding to centimetres takes from a window's edge and its margin together."""


def zone_around(x: float, y: float, length_m: float, width_m: float, margin_m: float = 5.0) -> Zone:
    """The zone centred on (x, y) in CARLA's axes, `length_m` along x and `width_m` along y, in a draw list's axes.

    Raises ValueError for sizes that are not positive or a negative margin.
    """
    if not (0 < length_m < math.inf and 0 < width_m < math.inf and 0 <= margin_m < math.inf):
        raise ValueError(
            f"a zone needs positive sizes and a margin >= 0, got {length_m} x {width_m}, margin {margin_m}"
        )
    return Rectangle(x - length_m / 2, y - width_m / 2, x + length_m / 2, y + width_m / 2, margin_m).zone


class ZoneSource(Protocol):
    """What gives one zone a tick; called once for each frame, in their order."""

    def __call__(self, tick: Tick) -> Zone | None: ...


class Area(Protocol):
    """A place in CARLA's world that an ego is in or not; leaving it takes a margin more.

    zone: the window that the kernel gets while the ego is inside. early: what it gets while the ego is on its way.
    """

    @property
    def name(self) -> str: ...

    @property
    def zone(self) -> Zone: ...

    @property
    def early(self) -> Zone | None: ...

    def holds(self, x: float, y: float, leaving: bool = False) -> bool: ...

    def crossed(self, start: tuple[float, float], end: tuple[float, float]) -> bool: ...

    def offset(self, x: float, y: float) -> tuple[float, float]: ...


@dataclass(frozen=True, slots=True)
class Rectangle:
    """x0 to x1 by y0 to y1, metres in CARLA's axes. The kernel tests it by itself: the same window early and inside.

    Raises ValueError where it is empty, or for a margin that is negative.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    margin_m: float = 5.0
    name: str = "rectangle"

    def __post_init__(self) -> None:
        edges = (self.x0, self.y0, self.x1, self.y1)
        if not (all(map(math.isfinite, edges)) and self.x0 < self.x1 and self.y0 < self.y1):
            raise ValueError(f"{self.name}: an area needs finite edges with x0 < x1 and y0 < y1, got {edges}")
        _check_margin(self.name, self.margin_m)

    @property
    def zone(self) -> Zone:
        return Zone(self.x0, -self.y1, self.x1, -self.y0, self.margin_m)

    @property
    def early(self) -> Zone:
        return self.zone

    def holds(self, x: float, y: float, leaving: bool = False) -> bool:
        """In the kernel's own integers."""
        window = ZoneWindow.of(self.zone)
        return window.holds(centimetres(x), centimetres(-y), window.margin if leaving else 0)

    def crossed(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Whether the way from `start` to `end` has a piece inside."""
        first, last = 0.0, 1.0
        edges = ((self.x0, self.x1), (self.y0, self.y1))
        for (low, high), a, b in zip(edges, start, end, strict=True):
            if a == b:
                if not low <= a < high:
                    return False
                continue
            t0, t1 = sorted(((low - a) / (b - a), (high - a) / (b - a)))
            first, last = max(first, t0), min(last, t1)
        return first < last

    def offset(self, x: float, y: float) -> tuple[float, float]:
        """From (x, y) to its nearest point."""
        return min(max(x, self.x0), self.x1) - x, min(max(y, self.y0), self.y1) - y


@dataclass(frozen=True, slots=True)
class Circle:
    """All closer to (x, y) than `radius_m`, in CARLA's axes.

    The kernel has rectangles alone, so this test is the host's: it writes an empty window until the ego is inside, and
    from then until it is `radius_m + margin_m` away the square around the circle, which holds the ego all the while.
    Raises ValueError for a radius that is not positive, or a margin that is negative.
    """

    x: float
    y: float
    radius_m: float
    margin_m: float = 5.0
    name: str = "circle"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and 0 < self.radius_m < math.inf):
            raise ValueError(
                f"{self.name}: an area needs a finite centre and a positive radius, "
                f"got {self.radius_m} m around ({self.x}, {self.y})"
            )
        _check_margin(self.name, self.margin_m)

    @property
    def zone(self) -> Zone:
        half = self.radius_m + _SLACK_M
        return Zone(self.x - half, -self.y - half, self.x + half, -self.y + half, self.margin_m)

    @property
    def early(self) -> None:
        return None

    def holds(self, x: float, y: float, leaving: bool = False) -> bool:
        return math.hypot(x - self.x, y - self.y) < self.radius_m + (self.margin_m if leaving else 0.0)

    def crossed(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Whether the way from `start` to `end` has a piece inside."""
        ax, ay, bx, by = start[0] - self.x, start[1] - self.y, end[0] - start[0], end[1] - start[1]
        way = bx * bx + by * by
        nearest = min(max(-(ax * bx + ay * by) / way, 0.0), 1.0) if way else 0.0
        return math.hypot(ax + nearest * bx, ay + nearest * by) < self.radius_m

    def offset(self, x: float, y: float) -> tuple[float, float]:
        """From (x, y) to its nearest point."""
        dx, dy = self.x - x, self.y - y
        away = math.hypot(dx, dy)
        share = max(away - self.radius_m, 0.0) / away if away else 0.0
        return dx * share, dy * share


class ZonePlan:
    """One zone a tick out of many areas: the area that the ego is in, else the one that it reaches next.

    An area that was entered stays until its margin is left, whatever else holds the ego; in the tick that leaves it
    the kernel gets no window, so that it forgets its table. Next is the nearest area ahead of the ego, or the nearest.

    An area that the ego jumps across between two ticks is in `crossed`: nothing is fetched for it, as the kernel, which
    looks once a frame, would not either. A jump that no drive explains is in `teleports`, and crosses nothing.

    entered, left, crossed, teleports: counts. inside: the area that the ego is in, or None. areas: all, in their order.
    """

    def __init__(self, areas: Iterable[Area]) -> None:
        """Raises ValueError without an area."""
        self.areas = tuple(areas)
        if not self.areas:
            raise ValueError("a plan of zones needs at least one area")
        self.entered = self.left = self.crossed = self.teleports = 0
        self.inside: Area | None = None
        self._last: tuple[float, float, float] | None = None

    def __call__(self, tick: Tick) -> Zone | None:
        """The zone of this tick. Raises SceneError for an ego whose place is not finite."""
        x, y, yaw = (float(tick.ego[index]) for index in (0, 1, 4))
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(yaw)):
            raise SceneError(f"frame {tick.frame}: the ego's transform is not finite; no zone can be chosen")
        before = self.inside
        if before is not None and not before.holds(x, y, leaving=True):
            self.inside = None
            self.left += 1
        if self.inside is None:
            self.inside = next((area for area in self.areas if area.holds(x, y)), None)
            self.entered += self.inside is not None
        self._follow(before, tick.time_s, x, y)
        if self.inside is not None:
            return self.inside.zone
        return None if before is not None else self.ahead(x, y, yaw).early

    def ahead(self, x: float, y: float, yaw: float) -> Area:
        """The nearest area in front of a place and heading (degrees), or the nearest if none is."""
        heading = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))

        def order(area: Area) -> tuple[bool, float]:
            dx, dy = area.offset(x, y)
            return dx * heading[0] + dy * heading[1] < 0, math.hypot(dx, dy)

        return min(self.areas, key=order)

    def _follow(self, before: Area | None, time_s: float, x: float, y: float) -> None:
        """Count what the way from the last tick to (x, y) went through without a tick inside."""
        last, self._last = self._last, (time_s, x, y)
        if last is None:
            return
        start, end = last[1:], (x, y)
        if math.dist(start, end) > TELEPORT_M_S * (time_s - last[0]):
            self.teleports += 1
            return
        self.crossed += sum(
            area is not before and not area.holds(*start) and not area.holds(*end) and area.crossed(start, end)
            for area in self.areas
        )


def _check_margin(name: str, margin_m: float) -> None:
    if not 0 <= margin_m < math.inf:
        raise ValueError(f"{name}: the margin of an area is a finite number >= 0, got {margin_m}")
