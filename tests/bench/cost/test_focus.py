"""Cost records: 21 columns always, capital counted once, sums that agree with the run to the cent."""

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise

import pytest
from click.testing import CliRunner
from foveal.errors import FovealError
from foveal_bench.cli import cli
from foveal_bench.cost.book import load_book
from foveal_bench.cost.focus.columns import MANDATORY
from foveal_bench.cost.focus.conformance import conformance
from foveal_bench.cost.focus.records import COLUMNS, records_of_run
from foveal_bench.cost.run_cost import cost_of_run
from foveal_bench.cost.tco import PARTS

ROLES = ("opencl-full", "opencl-region", "cosim-region")
LATENCIES = {"opencl-full": 40.0, "opencl-region": 20.0, "cosim-region": 3.0}


@pytest.fixture(scope="module")
def run():
    configurations = {name: {"latency_ms": {"p50": ms, "p90": ms + 1}, "kind": "cpu"} for name, ms in LATENCIES.items()}
    cost = cost_of_run(configurations, load_book(), roles=ROLES, streams=4, card="U280", today=date(2026, 1, 1))
    return {
        "verdict": "VALID",
        "started": "2026-11-30T12:00:00Z",
        "summary": {"configurations": configurations, "cost": cost},
    }


@pytest.fixture(scope="module")
def records(run):
    return records_of_run(run, datetime(2026, 11, 30, 12, tzinfo=UTC))


def fleets(run):
    return [fleet for scenario in run["summary"]["cost"]["scenarios"] for fleet in scenario["fleets"]]


def total(rows, column):
    return sum(Decimal(row[column]) for row in rows)


def test_the_specification_has_21_mandatory_columns():
    assert len(MANDATORY) == 21


def test_every_record_has_them_and_conforms(records):
    assert {tuple(record) for record in records} == {COLUMNS}
    assert conformance(COLUMNS, records) == []


def test_billed_is_what_is_paid_and_effective_is_the_bill(run, records):
    for fleet in fleets(run):
        rows = [r for r in records if r["BillingAccountName"] == fleet["label"]]
        running = Decimal(fleet["total"]) - Decimal(fleet["capital"])
        assert total(rows, "EffectiveCost") == Decimal(fleet["total"])
        for column in ("BilledCost", "ListCost", "ContractedCost"):
            assert total(rows, column) == Decimal(fleet["invested"]) + running
        for part in PARTS:
            of_part = [r for r in rows if r["x_Part"] == part and r["ChargeCategory"] == "Usage"]
            assert total(of_part, "EffectiveCost") == Decimal(fleet[part])
            assert len(of_part) == (12 if Decimal(fleet[part]) else 0)


def test_capital_is_bought_once_and_borne_by_the_month(records):
    purchases = [r for r in records if r["ChargeCategory"] == "Purchase"]
    assert len(purchases) == len({r["BillingAccountId"] for r in records})
    assert {r["EffectiveCost"] for r in purchases} == {"0"}
    borne = [r for r in records if r["x_Part"] == "capital" and r["ChargeCategory"] == "Usage"]
    assert {r["BilledCost"] for r in borne} == {"0"}


def test_months_are_whole_follow_each_other_and_start_with_the_run_s(records):
    rows = [r for r in records if r["x_Part"] == "energy"][:12]
    assert rows[0]["ChargePeriodStart"] == "2026-11-01T00:00:00Z"
    assert rows[1]["ChargePeriodEnd"] == "2027-01-01T00:00:00Z"
    assert rows[-1]["ChargePeriodEnd"] == "2027-11-01T00:00:00Z"
    assert all(a["ChargePeriodEnd"] == b["ChargePeriodStart"] for a, b in pairwise(rows))


