"""Whatever ends a run is one line."""

import pytest
from foveal.errors import ServerLost
from foveal_bench.failure import Unexpected, unexpected


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "--size"),
        (OSError(28, "No space left on device", "/out/x"), "/out/x: No space left on device"),
        (RuntimeError("two\nlines"), "RuntimeError: two lines"),
    ],
)
def test_an_unforeseen_error_is_told_in_one_line(error, words):
    ours = unexpected(error)
    assert isinstance(ours, Unexpected)
    assert words in str(ours)
    assert "\n" not in str(ours)


def test_an_error_of_ours_stays_what_it_is():
    error = ServerLost("gone")
    assert unexpected(error) is error
