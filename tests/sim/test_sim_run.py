"""sim/run.py: a run that tested nothing, or less than it declares, is a failure; a failure can be repeated."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]

GOOD = """
import cocotb
from cocotb.triggers import Timer

@cocotb.test
async def it_passes(dut):
    await Timer(10, "ns")
"""
BAD = (
    GOOD
    + """
@cocotb.test
async def it_fails(dut):
    await Timer(10, "ns")
    assert len(dut.s_tdata) == 0
"""
)
NONE = """
async def not_a_test(dut):
    pass
"""


REMOVED = """
import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotb.types import LogicArray

@cocotb.test
async def what_cocotb_1_had_is_refused(dut):
    with pytest.raises(AttributeError):
        cocotb.fork(None)
    with pytest.raises(ValueError, match="positive"):
        Timer(0, "ns")
    with pytest.raises(TypeError):
        LogicArray("01") + 1
    with pytest.raises(DeprecationWarning):
        Clock(dut.clk, 10, units="ns")
"""
DEPRECATED = """
import cocotb
from cocotb.clock import Clock

@cocotb.test
async def it_uses_the_old_name_of_unit(dut):
    Clock(dut.clk, 10, units="ns")
"""


def load(name: str, folder: str = "sim") -> ModuleType:
    sys.path.insert(0, str(ROOT / folder))
    try:
        spec = importlib.util.spec_from_file_location(f"{folder}_{name}", ROOT / folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(ROOT / folder))


@pytest.fixture(scope="module")
def run() -> ModuleType:
    return load("run")


def results(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "results.xml"
    path.write_text(text)
    return path


CASE = '<testcase name="{}">{}</testcase>'


@pytest.mark.parametrize("text", ["<testsuites/>", "<testsuites><testsuite/></testsuites>", "", "<testsui"])
def test_no_test_collected_is_a_failure(run: ModuleType, tmp_path: Path, text: str) -> None:
    assert run.judge(results(tmp_path, text), 1) == (0, "no test was run")


def test_an_absent_results_file_is_a_failure(run: ModuleType, tmp_path: Path) -> None:
    assert run.judge(tmp_path / "results.xml", 1) == (0, "no test was run")


def test_skipped_tests_alone_are_a_failure(run: ModuleType, tmp_path: Path) -> None:
    text = f"<testsuites><testsuite>{CASE.format('a', '<skipped/>')}</testsuite></testsuites>"
    assert run.judge(results(tmp_path, text), 1) == (0, "no test was run")


def test_fewer_tests_than_declared_is_a_failure(run: ModuleType, tmp_path: Path) -> None:
    text = f"<testsuites><testsuite>{CASE.format('a', '')}</testsuite></testsuites>"
    assert run.judge(results(tmp_path, text), 1) == (1, "")
    tests, problem = run.judge(results(tmp_path, text), 2)
    assert tests == 1
    assert "declares 2" in problem


@pytest.mark.parametrize("element", ["<failure/>", "<error/>"])
def test_a_failed_test_is_named(run: ModuleType, tmp_path: Path, element: str) -> None:
    text = f"<testsuites><testsuite>{CASE.format('good', '')}{CASE.format('bad', element)}</testsuite></testsuites>"
    assert run.judge(results(tmp_path, text), 1) == (2, "failed: bad")


def test_every_bench_declares_tests(run: ModuleType) -> None:
    benches = run.find_benches(["all"], ROOT / "sim" / "tb")
    assert {"axi_read", "axi_write", "roi_regs", "stream_fifo"} <= {bench.module for bench in benches}
    assert all(bench.declared_tests() > 0 for bench in benches)


def test_a_change_below_the_top_changes_the_fingerprint(
    run: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (ROOT / "hw" / "rtl").glob("*.v*"):
        shutil.copy(path, tmp_path / path.name)
    monkeypatch.setattr(run, "RTL", tmp_path)
    bench = run.Bench("tri_fetch", tmp_path, "tri_fetch", ({},), (), ("icarus",))
    one = run.Run(bench, "icarus")
    top = [tmp_path / "tri_fetch.v"]
    before = run.fingerprint(one, top, [])
    (tmp_path / "roi_cull.v").write_text("// not below tri_fetch\n")
    assert run.fingerprint(one, top, []) == before
    fifo = tmp_path / "stream_fifo.v"
    fifo.write_text(fifo.read_text() + "\n// changed\n")
    assert run.fingerprint(one, top, []) != before


def bench(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir()
    (folder / name / f"test_{name}.py").write_text(text)
    (folder / name / "bench.json").write_text('{"toplevel": "skid_buffer", "configs": [{"WIDTH": 8}]}')


def simulate(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "sim" / "run.py"), "--benches", str(folder), "--sim", "icarus", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, env=dict(os.environ))


def test_a_good_bench_passes(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_good", GOOD)
    result = simulate(tmp_path, "--seed", "5")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "seed 5" in result.stdout
    assert result.stdout.splitlines()[-1] == "sim: 1 configurations passed"
    assert "| runcheck_good | icarus | WIDTH 8 | 1 |" in result.stdout


def test_a_bench_without_tests_fails(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_none", NONE)
    result = simulate(tmp_path)
    assert result.returncode == 1
    assert "FAIL runcheck_none" in result.stdout


def test_a_failure_leaves_waves_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_bad", BAD)
    result = simulate(tmp_path, "--seed", "77")
    assert result.returncode == 1
    assert "failed: it_fails" in result.stdout
    assert "--module runcheck_bad --sim icarus --seed 77 --parameter WIDTH=8" in result.stdout
    waves = next(line.split()[1] for line in result.stdout.splitlines() if line.split()[:1] == ["waves"])
    assert Path(waves).stat().st_size > 0


def test_a_bench_that_uses_what_cocotb_will_remove_fails(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_removed", REMOVED)
    bench(tmp_path, "runcheck_deprecated", DEPRECATED)
    result = simulate(tmp_path)
    assert "ok   runcheck_removed" in result.stdout, result.stdout + result.stderr
    assert "FAIL runcheck_deprecated icarus WIDTH=8: failed: it_uses_the_old_name_of_unit" in result.stdout
    assert result.returncode == 1


@pytest.mark.parametrize("variable", ["MODULE", "COCOTB_TEST_MODULES", "COCOTB_TESTCASE", "COCOTB_TEST_FILTER"])
def test_a_variable_left_in_the_environment_hides_no_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Names that cocotb reads, or once read: the run does all its tests, or fails; it never passes with fewer."""
    bench(tmp_path, "runcheck_two", BAD.replace("== 0", "== 8"))
    monkeypatch.setenv(variable, "nothing_of_that_name")
    result = simulate(tmp_path)
    complete = result.returncode == 0 and "  2 tests" in result.stdout
    refused = result.returncode == 1 and "FAIL runcheck_two" in result.stdout
    assert complete or refused, result.stdout + result.stderr


