"""Regions around lights and signs: weights by hand, and what gets no region."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.policy import Sight, SignalsAhead
from scene_samples import CAR_BOX, MOUNT, tick_of


def row(x: float, y: float, away: float, importance: float = 1.0, half: float = 0.5) -> tuple[float, ...]:
    return (x, y, 2.0, half, half, half, 0.0, 0.0, 0.0, away, importance)


def wishes(*rows: tuple[float, ...], speed: float = 0.0, **options: float):
    """The camera stands at the origin, looks along +x, and its car drives at `speed`."""
    tick = tick_of([(1, 0, (0.0,) * 6, CAR_BOX)], ego_id=1, camera=(0.0, 0.0, 2.0, 0.0, 0.0, 0.0))
    tick.velocity[0] = (speed, 0.0, 0.0)
    return SignalsAhead(lambda _: np.array(rows).reshape(-1, 11), **options).wishes(Sight.of(tick, MOUNT))


def test_the_weight_is_importance_over_the_seconds_to_the_line():
    # At 10 m/s 20 m are 2 s and 40 m are 4 s.
    found = wishes(row(20.0, 0.0, 20.0), row(40.0, 0.0, 40.0, importance=0.5), speed=10.0)
    assert found.weight == pytest.approx([1 / 2, 0.5 / 4])
    assert (found.actor == -1).all()


def test_whoever_stands_comes_nearer_at_the_pace():
    assert wishes(row(20.0, 0.0, 20.0)).weight == pytest.approx([5 / 20])
    assert wishes(row(20.0, 0.0, 20.0), pace_m_s=2.0, weight=3.0).weight == pytest.approx([3 * 2 / 20])


def test_at_the_line_the_weight_is_finite():
    assert wishes(row(20.0, 0.0, 0.0)).weight == pytest.approx([100.0])


def test_a_rectangle_is_the_box_with_its_margin():
    # Width 640, 90 degrees: a focal length of 320 px. The front face, 1 m wide at 9.5 m, is 33.7 px wide about 320.
    (exact,) = wishes(row(10.0, 0.0, 10.0), margin_px=0.0, margin_share=0.0).box
    half = 320 * 0.5 / 9.5
    assert exact.tolist() == [np.floor(320 - half), np.floor(180 - half), np.ceil(320 + half), np.ceil(180 + half)]
    (wider,) = wishes(row(10.0, 0.0, 10.0), margin_px=3.0, margin_share=0.0).box
    assert (wider - exact).tolist() == [-3, -3, 3, 3]


def test_what_is_behind_beside_or_too_small_has_no_rectangle():
    assert len(wishes(row(-10.0, 0.0, 10.0), row(10.0, 30.0, 10.0)).box) == 0
    # 0.02 m at 40 m are 0.16 px, which touch 2 x 2 pixels at most.
    assert len(wishes(row(40.0, 0.0, 40.0, half=0.01), min_area_px=5).box) == 0
    assert len(wishes().box) == 0


@pytest.mark.parametrize(
    "options", [{"margin_px": -1.0}, {"weight": float("nan")}, {"pace_m_s": 0.0}, {"min_area_px": -1}]
)
def test_figures_that_are_none_are_refused(options):
    with pytest.raises(ValueError, match="signals"):
        SignalsAhead(lambda _: np.zeros((0, 11)), **options)
