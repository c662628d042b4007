"""Run the RTL benches: ``python sim/run.py --module roi_clip --sim icarus --seed 7``.

A bench is ``sim/tb/<module>/test_<module>.py``. Beside it, ``bench.json`` may say ``toplevel`` (default: the module),
``configs`` (a list of parameter sets, default one empty set), ``sources`` (extra files, relative to the bench),
``sims`` (default both), ``more`` (simulator -> parameter sets that only it runs) and ``paths`` (folders to import from,
relative to the bench). Each (module, simulator, parameters) has its own directory below ``build/sim`` and is compiled
again only when a file of its hierarchy changed. A failing configuration is run once more with waves, and the output
names the waveform and the command that repeats the run; ``--wave`` writes waves of passing ones too. A bench that
collects fewer tests than its file declares fails.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import logging
import os
import random
import re
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import verilator_root
from cocotb_tools import runner as cocotb_runner
from summary import Row, points_met, summary_table

SIM = Path(__file__).resolve().parent
ROOT = SIM.parent
sys.path.insert(0, str(ROOT / "hw"))

from marked_part import replace_part  # noqa: E402  (hw is no package)
from rtl_files import RTL, hierarchy  # noqa: E402

__all__ = ["Bench", "Outcome", "Run", "main"]

SIMULATORS = ("icarus", "verilator")
TIMEOUT_S = 900  # of one simulation; a bench has deadlines of its own, this guards against a hang inside a simulator


@dataclass(frozen=True)
class Bench:
    """One bench directory: what it elaborates, in which configurations, and how many tests it declares."""

    module: str
    directory: Path
    toplevel: str
    configs: tuple[dict[str, object], ...]
    sources: tuple[Path, ...]
    sims: tuple[str, ...]
    more: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()

    @classmethod
    def load(cls, directory: Path) -> Bench:
        """Read `directory`; raises ValueError for an unknown key in bench.json."""
        path = directory / "bench.json"
        text = json.loads(path.read_text()) if path.is_file() else {}
        unknown = set(text) - {"toplevel", "configs", "sources", "sims", "more", "paths"}
        if unknown:
            raise ValueError(f"{path}: unknown keys {sorted(unknown)}")
        return cls(
            module=directory.name,
            directory=directory,
            toplevel=text.get("toplevel", directory.name),
            configs=tuple(text.get("configs", [{}])),
            sources=tuple(directory / name for name in text.get("sources", [])),
            sims=tuple(text.get("sims", SIMULATORS)),
            more=text.get("more", {}),
            paths=tuple((directory / name).resolve() for name in text.get("paths", [])),
        )

    def configs_on(self, sim: str) -> list[dict[str, object]]:
        """The parameter sets that `sim` runs."""
        return [*(self.configs if sim in self.sims else ()), *self.more.get(sim, ())]

    @property
    def test_file(self) -> Path:
        return self.directory / f"test_{self.module}.py"

    def declared_tests(self) -> int:
        """Number of functions decorated with ``cocotb.test`` or ``cocotb.parametrize`` in the bench's file."""

        def is_test(decorator: ast.expr) -> bool:
            name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            return name in ("cocotb.test", "cocotb.parametrize")

        tree = ast.parse(self.test_file.read_text())
        return sum(
            any(is_test(decorator) for decorator in node.decorator_list)
            for node in tree.body
            if isinstance(node, ast.AsyncFunctionDef)
        )


@dataclass(frozen=True)
class Run:
    """One configuration of a bench on one simulator."""

    bench: Bench
    sim: str
    parameters: dict[str, object] = field(default_factory=dict)
    coverage: bool = False  # count lines, branches and toggles; Verilator only

    @property
    def label(self) -> str:
        values = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.bench.module} {self.sim}" + (f" {values}" if values else "")

    @property
    def slug(self) -> str:
        name = re.sub(r"[^A-Za-z0-9.=-]+", "_", self.label.replace(",", "-"))
        return name + ("-coverage" if self.coverage else "")


@dataclass(frozen=True)
class Outcome:
    """What a run came to. `problem` is empty when it passed."""

    run: Run
    tests: int
    seconds: float
    seed: int
    problem: str
    hint: str = ""
    points: tuple[int, int] = (0, 0)  # functional points met and announced


def fingerprint(run: Run, sources: list[Path], build_args: list[str]) -> str:
    """Changes when anything that the compiled model depends on changes."""
    digest = hashlib.sha256()
    for path in hierarchy(sources, RTL):
        digest.update(f"{path}\n".encode() + path.read_bytes())
    digest.update(repr((run.bench.toplevel, sorted(run.parameters.items()), build_args)).encode())
    return digest.hexdigest()


def compile_args(sim: str, waves: bool, coverage: bool = False) -> list[str]:
    """Arguments of the simulator's compiler, after the ones that cocotb's runner gives."""
    args = ["-y", str(RTL), "-I" + str(RTL)]
    if sim == "icarus":
        # cocotb's dump module is SystemVerilog, so the language can only be held to 2005 without waves.
        return args if waves else [*args, "-g2005"]
    args += ["-Wno-fatal", "-CFLAGS", "-O1", "--x-initial", "unique", "--x-assign", "unique"]
    return [*args, "--coverage-line", "--coverage-toggle"] if coverage else args


