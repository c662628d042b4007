"""Board files: every figure has a source and lies in its published range."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest
from foveal.card import Fact, board_names, load_board
from foveal.card.bank import banks_of, select
from foveal.card.board import _fact
from foveal.errors import DeviceNotFound


def test_both_boards_are_described() -> None:
    assert {"u280", "u55c"} <= set(board_names())


@pytest.mark.parametrize("name", ["u280", "u55c"])
def test_every_figure_has_a_source(name: str) -> None:
    board = load_board(name)
    facts = {f.name: getattr(board, f.name) for f in fields(board) if isinstance(getattr(board, f.name), Fact)}
    assert len(facts) == 11
    assert facts == board.facts()
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


def test_banks_have_the_sizes_of_the_cards() -> None:
    u280, u55c = load_board("u280").banks, load_board("u55c").banks
    hbm = [bank for bank in u280 if bank.kind == "hbm2"]
    assert [bank.tag for bank in hbm] == [f"HBM[{n}]" for n in range(32)]
    assert sum(bank.size for bank in hbm) == 8 << 30
    assert [bank.tag for bank in u280 if bank.kind == "ddr4"] == ["DDR[0]", "DDR[1]"]
    assert sum(bank.size for bank in u280 if bank.kind == "ddr4") == 32 << 30
    assert len(u55c) == 32
    assert sum(bank.size for bank in u55c) == 16 << 30


@pytest.mark.parametrize("name", ["u280", "u55c"])
def test_a_range_is_one_address_space(name: str) -> None:
    for kernel in load_board(name).kernels:
        for port, banks in kernel.ports.items():
            for lower, upper in pairwise(banks):
                assert upper.base == lower.base + lower.size, f"{kernel.instance}.{port}"


@pytest.mark.parametrize("name", ["u280", "u55c"])
def test_what_both_kernels_use_lies_where_both_reach_it(name: str) -> None:
    reach = {kernel.kernel: kernel.ports for kernel in load_board(name).kernels}
    assert reach["geometry"]["m_axi_gmem2"] == reach["foveal_kernel"]["m_axi_gmem0"]


def test_a_range_that_is_not_on_the_card_is_refused() -> None:
    banks = load_board("u55c").banks
    assert [bank.tag for bank in select("HBM[30:31]", banks)] == ["HBM[30]", "HBM[31]"]
    for text in ("DDR[0]", "HBM[30:32]", "HBM[3:2]", "bank0", "HBM[-1]"):
        with pytest.raises(ValueError, match=r"HBM\[0:31\]|is not NAME"):
            select(text, banks)


def test_overlapping_banks_are_refused() -> None:
    memories = [{"name": name, "kind": "hbm2", "banks": 2, "bank_bytes": 16, "base": base} for name, base in _TWO]
    assert len(banks_of([memories[0]])) == 2
    with pytest.raises(ValueError, match=r"A\[1\] and B\[0\] overlap"):
        banks_of(memories)


_TWO = (("A", 0), ("B", 31))
