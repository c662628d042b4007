"""Some thousands of the inputs of fuzz_xclbin.py (`make fuzz` runs 100,000), and random bytes."""

from __future__ import annotations

import contextlib

import pytest
from foveal.errors import XclbinError
from foveal.xclbin import read_image
from fuzz_xclbin import fuzz
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("seed", [1, 2])
def test_changed_files_are_refused_or_hold_together(seed: int) -> None:
    count = fuzz(2000, seed)
    assert count["refused"] > 1000, "most changes must be noticed"
    assert count["read"] > 50, "some must get through to the checks behind"


@given(st.binary(max_size=700))
@settings(max_examples=500)
def test_random_bytes_are_refused(data: bytes) -> None:
    for prefix in (b"", b"xclbin2\0"):
        with contextlib.suppress(XclbinError):
            read_image(prefix + data)
            pytest.fail("random bytes were read as an image")
