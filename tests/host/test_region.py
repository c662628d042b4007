"""Rectangles, the set of a frame, and merging."""

import numpy as np
import pytest
from foveal.merge import merged
from foveal.region import MAX_REGIONS, Region, RegionSet
from hypothesis import given
from hypothesis import strategies as st

CORNERS = st.tuples(*[st.integers(-50, 350)] * 4)


def test_both_edges_are_clamped_so_that_a_region_beyond_the_frame_is_empty():
    assert Region(650, 100, 700, 150).clipped(640, 480).empty
    assert Region(-10, -20, 5, 5).clipped(640, 480) == Region(0, 0, 5, 5)
    assert Region(9, 9, 3, 20).area == 0


@pytest.mark.parametrize("bad", [1.5, "1", None, float("nan"), True])
def test_a_coordinate_that_is_no_integer_is_refused(bad):
    with pytest.raises(TypeError, match="integer"):
        Region(bad, 0, 1, 1)


def test_a_set_refuses_what_the_kernel_cannot_hold():
    with pytest.raises(ValueError, match="leaves the 64x48 frame"):
        RegionSet(64, 48, (Region(0, 0, 65, 1),))
    with pytest.raises(ValueError, match="empty"):
        RegionSet(64, 48, (Region(5, 5, 5, 9),))
    with pytest.raises(ValueError, match="17 regions"):
        RegionSet(64, 48, tuple(Region(i, 0, i + 1, 1) for i in range(17)))
    with pytest.raises(ValueError, match=r"1\.\.4096"):
        RegionSet(0, 48, ())


def test_share_counts_overlap_once():
    regions = RegionSet.of([Region(0, 0, 10, 10), Region(5, 5, 15, 15)], 100, 100)
    assert regions.share == (100 + 100 - 25) / 10_000


def test_what_lies_in_another_region_takes_no_slot():
    """Once clipped: the whole frame's right half holds what leaves it there; of equal ones the first stays."""
    half, left = Region(160, 0, 320, 200), Region(0, 0, 40, 40)
    inside = [Region(170 + n, 10, 180 + n, 20) for n in range(30)]
    wanted = [*inside, left, half, Region(160, 50, 900, 900), left, Region(40, 0, 80, 40)]
    assert RegionSet.of(wanted, 320, 200).regions == (left, half, Region(40, 0, 80, 40))


@given(st.lists(CORNERS, max_size=60))
def test_a_set_holds_every_pixel_asked_for_and_at_most_sixteen(corners):
    wanted = [Region(*c) for c in corners]
    regions = RegionSet.of(wanted, 320, 200)
    assert len(regions) <= MAX_REGIONS
    for one in regions:
        assert not any(one.union(other) == other for other in regions if other is not one)
    mask = np.zeros((200, 320), bool)
    for region in (r.clipped(320, 200) for r in wanted):
        mask[region.y0 : region.y1, region.x0 : region.x1] = True
    assert not (mask & ~regions.mask()).any()
    if len({r.clipped(320, 200) for r in wanted if not r.clipped(320, 200).empty}) <= MAX_REGIONS:
        assert np.array_equal(mask, regions.mask())


@given(st.lists(CORNERS, min_size=2, max_size=25), st.integers(1, 5))
def test_each_merge_joins_a_cheapest_pair(corners, limit):
    """Against the rule written out plainly: the pixels added by each step are the least possible."""
    boxes = [list(map(float, (min(a, c), min(b, d), max(a, c) + 1, max(b, d) + 1))) for a, b, c, d in corners]

    def joint(p, q):
        return [min(p[0], q[0]), min(p[1], q[1]), max(p[2], q[2]), max(p[3], q[3])]

    def area(p):
        return (p[2] - p[0]) * (p[3] - p[1])

    for count in range(len(boxes) - 1, limit - 1, -1):
        before = merged(np.array(boxes), count + 1).tolist()
        after = merged(np.array(boxes), count).tolist()
        grown = sum(map(area, after)) - sum(map(area, before))
        pairs = [(p, q) for i, p in enumerate(before) for q in before[i + 1 :]]
        assert grown == min(area(joint(p, q)) - area(p) - area(q) for p, q in pairs)
