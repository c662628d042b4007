"""Cost of a unit of work, worked out by hand."""

import json
from decimal import Decimal

import pytest
from click.testing import CliRunner
from foveal_bench.cli import cli
from foveal_bench.cost.unit import (
    PowerSample,
    literal_recalibrate_cost,
    per_camera_hour,
    per_million_tokens,
    per_tflops_year,
    per_thousand_frames,
    recalibrate_cost,
)


def test_a_thousand_frames_and_a_camera_hour():
    # one camera at 30 fps is 946,080,000 frames a year
    assert per_thousand_frames(Decimal(946_080), 1, Decimal(30)) == 1
    assert per_camera_hour(Decimal(8760 * 4), 4) == 1
    # frames of an hour cost what a camera-hour costs
    assert per_thousand_frames(Decimal(28630), 4, Decimal(30)) * 108 == pytest.approx(
        per_camera_hour(Decimal(28630), 4)
    )
    assert per_thousand_frames(Decimal(5), 0, Decimal(30)) is None
    assert per_camera_hour(Decimal(5), 0) is None


def test_tflops_are_counted_not_read_from_a_data_sheet():
    assert per_tflops_year(Decimal(6953), 312 * 10**12, Decimal(10)) == Decimal(6953) / Decimal("31.2")
    for operations, seconds in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(ValueError, match="no rate"):
            per_tflops_year(Decimal(1), operations, Decimal(seconds))


def test_a_million_tokens():
    assert float(per_million_tokens(Decimal("1.8"), Decimal(417))) == pytest.approx(1.199, abs=0.001)
    with pytest.raises(ValueError, match="never"):
        per_million_tokens(Decimal(1), Decimal(0))


def test_units_on_the_command_line():
    def run(*words):
        return CliRunner().invoke(cli, ["tco", "unit", *words])

    counted = ["tflops", "--yearly", "6953", "--operations", "312e12", "--seconds", "10", "--json"]
    assert json.loads(run(*counted).stdout) == {"per_tflops_year": "222.852564", "tflops": 31.2}
    assert "per_million_tokens: 1.199041" in run("tokens", "--hourly", "1.80", "--per-second", "417").output
    interval = ["interval", "--power", "300", "--capital", "8760", "--tflops", "31.2", "--breach", "0.01", "--json"]
    answer = json.loads(run(*interval, "--cooling", "50").stdout)
    assert answer["literal_recalibrate_cost"] == pytest.approx(2.832, abs=0.0005)
    sane = (0.25 + 0.3 * 0.25 * 0.0826 * 1.56 + 50) * 1.021
    assert float(answer["interval"]) == pytest.approx(sane, abs=1e-6)
    for words in (["tokens", "--hourly", "0", "--per-second", "1"], [*interval, "--breach", "1.5"]):
        assert run(*words).exit_code == 2
    for command in ("tflops", "tokens", "interval"):
        assert f"foveal tco unit {command}" in run(command, "--help").output


def test_the_literal_formula_gives_the_published_numbers():
    assert literal_recalibrate_cost(300, 0, 0, 31.2) == pytest.approx(0.788, abs=0.0005)
    assert literal_recalibrate_cost(300, 50, 0.01, 31.2) == pytest.approx(2.832, abs=0.0005)


def test_the_sane_formula_has_hours_capital_and_pue():
    quarter = PowerSample(Decimal("0.25"), Decimal(300), Decimal("0.02"), Decimal(0))
    site = {"tariff": Decimal("0.08"), "pue": Decimal("1.5"), "per_breach": Decimal("2.1")}
    # 8,760 a year is 1 an hour: 0.25, energy 0.3 kW x 0.25 h x 0.08 x 1.5 = 0.009, cooling 0.02
    assert recalibrate_cost(quarter, yearly_capital=Decimal(8760), **site) == Decimal("0.279")
    late = PowerSample(quarter.hours, quarter.power_w, quarter.cooling_usd, Decimal("0.01"))
    assert recalibrate_cost(late, yearly_capital=Decimal(8760), **site) == Decimal("0.279") * Decimal("1.021")
