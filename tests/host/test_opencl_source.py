"""Kernel source is one text: a changed include changes what is built, and its hash."""

from __future__ import annotations

import pytest
from foveal.opencl.source import expand, kernel_source


def test_includes_are_put_in_place_and_nested_ones_too() -> None:
    texts = {"a.cl": '1\n#include "b.cl"\n2\n', "b.cl": '#include "c.cl"', "c.cl": "3"}
    assert expand("a.cl", texts) == "1\n3\n2\n"


def test_a_changed_include_changes_the_text() -> None:
    texts = {"roi.cl": '#include "common.cl"', "common.cl": "version 1"}
    before = expand("roi.cl", texts)
    assert expand("roi.cl", texts | {"common.cl": "version 2"}) != before


def test_a_missing_file_and_a_circle_are_refused() -> None:
    with pytest.raises(KeyError, match=r"gone\.cl"):
        expand("a.cl", {"a.cl": '#include "gone.cl"'})
    with pytest.raises(ValueError, match="includes itself"):
        expand("a.cl", {"a.cl": '#include "b.cl"', "b.cl": '#include "a.cl"'})


def test_the_two_sets_are_complete_and_differ() -> None:
    sources = {name: kernel_source(name) for name in ("cpu", "gpu")}
    assert sources["cpu"].digest != sources["gpu"].digest
    for source in sources.values():
        assert "#include" not in source.text
        assert "FP_CONTRACT OFF" in source.text
        assert "__kernel" in source.text
