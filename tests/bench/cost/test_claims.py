"""Every figure has an entry and a verdict that is recomputed; a verdict that changes is noticed."""

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest
from click.testing import CliRunner
from foveal.errors import FovealError
from foveal_bench.cli import cli
from foveal_bench.cost.book import load_book
from foveal_bench.cost.claims import run_checks
from foveal_bench.cost.claims.backfill import Job, mean_wait
from foveal_bench.cost.claims.claim import CHECKS, check, load_claims
from foveal_bench.cost.claims.evidence import Evidence, load_run
from foveal_bench.cost.claims.fleets import CLAIMED
from foveal_bench.cost.claims.formula import evaluate
from foveal_bench.cost.claims.verdict import Finding, Verdict

CLAIMS = {claim.id: claim for claim in load_claims()}
NOTHING = Evidence(load_book(), None)

# Figures of each system of the two papers that were recomputed by hand, and so must have a verdict here.
RECOMPUTED = {
    "A02": 4, "A06": 2, "A07": 1, "A10": 1, "A11": 1, "A12": 7, "A13": 4, "A14": 5, "A15": 3, "A16": 3, "A17": 1,
    "A20": 3, "A21": 5, "A23": 2, "A24": 2, "A25": 9, "A26": 1, "A27": 3, "A28": 4, "A29": 2, "A30": 1, "B01": 2,
    "B03": 1, "B04": 6, "B05": 3, "B06": 1, "B07": 1, "B08": 2, "B11": 3, "B12": 1, "B13": 6, "B15": 2, "B16": 1,
    "B18": 1, "B19": 1, "B23": 1, "B25": 3,
}  # fmt: skip


def run_of(baseline_ms, card_ms, kind="cpu", cycles=5, verdict="VALID"):
    latency = {"opencl-full": (baseline_ms, kind), "cosim-region": (card_ms, "fpga")}
    return {
        "verdict": verdict,
        "summary": {
            "configurations": {name: {"latency_ms": {"p50": ms}, "kind": k} for name, (ms, k) in latency.items()},
            "injection": {"cycles_max": cycles, "clock_mhz": 300.0, "provenance": "simulated"},
        },
    }


def verdict_of(name, run):
    return check(CLAIMS[name], replace(NOTHING, run=run)).finding.verdict


def test_every_system_of_both_papers_has_an_entry():
    systems = {f"A{n:02}" for n in range(1, 31)} | {f"B{n:02}" for n in range(1, 27)}
    assert {name.partition(".")[0] for name in CLAIMS} == systems


def test_every_figure_that_can_be_recomputed_has_an_entry_that_is():
    computed = Counter(c.id.partition(".")[0] for c in CLAIMS.values() if c.formula or c.check)
    assert {system: n for system, n in RECOMPUTED.items() if computed[system] < n} == {}
    assert sum(computed.values()) >= sum(RECOMPUTED.values())


def test_every_check_is_used_and_every_claim_says_what_it_needs():
    assert {claim.check for claim in CLAIMS.values()} - {None} == set(CHECKS)
    assert all(claim.text and claim.needs for claim in CLAIMS.values())


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if claim.check != "injection"])
def test_the_recorded_verdict_is_what_comes_out(name):
    found = check(CLAIMS[name], replace(NOTHING, run=run_of(17.7, 2.9)))
    assert found.finding.verdict is CLAIMS[name].recorded, found.finding
    if found.finding.verdict is not Verdict.HOLDS:
        assert found.finding.reason


def test_simulations_do_not_hang_on_one_seed():
    for claim in CLAIMS.values():
        if claim.needs == "simulation":
            assert len({check(claim, replace(NOTHING, seed=seed)).finding.verdict for seed in (2, 3, 4)}) == 1


def test_the_cost_claim_prints_for_which_streams_it_is_true_and_false():
    reason = check(CLAIMS["A25.saving"], NOTHING).finding.reason
    assert reason.startswith("4, 7 to 1000 streams")
    assert "false for 1 to 3, 5 to 6" in reason
    assert "first at 73 streams" in reason


def test_the_sums_that_are_drawn_are_those_that_are_claimed():
    assert list(CLAIMED.values()) == [CLAIMS["A25.gpu_usd"].value, CLAIMS["A25.hybrid_usd"].value]


def test_the_cost_claim_follows_the_prices():
    book = load_book()
    rows = tuple(
        replace(r, figure=replace(r.figure, value=Decimal(80_000))) if r.sku == "U55C" else r for r in book.prices
    )
    dear = replace(NOTHING, book=replace(book, prices=rows))
    assert check(CLAIMS["A25.saving"], dear).finding.verdict is Verdict.CONTRADICTS
    assert check(CLAIMS["A25.saving"], dear).changed
    assert check(CLAIMS["A25.hybrid_usd"], dear).changed
    assert not check(CLAIMS["A25.gpu_usd"], dear).changed


