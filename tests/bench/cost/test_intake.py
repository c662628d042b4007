"""Data as people have them: thousands, currencies, ids, clock changes, odd exporters, windows that are none."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from click.testing import CliRunner
from foveal.errors import FovealError
from foveal_bench.cli import cli
from foveal_bench.cost.book import load_book
from foveal_bench.cost.intake.cells import CellError, Notation, read_numbers
from foveal_bench.cost.intake.energy import count, integrate
from foveal_bench.cost.intake.otlp import duration_ms, nanoseconds, read_samples, time_status
from foveal_bench.cost.intake.periods import Window, hourly, hours_of_day, instant, per_frame
from foveal_bench.cost.intake.table import Column, table_of_text
from foveal_bench.cost.intake.usage import NodeUse, accelerator_cost, mean_utilisation, total

NOW = datetime(2026, 6, 1, tzinfo=UTC)
COST = [Column("area_code"), Column("cost", "number", null=True)]


def costs(text, **options):
    return [row["cost"] for row in table_of_text(text, COST, **options).rows]


def numbers(*cells, **options):
    notation = Notation(options.pop("thousands", None), options.pop("decimal", None), options.pop("currency", None))
    return read_numbers(cells, "cost", notation, rows=range(1, len(cells) + 1), **options)


# --- numbers


def test_thousands_are_read_where_the_header_is_known_and_text_is_never_summed():
    text = 'area_code,cost\na1,"1,000"\na2,"2,000.50"\n'
    assert costs(text) == costs(text, notation=Notation(thousands=",")) == [1000, Decimal("2000.50")]
    with pytest.raises(CellError, match="row 1, column cost: 'cost' is not a number"):
        costs(text, header=False)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1234.5", "1e3", "-.5", "7."], ["1234.5", "1E+3", "-0.5", "7"]),
        (["1.234,50"], ["1234.50"]),
        (["1 234,5", "12"], ["1234.5", "12"]),
        (["1\u00a0234,5"], ["1234.5"]),
        (["1'234.5"], ["1234.5"]),
        (["3,5"], ["3.5"]),
        (["1,234", "1,234,567"], ["1234", "1234567"]),
        (["1,234", "0,5"], ["1.234", "0.5"]),
        (["12.345"], ["12.345"]),
    ],
)
def test_a_number_that_means_one_thing_is_taken(cells, values):
    assert numbers(*cells) == [Decimal(v) for v in values]


@pytest.mark.parametrize("cells", [["1,234"], ["5", "1,234"], ["1 234,567", "1,234"]])
def test_a_number_that_means_two_things_is_refused_until_declared(cells):
    if cells[-1] == cells[0] or cells[0] == "5":
        with pytest.raises(CellError, match=rf"row {len(cells)}, .*may be 1.234 or 1234"):
            numbers(*cells)
        assert numbers(*cells, thousands=",")[-1] == 1234
        assert numbers(*cells, decimal=",")[-1] == Decimal("1.234")
    else:
        assert numbers(*cells) == [Decimal("1234.567"), Decimal("1.234")]


def test_a_point_in_a_table_with_semicolons_may_part_thousands():
    with pytest.raises(CellError, match="may be"):
        costs("area_code;cost\na1;16.000\n")
    assert costs("area_code;cost\na1;16.000\na2;1,5\n") == [16000, Decimal("1.5")]


def test_two_ways_of_writing_in_one_column_are_refused():
    with pytest.raises(CellError, match="more than one way"):
        numbers("1.234,5", "1,234.5")


@pytest.mark.parametrize("cell", ["N/A", "NaN", "", " null ", "None", "na"])
def test_documented_markers_are_no_value(cell):
    assert numbers(cell, "1.20") == [None, Decimal("1.20")]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("-", "not a number"), ("Included", "not a number"), ("<1", "not a number"), ("(5.00)", "not a number"),
        ("5 %", "not a number"), ("inf", "not a number"), ("1,00,000", "not a number"), ("--5", "not a number"),
        ("$1.20", "currency ($) that is not declared"), ("1.20 EUR", "currency (EUR) that is not declared"),
        ("1.2.3", "not a number"), ("0x10", "not a number"), ("١٢", "not a number"),
    ],
)  # fmt: skip
def test_anything_else_stops_with_row_and_column(cell, said):
    with pytest.raises(CellError) as refused:
        numbers("1.20", cell)
    assert str(refused.value).startswith("row 2, column cost: ")
    assert said in str(refused.value)


def test_a_declared_currency_may_stand_with_numbers_and_another_may_not():
    assert numbers("$1.20", "1.30 USD", "1.40", currency="USD") == [Decimal(x) for x in ("1.20", "1.30", "1.40")]
    with pytest.raises(CellError, match="is in EUR, but USD is declared"):
        numbers("€1.20", currency="USD")


# --- tables


def test_ids_are_text_and_keep_zeros_and_dots():
    columns = [Column("id"), Column("v", "number")]
    table = table_of_text("id;v\n0000.7995;16.000\n3.03.001;0\n", columns, notation=Notation(thousands="."))
    assert table.rows == [{"id": "0000.7995", "v": 16000}, {"id": "3.03.001", "v": 0}]


def test_columns_missing_twice_or_too_many():
    wanted = [Column("start", "time"), Column("zone", required=False)]
    table = table_of_text("start,kind\n2026-05-01T00:00:00Z,x\n", wanted)
    assert table.rows == [{"start": datetime(2026, 5, 1, tzinfo=UTC), "zone": None}]
    assert table.notes == ["column kind is ignored"]
    for text, said in (
        ("kind\nx\n", "column 'start' is missing; there are kind"),
        ("start,start\na,b\n", "there twice"),
        ("start,START\na,b\n", "there twice"),
        ("start\na,b\n", "row 2 has 2 cells, 1 are expected"),
        ("start\nN/A\n", "row 2, column start: a value is needed"),
        ("", "empty"),
        ("start\n\x00\n", "null bytes"),
        ('start\n"a\n', "unexpected end"),
    ):
        with pytest.raises(FovealError, match=said):
            table_of_text(text, wanted)


def test_the_same_row_twice_is_dropped_and_two_values_of_one_name_are_refused():
    text = "area_code,cost\na1,1\na2,2\na1,1\n"
    table = table_of_text(text, COST, key=("area_code",))
    assert [row["cost"] for row in table.rows] == [1, 2]
    assert table.notes == ["row 4 repeats row 2 and is dropped"]
    with pytest.raises(FovealError, match="rows 2 and 4 are both a1, and differ"):
        table_of_text("area_code,cost\na1,1\na2,2\na1,3\n", COST, key=("area_code",))


def test_yaml_rows_stay_what_was_written():
    text = "- {area_code: NO, cost: 1_000}\n"
    with pytest.raises(CellError, match="row 1, column cost"):
        table_of_text(text, COST, structured=True)
    table = table_of_text("- {area_code: NO, cost: 0.10}\n- {area_code: 012}\n", COST, structured=True)
    assert table.rows == [{"area_code": "NO", "cost": Decimal("0.10")}, {"area_code": "012", "cost": None}]
    for bad in ("a: 1", "- [1]", "- {cost: [1]}", "{", "- {area_code: a, cost: 1, cost: 2}"):
        with pytest.raises(FovealError):
            table_of_text(bad, COST, structured=True)


# --- time


def test_the_clock_change_in_spring_has_23_hours_and_no_half_past_two():
    day = date(2018, 3, 25)
    assert hours_of_day(day, "Europe/Berlin") == 23
    with pytest.raises(ValueError, match="nonexistent local time"):
        instant("2018-03-25T02:30:00", zone="Europe/Berlin")
    with pytest.raises(ValueError, match="expected 23 prices, got 24"):
        hourly(day, "Europe/Berlin", list(range(24)))


def test_the_clock_change_in_autumn_has_25_hours_and_half_past_two_twice():
    day = date(2018, 10, 28)
    assert hours_of_day(day, "Europe/Berlin") == 25
    with pytest.raises(ValueError, match="ambiguous local time"):
        instant("2018-10-28T02:30:00", zone="Europe/Berlin")
    assert instant("2018-10-28T02:30:00+01:00") - instant("2018-10-28T02:30:00+02:00") == timedelta(hours=1)
    by_hour = hourly(day, "Europe/Berlin", list(range(25)))
    assert by_hour[datetime(2018, 10, 28, 1, tzinfo=UTC)] == 3
    assert len(by_hour) == 25


def test_times_name_their_zone_or_one_is_declared():
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    assert instant("2026-05-01T00:00:00Z") == instant("2026-05-01T02:00:00+02:00") == midnight
    assert instant("2026-05-01T02:00:00", zone="Europe/Berlin") == midnight
    for text, said in (
        ("2026-05-01T00:00:00", "no zone"),
        ("24.08.2016 0:00", "not ISO 8601"),
        ("4/8/2026", "not ISO 8601"),
        ("2026-13-01T00:00:00Z", "not ISO 8601"),
        ("1777593600", "not ISO 8601"),
        ("", "not ISO 8601"),
    ):
        with pytest.raises(ValueError, match=said):
            instant(text)
    with pytest.raises(ValueError, match="not a time zone"):
        instant("2026-05-01T00:00:00", zone="Berlin")


@pytest.mark.parametrize(
    ("start", "end", "frames", "status"),
    [
        ("2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", 0, "zero_length"),
        ("2026-05-01T01:00:00Z", "2026-05-01T00:00:00Z", 72000, "negative_length"),
        ("0001-01-01T00:00:00Z", "2026-05-01T00:00:00Z", 72000, "implausible_start"),
        ("1970-01-01T00:00:00Z", "2026-05-01T00:00:00Z", 72000, "implausible_start"),
        ("2026-05-01T00:00:00Z", "2126-05-01T00:00:00Z", 72000, "implausible_end"),
        ("2026-05-01T00:00:00Z", "2026-05-01T01:00:00Z", 0, "no_frames"),
    ],
)
def test_a_window_that_is_none_has_no_cost_of_a_frame(start, end, frames, status):
    assert per_frame(Decimal(10), frames, Window(instant(start), instant(end)), NOW) == (None, status)


def test_a_good_window_has_one():
    window = Window(instant("2026-05-01T00:00:00Z"), instant("2026-05-01T01:00:00Z"))
    assert per_frame(Decimal("7.2"), 72000, window, NOW) == (Decimal("0.0001"), "ok")


# --- telemetry


def test_times_in_two_signed_halves_are_put_together():
    start, end = {"low": -1013133952, "high": 395276536}, {"low": -1011286551, "high": 395276536}
    assert nanoseconds(start) == 1697699798278000000
    assert nanoseconds(end) == 1697699798279847401
    assert duration_ms(start, end) == pytest.approx(1.847401)
    for bad in ({"low": 1}, {"low": "1", "high": 2}, "-1", "1.5", "", None, True, 1.0, []):
        with pytest.raises(ValueError, match="time in"):
            nanoseconds(bad)


def test_parts_of_a_second_and_tick_counts_are_no_times():
    found = [time_status(int(t), NOW) for t in ("278000000", "54892910537315", "1697699798278000000")]
    assert found == ["implausible_time", "implausible_time", "ok"]
    assert time_status(10**30, NOW) == "implausible_time"
    assert time_status(int((NOW.timestamp() + 2 * 86400) * 1e9), NOW) == "implausible_time"


def request(*points, kind="gauge"):
    metric = {"name": "power", "unit": "W", kind: {"dataPoints": list(points)}}
    return {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}


def point(card, value=30.0, time="1697699798278000000", **extra):
    attributes = [{"key": "card", "value": {"stringValue": card}}]
    return {"attributes": attributes, "timeUnixNano": time, "asDouble": value} | extra


def test_an_attribute_without_a_value_never_merges_two_cards():
    bare = [{"key": "card", "stringValue": "u280-0"}]
    samples, problems = read_samples(request(point("a") | {"attributes": bare}, point("b") | {"attributes": bare}), NOW)
    assert samples == []
    assert [p.status for p in problems] == ["malformed_attribute"] * 2


def test_good_points_are_kept_beside_bad_ones():
    document = request(
        point("a"), point("b", "NaN"), point("c", None), point("d", time="5"), point("e", time="x"), point("f", True)
    )
    samples, problems = read_samples(document, NOW)
    assert [s.attributes for s in samples] == [(("card", "a"),)]
    assert [p.status for p in problems] == [
        "malformed_value", "malformed_value", "implausible_time", "malformed_time", "malformed_value",
    ]  # fmt: skip
    assert read_samples({}, NOW) == ([], [])


def test_power_out_of_order_is_sorted_and_said():
    found = integrate([3, 1, 2], [30, 10, 20])
    assert (found.joules, found.covered_s, found.flags) == (40.0, 2.0, ("reordered",))


def test_power_twice_missing_or_impossible():
    assert integrate([1, 1, 2], [10, 10, 20]).flags == ("duplicates",)
    gap = integrate([0, 1, 2, 3, 4], [10, 10, None, 10, 10])
    assert (gap.joules, gap.covered_s, gap.flags) == (20.0, 2.0, ("missing",))
    for times, watts, said in (
        ([1, 1, 2], [10, 11, 20], "two values at 1 s"),
        ([1, 2], [10, -1], "not possible"),
        ([1, 2], [10, float("inf")], "not possible"),
        ([1], [10], "fewer than two"),
        ([1, float("nan")], [10, 10], "not a number"),
        ([1, 2], [10], "2 times and 1 values"),
    ):
        with pytest.raises(ValueError, match=said):
            integrate(times, watts)


def test_a_counter_of_energy_wraps_restarts_and_bridges_gaps():
    assert count([0, 1, 2], [100, 150, 175]).joules == 75
    wrapped = count([0, 1], [4_294_967_290, 4], wraps_at=2**32)
    assert (wrapped.joules, wrapped.flags) == (10, ())
    restarted = count([2, 0, 1, 3], [5, 100, 150, 8])
    assert (restarted.joules, restarted.covered_s, restarted.flags) == (58, 3, ("reordered", "reset"))
    assert count([0, 1, 2], [100, None, 175]).joules == 75
    with pytest.raises(ValueError, match="fewer than two"):
        count([0, 1], [100, None])


def test_a_log_of_a_counter_is_told_by_its_column(run):
    answer = json.loads(run("t_s,J\n0,10\n5,110\n", "meter", "energy", "FILE", "--json").stdout)
    assert (answer["series"][0]["joules"], answer["series"][0]["mean_w"]) == (100, 20)
    for text in ("t_s,W,J\n0,1,1\n1,1,1\n", "t_s\n0\n1\n", "t_s,W\n0,N/A\n1,N/A\n"):
        assert "W or J" in str(run(text, "meter", "energy", "FILE").exception)


# --- sums


def test_two_currencies_are_converted_and_a_row_without_one_makes_the_sum_unknown():
    rows = [(Decimal(100), "USD"), (Decimal(100), "EUR"), (Decimal(5), None)]
    rates = {"EUR": (Decimal("1.1"), "2026-05-31")}
    unknown = total(rows, "USD", rates)
    assert (unknown.amount, unknown.status) == (None, "row 3 has no currency")
    without = total(rows, "USD", rates, exclude=True)
    assert (without.amount, without.excluded, without.rates) == (Decimal("210.00"), (3,), rates)
    assert total([(None, "USD")], "USD", rates).status == "row 1 has no amount"
    assert "no rate" in total([(Decimal(1), "CHF")], "USD", rates).status


def test_a_sum_of_money_is_rounded_once():
    assert total([(Decimal("0.004"), "USD")] * 250, "USD", {}).amount == Decimal("1.00")


def test_a_node_without_cards_pays_for_none_and_what_was_not_read_is_unknown():
    price = Decimal("0.95")
    uses = [NodeUse(0, price, Decimal(0), Decimal(0)), NodeUse(1, price, None, Decimal(3600))]
    assert [accelerator_cost(use, Decimal(1)) for use in uses] == [(0, None), (price, None)]
    assert [use.utilisation for use in uses] == [None, None]
    assert mean_utilisation(uses) is None
    half = NodeUse(2, price, Decimal(1800), Decimal(3600))
    assert accelerator_cost(half, Decimal(1)) == (Decimal("1.90"), Decimal("3.80"))
    assert mean_utilisation([uses[0], half]) == Decimal("0.5")
    assert mean_utilisation([uses[0]]) is None


# --- commands


@pytest.fixture
def run(tmp_path):
    def invoke(text, *words, name="in.csv"):
        path = tmp_path / name
        path.write_text(text)
        return CliRunner().invoke(cli, [*(str(path) if word == "FILE" else word for word in words)])

    return invoke


def test_energy_of_a_log_is_priced(run):
    answer = json.loads(run("t_s,W\n3600,1000\n0,1000\n", "meter", "energy", "FILE", "--json").stdout)
    (series,) = answer["series"]
    assert (series["joules"], series["flags"], series["cost"]) == (3_600_000, ["reordered"], "0.082600")


def test_energy_of_otlp_lines_keeps_cards_apart(run):
    later = "1697699799278000000"
    lines = [request(point("a", 10.0), point("b", 20.0)), request(point("a", 10.0, later), point("b", 20.0, later))]
    text = "\n".join(json.dumps(line) for line in lines)
    answer = json.loads(run(text, "meter", "energy", "FILE", "--json", name="m.jsonl").stdout)
    assert {s["series"]: round(s["joules"], 6) for s in answer["series"]} == {"card=a": 10.0, "card=b": 20.0}
    assert isinstance(run(text, "meter", "energy", "FILE", "--metric", "x", name="m.jsonl").exception, FovealError)


def test_costs_of_a_table_are_summed_and_windows_told(run):
    text = (
        "cost,currency,start,end,frames\n"
        "100,USD,2026-05-01T00:00:00Z,2026-05-01T01:00:00Z,1000\n"
        "100,EUR,2026-05-01T00:00:00Z,2026-05-01T00:00:00Z,0\n"
    )
    answer = json.loads(run(text, "meter", "costs", "FILE", "--json").stdout)
    assert (answer["total"], answer["rates"]["EUR"]["date"]) == ("210.00", "2026-05-31")
    assert [w["status"] for w in answer["windows"]] == ["ok", "zero_length"]
    assert [w["cost_per_frame"] for w in answer["windows"]] == ["0.100000000", None]
    assert "unknown" in run("cost,currency\n5,\n", "meter", "costs", "FILE").output
    half = run("cost,currency,frames\n5,USD,10\n", "meter", "costs", "FILE")
    assert "row 2 needs start, end and frames together" in str(half.exception)


def test_nodes_of_a_table(run):
    text = "cards,price_per_hour,busy_s,seen_s\n0,0.95,0,0\n1,0.95,N/A,3600\n"
    answer = json.loads(run(text, "meter", "nodes", "FILE", "--json").stdout)
    assert [n["cost"] for n in answer["nodes"]] == ["0.00", "0.95"]
    assert answer["mean_utilisation"] is None


def test_a_table_of_prices_is_imported_whole_or_not_at_all(run, tmp_path):
    from importlib.resources import files

    book = tmp_path / "mine.yaml"
    shipped = files("foveal_bench.cost").joinpath("prices.yaml").read_text()
    book.write_text(shipped)
    rows = 'SKU,kind,price,date,source,note\nU280,purchase,"5.100,50 €",2026-10-01,broker,x\n'
    more = rows + 'L40S,purchase,"7.900,00",2026-10-01,shop,\n'
    result = run(more, "price", "import", str(book), "FILE", "--currency", "EUR")
    assert result.exit_code == 0, result.output
    assert "column note is ignored" in result.output
    assert load_book(book).price("U280").figure.value == Decimal("5100.50")
    assert load_book(book).price("L40S").currency == "EUR"
    book.write_text(shipped)
    spoiled = more + "U55C,gift,1.0,2026-10-01,shop,\n"
    assert isinstance(run(spoiled, "price", "import", str(book), "FILE", "--currency", "EUR").exception, FovealError)
    assert book.read_text() == shipped


@pytest.mark.parametrize(
    "words", [["meter"], ["meter", "energy"], ["meter", "costs"], ["meter", "nodes"], ["price", "import"]]
)
def test_help_teaches(words):
    result = CliRunner().invoke(cli, [*words, "--help"])
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 8
