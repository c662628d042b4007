"""Zones from places in the world: what a kernel is told each tick, and what it then has on chip."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from foveal.errors import SceneError
from foveal.residency import Residency
from foveal.zone import Circle, Rectangle, ZonePlan, zone_around
from hypothesis import given
from hypothesis import strategies as st

STEP_S = 0.05
STREET = Rectangle(100.0, -5.0, 130.0, 5.0, margin_m=4.0, name="street")
ROUND = Circle(200.0, 50.0, 10.0, margin_m=3.0, name="round")


class Kernel:
    """What the kernel holds when it is told a plan's zones (hw/SPEC.md, section 7)."""

    def __init__(self, plan: ZonePlan) -> None:
        self.plan, self.residency, self.frame = plan, Residency(), 0

    def at(self, x: float, y: float, yaw: float = 0.0, seconds: float = STEP_S) -> bool:
        """Drive there in one tick; whether the kernel has its table in that frame."""
        self.frame += 1
        self.time_s = getattr(self, "time_s", 0.0) + seconds
        tick: Any = SimpleNamespace(frame=self.frame, time_s=self.time_s, ego=np.array([x, y, 0, 0, yaw, 0.0]))
        self.residency.begin_frame((x, -y), self.plan(tick))
        return self.residency.resident

    @property
    def loads(self) -> int:
        return self.residency.loads


def test_a_zone_is_mirrored_into_the_scene() -> None:
    zone = zone_around(100.0, 20.0, 60.0, 10.0, 4.0)
    assert (zone.x0, zone.y0, zone.x1, zone.y1, zone.margin) == (70.0, -25.0, 130.0, -15.0, 4.0)
    with pytest.raises(ValueError, match="positive"):
        zone_around(0, 0, 0, 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rectangle(1, 0, 1, 5),
        lambda: Rectangle(0, 5, 1, 0),
        lambda: Rectangle(0, 0, math.nan, 1),
        lambda: Rectangle(0, 0, 1, 1, margin_m=-1),
        lambda: Circle(0, 0, 0),
        lambda: Circle(0, 0, -2),
        lambda: Circle(math.inf, 0, 2),
        lambda: Circle(0, 0, 2, margin_m=math.nan),
        lambda: ZonePlan([]),
    ],
)
def test_what_is_no_area_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="area"):
        make()


@pytest.mark.parametrize("area", [STREET, ROUND], ids=["rectangle", "circle"])
def test_entering_takes_the_area_and_leaving_its_margin(area: Rectangle | Circle) -> None:
    """Along x through the middle; the area's half length is 15 m or 10 m, its margin 4 m or 3 m."""
    middle, y, half = (115.0, 0.0, 15.0) if area is STREET else (200.0, 50.0, 10.0)
    plan = ZonePlan([area])
    kernel = Kernel(plan)
    far = half + area.margin_m
    seen = [
        kernel.at(middle + dx, y, seconds=1.0)
        for dx in (-far - 0.5, -half - 0.1, -half + 0.1, 0.0, half + 0.1, far - 0.1, half + 0.1, far + 0.1, far - 0.1)
    ]
    assert seen == [False, False, True, True, True, True, True, False, False]
    assert (plan.entered, plan.left, plan.crossed, plan.teleports) == (1, 1, 0, 0)
    assert kernel.loads == 1
    assert kernel.at(middle + half - 0.1, y), "what was forgotten is fetched again"
    assert kernel.loads == 2


def test_the_corner_of_a_circles_square_is_outside() -> None:
    kernel = Kernel(ZonePlan([ROUND]))
    corner = 9.9  # in the square of half size 10, but 14.0 m away from the centre
    assert not kernel.at(200.0 + corner, 50.0 + corner)
    assert kernel.at(200.0 + 7.0, 50.0 + 7.0)  # 9.9 m
    assert not kernel.at(200.0 + corner, 50.0 + corner), "14.0 m is beyond radius and margin, 13 m"
    assert kernel.loads == 1


@pytest.mark.parametrize("area", [STREET, ROUND], ids=["rectangle", "circle"])
def test_a_tick_that_jumps_across_fetches_nothing_and_is_counted(area: Rectangle | Circle) -> None:
    """A slow clock: 40 m in a second of simulated time are 40 m/s."""
    plan = ZonePlan([area])
    kernel = Kernel(plan)
    x, y = (95.0, 0.0) if area is STREET else (180.0, 50.0)
    assert not kernel.at(x, y, seconds=1.0)
    assert not kernel.at(x + 40.0, y, seconds=1.0)
    assert (plan.crossed, plan.entered, plan.left, plan.teleports) == (1, 0, 0, 0)
    assert not kernel.at(x + 41.0, y, seconds=1.0), "and nothing later, as it is outside"
    assert (plan.crossed, kernel.loads) == (1, 0)


