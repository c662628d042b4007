"""Time of what a user waits for in `foveal tco`."""

from __future__ import annotations

from typing import Any

import pytest
from foveal_bench.cost.book import load_book
from foveal_bench.cost.comparison import Comparison, compare
from foveal_bench.cost.fleet import load_fleet
from foveal_bench.cost.tco import Service
from foveal_bench.cost.uncertainty import DRAWS, outcome


@pytest.fixture
def reference() -> Comparison:
    book = load_book()
    service = Service(book.figures["service_fps"].value, None)
    return compare(book, load_fleet("gpu.yaml"), load_fleet("hybrid.yaml"), service)


def test_ten_thousand_draws_of_a_comparison(benchmark: Any, reference: Comparison) -> None:
    found = benchmark(outcome, reference, 4, DRAWS, 42)
    assert len(found.saving) == DRAWS


def test_savings_of_a_thousand_stream_counts(benchmark: Any, reference: Comparison) -> None:
    assert len(benchmark(reference.savings)) == 1000