def count_tests(results: Path) -> tuple[int, int, list[str]]:
    """(collected, executed, names of the failed) in a results file; an absent or empty file counts none."""
    if not results.is_file():
        return 0, 0, []
    try:
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    except ElementTree.ParseError:
        return 0, 0, []
    failed = [
        case.get("name", "?") for case in cases if case.find("failure") is not None or case.find("error") is not None
    ]
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases), len(cases) - skipped, failed


def judge(results: Path, expected: int) -> tuple[int, str]:
    """(tests executed, problem) of a results file in which at least `expected` tests must have been collected."""
    collected, executed, failed = count_tests(results)
    if failed:
        return executed, "failed: " + ", ".join(failed)
    if executed == 0:
        return 0, "no test was run"
    if collected < expected:
        return executed, f"{collected} tests collected, the bench declares {expected}"
    return executed, ""


@contextlib.contextmanager
def environment() -> Iterator[None]:
    """The interpreter's tools and the repaired Verilator first on PATH; no pytest inside cocotb's runner."""
    before = dict(os.environ)
    paths = [str(verilator_root.make_root(ROOT / "build" / "verilator")), str(Path(sys.prefix) / "bin")]
    os.environ["PATH"] = os.pathsep.join([*paths, os.environ["PATH"]])
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")
        os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros,include_file_mtime,include_file_ctime")
    if shutil.which("timeout"):
        os.environ.setdefault("SIM_CMD_PREFIX", f"timeout -k 10 {TIMEOUT_S}")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def simulate(run: Run, seed: int, testcase: str | None, waves: bool) -> tuple[int, str, Path]:
    """Build if needed and simulate; (tests executed, problem, directory of the logs)."""
    bench = run.bench
    directory = ROOT / "build" / "sim" / (run.slug + ("-waves" if waves else ""))
    directory.mkdir(parents=True, exist_ok=True)
    top = RTL / f"{bench.toplevel}.v"
    sources = [*bench.sources, *([top] if top.is_file() else [])]
    if not sources:
        return 0, f"{top} does not exist", directory
    runner = cocotb_runner.get_runner(run.sim)
    args = compile_args(run.sim, waves, run.coverage)
    stamp = directory / "fingerprint"
    wanted = fingerprint(run, sources, args)
    try:
        if not stamp.is_file() or stamp.read_text() != wanted:
            stamp.unlink(missing_ok=True)
            runner.build(
                sources=sources,
                hdl_toplevel=bench.toplevel,
                parameters=run.parameters,
                build_args=args,
                build_dir=directory,
                timescale=("1ns", "1ps") if run.sim == "icarus" else None,
                always=True,
                waves=waves,
                log_file=directory / "build.log",
            )
            stamp.write_text(wanted)
    except (RuntimeError, SystemExit):
        return 0, f"does not compile, see {directory / 'build.log'}", directory
    results = directory / "results.xml"
    for left in ("coverage.dat", "points.json"):
        (directory / left).unlink(missing_ok=True)
    # A bench that uses what cocotb is about to remove fails today.
    env = {"FOVEAL_SEED": str(seed), "COCOTB_ANSI_OUTPUT": "0", "PYTHONWARNINGS": "error::DeprecationWarning"}
    env["FOVEAL_PARAMETERS"] = json.dumps(run.parameters)
    try:
        runner.test(
            test_module=f"test_{bench.module}",
            hdl_toplevel=bench.toplevel,
            hdl_toplevel_lang="verilog",
            testcase=testcase,
            seed=seed,
            build_dir=directory,
            test_dir=directory,
            extra_env=env,
            results_xml=str(results),
            waves=waves,
            log_file=directory / "sim.log",
        )
    except (RuntimeError, SystemExit) as error:
        tests, problem = judge(results, 1)
        return tests, problem or f"the simulator ended with an error ({error}), see {directory / 'sim.log'}", directory
    tests, problem = judge(results, 1 if testcase else bench.declared_tests())
    return tests, problem, directory


def waves_line(run: Run, directory: Path) -> str:
    """Names the waveform in `directory`; empty where there is none."""
    waveform = directory / (f"{run.bench.toplevel}.fst" if run.sim == "icarus" else "dump.vcd")
    return f"waves  {waveform}" if waveform.is_file() else ""