def test_another_major_version_of_cocotb_is_not_installed() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["optional-dependencies"]["dev"]
    cocotb = next(Requirement(text) for text in wanted if Requirement(text).name == "cocotb")
    assert version("cocotb") in cocotb.specifier
    assert not any(other in cocotb.specifier for other in ("1.9.2", "3.0.0"))


def table(summary: ModuleType, *rows: tuple[object, ...]) -> list[str]:
    return summary.summary_table(summary.Row(*row) for row in rows).splitlines()[2:]


def test_the_table_adds_up_the_runs_of_a_module(tmp_path: Path) -> None:
    summary = load("summary")
    (tmp_path / "points.json").write_text('{"a": 3, "b": 0}')
    assert summary.points_met(tmp_path / "points.json") == (1, 2)
    assert summary.points_met(tmp_path / "absent.json") == (0, 0)
    lines = table(
        summary,
        ("clip", "icarus", {"PPC": 8}, 3, (1, 2), 1.25),
        ("clip", "icarus", {"PPC": 1}, 3, (2, 2), 2.0),
        ("clip", "verilator", {"PPC": 8}, 4, (2, 2), 10.0),
        ("cull", "verilator", {}, 1000, (0, 0), 0.4),
    )
    assert lines == [
        "| clip | icarus, verilator | PPC 8, 1 | 10 | 5 of 6 | 13 |",
        "| cull | verilator | as it is | 1,000 |  | 0 |",
        "| all | | 4 runs | 1,010 | 5 of 6 | 14 |",
    ]
    mixed = [{"PPC": 8}, {"PPC": 8, "SHADE_PORT": 1}]
    assert summary.configurations(mixed) == "PPC 8; PPC 8, SHADE_PORT 1"
    assert summary.configurations([{}, {"SLOTS": 8}]) == "as it is; SLOTS 8"


def test_a_part_of_a_document_is_replaced_between_its_marks(tmp_path: Path) -> None:
    part = load("marked_part", "hw")
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- end -->\nbetween\n<!-- b -->\n<!-- end -->\nafter\n")
    part.replace_part(page, "a", "new\n")
    part.replace_part(page, "b", "b")
    wanted = "before\n<!-- a -->\nnew\n<!-- end -->\nbetween\n<!-- b -->\nb\n<!-- end -->\nafter\n"
    assert page.read_text() == wanted
    with pytest.raises(ValueError, match="<!-- c -->"):
        part.replace_part(page, "c", "")
    assert page.read_text() == wanted


def test_waves_of_a_bench_that_passes_are_written_when_asked(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_good", GOOD)
    result = simulate(tmp_path, "--wave")
    assert result.returncode == 0, result.stdout + result.stderr
    waves = [line.split()[1] for line in result.stdout.splitlines() if line.split()[:1] == ["waves"]]
    assert [Path(path).stat().st_size > 0 for path in waves] == [True]


def test_an_unknown_bench_is_named(tmp_path: Path) -> None:
    bench(tmp_path, "runcheck_good", GOOD)
    result = simulate(tmp_path, "--module", "nothing")
    assert result.returncode == 1
    assert "runcheck_good" in result.stderr


def test_a_repair_insists_on_the_line_it_expects() -> None:
    root = load("verilator_root")
    repairs = (("A = ", "A = 1"),)
    assert root.repair("x\nA = \ny", "file.mk", repairs) == "x\nA = 1\ny"
    for text in ("x\ny", "A = \nA = ", "A = 2"):
        with pytest.raises(root.RootError, match=r"file\.mk"):
            root.repair(text, "file.mk", repairs)
