"""Actors that something nearer hides get no region."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.policy import Hold, Sight, TrackedActors, Unhidden
from scene_samples import MOUNT, tick_of

BUS = (0.0, 0.0, 0.0, 6.0, 1.5, 1.7, 0.0, 0.0, 0.0)
BIKE = (0.0, 0.0, 0.0, 0.9, 0.3, 0.8, 0.0, 0.0, 0.0)


def flat(metres: float):
    """A depth image that is the same everywhere."""
    return lambda sight: np.full((MOUNT.height, MOUNT.width), metres)


def seen(actors, metres: float, **options) -> tuple[list[int], int]:
    tick = tick_of([(number, 0, (MOUNT.x + 30.0, y, MOUNT.z, 0, 0, 0), box) for number, y, box in actors])
    wishes = Unhidden(TrackedActors(), flat(metres), **options).wishes(Sight.of(tick, MOUNT))
    return wishes.actor.tolist(), wishes.dropped["hidden"]


@pytest.mark.parametrize("actors", [[(5, -4.0, BUS), (6, 4.0, BIKE)], [(6, 4.0, BIKE), (5, -4.0, BUS)]])
def test_each_actor_has_the_margin_of_its_own_box_in_any_order(actors) -> None:
    """5.5 m nearer is the bus itself, whose half diagonal is 6.18 m, and hides the bike, with 0.95 m."""
    assert seen(actors, 24.5) == ([5], 1)


@pytest.mark.parametrize(("metres", "hidden"), [(29.1, False), (29.0, True), (30.9, False), (500.0, True)])
def test_an_actor_shows_where_the_depth_is_its_own(metres: float, hidden: bool) -> None:
    """The half diagonal is 0.949 m: 29.05 m to 30.95 m is the bike."""
    assert seen([(6, 0.0, BIKE)], metres) == ([] if hidden else [6], int(hidden))


def test_a_sliver_is_not_enough_and_a_part_is() -> None:
    tick = tick_of([(6, 0, (MOUNT.x + 30.0, 0.0, MOUNT.z, 0, 0, 0), BIKE)])
    sight = Sight.of(tick, MOUNT)
    (x0, y0, x1, y1), *_ = TrackedActors().wishes(sight).box.tolist()

    def part(columns: int):
        depth = np.full((MOUNT.height, MOUNT.width), 10.0)
        depth[y0:y1, x0 : x0 + columns] = 30.0
        return lambda sight: depth

    for share, columns, kept in ((0.5, (x1 - x0) // 2 - 1, 0), (0.5, (x1 - x0) // 2 + 1, 1), (0.0, 0, 0)):
        assert len(Unhidden(TrackedActors(), part(columns), share).wishes(sight).actor) == kept


def test_what_an_earlier_tick_saw_is_held() -> None:
    there = tick_of([(6, 0, (MOUNT.x + 30.0, 0.0, MOUNT.z, 0, 0, 0), BIKE)], frame=1)
    gone = tick_of([(7, 0, (MOUNT.x - 30.0, 0.0, MOUNT.z, 0, 0, 0), BIKE)], frame=2)
    policy = Unhidden(Hold(TrackedActors()), flat(30.0))
    assert policy.wishes(Sight.of(there, MOUNT)).actor.tolist() == [6]
    assert policy.wishes(Sight.of(gone, MOUNT)).actor.tolist() == [6]


def test_a_depth_image_of_another_size_and_a_share_beyond_one_are_refused() -> None:
    tick = tick_of([(6, 0, (MOUNT.x + 30.0, 0.0, MOUNT.z, 0, 0, 0), BIKE)])
    with pytest.raises(ValueError, match=r"is \(4, 4\), expected"):
        Unhidden(TrackedActors(), lambda sight: np.zeros((4, 4))).wishes(Sight.of(tick, MOUNT))
    with pytest.raises(ValueError, match="share"):
        Unhidden(TrackedActors(), flat(1.0), share=1.5)
