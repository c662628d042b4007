"""Board files: every figure has a source and lies in its published range."""

from __future__ import annotations

from dataclasses import fields

import pytest
from foveal.card import Fact, board_names, load_board
from foveal.card.board import _fact
from foveal.errors import DeviceNotFound


def test_both_boards_are_described() -> None:
    assert {"u280", "u55c"} <= set(board_names())


@pytest.mark.parametrize("name", ["u280", "u55c"])
def test_every_figure_has_a_source(name: str) -> None:
    board = load_board(name)
    facts = {f.name: getattr(board, f.name) for f in fields(board) if isinstance(getattr(board, f.name), Fact)}
    assert len(facts) == 9
    for key, fact in facts.items():
        assert len(fact.source) > 20, key
        assert fact.url.startswith("https://") or key == "clock_hz"
        assert 0 < fact.low <= fact.value <= fact.high


def test_unknown_board_lists_the_known_ones() -> None:
    with pytest.raises(DeviceNotFound, match="u280"):
        load_board("u999")


def test_value_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="low <= value"):
        _fact("x", {"value": 3, "low": 4, "high": 5, "source": "s"})
