"""Texture samples of the golden model against a float64 definition, and vectors worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.golden import sample
from foveal.golden.texture import MISS_COLOUR


def random_pages(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(0, 256, (count, 32, 32, 4), dtype=np.uint8)


def test_a_texel_centre_is_the_texel() -> None:
    pages = random_pages(np.random.default_rng(1), 1)
    rows, columns = np.mgrid[0:32, 0:32]
    colour, miss = sample(pages, np.array([True]), columns.ravel() * 256 + 128, rows.ravel() * 256 + 128)
    np.testing.assert_array_equal(colour.reshape(32, 32, 4), pages[0])
    assert not miss.any()


def test_halves_round_up() -> None:
    pages = np.zeros((1, 32, 32, 4), np.uint8)
    pages[0, 0, 1] = (1, 3, 254, 255)
    colour, _ = sample(pages, np.array([True]), np.array([256]), np.array([128]))
    assert colour.tolist() == [[1, 2, 127, 128]]  # 0.5, 1.5, 127, 127.5


@pytest.mark.parametrize(("log2_wide", "log2_high"), [(0, 0), (1, 0), (0, 2), (2, 1), (3, 3)])
def test_equals_the_definition_on_the_whole_texture(log2_wide: int, log2_high: int) -> None:
    """Weights and the repeated image written out; exact in float64, since sums stay below 2^53."""
    rng = np.random.default_rng(7)
    pages = random_pages(rng, 70)
    wide, high = 1 << log2_wide, 1 << log2_high
    tiles = pages[3 : 3 + wide * high].reshape(high, wide, 32, 32, 4)
    image = tiles.transpose(0, 2, 1, 3, 4).reshape(32 * high, 32 * wide, 4).astype(np.float64)
    u, v = rng.integers(-(1 << 23), 1 << 23, (2, 500))
    x, y = u / 256 - 0.5, v / 256 - 0.5
    expected = np.zeros((500, 4))
    for dy in (0, 1):
        for dx in (0, 1):
            column, row = np.floor(x) + dx, np.floor(y) + dy
            weight = (1 - np.abs(x - column)) * (1 - np.abs(y - row))
            place = (row.astype(int) % (32 * high), column.astype(int) % (32 * wide))
            expected += weight[:, None] * image[place]
    colour, miss = sample(pages, np.ones(70, bool), u, v, 3, log2_wide, log2_high)
    np.testing.assert_array_equal(colour, np.floor(expected + 0.5))
    assert not miss.any()


def test_any_absent_texel_is_a_miss() -> None:
    pages = random_pages(np.random.default_rng(2), 2)
    resident = np.array([True, False])
    inside, edge = 128 + 256 * 4, 128 + 256 * 31
    colour, miss = sample(pages, resident, np.array([inside, edge]), np.array([inside, inside]), 0, 1)
    assert miss.tolist() == [False, True]
    assert tuple(colour[1]) == MISS_COLOUR
    assert sample(pages, resident, np.array([0]), np.array([0]), 2)[1].all()
