"""The board files and the bench: each figure of the model has its row, and the price book knows the card."""

from __future__ import annotations

import pytest
from foveal.card import board_names, load_board
from foveal_bench.card_model import card_model
from foveal_bench.cost.book import load_book


@pytest.mark.parametrize("name", board_names())
def test_each_figure_of_the_model_has_a_row_with_its_source(name: str) -> None:
    board = load_board(name)
    rows = card_model(name)
    # Power is the cost model's; all else is what times are made of.
    assert {row["source"] for row in rows} == {f.source for key, f in board.facts().items() if key != "max_w"}
    assert len({row["name"] for row in rows}) == len(rows) == len(board.facts()) - 1


def test_values_are_shown_in_the_units_that_people_use() -> None:
    rows = {row["name"]: row for row in card_model("u280")}
    assert (rows["clock of the kernels"]["value"], rows["clock of the kernels"]["unit"]) == ("300", "MHz")
    to_card = rows["PCIe, large transfers to the card"]
    assert (to_card["value"], to_card["low"], to_card["high"], to_card["unit"]) == ("6.03", "5.47", "9.6", "GB/s")
    assert (rows["fixed cost of a transfer"]["value"], rows["fixed cost of a transfer"]["unit"]) == ("13.6", "µs")


@pytest.mark.parametrize("name", board_names())
def test_the_price_book_has_the_card_with_the_same_power(name: str) -> None:
    board, book = load_board(name), load_book(None)
    assert book.price(board.sku).sku == board.sku
    assert float(book.power[board.sku].max_w.value) == board.max_w.value
