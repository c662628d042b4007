"""hw/mutate: which mutants are chosen, what a survivor and its reason count, and a mutant that a bench must kill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw" / "mutate"), str(ROOT / "hw")]

import ledger  # noqa: E402
import rtl_files  # noqa: E402
import sites  # noqa: E402

sys.path[:] = INSTALLED  # other tests import the installed packages, not the folders that lie in sim

SOURCE = ["module m(input clk, input [1:0] a, output reg [1:0] q);", "wire [1:0] n = ~a;", "always q <= n;"]


def netlist(line: int) -> dict[str, object]:
    """An inverter in `line` of m.v and a register behind it, as Yosys' write_json tells them."""
    return {
        "ports": {"a": {"direction": "input", "bits": [2, 3]}, "q": {"direction": "output", "bits": [6, 7]}},
        "netnames": {
            "a": {"bits": [2, 3]},
            "n": {"bits": [4, 5]},
            "q": {"bits": [6, 7]},
            "$1": {"bits": [4], "hide_name": 1},
        },
        "cells": {
            f"$not$m.v:{line}$1": {
                "type": "$not",
                "attributes": {"src": f"m.v:{line}.16-{line}.18"},
                "port_directions": {"A": "input", "Y": "output"},
                "connections": {"A": [2, 3], "Y": [4, 5]},
            },
            "$procdff$2": {
                "type": "$dff",
                "attributes": {"src": f"m.v:{line + 1}.1-{line + 1}.14"},
                "port_directions": {"CLK": "input", "D": "input", "Q": "output"},
                "connections": {"CLK": [8], "D": [4, "0"], "Q": [6, 7]},
            },
            "$print$3": {
                "type": "$print",
                "attributes": {},
                "port_directions": {"EN": "input"},
                "connections": {"EN": [2]},
            },
        },
    }


def test_every_bit_that_matters_is_a_site_and_no_clock_or_constant_or_message() -> None:
    found = [site for _, site in sites.find_sites(netlist(2), "m.v", SOURCE)]  # type: ignore[arg-type]
    places = {(site.cell, site.port, site.bit) for site in found}
    # n[1] drives nothing: the register's upper bit is constant.
    gate, register = "$not$m.v:2$1", "$procdff$2"
    assert places == {
        (gate, "A", 0),
        (gate, "A", 1),
        (gate, "Y", 0),
        (register, "D", 0),
        (register, "Q", 0),
        (register, "Q", 1),
    }
    assert {site.mode for site in found if site.port == "A"} == set(sites.MODES)
    assert {site.mode for site in found if site.port == "D"} == {"inv", "const0", "const1"}  # no other bit to look at
    one = next(site for site in found if (site.port, site.bit, site.mode) == ("A", 1, "cnot1"))
    assert (one.code, one.what, one.control) == ("wire [1:0] n = ~a;", "$not -> n, A[1] = a[1]", 0)
    assert one.command("m", "sel", 8, 5) == (
        "mutate -mode cnot1 -ctrl sel 8 5 -module m -cell $not$m.v:2$1 -port A -portbit 1 -ctrlbit 0"
    )


def test_the_output_of_a_register_that_a_bench_sets_is_no_site() -> None:
    every = [site for _, site in sites.find_sites(netlist(2), "m.v", SOURCE)]  # type: ignore[arg-type]
    left = [site for _, site in sites.find_sites(netlist(2), "m.v", SOURCE, ["q"])]  # type: ignore[arg-type]
    assert [site for site in every if site.port != "Q"] == left
    assert left != every


def test_a_site_keeps_its_identity_when_lines_move() -> None:
    moved = ["// a new line", *SOURCE]
    before = [site.ident for _, site in sites.find_sites(netlist(2), "m.v", SOURCE)]  # type: ignore[arg-type]
    after = [site.ident for _, site in sites.find_sites(netlist(3), "m.v", moved)]  # type: ignore[arg-type]
    assert before == after
    assert len(set(before)) == len(before)
    changed = [SOURCE[0], "wire [1:0] n = ~ a;", SOURCE[2]]
    other = [site.ident for _, site in sites.find_sites(netlist(2), "m.v", changed)]  # type: ignore[arg-type]
    assert not {ident for ident in other[:15]} & set(before)  # the inverter's
    assert other[-9:] == before[-9:]  # the register's


def entry(ident: str, group: str) -> tuple[str, sites.Site]:
    return group, sites.Site(ident, group, "", "inv", 1, "c", "A", 0, None)


def test_a_choice_takes_each_group_before_it_takes_any_twice() -> None:
    pool = [entry(f"{group}{n}", group) for group in "abcd" for n in range(10)]
    chosen = sites.choose(pool, 6, 1)
    assert len({site.ident for site in chosen}) == 6
    assert {site.code for site in chosen[:4]} == set("abcd")
    assert sites.choose(pool, 1000, 1) != [site for _, site in pool]
    assert len(sites.choose(pool, 1000, 1)) == 40
    assert sites.choose(pool, 6, 1) == chosen
    assert sites.choose(pool, 6, 2) != chosen


def test_a_choice_of_one_group_does_not_depend_on_another() -> None:
    pool = [entry(f"{group}{n}", group) for group in "abcd" for n in range(10)]
    before = {site.ident for site in sites.choose(pool, 4, 1)}
    pool[0:10] = [entry(f"x{n}", "a") for n in range(3)]
    after = {site.ident for site in sites.choose(pool, 4, 1)}
    assert {ident for ident in before if ident[0] in "bcd"} == {ident for ident in after if ident[0] in "bcd"}


