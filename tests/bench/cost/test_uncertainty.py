"""Spreads, draws, indices and counterfactuals, against what can be worked out without them."""

import json
import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner
from foveal.errors import FovealError
from foveal_bench.cli import cli
from foveal_bench.cost.book import load_book
from foveal_bench.cost.comparison import compare
from foveal_bench.cost.counterfactual import effect, read_change
from foveal_bench.cost.fleet import load_fleet
from foveal_bench.cost.sobol import sobol_indices
from foveal_bench.cost.spread import read_spread
from foveal_bench.cost.tco import Inputs, Service
from foveal_bench.cost.uncertainty import draw, interval, outcome, tornado
from scipy import stats

COMPARISON = compare(load_book(), load_fleet("gpu.yaml"), load_fleet("hybrid.yaml"), Service(Decimal(30), None))
FPGA_LATENCY = "FPGA + regions.latency_ms"


def certain(comparison, keep=()):
    figures = {
        name: figure if name in keep else replace(figure, spread=None)
        for name, figure in comparison.inputs.figures.items()
    }
    return replace(comparison, inputs=Inputs(figures, comparison.inputs.prices))


@pytest.mark.parametrize(
    ("entry", "reference"),
    [
        ([1, 4], stats.triang(0.5, 1, 3)),
        ({"distribution": "uniform", "low": 1, "high": 4}, stats.uniform(1, 3)),
        ({"distribution": "normal", "mean": 2, "sd": 1, "low": 1, "high": 4}, stats.truncnorm(-1, 2, 2, 1)),
        ({"distribution": "lognormal", "median": 2, "sigma": 0.5}, stats.lognorm(0.5, scale=2)),
        ({"distribution": "beta", "a": 8, "b": 92}, stats.beta(8, 92)),
    ],
)
def test_quantiles_agree_with_scipy_s_distributions(entry, reference):
    u = np.linspace(0.001, 0.999, 97)
    spread = read_spread(entry, 2.5, "x")
    assert spread.quantile(u) == pytest.approx(reference.ppf(u), rel=1e-9)
    assert spread.support == pytest.approx(reference.support())


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ([1, 2, 3], "low, high"),
        ([3, 1], "above high"),
        ([3, 4], "not between"),
        ([-1, 4], "leaves 0"),
        ({"distribution": "beta", "a": 0, "b": 1}, "positive"),
        ({"distribution": "normal", "mean": 2, "sd": 1}, "needs exactly"),
        ({"distribution": "normal", "mean": 2, "sd": 1, "low": 3, "high": 4}, "mean"),
        ({"distribution": "uniform", "low": "a", "high": 4}, "not a number"),
        ({"distribution": "uniform", "low": 1, "high": math.inf}, "not finite"),
        ({"distribution": "cauchy"}, "distribution of"),
        ("wide", "distribution of"),
    ],
)
def test_a_spread_that_makes_no_sense_is_refused_by_name(entry, said):
    with pytest.raises(ValueError, match=rf"^x: .*{said}"):
        read_spread(entry, 2.0, "x")


def test_a_share_cannot_be_drawn_above_one():
    with pytest.raises(ValueError, match="leaves 0 to 1"):
        read_spread({"distribution": "uniform", "low": 0.5, "high": 1.2}, 0.7, "x", most=1.0)


def test_without_spreads_every_draw_is_the_bill():
    found = outcome(certain(COMPARISON), 4, 100)
    bills = COMPARISON.bills(4)
    assert np.ptp(found.baseline) == np.ptp(found.alternative) == 0
    assert found.baseline[0] == pytest.approx(float(bills[0].unrounded))
    assert found.alternative[0] == pytest.approx(float(bills[1].unrounded))


def test_one_seed_gives_one_answer_and_another_nearly_the_same():
    first, again, other = (outcome(COMPARISON, 4, seed=seed) for seed in (42, 42, 43))
    assert (first.saving == again.saving).all()
    assert (first.saving != other.saving).any()
    assert interval(first.saving).median == pytest.approx(interval(other.saving).median, abs=0.01)


def test_the_claimed_saving_is_less_likely_than_not_and_a_saving_nearly_sure():
    found = outcome(COMPARISON, 4)
    assert 0.2 < found.probability(0.41) < 0.4
    assert found.probability(0.0) > 0.98
    assert found.probability(1.1) == 0


