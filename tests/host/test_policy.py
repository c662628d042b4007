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
    Chosen,
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
from foveal.region import Region, RegionSet
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


BOX = st.tuples(st.integers(-50, 700), st.integers(-50, 400), st.integers(1, 300), st.integers(1, 200))
BOXES, FEW_BOXES = st.lists(BOX, max_size=40), st.lists(BOX, max_size=16)


def budgeted(boxes: list, share: float) -> tuple[np.ndarray, Chosen, Wishes]:
    """Rectangles as rows within the picture, the most important first; what is chosen; what the budget wants."""
    rows = np.array([(x, y, x + w, y + h) for x, y, w, h in boxes], np.int64).reshape(-1, 4)
    weight = np.linspace(2, 1, len(rows)) if len(rows) else np.zeros(0)
    policy = Budget(Scripted({1: Wishes(rows, weight, np.arange(len(rows)))}), share)
    return np.clip(rows, 0, (640, 360, 640, 360)), choose(policy, at(1)), policy.wishes(at(1))


def held(rows: np.ndarray) -> int:
    """Pixels of the picture that some row holds, counted one by one."""
    picture = np.zeros((360, 640), bool)
    for x0, y0, x1, y1 in rows:
        picture[y0:y1, x0:x1] = True
    return int(picture.sum())


def seen(rows: np.ndarray) -> np.ndarray:
    """Numbers of the rows that hold a pixel."""
    return np.flatnonzero((rows[:, 2:] > rows[:, :2]).all(axis=1))


@given(BOXES, st.floats(0, 1))
def test_a_budget_is_never_exceeded_and_full_of_the_most_important(boxes: list, share: float) -> None:
    rows, found, wanted = budgeted(boxes, share)
    assert np.count_nonzero(found.regions.mask()) / (640 * 360) <= share + 1e-12
    visible = seen(rows)
    assert list(found.actors) == visible[: len(found.actors)].tolist()
    assert found.dropped["over_budget"] == len(visible) - len(found.actors)
    assert (wanted.box[:-1] == rows[visible[: len(wanted.box)]][:-1]).all(), "only the last is shrunk"
    whole = RegionSet.of_boxes(rows, 640, 360)
    if np.count_nonzero(whole.mask()) / (640 * 360) <= share:
        assert found.regions == whole


@given(BOXES, st.floats(0, 1))
def test_what_a_budget_shrinks_keeps_its_middle_and_its_shape(boxes: list, share: float) -> None:
    rows, found, wanted = budgeted(boxes, share)
    if not found.actors:
        return
    (x0, y0, x1, y1), (a0, b0, a1, b1) = wanted.box[-1].tolist(), rows[found.actors[-1]].tolist()
    assert a0 <= x0 < x1 <= a1
    assert b0 <= y0 < y1 <= b1
    assert abs((x0 + x1) - (a0 + a1)) <= 1, "half a pixel off its middle"
    assert abs((y0 + y1) - (b0 + b1)) <= 1
    # Sides w and h are those of the same share of the whole's, rounded up to pixels.
    assert (x1 - x0 - 1) / (a1 - a0) < (y1 - y0) / (b1 - b0)
    assert (y1 - y0 - 1) / (b1 - b0) < (x1 - x0) / (a1 - a0)


@given(FEW_BOXES, st.floats(0, 1))
def test_a_budget_that_binds_is_used_up_to_one_more_row_and_column(boxes: list, share: float) -> None:
    """While nothing is merged: what the next larger part would add is at most a row and a column of it."""
    rows, found, wanted = budgeted(boxes, share)
    visible = seen(rows)
    if held(rows) <= share * 640 * 360:
        return
    used = held(wanted.box)
    number = len(found.actors) - 1
    if number >= 0 and held(rows[visible[: number + 1]]) > share * 640 * 360:
        width, height = wanted.box[-1, 2:] - wanted.box[-1, :2]
    else:  # not a pixel of the next one fits
        width = height = 0
    assert share * 640 * 360 - used < width + height + 1


def test_the_middle_of_what_alone_is_too_large_is_kept() -> None:
    found = choose(Budget(Fixed([Region(0, 0, 640, 360), LEFT], weight=1.0), 0.25), SIGHT)
    assert found.regions.regions == (Region(160, 90, 480, 270),)
    assert found.dropped == {"over_budget": 1}
    assert choose(Budget(Fixed([LEFT]), 0.0), SIGHT).regions.regions == ()


def test_what_no_longer_fits_gets_what_is_left_and_pays_only_for_what_is_not_held_yet() -> None:
    near, beside, under = Region(0, 0, 320, 180), Region(340, 0, 640, 180), Region(80, 100, 400, 260)
    for second, part, costs in (
        (beside, Region(390, 30, 590, 150), 200 * 120),
        (under, Region(140, 130, 340, 230), 200 * 100 - (320 - 140) * (180 - 130)),
    ):
        policy = Union(Fixed([near], weight=2.0), Fixed([second]))
        found = choose(Budget(policy, (320 * 180 + costs) / (640 * 360)), SIGHT)
        assert found.regions.regions == (near, part)


def test_the_lane_ahead_uses_its_budget() -> None:
    """A lane of 3.5 m from the car on: the second stretch alone would take more than a budget of 15 %."""
    path = np.zeros((60, 7))
    path[:, 0], path[:, 6] = 2.0 * np.arange(60), 3.5
    lane = LaneAhead(lambda sight: path)
    whole, found = choose(lane, SIGHT).regions, choose(Budget(lane, 0.15), SIGHT).regions
    assert whole.share > 0.2
    assert 0.145 < found.share <= 0.15


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
    assert len(found.regions) in (1, 2, 3)
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
