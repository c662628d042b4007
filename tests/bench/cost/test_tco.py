"""The cost model against figures worked out by hand from its published parameters."""

from dataclasses import replace
from decimal import Decimal

import pytest
from foveal.errors import FovealError
from foveal_bench.cost.book import load_book
from foveal_bench.cost.comparison import break_even, break_even_months, compare, payments, ranges
from foveal_bench.cost.fleet import load_fleet
from foveal_bench.cost.tco import Service, saving
from hypothesis import given, settings
from hypothesis import strategies as st

BOOK = load_book()
GPU, HYBRID = load_fleet("gpu.yaml"), load_fleet("hybrid.yaml")
ANY_LATENCY = Service(Decimal(30), None)


def gained(comparison, streams):
    return float(100 * saving(*comparison.bills(streams)))


def at_rate(fleet, rate):
    return replace(fleet, performance=replace(fleet.performance, rate=Decimal(rate)))


def test_reference_fleets_of_four_streams():
    gpu, hybrid = compare(BOOK, GPU, HYBRID, ANY_LATENCY).bills(4)
    assert (gpu.nodes, hybrid.nodes) == (6, 2)
    assert (round(gpu.total), round(hybrid.total)) == (28630, 16719)
    assert gpu.parts["capital"] == Decimal(6) * 8500 * Decimal("1.3") / 4 == 16575
    assert hybrid.parts["capital"] == Decimal("5525") + Decimal("2197.50")
    assert (round(gpu.energy_kwh), round(hybrid.energy_kwh)) == (37123, 12955)
    assert (round(gpu.parts["energy"]), round(hybrid.parts["energy"])) == (3066, 1070)
    assert (gpu.parts["maintenance"], hybrid.parts["maintenance"]) == (1989, Decimal("926.70"))
    assert gpu.parts["staff"] == hybrid.parts["staff"] == 7000


def test_reference_fleet_with_the_older_card():
    older = replace(HYBRID, added_cards={"U280": 1})
    comparison = compare(BOOK, GPU, older, ANY_LATENCY)
    assert round(comparison.bills(4)[1].total) == 18566
    assert gained(comparison, 4) == pytest.approx(35.2, abs=0.05)


@pytest.mark.parametrize(("streams", "percent"), [(1, 16.5), (2, 33.4), (4, 41.6), (8, 43.3), (16, 50.4)])
def test_saving_over_streams_when_a_node_renders_one_frame_at_a_time(streams, percent):
    assert gained(compare(BOOK, GPU, HYBRID, ANY_LATENCY), streams) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(("streams", "percent"), [(1, -11.8), (2, 16.5), (4, 21.9), (8, 26.2), (16, 36.6)])
def test_saving_over_streams_when_the_gpu_pipelines_to_30_frames_a_second(streams, percent):
    pipelined = compare(BOOK, at_rate(GPU, 30), HYBRID, ANY_LATENCY)
    assert gained(pipelined, streams) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(
    ("engineering", "cheaper_from", "claim_from"),
    [(10_000, 4, 21), (25_000, 11, 40), (45_000, 18, 73), (90_000, 36, 141)],
)
def test_engineering_moves_the_break_even(engineering, cheaper_from, claim_from):
    charged = replace(HYBRID, engineering=Decimal(engineering))
    savings = compare(BOOK, GPU, charged, ANY_LATENCY).savings(200)
    assert break_even(savings, lambda share: share > 0)["first"] == cheaper_from
    assert break_even(savings, lambda share: share >= Decimal("0.41"))["first"] == claim_from


def test_engineering_and_licences_are_charged_unless_the_file_says_otherwise():
    silent = replace(HYBRID, engineering=None, licences=None)
    gpu, hybrid = compare(BOOK, replace(GPU, engineering=None), silent, ANY_LATENCY).bills(4)
    assert (hybrid.parts["engineering"], hybrid.parts["licences"]) == (45000, 1200)
    assert (gpu.parts["engineering"], gpu.parts["licences"]) == (0, 0)


def test_one_node_with_a_card_is_always_dearer_than_one_without():
    gpu, hybrid = compare(BOOK, at_rate(GPU, 1000), at_rate(HYBRID, 1000), ANY_LATENCY).bills(1)
    assert gpu.nodes == hybrid.nodes == 1
    assert hybrid.unrounded > gpu.unrounded


def test_a_fleet_that_is_too_slow_for_a_frame_is_told_so_and_nodes_do_not_help():
    gpu, hybrid = compare(BOOK, GPU, HYBRID, Service(Decimal(30), Decimal("33.3"))).bills(4)
    assert "42.6" in gpu.missed
    assert hybrid.missed is None
    assert compare(BOOK, at_rate(GPU, 1000), HYBRID, Service(Decimal(30), Decimal("33.3"))).bills(4)[0].missed


def test_a_rate_of_its_own_sizes_the_fleet_not_the_latency():
    assert compare(BOOK, at_rate(GPU, 60), HYBRID, ANY_LATENCY).bills(4)[0].nodes == 2


