"""How a region set becomes register words."""

from __future__ import annotations

from foveal.card.program import region_words
from foveal.region import MAX_REGIONS, Region, RegionSet

SIDE = 4096


def test_a_coordinate_stays_in_its_half_of_the_word() -> None:
    """y = 300 has a bit above 255 that must not show in x."""
    low, high = region_words(RegionSet(SIDE, SIDE, (Region(3, 300, 1024, 2047),)))[0]
    assert (low, high) == (3 | 300 << 16, 1024 | 2047 << 16)


def test_every_coordinate_comes_back_from_its_word() -> None:
    """Each value as each of the four corners, beside values that change all the other bits."""
    corners = [(n, n * 2_741 % SIDE, min(SIDE, n + 1 + n * 1_237 % SIDE), SIDE - n) for n in range(SIDE)]
    corners += [(y, x, max(x1, y + 1), max(y1, x + 1)) for x, y, x1, y1 in corners]
    whole = [box for box in corners if box[0] < box[2] <= SIDE and box[1] < box[3] <= SIDE]
    assert {value for box in whole for value in box[:2]} >= set(range(SIDE - 1))
    for first in range(0, len(whole), MAX_REGIONS):
        boxes = whole[first : first + MAX_REGIONS]
        words = region_words(RegionSet(SIDE, SIDE, tuple(Region(*box) for box in boxes)))
        assert len(words) == MAX_REGIONS
        for (low, high), box in zip(words, boxes, strict=False):
            assert (low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16) == box
        assert words[len(boxes) :] == [(0, 0)] * (MAX_REGIONS - len(boxes))
