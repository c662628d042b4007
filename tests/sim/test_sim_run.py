"""sim/run.py: a run that tested nothing, or less than it declares, is a failure; a failure can be repeated."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "sim"))
    try:
        spec = importlib.util.spec_from_file_location(f"sim_{name}", ROOT / "sim" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(ROOT / "sim"))


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