def test_a_rate_that_divides_evenly_buys_no_further_node():
    exact = compare(BOOK, at_rate(GPU, Decimal(1000) / Decimal(30)), HYBRID, Service(Decimal(1000) / 30, None))
    assert exact.bills(7)[0].nodes == 7


def test_a_spare_node_is_bought_and_idles():
    spare = replace(GPU, name="spared", spare_nodes=1)
    plain, spared = compare(BOOK, GPU, spare, ANY_LATENCY).bills(4)
    assert spared.spare_nodes == 1
    assert spared.exact["capital"] == plain.exact["capital"] * 7 / 6
    idle_kwh = (Decimal(150) + 35) / 1000 * 8760 * Decimal("1.56")
    assert spared.energy_kwh - plain.energy_kwh == idle_kwh


def test_the_same_fleet_on_both_sides_saves_exactly_nothing():
    for fleet in (GPU, HYBRID):
        comparison = compare(BOOK, fleet, fleet, ANY_LATENCY)
        for streams in (1, 4, 1000):
            assert saving(*comparison.bills(streams)) == 0
        assert break_even_months(*comparison.bills(4)) == 0


def test_two_fleets_of_one_name_are_refused():
    with pytest.raises(FovealError, match="both fleets are called"):
        compare(BOOK, GPU, replace(GPU, spare_nodes=1), ANY_LATENCY)


def test_no_streams_cost_nothing_and_save_nothing():
    gpu, hybrid = compare(BOOK, replace(GPU, spare_nodes=2), HYBRID, ANY_LATENCY).bills(0)
    assert gpu.total == hybrid.total == gpu.nodes == gpu.invested == gpu.energy_kwh == 0
    assert saving(gpu, hybrid) is None
    with pytest.raises(ValueError, match="negative"):
        compare(BOOK, GPU, HYBRID, ANY_LATENCY).bills(-1)


def test_a_thousand_streams_are_a_thousand_times_the_frames():
    gpu, hybrid = compare(BOOK, GPU, HYBRID, ANY_LATENCY).bills(1000)
    assert (gpu.nodes, hybrid.nodes) == (1278, 423)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(
        [
            "price.L40S",
            "price.U55C",
            "max_w.L40S",
            "idle_w.U55C",
            "host_power_w",
            "pue",
            "tariff",
            "staff",
            "host_multiplier",
            "maintenance_share",
            "GPU only.latency_ms",
            "FPGA + regions.latency_ms",
        ]
    ),
    factor=st.decimals("1.001", "3", places=3),
    streams=st.integers(1, 1000),
)
def test_nothing_that_is_dearer_slower_or_hungrier_makes_a_fleet_cheaper(name, factor, streams):
    comparison = compare(BOOK, GPU, HYBRID, ANY_LATENCY)
    values = comparison.inputs.values
    dearer = values | {name: values[name] * factor}
    for before, after in zip(comparison.bills(streams), comparison.bills(streams, dearer), strict=True):
        assert after.unrounded >= before.unrounded
    assert any(
        after.unrounded > before.unrounded
        for before, after in zip(comparison.bills(1000), comparison.bills(1000, dearer), strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(streams=st.integers(0, 1000), tariff=st.decimals("0", "1", places=7), staff=st.decimals("0", "9999", places=4))
def test_parts_add_up_to_the_total_to_the_cent(streams, tariff, staff):
    comparison = compare(BOOK, GPU, HYBRID, ANY_LATENCY)
    for found in comparison.bills(streams, comparison.inputs.values | {"tariff": tariff, "staff": staff}):
        assert sum(found.parts.values()) == found.total
        assert abs(found.total - found.unrounded) <= Decimal("0.005")
        assert all(abs(found.parts[name] - found.exact[name]) < Decimal("0.01") for name in found.parts)


def test_payments_are_what_is_spent_and_in_the_end_the_bills():
    gpu, _ = compare(BOOK, GPU, HYBRID, ANY_LATENCY).bills(4)
    rows = payments(gpu, 4)
    assert rows[0]["together"] == 6 * 8500 * Decimal("1.3")
    # after as many years as the depreciation, payments and bills agree
    assert abs(rows[4]["together"] - 4 * gpu.unrounded) <= Decimal("0.01")
    assert sum(row["paid"] for row in rows) == rows[-1]["together"]


def test_months_until_a_dearer_purchase_is_saved():
    one = compare(BOOK, at_rate(GPU, 30), replace(HYBRID, staff=Decimal(1000)), ANY_LATENCY)
    gpu, hybrid = one.bills(1)
    assert hybrid.invested - gpu.invested == 4395
    monthly = (gpu.running - hybrid.running) / 12
    months = break_even_months(gpu, hybrid)
    assert months * monthly >= 4395 > (months - 1) * monthly
    assert break_even_months(*compare(BOOK, at_rate(GPU, 30), HYBRID, ANY_LATENCY).bills(1)) is None


def test_stream_counts_as_ranges():
    assert ranges([4, 7, 8, 9, 11]) == "4, 7 to 9, 11"
    assert ranges([]) == "none"
