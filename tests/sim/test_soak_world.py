"""What the soak of the world server counts as growth; `make soakworld` runs it."""

from __future__ import annotations

import pytest
from soak_world import GROWTH_BYTES, growth

MIB = 1 << 20


def test_growth_is_what_the_line_climbs():
    assert growth([(10.0, 100), (20.0, 300), (30.0, 500)]) == pytest.approx(400)
    assert growth([(0.0, 300), (5.0, 200), (10.0, 100)]) == pytest.approx(-200)


def test_a_leak_shows_through_a_wobble_and_a_wobble_alone_does_not():
    wobble = [(7 * n % 5 - 2) * 2 * MIB for n in range(60)]
    steady = [(5.0 * n, 300 * MIB + wobble[n]) for n in range(60)]
    leaking = [(seconds, held + round(seconds * MIB / 15)) for seconds, held in steady]
    assert abs(growth(steady)) < 2 * MIB
    assert growth(leaking) == pytest.approx(295 / 15 * MIB, abs=2 * MIB)
    assert growth(leaking) > GROWTH_BYTES


def test_one_jump_at_the_end_is_no_slope():
    samples = [(5.0 * n, 300 * MIB) for n in range(59)] + [(295.0, 310 * MIB)]
    assert growth(samples) < MIB