def test_energy_frames_and_intervals_stand_beside(run, records):
    first = fleets(run)[0]
    rows = [r for r in records if r["BillingAccountName"] == first["label"]]
    assert float(sum(Decimal(r["x_EnergyKwh"] or 0) for r in rows)) == pytest.approx(first["energy_kwh"])
    frames = sum(int(r["x_Frames"] or 0) for r in rows)
    assert frames == pytest.approx(4 * 30 * 3600 * 8760, abs=12)
    for row in rows:
        if row["x_EffectiveCostLow"] is not None:
            assert Decimal(row["x_EffectiveCostLow"]) <= Decimal(row["x_EffectiveCostHigh"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"BilledCost": None}, "BilledCost: it must not be null"),
        ({"BilledCost": "1,000"}, "BilledCost: '1,000' is not a number"),
        ({"BilledCost": "NaN"}, "stands for null"),
        ({"BilledCost": "+1"}, "is not a number"),
        ({"BillingCurrency": "usd"}, "not a currency code"),
        ({"ChargeCategory": "usage"}, "is none of Usage"),
        ({"ChargeClass": "Refund"}, "is none of Correction"),
        ({"ServiceCategory": "Rendering"}, "is none of"),
        ({"ChargePeriodStart": "2026-05-01"}, "not a UTC time"),
        ({"ChargePeriodStart": "2026-05-01T00:00:00+02:00"}, "not a UTC time"),
        ({"ChargePeriodStart": "2026-13-01T00:00:00Z"}, "not a UTC time"),
        ({"ChargePeriodEnd": "2020-01-01T00:00:00Z"}, "ChargePeriodEnd: 2020-01-01T00:00:00Z is not after"),
        ({"PricingQuantity": None}, "PricingUnit: it is null exactly"),
        ({"PricingQuantity": None, "PricingUnit": None}, "needed for a Usage"),
        ({"ChargeCategory": "Tax"}, "null for a Tax"),
    ],
)
def test_a_spoiled_cell_is_named_by_row_and_column(records, changes, said):
    spoiled = [records[1], records[2] | changes]
    found = conformance(COLUMNS, spoiled)
    assert found[0].startswith("row 2, column ")
    assert said in found[0]


@pytest.mark.parametrize("column", [column.name for column in MANDATORY])
def test_no_mandatory_column_can_be_missing(records, column):
    names = [name for name in COLUMNS if name != column]
    assert conformance(names, records) == [f"column {column} is missing"]


def test_a_custom_column_starts_with_x_and_optional_ones_are_known(records):
    assert "starts with x_" in conformance([*COLUMNS, "Energy"], records)[0]
    assert conformance([*COLUMNS, "RegionId", "x_Own"], records) == []


def test_correction_and_credit_may_lack_a_quantity(records):
    bare = {"PricingQuantity": None, "PricingUnit": None}
    assert conformance(COLUMNS, [records[1] | bare | {"ChargeClass": "Correction"}]) == []
    assert conformance(COLUMNS, [records[1] | bare | {"ChargeCategory": "Credit", "BilledCost": "-5"}]) == []


def test_what_is_exported_is_checked_and_conforms(run, records, tmp_path):
    source, out = tmp_path / "run.json", tmp_path / "costs.csv"
    source.write_text(json.dumps(run))
    assert CliRunner().invoke(cli, ["export", "focus", str(source), "-o", str(out)]).exit_code == 0
    assert len(list(csv.DictReader(io.StringIO(out.read_text())))) == len(records)
    assert CliRunner().invoke(cli, ["export", "check", str(out)]).exit_code == 0
    out.write_text(out.read_text().replace("Usage", "Usages"))
    result = CliRunner().invoke(cli, ["export", "check", str(out), "--json"])
    assert result.exit_code == 1
    assert "Usages" in json.loads(result.stdout)["findings"][0]


def test_one_fleet_can_be_chosen(run, tmp_path):
    source = tmp_path / "run.json"
    source.write_text(json.dumps(run))
    words = ["export", "focus", str(source), "--json", "--fleet"]
    rows = json.loads(CliRunner().invoke(cli, [*words, "FPGA + regions"]).stdout)
    assert {row["BillingAccountName"] for row in rows} == {"FPGA + regions"}
    assert isinstance(CliRunner().invoke(cli, [*words, "none"]).exception, FovealError)
    for command in ("focus", "check"):
        assert "FOCUS" in CliRunner().invoke(cli, ["export", command, "--help"]).output