def test_latency_claims_take_the_run_and_a_cpu_is_no_gpu():
    assert verdict_of("A25.hybrid_ms", run_of(17.7, 14.2)) is Verdict.CONTRADICTS
    assert verdict_of("A25.gpu_ms", run_of(42.0, 2.9)) is Verdict.UNCHECKED
    assert verdict_of("A25.gpu_ms", run_of(42.0, 2.9, "gpu")) is Verdict.HOLDS
    assert verdict_of("A25.gpu_ms", run_of(10.0, 2.9, "gpu")) is Verdict.ONLY_IF
    assert verdict_of("A25.measured", run_of(10.0, 2.9, "gpu")) is Verdict.HOLDS
    assert verdict_of("A25.measured", run_of(5.0, 2.9, "gpu")) is Verdict.CONTRADICTS
    assert verdict_of("A25.measured", run_of(None, 2.9)) is Verdict.UNCHECKED
    assert verdict_of("A25.measured", None) is Verdict.UNCHECKED


def test_the_fabric_claim_takes_the_kernel_s_counter():
    assert verdict_of("A24.injection", run_of(17.7, 2.9, cycles=24)) is Verdict.ONLY_IF
    assert verdict_of("A24.injection", run_of(17.7, 2.9, cycles=25)) is Verdict.CONTRADICTS
    found = check(CLAIMS["A24.injection"], NOTHING).finding  # no run: one small frame on the co-simulated card
    assert found.verdict is Verdict.ONLY_IF
    assert found.value * 0.3 >= 1
    assert found.value * 0.3 <= 24
    assert found.provenance == "simulated"


def test_what_cannot_be_checked_has_not_changed(monkeypatch):
    def none(name):
        raise FovealError("not here")

    monkeypatch.setattr(run_checks, "open_device", none)
    found = check(CLAIMS["A24.injection"], NOTHING)
    assert found.finding.verdict is Verdict.UNCHECKED
    assert not found.changed


@pytest.mark.parametrize(
    "text", ["__import__('os')", "x", "1 +", "1 / 0", "2 ** 10 ** 10", "True", "'a' * 2", "max(a=1)"]
)
def test_a_formula_is_arithmetic_and_nothing_else(text):
    with pytest.raises(ValueError, match=r"evaluated|arithmetic|finite"):
        evaluate(text)


def test_backfill_lets_a_short_job_by_and_never_delays_the_first():
    # 4 slots: the first takes 3 of them, the second needs 4 and waits to 10; the third fits beside the first until then
    jobs = [Job(0, 10, 3), Job(1, 5, 4), Job(2, 8, 1), Job(3, 9, 1)]
    assert mean_wait(jobs, 4, backfill=False) == (0 + 9 + 13 + 12) / 4
    assert mean_wait(jobs, 4, backfill=True) == (0 + 9 + 0 + 12) / 4


def test_a_changed_verdict_ends_the_command_with_1(monkeypatch):
    assert CliRunner().invoke(cli, ["claims", "check", "A25", "B", "--json"]).exit_code == 0
    monkeypatch.setitem(CHECKS, "cost_saving", lambda evidence: Finding(Verdict.HOLDS, -41.0, "spoiled"))
    result = CliRunner().invoke(cli, ["claims", "check", "A25", "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["changed"] == ["A25.saving"]
    assert "changed: A25.saving" in CliRunner().invoke(cli, ["claims", "check", "A25"]).output


def test_a_run_that_is_not_valid_proves_nothing(tmp_path):
    path = tmp_path / "run.json"
    for text, said in (
        (json.dumps(run_of(1, 1, verdict="INVALID")), "INVALID"),
        (json.dumps({"verdict": "INVALID", "summary": None}), "of a run that is INVALID"),
        (json.dumps({"verdict": "VALID", "summary": None}), "not the run.json"),
        ("{}", "not the run.json"),
        ("", "not the"),
    ):
        path.write_text(text)
        with pytest.raises(FovealError, match=said):
            load_run(path)
    with pytest.raises(FovealError, match="cannot be read"):
        load_run(tmp_path / "none.json")


def test_an_unknown_claim_is_told():
    assert isinstance(CliRunner().invoke(cli, ["claims", "check", "Z9"]).exception, FovealError)


def test_a_run_on_a_card_is_measured():
    simulated = run_of(40.0, 9.0)
    measured = json.loads(json.dumps(simulated).replace("cosim-region", "card-region"))
    measured["summary"]["injection"]["provenance"] = "measured"
    for check_of in (run_checks.card_latency, run_checks.injection):
        assert check_of(replace(NOTHING, run=simulated)).provenance == "simulated"
        found = check_of(replace(NOTHING, run=measured))
        assert found.provenance == "measured"
        assert found.value == check_of(replace(NOTHING, run=simulated)).value
