"""The zone's hysteresis, hw/SPEC.md section 7."""

from __future__ import annotations

import pytest
from foveal import Zone
from foveal.residency import Residency, ResidencyState, ZoneWindow, centimetres

ZONE = Zone(0.0, -10.0, 20.0, 10.0, margin=5.0)
LOAD = (ResidencyState.ARMED, ResidencyState.LOADING, ResidencyState.RESIDENT)


def drive(path: list[tuple[float, float]], zone: Zone | None = ZONE) -> tuple[list[bool], Residency]:
    residency = Residency()
    seen = []
    for ego in path:
        residency.begin_frame(ego, zone)
        seen.append(residency.resident)
    return seen, residency


def test_enter_stay_leave_and_enter_again() -> None:
    # Outside, in, in the margin, out beyond the margin, in the margin again (not inside!), in.
    seen, residency = drive([(-1, 0), (0, 0), (-4.99, 0), (-5.01, 0), (-4, 0), (1, 0)])
    assert seen == [False, True, True, False, False, True]
    assert (residency.loads, residency.skipped) == (2, 4)


@pytest.mark.parametrize(
    ("ego", "inside"),
    [
        ((0.0, -10.0), True),
        ((-0.01, 0.0), False),
        ((19.99, 9.99), True),
        ((20.0, 0.0), False),
        ((5.0, 10.0), False),
        ((5.0, -10.01), False),
    ],
)
def test_the_window_is_half_open_to_the_centimetre(ego: tuple[float, float], inside: bool) -> None:
    assert drive([ego])[0] == [inside]


@pytest.mark.parametrize(("x", "stays"), [(-5.0, True), (-5.01, False), (24.99, True), (25.0, False)])
def test_leaving_needs_the_widened_window(x: float, stays: bool) -> None:
    assert drive([(1, 0), (x, 0)])[0] == [True, stays]


def test_a_frame_passes_the_states_in_order() -> None:
    residency = Residency()
    assert residency.begin_frame((-50, 0), ZONE) == (ResidencyState.OUTSIDE,)
    assert residency.begin_frame((1, 0), ZONE) == LOAD
    assert residency.begin_frame((2, 0), ZONE) == (ResidencyState.RESIDENT,)


@pytest.mark.parametrize("zone", [None, Zone(5, 0, 5, 9, 100.0), Zone(9, 0, 5, 9, 100.0), Zone(0, 9, 9, 0, 100.0)])
def test_an_empty_zone_never_holds_the_ego(zone: Zone | None) -> None:
    seen, residency = drive([(5, 5), (7, 3)], zone)
    assert seen == [False, False]
    assert (residency.loads, residency.skipped) == (0, 2)


def test_a_zone_that_vanishes_forgets_the_table() -> None:
    residency = Residency()
    residency.begin_frame((1, 0), ZONE)
    residency.begin_frame((1, 0), None)
    assert not residency.resident


def test_invalidation_forces_one_reload() -> None:
    residency = Residency()
    residency.begin_frame((1, 0), ZONE)
    residency.invalidate()
    assert residency.begin_frame((1, 0), ZONE) == LOAD
    assert residency.begin_frame((1, 0), ZONE) == (ResidencyState.RESIDENT,)
    assert (residency.loads, residency.skipped) == (2, 1)


def test_invalidation_while_outside_does_nothing() -> None:
    residency = Residency()
    residency.invalidate()
    residency.begin_frame((1, 0), ZONE)
    residency.begin_frame((1, 0), ZONE)
    assert residency.loads == 1


def test_a_failed_load_is_tried_again_at_the_next_frame() -> None:
    residency = Residency()
    residency.begin_frame((1, 0), ZONE)
    residency.fail()
    assert not residency.resident
    assert residency.begin_frame((1, 0), ZONE) == LOAD


@pytest.mark.parametrize(
    ("metres", "expected"), [(0.0, 0), (1.234, 123), (-0.006, -1), (-0.004, 0), (1e12, 2**31 - 1), (-1e12, -(2**31))]
)
def test_centimetres_round_and_saturate(metres: float, expected: int) -> None:
    assert centimetres(metres) == expected


def test_margin_widens_without_wrapping() -> None:
    window = ZoneWindow.of(Zone(-1e9, -1.0, 1e9, 1.0, margin=1e9))
    assert window.holds(-(2**31), 0, window.margin)
