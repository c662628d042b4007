"""Which actors get a region."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.policy import Sight, TrackedActors, choose
from foveal.projection import project_many
from foveal.region import Region
from foveal.scene.tick import Tick
from scene_samples import CAR_BOX, MOUNT, WALKER_BOX, tick_of


def chosen(tick: Tick, **options):
    return choose(TrackedActors(**options), Sight.of(tick, MOUNT))


def moving(tick: Tick, velocity: dict[int, tuple[float, float, float]]) -> Tick:
    for number, value in velocity.items():
        tick.velocity[tick.actor_id == number] = value
    return tick


def test_the_region_is_the_projected_box_with_its_margin() -> None:
    tick = tick_of([(5, 0, (20.0, 2.0, 0, 0, 0, 0), CAR_BOX)])
    camera = Sight.of(tick, MOUNT).camera
    x0, y0, x1, y1 = project_many(camera, tick.transform, tick.box).region[0].tolist()
    assert chosen(tick, margin_px=0, margin_share=0).regions.regions == (Region(x0, y0, x1, y1),)
    grown = chosen(tick, margin_px=3, margin_share=0.5)
    dx, dy = int(np.ceil(3 + 0.5 * (x1 - x0))), int(np.ceil(3 + 0.5 * (y1 - y0)))
    assert grown.regions.regions == (Region(x0 - dx, y0 - dy, x1 + dx, y1 + dy).clipped(640, 360),)


def test_only_vehicles_and_walkers_other_than_the_ego_are_tracked() -> None:
    tick = tick_of(
        [
            (1, 0, (0, 0, 0, 0, 0, 0), CAR_BOX),
            (5, 0, (30.0, 2.0, 0, 0, 0, 0), CAR_BOX),
            (6, 1, (12.0, -3.0, 0.93, 0, 0, 0), WALKER_BOX),
            (7, 3, (10.0, 0.0, 1.0, 0, 0, 0), WALKER_BOX),
        ],
        ego_id=1,
        frame=41,
    )
    found = chosen(tick)
    assert found.actors == (6, 5)
    assert found.frame == 41


def test_what_is_reached_sooner_matters_more() -> None:
    """A car 40 m ahead that comes at 15 m/s is there in 2.5 s, a parked one at 20 m in 20 / 1.5 s at a walk."""
    cars = [(5, 0, (21.5, 0.0, 0, 0, 0, 0), CAR_BOX), (6, 0, (41.5, 0.0, 0, 0, 180, 0), CAR_BOX)]
    tick = moving(tick_of(cars), {6: (-15.0, 0.0, 0.0)})
    wishes = TrackedActors().wishes(Sight.of(tick, MOUNT))
    assert wishes.actor.tolist() == [5, 6]
    away = np.hypot((20.0, 40.0), 1.7)
    assert wishes.weight == pytest.approx([1.5 / away[0], 15.0 * (40.0 / away[1]) / away[1]])
    assert chosen(tick).actors == (6, 5)


def test_the_egos_own_speed_closes_the_distance() -> None:
    actors = [(1, 0, (0, 0, 0, 0, 0, 0), CAR_BOX), (5, 0, (31.5, 0.0, 1.7, 0, 0, 0), CAR_BOX)]
    sight = Sight.of(moving(tick_of(actors, ego_id=1), {1: (10.0, 0, 0), 5: (4.0, 0, 0)}), MOUNT)
    assert TrackedActors().wishes(sight).weight == pytest.approx([6.0 / 30.0])


def test_a_class_has_its_weight_and_one_without_is_not_tracked() -> None:
    tick = tick_of(
        [
            (5, 0, (21.5, 0.0, 1.7, 0, 0, 0), CAR_BOX),
            (6, 1, (21.5, 4.0, 1.7, 0, 0, 0), WALKER_BOX),
            (7, 3, (21.5, -4.0, 1.7, 0, 0, 0), WALKER_BOX),
        ]
    )
    assert chosen(tick, classes={"traffic.": 1.0, "walker.": 9.0}).actors == (6, 7)
    assert chosen(tick, classes={}).actors == ()


@pytest.mark.parametrize(
    "options",
    [{"distance_m": -1.0}, {"margin_px": float("nan")}, {"margin_share": -0.1}, {"classes": {"walker.": -1.0}}],
)
def test_figures_that_make_no_sense_are_refused(options: dict) -> None:
    with pytest.raises(ValueError, match=r"must be (a number|numbers) >= 0"):
        TrackedActors(**options)


def test_what_gets_no_region_is_counted_by_reason() -> None:
    tick = tick_of(
        [
            (2, 0, (200.0, 0.0, 0, 0, 0, 0), CAR_BOX),
            (3, 0, (-20.0, 0.0, 0, 0, 0, 0), CAR_BOX),
            (4, 0, (10.0, 60.0, 0, 0, 0, 0), CAR_BOX),
            (5, 1, (70.0, 0.05, 1.6, 0, 0, 0), (0, 0, 0, 0.001, 0.001, 0.001, 0, 0, 0)),
            (6, 0, (12.0, 0.0, 1.7, 0, 0, 0), (0, 0, 0, 0.9, 0.0, 0.8, 0, 0, 0)),
            (7, 0, (15.0, 0.0, 0, 0, 0, 0), CAR_BOX),
        ]
    )
    found = chosen(tick)
    assert found.actors == (7,)
    assert found.dropped == {
        "too_far": 1,
        "behind": 1,
        "outside_frame": 1,
        "degenerate_extent": 1,
        "too_small": 1,
    }


def test_more_than_16_actors_are_merged_and_all_stay_covered() -> None:
    rng = np.random.default_rng(2)
    tick = tick_of([(k, 0, (rng.uniform(8, 70), rng.uniform(-20, 20), 0, 0, 0, 0), CAR_BOX) for k in range(2, 62)])
    found = chosen(tick)
    assert len(found.actors) > 16
    assert len(found.regions) == 16
    mask = found.regions.mask()
    boxes = project_many(Sight.of(tick, MOUNT).camera, tick.transform, tick.box)
    shown = {number: box for number, box in zip(tick.actor_id.tolist(), boxes.region.tolist(), strict=True)}
    for number in found.actors:
        x0, y0, x1, y1 = shown[number]
        assert mask[y0:y1, x0:x1].all()


@pytest.mark.parametrize("actors", [[], [(4, 3, (10.0, 0, 0, 0, 0, 0), WALKER_BOX)]])
def test_no_road_user_gives_no_region(actors: list) -> None:
    found = chosen(tick_of(actors))
    assert len(found.regions) == 0
    assert sum(found.dropped.values()) == 0
