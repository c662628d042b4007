"""The cost model against figures worked out by hand from its published parameters."""

from dataclasses import replace
from decimal import Decimal
from importlib.resources import files

import pytest
from foveal.errors import FovealError
from foveal_bench.tco import compare, fleet_cost, load_prices, nodes_for

BOOK = load_prices()
CARDS, SITE, ROWS = BOOK.cards, BOOK.site, BOOK.rows
CLAIM = {"gpu_latency_ms": Decimal("42.6"), "hybrid_latency_ms": Decimal("14.1")}


def test_reference_fleet_of_four_streams():
    gpu, hybrid = compare(CARDS["L40S"], CARDS["U55C"], SITE, streams=4, **CLAIM)
    assert (gpu.nodes, hybrid.nodes) == (6, 2)
    assert gpu.capital == Decimal(6) * 8500 * Decimal("1.3") / 4
    assert round(gpu.energy_kwh) == 37123
    assert round(hybrid.energy_kwh) == 12955
    assert (round(gpu.total), round(hybrid.total)) == (28630, 16719)


def test_reference_fleet_with_the_older_card():
    _, hybrid = compare(CARDS["L40S"], CARDS["U280"], SITE, streams=4, **CLAIM)
    assert round(hybrid.total) == 18566


@pytest.mark.parametrize(("streams", "saving"), [(1, 16.5), (2, 33.4), (4, 41.6), (8, 43.3), (16, 50.4)])
def test_saving_depends_on_the_number_of_streams(streams, saving):
    gpu, hybrid = compare(CARDS["L40S"], CARDS["U55C"], SITE, streams=streams, **CLAIM)
    assert float(100 * (1 - hybrid.total / gpu.total)) == pytest.approx(saving, abs=0.05)


def test_the_same_fleet_saves_nothing_and_a_dearer_one_costs_more():
    fleet = fleet_cost("a", 3, CARDS["L40S"], SITE, utilisation=Decimal("0.5"))
    assert fleet.total == fleet_cost("b", 3, CARDS["L40S"], SITE, utilisation=Decimal("0.5")).total
    for dearer in (
        replace(SITE, pue=SITE.pue + 1),
        replace(SITE, tariff_usd_per_kwh=SITE.tariff_usd_per_kwh * 2),
        replace(SITE, host_multiplier=SITE.host_multiplier + 1),
    ):
        assert fleet_cost("c", 3, CARDS["L40S"], dearer, utilisation=Decimal("0.5")).total > fleet.total


def test_parts_add_up_to_the_total_to_the_cent():
    gpu, _ = compare(CARDS["L40S"], CARDS["U55C"], SITE, streams=7, **CLAIM)
    assert abs(gpu.capital + gpu.energy + gpu.maintenance + gpu.staff - gpu.total) <= Decimal("0.005")


def test_nodes_are_whole_and_nonsense_is_refused():
    assert nodes_for(0, Decimal(30), Decimal(10)) == 0
    assert nodes_for(1, Decimal(30), Decimal("0.1")) == 1
    for bad in (Decimal(0), Decimal(-1), Decimal("NaN")):
        with pytest.raises(ValueError, match="latency"):
            nodes_for(1, Decimal(30), bad)


def test_every_price_row_names_its_kind_and_source():
    assert all(row["kind"] in {"quoted", "recalled", "assumed"} and row["source"] for row in ROWS)


def test_the_shipped_book_holds_the_claim():
    assert BOOK.claim == CLAIM


def test_a_price_book_of_ones_own_is_used_and_a_broken_one_is_named(tmp_path):
    shipped = files("foveal_bench").joinpath("prices.yaml").read_text()
    own = tmp_path / "own.yaml"
    own.write_text(shipped.replace('value: "4395"', 'value: "1000.50"'))
    assert load_prices(own).cards["U55C"].price_usd == Decimal("1000.50")
    for broken in (
        shipped.replace('value: "4395"', 'value: "N/A"'),
        shipped.replace('value: "4395"', 'value: "-1"'),
        shipped.replace("  pue:", "  pux:"),
        "cards: [",
        "",
    ):
        own.write_text(broken)
        with pytest.raises(FovealError, match=r"own\.yaml"):
            load_prices(own)
    with pytest.raises(FovealError, match=r"none\.yaml"):
        load_prices(tmp_path / "none.yaml")
