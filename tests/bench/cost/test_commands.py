"""`foveal tco` and `foveal price`: help teaches, JSON is complete, exit codes follow the answer."""

import json

import pytest
from click.testing import CliRunner
from foveal.errors import FovealError
from foveal_bench.cli import cli
from foveal_bench.cost.fleet import REFERENCE


def run(*words):
    return CliRunner().invoke(cli, list(words), catch_exceptions=True)


@pytest.mark.parametrize(
    "words",
    [
        ["tco"],
        ["tco", "compare"],
        ["tco", "example"],
        ["price"],
        ["price", "list"],
        ["price", "check"],
        ["price", "add"],
    ],
)
def test_help_teaches(words):
    result = run(*words, "--help")
    assert result.exit_code == 0
    assert "foveal" in result.output


def test_the_claim_s_gpu_misses_33_ms_and_is_priced_all_the_same():
    result = run("tco", "compare", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["fleets"][0]["missed"].startswith("p95 latency 42.6 ms")
    assert answer["fleets"][1]["missed"] is None
    assert [fleet["total"] for fleet in answer["fleets"]] == ["28630.33", "16719.28"]


def test_sized_by_frame_rate_alone_the_claim_s_saving_is_reached():
    result = run("tco", "compare", "--p95", "none", "--streams", "4")
    assert result.exit_code == 0
    assert "saves 41.6 % at 4 streams" in result.output
    assert "warning: U55C purchase: is recalled" in result.output


def test_files_of_ones_own_are_compared(tmp_path):
    assert run("tco", "example", str(tmp_path)).exit_code == 0
    paths = [str(tmp_path / name) for name in REFERENCE]
    answer = json.loads(run("tco", "compare", *paths, "--p95", "none", "--streams", "16", "--json").stdout)
    assert answer["saving"] == pytest.approx(0.504, abs=0.0005)
    assert run("tco", "example", str(tmp_path)).exit_code != 0


def test_one_file_alone_is_wrong_usage(tmp_path):
    assert run("tco", "compare", str(tmp_path / "a.yaml")).exit_code == 2


@pytest.mark.parametrize(
    "words", [["--fps", "0"], ["--fps", "fast"], ["--p95", "-1"], ["--streams", "-1"], ["--today", "soon"]]
)
def test_wrong_options_are_usage_errors(words):
    result = run("tco", "compare", *words)
    assert result.exit_code == 2
    assert words[0] in result.output


def test_no_streams_are_no_cost_and_no_saving():
    answer = json.loads(run("tco", "compare", "--streams", "0", "--p95", "none", "--json").stdout)
    assert answer["saving"] is None
    assert {fleet["total"] for fleet in answer["fleets"]} == {"0.00"}


def test_the_check_depends_on_the_day():
    fresh = run("price", "check", "--today", "2025-03-02", "--max-age", "3650", "--json")
    stale = json.loads(run("price", "check", "--today", "2026-03-02", "--json").stdout)
    assert any("L40S purchase (any): is 366 days old" in line for line in stale["stale"])
    assert not any("L40S purchase" in line for line in json.loads(fresh.stdout)["stale"])
    assert run("price", "check", "--today", "2026-03-02").exit_code == 1


def test_prices_are_listed_with_their_source():
    rows = json.loads(run("price", "list", "--sku", "U280", "--json").stdout)
    assert [(r["basis"], r["value"], r["unit"]) for r in rows] == [("recalled", "7495", "USD/card")]
    assert "end of life" in rows[0]["source"]
    assert isinstance(run("price", "list", "--sku", "none").exception, FovealError)


def test_a_price_is_added_to_a_book_of_ones_own(tmp_path):
    from importlib.resources import files

    book = tmp_path / "mine.yaml"
    book.write_text(files("foveal_bench.cost").joinpath("prices.yaml").read_text())
    words = ["--sku", "U280", "--kind", "purchase", "--price", "5000", "--source", "broker", "--date", "2026-10-01"]
    assert run("price", "add", str(book), *words).exit_code == 0
    rows = json.loads(run("price", "list", "--sku", "U280", "--prices", str(book), "--json").stdout)
    assert rows[0]["value"] == "5000"
