"""Policies and what puts them together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from foveal import clipping, merge
from foveal.errors import SceneError
from foveal.policy import (
    AttentionMap,
    Budget,
    Fixed,
    Hold,
    LaneAhead,
    Sight,
    TrackedActors,
    Union,
    Wishes,
    WorldBoxes,
    choose,
    warm_up,
)
from foveal.projection import project_many
from foveal.region import Region
from hypothesis import given
from hypothesis import strategies as st
from scene_samples import CAR_BOX, MOUNT, tick_of

SIGHT = Sight.of(tick_of([]), MOUNT)
LEFT, RIGHT = Region(10, 20, 110, 70), Region(400, 20, 440, 60)


class Scripted:
    """Answers with the wishes of the frame."""

    def __init__(self, frames: dict[int, Wishes]) -> None:
        self.frames = frames

    def wishes(self, sight: Sight) -> Wishes:
        return self.frames.get(sight.tick.frame, NOTHING)


NOTHING = Wishes.of(np.zeros((0, 4), np.int64))


def at(frame: int) -> Sight:
    return Sight.of(tick_of([], frame=frame), MOUNT)


def one(region: Region, actor: int = -1, weight: float = 1.0) -> Wishes:
    box = np.array([[region.x0, region.y0, region.x1, region.y1]])
    return Wishes(box, np.array([weight]), np.array([actor]))


def test_after_the_warm_up_no_tick_compiles() -> None:
    warm_up()
    before = [len(function.signatures) for function in (clipping._clip, merge._merge)]
    row = [(n, 0, (60, 2.6 * n - 32.5, 0, 0, 0, 0), CAR_BOX) for n in range(2, 24)]  # side by side: none hides another
    found = choose(TrackedActors(), Sight.of(tick_of(row), MOUNT))
    assert len(found.regions) == 16
    assert [len(function.signatures) for function in (clipping._clip, merge._merge)] == before == [1, 1]


def test_fixed_regions_stay_and_a_union_has_all() -> None:
    assert choose(Fixed([LEFT]), SIGHT).regions.regions == (LEFT,)
    both = choose(Union(Fixed([LEFT]), Fixed([RIGHT], weight=2.0)), SIGHT)
    assert both.regions.regions == (RIGHT, LEFT), "the most important first"
    assert choose(Union(), SIGHT).regions.regions == ()


def test_a_fixed_region_outside_the_picture_is_said_once_for_each_size(caplog: pytest.LogCaptureFixture) -> None:
    width, height = MOUNT.width, MOUNT.height
    beside, edge = Region(width, 0, width + 9, 9), Region(width - 1, height - 1, width + 9, height + 9)
    policy = Union(Fixed([LEFT]), Fixed([beside, edge]))
    for _ in range(3):
        choose(policy, SIGHT)
    assert [record.getMessage() for record in caplog.records] == [
        f"{beside} holds no pixel of the {width}x{height} picture: nothing is rendered for it"
    ]
    choose(policy, Sight.of(tick_of([]), replace(MOUNT, width=width + 9)))
    assert len(caplog.records) == 1, "a wider picture holds both"


def test_a_union_adds_up_what_was_dropped() -> None:
    tick = tick_of([(3, 0, (-20.0, 0.0, 0, 0, 0, 0), CAR_BOX)])
    found = choose(Union(TrackedActors(), TrackedActors()), Sight.of(tick, MOUNT))
    assert found.dropped["behind"] == 2


@pytest.mark.parametrize(
    ("box", "weight", "actor"),
    [
        (np.zeros((2, 3), np.int64), np.ones(2), np.zeros(2, np.int64)),
        (np.zeros((2, 4), np.int64), np.ones(3), np.zeros(2, np.int64)),
        (np.zeros((1, 4), np.int64), np.array([np.nan]), np.zeros(1, np.int64)),
        (np.zeros((1, 4), np.int64), np.array([-1.0]), np.zeros(1, np.int64)),
    ],
)
def test_malformed_wishes_are_refused(box: np.ndarray, weight: np.ndarray, actor: np.ndarray) -> None:
    with pytest.raises(ValueError, match="wish"):
        Wishes(box, weight, actor)


BOXES = st.lists(
    st.tuples(st.integers(-50, 700), st.integers(-50, 400), st.integers(1, 300), st.integers(1, 200)), max_size=40
)


@given(BOXES, st.floats(0, 1))
def test_a_budget_is_never_exceeded_and_full_of_the_most_important(boxes: list, share: float) -> None:
    rows = np.array([(x, y, x + w, y + h) for x, y, w, h in boxes], np.int64).reshape(-1, 4)
    weight = np.linspace(2, 1, len(rows)) if len(rows) else np.zeros(0)
    wishes = Wishes(rows, weight, np.arange(len(rows)))
    whole = choose(Scripted({1: wishes}), at(1))
    found = choose(Budget(Scripted({1: wishes}), share), at(1))
    held = np.count_nonzero(found.regions.mask()) / (640 * 360)
    assert held <= share + 1e-12
    if np.count_nonzero(whole.regions.mask()) / (640 * 360) <= share:
        assert found.regions == whole.regions
    if found.actors:
        visible = [n for n, row in enumerate(rows) if not Region(*row.tolist()).clipped(640, 360).empty]
        assert list(found.actors) == visible[: len(found.actors)]


def test_the_middle_of_what_alone_is_too_large_is_kept() -> None:
    found = choose(Budget(Fixed([Region(0, 0, 640, 360), LEFT], weight=1.0), 0.25), SIGHT)
    assert found.regions.regions == (Region(160, 90, 480, 270),)
    assert found.dropped == {"over_budget": 1}
    assert choose(Budget(Fixed([LEFT]), 0.0), SIGHT).regions.regions == ()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_budget_that_is_no_share_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share of the frame"):
        Budget(Fixed([]), share)


def test_an_actor_is_held_for_some_ticks_and_not_longer() -> None:
    policy = Hold(Scripted({1: one(LEFT, actor=7)}), ticks=2)
    shown = [choose(policy, at(frame)).actors for frame in (1, 2, 3, 4)]
    assert shown == [(7,), (7,), (7,), ()]


def test_a_held_actor_that_moved_is_where_it_is_now() -> None:
    policy = Hold(Scripted({1: one(LEFT, actor=7), 2: one(RIGHT, actor=7)}), ticks=3)
    choose(policy, at(1))
    assert choose(policy, at(2)).regions.regions == (RIGHT,)
    assert choose(policy, at(3)).regions.regions == (RIGHT,), "the newest of what is past"


def test_a_rectangle_of_no_actor_is_held_unless_one_stands_for_it() -> None:
    near = Region(LEFT.x1 - 5, LEFT.y0, LEFT.x1 + 50, LEFT.y1)
    policy = Hold(Scripted({1: one(LEFT), 2: one(RIGHT), 3: one(near)}), ticks=2)
    choose(policy, at(1))
    assert set(choose(policy, at(2)).regions.regions) == {LEFT, RIGHT}
    assert set(choose(policy, at(3)).regions.regions) == {near, RIGHT}


@pytest.mark.parametrize("later", [1, 3, 20])
def test_a_jump_in_time_forgets(later: int) -> None:
    policy = Hold(Scripted({5: one(LEFT, actor=7)}), ticks=2)
    choose(policy, at(5))
    assert choose(policy, at(later)).actors == ()


def test_asking_twice_for_a_frame_gives_the_same() -> None:
    policy = Hold(Scripted({1: one(LEFT, actor=7), 2: one(RIGHT, actor=8)}), ticks=2)
    choose(policy, at(1))
    assert choose(policy, at(2)) == choose(policy, at(2))


def test_attention_becomes_rectangles_over_its_parts() -> None:
    values = np.zeros((36, 64))
    values[3:5, 10:20] = 0.8
    values[20:30, 40:41] = 1.0
    values[0, 0] = 0.1
    found = choose(AttentionMap(values), SIGHT)
    assert found.regions.regions == (Region(400, 200, 410, 300), Region(100, 30, 200, 50))
    assert choose(AttentionMap(np.zeros((2, 2))), SIGHT).regions.regions == ()
    assert choose(AttentionMap(lambda sight: np.ones((1, 1))), SIGHT).regions.regions == (Region(0, 0, 640, 360),)


def test_attention_of_a_resolution_that_does_not_divide_the_picture_covers_its_cells() -> None:
    values = np.zeros((7, 9))
    values[3, 4] = 1.0
    (region,) = choose(AttentionMap(values), SIGHT).regions
    assert region.x0 <= 4 * 640 / 9
    assert region.x1 >= 5 * 640 / 9
    assert region.y0 <= 3 * 360 / 7
    assert region.y1 >= 4 * 360 / 7


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((0, 4)), np.full((2, 2), np.nan), np.full((2, 2), -1.0)])
def test_a_map_that_is_none_is_refused_with_the_frame(values: np.ndarray) -> None:
    with pytest.raises(SceneError, match="frame 1"):
        choose(AttentionMap(values), SIGHT)


def test_world_boxes_are_projected_where_they_stand() -> None:
    lamp = np.array([[30.0, 4.0, 5.0, 0.2, 0.2, 0.6, 0.0, 45.0, 0.0]])
    found = choose(WorldBoxes(lambda sight: lamp, margin_px=0, margin_share=0), SIGHT)
    expected = project_many(SIGHT.camera, np.zeros((1, 6)), lamp).region[0].tolist()
    assert found.regions.regions == (Region(*expected),)
    behind = lamp * (-1, 1, 1, 1, 1, 1, 1, 1, 1)
    assert choose(WorldBoxes(lambda sight: behind), SIGHT).regions.regions == ()
    assert choose(WorldBoxes(lambda sight: np.zeros((0, 9))), SIGHT).regions.regions == ()


def straight(length_m: int) -> np.ndarray:
    """(N, 7) a lane of 3.5 m ahead of the ego, a pose each 2 m."""
    x = np.arange(4.0, length_m + 1, 2.0)
    return np.column_stack([x, *np.zeros((5, len(x))), np.full(len(x), 3.5)])


def test_the_lane_ahead_covers_its_surface_to_the_horizon() -> None:
    found = choose(LaneAhead(lambda sight: straight(60), pieces=3), SIGHT)
    assert 1 <= len(found.regions) <= 3
    mask = found.regions.mask()
    along = np.arange(8.0, 60.0, 0.5)
    for side in (-1.7, 0.0, 1.7):
        point = np.column_stack([along - 1.5, np.full(len(along), side), np.full(len(along), -1.7)])
        u, v = SIGHT.camera.uv(point).T
        inside = (u >= 0) & (u < 640) & (v >= 0) & (v < 360)
        assert inside.sum() > 20
        assert mask[v[inside].astype(int), u[inside].astype(int)].all()
    assert found.regions.share < 0.5


def test_the_nearest_piece_of_the_lane_matters_most() -> None:
    wishes = LaneAhead(lambda sight: straight(80), pieces=4).wishes(SIGHT)
    assert len(wishes.weight) == 4
    assert (np.diff(wishes.weight) < 0).all()


@pytest.mark.parametrize("path", [np.zeros((0, 7)), straight(4)])
def test_no_lane_ahead_gives_no_region(path: np.ndarray) -> None:
    assert choose(LaneAhead(lambda sight: path), SIGHT).regions.regions == ()