def reasons(**kinds: bool) -> dict[str, ledger.Entry]:
    return {ident: ledger.Entry(ident, "site", equivalent, "why") for ident, equivalent in kinds.items()}


def test_an_equivalent_mutant_is_left_out_of_the_share_and_an_accepted_one_is_not() -> None:
    outcomes = {"a": "killed", "b": "hung", "c": "killed", "d": "survived", "e": "survived", "f": "survived"}
    counts = ledger.tally(outcomes, reasons(d=True, e=False))
    assert (counts.mutants, counts.killed, counts.hung) == (6, 3, 1)
    assert (counts.survived, counts.equivalent, counts.accepted, counts.open) == (3, 1, 1, 1)
    assert counts.share == 3 / 5


def test_a_reason_without_a_survivor_is_stale() -> None:
    told = reasons(gone=True, killed=True, unchosen=False, fine=True)
    outcomes = {"killed": "killed", "fine": "survived"}
    known = {"killed", "unchosen", "fine"}
    assert set(ledger.stale(outcomes, told, known, whole=True)) == {"gone", "killed", "unchosen"}
    assert set(ledger.stale(outcomes, told, known, whole=False)) == {"gone", "killed"}


def test_a_survivor_without_a_reason_and_too_few_kills_are_problems() -> None:
    pool = {ident: entry(ident, "x")[1] for ident in "abcd"}
    outcomes = {"a": "killed", "b": "killed", "c": "survived", "d": "survived"}

    def problems(told: dict[str, ledger.Entry]) -> list[str]:
        return ledger.problems_of("m", outcomes, pool, told, set(pool), whole=True)

    assert problems(reasons(c=True, d=True)) == []
    silent, share = problems(reasons(c=True))
    assert "no test sees" in silent
    assert "id: d" in silent
    assert "66.7% killed" in share
    assert ["66.7% killed" in text for text in problems(reasons(c=True, d=False))] == [True]
    assert ledger.problems_of("m", {"a": "killed"}, pool, {}, set(pool), whole=True) == []


def test_the_table_has_a_row_of_sums() -> None:
    tallies = {"b": ledger.Tally(10, 9, 1, 1, 0, 0), "a": ledger.Tally(10, 8, 0, 0, 2, 0)}
    rows = ledger.table(tallies).split("\n")
    assert ledger.read_table("\n".join(rows)) == tallies
    assert rows[2:] == [
        "| a | 10 | 8 | 0 | 2 | 0 | 2 | 80.0% |",
        "| b | 10 | 9 | 1 | 1 | 1 | 0 | 100.0% |",
        "| together | 20 | 17 | 1 | 3 | 1 | 2 | 89.5% |",
    ]


@pytest.mark.parametrize(
    "row", ["{id: 1a}", "{id: 1a, site: s}", "{id: 1a, site: s, equivalent: x, accepted: y}", "{id: 1a, site: s, x: y}"]
)
def test_an_entry_is_one_site_with_one_reason(tmp_path: Path, row: str) -> None:
    path = tmp_path / "survivors.yaml"
    path.write_text(f"m:\n  - {row}\n")
    with pytest.raises(ValueError, match="m: "):
        ledger.read_entries(path)


def test_each_module_has_a_bench_that_holds_it() -> None:
    plans = yaml.safe_load((ROOT / "hw" / "mutate" / "plan.yaml").read_text())
    for module in rtl_files.modules():
        bench = plans.get(module, {}).get("bench", module)
        folder = ROOT / "sim" / "tb" / bench
        assert (folder / f"test_{bench}.py").is_file(), f"{module}: no {folder}; name one in hw/mutate/plan.yaml"
        toplevel = (
            json.loads((folder / "bench.json").read_text()).get("toplevel", bench)
            if (folder / "bench.json").is_file()
            else bench
        )
        inside = {path.stem for path in rtl_files.hierarchy([rtl_files.RTL / f"{toplevel}.v"])}
        assert module in inside, f"{bench} does not hold {module}"


def test_each_survivor_has_a_module_and_a_reason() -> None:
    for module, entries in ledger.read_entries().items():
        assert module in rtl_files.modules()
        for told in entries.values():
            assert len(told.ident) == 10
            assert len(told.why) > 20, f"{module}: {told}"


def test_the_mutants_of_a_small_module_are_killed_and_known_again(tmp_path: Path) -> None:
    """The whole way: Yosys, Verilator, the bench; the second run takes all verdicts from the first."""
    command = [sys.executable, str(ROOT / "hw" / "mutate" / "run.py"), "--module", "skid_buffer", "--mutants", "6"]
    command += ["--json", "--work", str(tmp_path)]
    runs = [subprocess.run(command, capture_output=True, text=True, timeout=280) for _ in range(2)]
    for run in runs:
        assert run.returncode == 0, run.stdout + run.stderr
        mutants = json.loads(run.stdout)["modules"]["skid_buffer"]
        assert len(mutants) == 6
        assert all(mutant["outcome"] == "killed" for mutant in mutants.values())
        assert all(mutant["test"] for mutant in mutants.values())
    assert runs[0].stdout == runs[1].stdout  # with the seconds that each mutant took