def test_a_jump_beside_an_area_or_into_it_crosses_nothing() -> None:
    plan = ZonePlan([STREET, ROUND])
    kernel = Kernel(plan)
    kernel.at(95.0, 6.0, seconds=1.0)
    kernel.at(135.0, 6.0, seconds=1.0)  # a metre beside the street
    kernel.at(195.0, 63.0, seconds=1.0)
    kernel.at(205.0, 61.0, seconds=1.0)  # 12 m from the centre at its nearest
    assert (plan.crossed, plan.entered) == (0, 0)
    kernel.at(200.0, 50.0, seconds=1.0)
    kernel.at(214.0, 50.0, seconds=1.0)
    assert (plan.crossed, plan.entered, plan.left) == (0, 1, 1), "it was inside in one of the ticks"


def test_a_teleport_crosses_nothing_but_enters_where_it_lands() -> None:
    plan = ZonePlan([STREET, ROUND])
    kernel = Kernel(plan)
    kernel.at(90.0, 0.0)
    assert not kernel.at(140.0, 0.0)  # 50 m in 0.05 s
    assert kernel.at(200.0, 50.0)
    assert (plan.teleports, plan.crossed, plan.entered) == (2, 0, 1)
    assert not kernel.at(90.0, 0.0)
    assert (plan.left, kernel.loads) == (1, 1)


def test_time_that_runs_back_is_a_teleport() -> None:
    plan = ZonePlan([STREET])
    kernel = Kernel(plan)
    kernel.at(95.0, 0.0, seconds=9.0)
    kernel.at(135.0, 0.0, seconds=-4.0)  # a world that was loaded anew
    assert (plan.teleports, plan.crossed) == (1, 0)


def test_of_many_areas_the_one_ahead_is_written_until_one_is_entered() -> None:
    behind, near, far = (Rectangle(x, -5, x + 10, 5, 2.0, name) for x, name in ((-20, "b"), (30, "n"), (60, "f")))
    plan = ZonePlan([far, behind, near])
    assert plan.ahead(0.0, 0.0, 0.0) is near
    assert plan.ahead(0.0, 0.0, 180.0) is behind
    assert plan.ahead(80.0, 0.0, 0.0) is far, "nothing is ahead: the nearest"
    tick: Any = SimpleNamespace(frame=1, time_s=0.0, ego=np.array([0, 0, 0, 0, 0, 0.0]))
    assert plan(tick) == near.zone
    assert ZonePlan([ROUND])(tick) is None, "the kernel cannot test a circle"


def test_an_area_is_kept_while_another_one_holds_the_ego_too() -> None:
    first, second = Rectangle(0, -5, 20, 5, 3.0, "first"), Rectangle(15, -5, 40, 5, 3.0, "second")
    plan = ZonePlan([second, first])
    kernel = Kernel(plan)
    names = []
    for x in (10.0, 16.0, 22.0, 24.0, 39.0, 44.0):
        kernel.at(x, 0.0, seconds=1.0)
        names.append(plan.inside.name if plan.inside else None)
    assert names == ["first", "first", "first", "second", "second", None]
    assert kernel.loads == 1, "the table stays on chip from one area into the next"


def test_the_margin_of_the_next_area_keeps_nothing() -> None:
    """The kernel keeps its table in any margin; one that the ego has never been inside must not keep it."""
    first, second = Rectangle(0, -5, 20, 5, 1.0), Rectangle(24, -5, 40, 5, 10.0)
    kernel = Kernel(ZonePlan([first, second]))
    assert [kernel.at(x, 0.0, seconds=1.0) for x in (19.0, 21.5, 22.0, 25.0)] == [True, False, False, True]


def test_an_ego_without_a_place_is_refused() -> None:
    with pytest.raises(SceneError, match="frame 1: the ego's transform is not finite"):
        Kernel(ZonePlan([STREET])).at(math.nan, 0.0)


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0.5, 30), st.floats(0, 9), st.integers(0, 2**32 - 1))
def test_the_kernel_holds_the_table_exactly_while_the_host_says_inside(
    x: float, y: float, radius: float, margin: float, seed: int
) -> None:
    """A random walk around two areas, on and beside whole centimetres."""
    plan = ZonePlan([Circle(x, y, radius, margin), Rectangle(x + 20, y, x + 20 + radius, y + radius, margin)])
    kernel = Kernel(plan)
    random = np.random.default_rng(seed)
    place = np.array([x, y]) + random.normal(scale=radius, size=2)
    for _ in range(60):
        place = place + random.normal(scale=radius / 3, size=2)
        point = place.round(2) if random.random() < 0.5 else place
        assert kernel.at(*point.tolist(), seconds=10.0) == (plan.inside is not None)
    assert kernel.loads <= plan.entered
