"""Byte order and layout of CARLA's images, worked by hand."""

import numpy as np
import pytest
from foveal.image import decode_bgra, decode_depth, rgb


def test_rows_come_first_and_width_and_height_are_not_swapped():
    raw = bytearray(640 * 480 * 4)
    raw[128400] = 77  # (50 * 640 + 100) * 4
    image = decode_bgra(raw, 640, 480)
    assert image.shape == (480, 640, 4)
    assert image[50, 100, 0] == 77
    assert np.count_nonzero(image) == 1


@pytest.mark.parametrize("size", [0, 4 * 479 * 640, 640 * 480 * 4 + 1, 640 * 480 * 3])
def test_a_buffer_of_another_size_is_refused(size):
    with pytest.raises(ValueError, match="no 640x480 image"):
        decode_bgra(bytes(size), 640, 480)


def test_the_first_byte_is_blue():
    image = decode_bgra(bytes.fromhex("0a00ffff"), 1, 1)
    assert rgb(image)[0, 0].tolist() == [255, 0, 10]
    assert image.view("<u4")[0, 0, 0] == 0xFF00000A | 0xFF0000


def test_red_is_the_least_significant_byte_of_a_depth():
    image = decode_bgra(bytes([1, 2, 3, 255]), 1, 1)
    assert decode_depth(image)[0, 0] == pytest.approx((3 + 512 + 65536) / 16777215 * 1000, rel=1e-15)
    assert decode_depth(image)[0, 0] == pytest.approx(3.936947, abs=1e-6)


def test_the_depth_range_is_a_kilometre():
    assert decode_depth(np.array([255, 255, 255, 0], dtype=np.uint8)) == 1000.0
    assert decode_depth(np.zeros(4, dtype=np.uint8)) == 0.0