def test_no_streams_save_nothing_and_are_no_nan():
    found = outcome(COMPARISON, 0, 100)
    assert not found.saving.any()


def test_a_figure_that_is_added_leaves_the_draws_of_the_others():
    values = draw(COMPARISON.inputs, 50, 1)
    fewer = draw(certain(COMPARISON, keep=("tariff",)).inputs, 50, 1)
    assert (values["tariff"] == fewer["tariff"]).all()


def test_latencies_matter_most_and_electricity_hardly():
    order = [swing.name for swing in tornado(COMPARISON, 4)]
    assert set(order[:2]) == {FPGA_LATENCY, "GPU only.latency_ms"}
    indices = {index.name: index for index in sobol_indices(COMPARISON, 4, base=128)}
    assert max(indices, key=lambda name: indices[name].total) == FPGA_LATENCY
    assert indices["tariff"].total < 0.05
    assert indices["pue"].total < 0.05
    assert 0.85 < sum(index.first for index in indices.values()) < 1.15


def test_a_single_spread_explains_everything_and_none_explains_nothing():
    (only,) = sobol_indices(certain(COMPARISON, keep=("staff",)), 4, base=64)
    assert (only.first, only.total) == (pytest.approx(1, abs=0.02), pytest.approx(1, abs=0.02))
    assert sobol_indices(certain(COMPARISON), 4) == []
    same = compare(COMPARISON.book, load_fleet("gpu.yaml"), load_fleet("gpu.yaml"), COMPARISON.service)
    assert sobol_indices(same, 4, base=64) == []  # a constant saving of 0
    assert {(s.at_low, s.at_high) for s in tornado(same, 4)} == {(0.0, 0.0)}


def test_without_the_fpga_both_fleets_are_one_in_every_draw():
    found = effect(COMPARISON, read_change("fpga=off"), 4, 500, 42)
    assert (found.saving.low, found.saving.high) == (0, 0)
    assert found.gained.median == pytest.approx(-interval(outcome(COMPARISON, 4, 500).saving).median)


def test_whole_frames_save_less_in_every_draw():
    found = effect(COMPARISON, read_change("region=full"), 4, 500, 42)
    assert found.gained.high < 0
    assert found.more.low > 0


def test_a_dearer_card_is_paired_with_itself():
    found = effect(COMPARISON, read_change("price.U55C*2"), 4, 2000, 42)
    loose = interval(outcome(COMPARISON, 4, 2000, seed=1).saving - outcome(COMPARISON, 4, 2000, seed=2).saving)
    assert found.gained.high < 0
    assert found.gained.high - found.gained.low < 0.3 * (loose.high - loose.low)
    assert effect(COMPARISON, read_change("price*1"), 4, 100, 42).gained == interval(np.zeros(100))


@pytest.mark.parametrize(
    "text", ["fpga=on", "fpga*2", "region=none", "price", "price*", "price*x", "price*-1", "=1", "a*nan"]
)
def test_a_change_that_is_none_is_refused(text):
    with pytest.raises(FovealError):
        effect(COMPARISON, read_change(text), 4, 100, 42)


def test_a_change_of_something_unknown_lists_what_is_known():
    with pytest.raises(FovealError, match="tariff"):
        effect(COMPARISON, read_change("weather*2"), 4, 100, 42)
    same = compare(COMPARISON.book, load_fleet("gpu.yaml"), load_fleet("gpu.yaml"), COMPARISON.service)
    with pytest.raises(FovealError, match="no FPGA"):
        effect(same, read_change("fpga=off"), 4, 100, 42)


def test_the_command_prints_its_seed_and_every_change():
    words = ["tco", "risk", "--draws", "200", "--no-sobol", "--do", "fpga=off", "--do", "price*1.2"]
    text = CliRunner().invoke(cli, words).output
    assert "200 draws, seed 42" in text
    assert "--do fpga=off" in text
    answer = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert [change["do"] for change in answer["changes"]] == ["fpga=off", "price*1.2"]
    assert "sobol" not in answer
    assert CliRunner().invoke(cli, ["tco", "risk", "a.yaml"]).exit_code == 2
    assert "region=full" in CliRunner().invoke(cli, ["tco", "risk", "--help"]).output
