"""Unpacking against the definition of the layouts."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.card.pixels import from_packed, from_strided
from foveal.region import Region, RegionSet
from hypothesis import given
from hypothesis import strategies as st

EDGE = st.integers(-3, 24)
REGION_SETS = st.builds(
    lambda boxes, width, height: RegionSet.of([Region(*box) for box in boxes], width, height),
    st.lists(st.tuples(EDGE, EDGE, EDGE, EDGE), max_size=5),
    st.integers(1, 20),
    st.integers(1, 20),
)


def kept(regions: RegionSet) -> list[tuple[int, int]]:
    """(x, y) of the held pixels in raster order."""
    return [
        (x, y)
        for y in range(regions.height)
        for x in range(regions.width)
        if any(r.x0 <= x < r.x1 and r.y0 <= y < r.y1 for r in regions)
    ]


@given(REGION_SETS)
def test_packed_pixels_are_in_raster_order(regions: RegionSet) -> None:
    order = kept(regions)
    words = np.arange(1, len(order) + 1, dtype=np.uint32)
    image = from_packed(words, regions).view(np.uint32)[..., 0]
    assert image.shape == (regions.height, regions.width)
    assert np.count_nonzero(image) == len(order)
    assert [int(image[y, x]) for x, y in order] == words.tolist()


@given(REGION_SETS, st.integers(0, 5))
def test_strided_rows_lose_what_is_outside(regions: RegionSet, padding: int) -> None:
    words = np.full((regions.height, regions.width + padding), 0xFFFFFFFF, np.uint32)
    image = from_strided(words, regions).view(np.uint32)[..., 0]
    assert {(int(x), int(y)) for y, x in np.argwhere(image)} == set(kept(regions))


def test_wrong_number_of_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="3 packed pixels"):
        from_packed(np.zeros(3, np.uint32), RegionSet.full(2, 2))
