"""Ackermann control: two PID controllers in series, held within acceleration and jerk."""

from __future__ import annotations

import math

import pytest
from foveal_sim.world.ackermann import DEFAULT_GAINS, Ackermann, Pid
from foveal_sim.world.bicycle import MAX_ACCELERATION, MAX_BRAKING

STEP_S = 0.05
FULL_RAD = math.radians(35.0)


def drive(driver: Ackermann, speed: float, ticks: int) -> list[tuple[float, float, float, bool]]:
    """Speed, throttle, brake and reverse after each tick of a vehicle that pedals push as hard as they can."""
    rows = []
    for _ in range(ticks):
        throttle, _, brake, reverse = driver.pedals(speed, FULL_RAD, STEP_S)
        way = -1.0 if reverse else 1.0
        speed += way * throttle * MAX_ACCELERATION * STEP_S
        speed = math.copysign(max(abs(speed) - brake * MAX_BRAKING * STEP_S, 0.0), speed)
        rows.append((speed, throttle, brake, reverse))
    return rows


def test_a_pid_adds_its_three_terms():
    pid = Pid(2.0, 1.0, 0.5)
    assert pid.output(1.0, 0.5) == pytest.approx(2.0 + 0.5)
    assert pid.output(3.0, 0.5) == pytest.approx(6.0 + (0.5 + 1.5) + 0.5 * (3.0 - 1.0) / 0.5)


@pytest.mark.parametrize("goal", [3.0, 15.0])
def test_a_speed_is_reached_without_overshoot_and_held(goal):
    driver = Ackermann()
    driver.aim((0.0, 0.0, goal, 0.0, 0.0))
    speeds = [row[0] for row in drive(driver, 0.0, 600)]
    assert max(speeds) < goal * 1.02
    assert speeds[-1] == pytest.approx(goal, abs=0.01)


def test_jerk_bounds_how_fast_the_acceleration_grows():
    driver = Ackermann()
    driver.aim((0.0, 0.0, 20.0, 0.0, 1.0))
    speeds = [row[0] for row in drive(driver, 0.0, 40)]
    # 1 m/s3 for 2 s is 2 m/s at most; the pedal trails, by less than half of it.
    assert 1.0 < speeds[-1] <= 2.0
    free = Ackermann()
    free.aim((0.0, 0.0, 20.0, 0.0, 0.0))
    assert drive(free, 0.0, 40)[-1][0] > 3.0


def test_against_its_direction_a_vehicle_brakes_to_a_standstill_first():
    driver = Ackermann()
    driver.aim((0.0, 0.0, -2.0, 0.0, 0.0))
    rows = drive(driver, 5.0, 600)
    turned = next(index for index, row in enumerate(rows) if row[3])
    assert all(row[0] >= 0.0 for row in rows[:turned])
    assert rows[turned - 1][0] <= 0.1
    assert max(row[2] for row in rows[:turned]) > 0.0
    assert rows[-1][0] == pytest.approx(-2.0, abs=0.02)


def test_a_vehicle_that_shall_stand_is_held_by_its_brake():
    driver = Ackermann()
    driver.aim((0.0, 0.0, 0.0, 0.0, 0.0))
    assert driver.pedals(0.0, FULL_RAD, STEP_S) == (0.0, 0.0, 1.0, False)


@pytest.mark.parametrize(("steer", "speed", "expected"), [(0.3, 1.0, 0.05), (-0.3, 1.0, -0.05), (0.3, 0.0, 0.3)])
def test_wheels_turn_at_their_speed(steer, speed, expected):
    driver = Ackermann()
    driver.aim((steer, speed, 0.0, 0.0, 0.0))
    assert driver.pedals(0.0, FULL_RAD, STEP_S)[1] * FULL_RAD == pytest.approx(expected)


def test_wheels_turn_no_further_than_they_can():
    driver = Ackermann()
    driver.aim((2.0, 0.0, 0.0, 0.0, 0.0))
    assert driver.pedals(0.0, FULL_RAD, STEP_S)[1] == 1.0
    assert driver.pedals(0.0, 0.0, STEP_S)[1] == 0.0


@pytest.mark.parametrize("values", [(1.0,) * 4, (1.0,) * 7, (math.nan,) * 6, ("x",) * 6])
def test_malformed_gains_and_targets_are_refused(values):
    driver = Ackermann()
    with pytest.raises((ValueError, TypeError)):
        driver.set_gains(values)
    with pytest.raises((ValueError, TypeError)):
        driver.aim(values)
    assert driver.gains == DEFAULT_GAINS