def execute(run: Run, seed: int, testcase: str | None, waves: bool = False) -> Outcome:
    """Simulate; after a failure without waves once more with them."""
    start = time.monotonic()
    tests, problem, directory = simulate(run, seed, testcase, waves)
    seconds = time.monotonic() - start
    if not problem:
        hint = waves_line(run, directory) if waves else ""
        return Outcome(run, tests, seconds, seed, "", hint, points=points_met(directory / "points.json"))
    repeat = ["python", "sim/run.py", "--module", run.bench.module, "--sim", run.sim, "--seed", str(seed)]
    for key, value in run.parameters.items():
        repeat += ["--parameter", f"{key}={value}"]
    if testcase:
        repeat += ["--testcase", testcase]
    hint = f"log    {directory / 'sim.log'}\n    repeat {shlex.join(repeat)}"
    if tests:
        waved = directory if waves else simulate(run, seed, testcase, waves=True)[2]
        hint = f"{waves_line(run, waved)}\n    {hint}".lstrip()
    return Outcome(run, tests, seconds, seed, problem, hint)


def find_benches(names: list[str], folder: Path) -> list[Bench]:
    """The benches of `folder` called `names`, or all; raises SystemExit for an unknown name."""
    known = {path.parent.name: path.parent for path in sorted(folder.glob("*/test_*.py"))}
    known = {name: path for name, path in known.items() if (path / f"test_{name}.py").is_file()}
    chosen = list(known) if names == ["all"] else names
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise SystemExit(f"no bench {folder}/{unknown[0]}/test_{unknown[0]}.py; there are: {', '.join(known)}")
    return [Bench.load(known[name]) for name in chosen]


def use_benches(runs: list[Run]) -> None:
    """Let simulators import the benches of `runs` and what they share; cocotb hands them this interpreter's path."""
    paths = [str(SIM / "tb"), str(SIM), str(ROOT / "host"), str(ROOT / "bench")]
    own = [folder for run in runs for folder in (run.bench.directory, *run.bench.paths)]
    sys.path[:0] = [*{str(folder): None for folder in own}, *paths]


def outcome_table(outcomes: list[Outcome]) -> str:
    """The outcomes by module, in Markdown."""
    return summary_table(
        Row(o.run.bench.module, o.run.sim, o.run.parameters, o.tests, o.points, o.seconds) for o in outcomes
    )


def report(outcomes: list[Outcome]) -> int:
    """Print the summary; the exit status."""
    failed = [outcome for outcome in outcomes if outcome.problem]
    if not outcomes:
        print("sim: nothing was run")
        return 1
    for outcome in failed:
        print(f"FAIL {outcome.run.label}: {outcome.problem}\n    {outcome.hint}")
    if failed:
        print(f"sim: {len(failed)} of {len(outcomes)} configurations FAILED")
        return 1
    print(f"\n{outcome_table(outcomes)}\n\nsim: {len(outcomes)} configurations passed")
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", nargs="+", default=["all"], help="benches by name (default: all)")
    parser.add_argument("--sim", choices=[*SIMULATORS, "both"], default="both")
    parser.add_argument("--seed", type=int, help="seed of all random choices (default: a new one, printed)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="configurations run side by side")
    parser.add_argument("--parameter", action="append", default=[], help="NAME=VALUE; only configurations that have it")
    parser.add_argument("--exact", action="store_true", help="only configurations that have no other parameter")
    parser.add_argument("--benches", type=Path, default=SIM / "tb", help="folder of the benches (default: sim/tb)")
    parser.add_argument("--testcase", help="only this test of the bench")
    parser.add_argument("--readme", action="store_true", help="write the table into hw/README.md when all passed")
    parser.add_argument("--wave", action="store_true", help="write waves (FST of Icarus, VCD of Verilator), slowly")
    options = parser.parse_args(argv)
    if options.readme and (options.module != ["all"] or options.sim != "both" or options.parameter or options.testcase):
        parser.error("--readme is for a run of everything")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1, 2**31)
    sims = SIMULATORS if options.sim == "both" else (options.sim,)
    runs = [
        Run(bench, sim, parameters)
        for bench in find_benches(options.module, options.benches.resolve())
        for sim in sims
        for parameters in bench.configs_on(sim)
        if set(options.parameter) <= (own := {f"{key}={value}" for key, value in parameters.items()})
        and not (options.exact and own - set(options.parameter))
    ]
    logging.getLogger().setLevel(logging.CRITICAL)
    logging.disable(logging.ERROR)  # cocotb's runner announces every command; the logs are in files
    cocotb_runner.MAX_PARALLEL_BUILD_JOBS = max(1, (os.cpu_count() or 1) // max(1, options.jobs))
    outcomes = []
    use_benches(runs)
    with environment(), ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        for outcome in pool.map(lambda run: execute(run, seed, options.testcase, options.wave), runs):
            verdict = "FAIL" if outcome.problem else "ok"
            text = f"{verdict:4} {outcome.run.label:52} {outcome.tests:3} tests {outcome.seconds:6.1f} s  seed {seed}"
            print(text, flush=True)
            if outcome.hint and not outcome.problem:
                print(f"    {outcome.hint}", flush=True)
            outcomes.append(outcome)
    status = report(outcomes)
    if options.readme and status == 0:
        made = f"Made by `make sim ARGS=--readme` with seed {seed}; seconds include compiling, on the machine at hand."
        replace_part(ROOT / "hw" / "README.md", "sim", f"{made}\n\n{outcome_table(outcomes)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
