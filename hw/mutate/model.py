"""The simulation of a module with all its mutants in it: made by Yosys and Verilator once, run once per mutant."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from plan import HERE, ROOT, Plan, sim_run
from rtl_files import RTL, hierarchy
from sites import Site

__all__ = ["BENCH_SEED", "Broken", "Model", "Verdict", "prefix", "prepare"]

BENCH_SEED = 1  # the same stimulus for every mutant, and in every run
NETLIST_LIMIT_S = 900
STARTED = "Running tests"  # cocotb's word in the log: what ends without results after that is the mutant's doing


class Broken(Exception):
    """A module cannot be judged: its netlist, its build or its bench without a mutant fails."""


@dataclass(frozen=True)
class Verdict:
    """What the bench said of a mutant: "killed" by a test, "hung" (no verdict in its time), or "survived"."""

    outcome: str
    test: str  # the first that failed
    seconds: float


def _digest(*parts: str | Path) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _versions(*names: str) -> str:
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


class Model:
    """A compiled module with its mutants, and the verdicts that are known. One thread a mutant may call `judge`."""

    def __init__(self, plan: Plan, folder: Path, sites: list[Site], known: set[str], key: str) -> None:
        self.plan = plan
        self.folder = folder
        self.sites = sites
        self.known = known  # every site of the module, chosen or not
        self.limit_s = 0.0
        self._key = key
        self._lock = threading.Lock()
        self._file = folder / "verdicts.json"
        content = json.loads(self._file.read_text()) if self._file.is_file() else {}
        same = content.get("key") == key
        self.verdicts = {ident: Verdict(**entry) for ident, entry in content["verdicts"].items()} if same else {}

    def judge(self, site: Site) -> Verdict:
        """The verdict on a mutant, from an earlier run where nothing has changed since."""
        found = self.verdicts.get(site.ident)
        if found is None:
            found = self._simulate(self.sites.index(site) + 1, site.ident)
            with self._lock:
                self.verdicts[site.ident] = found
                self._save()
        return found

    def check_original(self) -> None:
        """The bench must pass without a mutant; raises Broken. What it takes limits what a mutant may take."""
        original = self.verdicts.get("original") or self._simulate(0, "original", 3600)
        if original.outcome != "survived":
            raise Broken(f"the bench fails without a mutant: {original.test or original.outcome}")
        self.verdicts["original"] = original
        self.limit_s = 20 + 4 * original.seconds
        self._save()

    def _save(self) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(
            json.dumps({"key": self._key, "verdicts": {k: asdict(v) for k, v in self.verdicts.items()}}, indent=1)
        )
        fresh.replace(self._file)

    def _simulate(self, number: int, name: str, limit_s: float = 0) -> Verdict:
        """Run the bench up to its first failing test."""
        bench = self.plan.bench
        directory = self.folder / "runs" / name
        results = directory / "results.xml"
        env = {
            "FOVEAL_SEED": str(BENCH_SEED),
            "FOVEAL_PARAMETERS": json.dumps(self.plan.parameters),
            "COCOTB_ANSI_OUTPUT": "0",
            "COCOTB_MAX_FAILURES": "1",
            "MUTANT_CPU_S": str(int(limit_s or self.limit_s)),
        }
        directory.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        # A failing test or a simulator that was ended: the results say which.
        with contextlib.suppress(RuntimeError, SystemExit):
            sim_run.cocotb_runner.get_runner("verilator").test(
                test_module=f"test_{bench.module}",
                hdl_toplevel=bench.toplevel,
                hdl_toplevel_lang="verilog",
                testcase=list(self.plan.tests) or None,
                seed=BENCH_SEED,
                build_dir=self.folder / "model",
                test_dir=directory,
                extra_env=env,
                plusargs=[f"+mutant={number}"],
                results_xml=str(results),
                log_file=directory / "sim.log",
            )
        seconds = time.monotonic() - start
        _, problem = sim_run.judge(results, len(self.plan.tests) or bench.declared_tests())
        if not problem:
            shutil.rmtree(directory)
            return Verdict("survived", "", round(seconds, 1))
        log = directory / "sim.log"
        if not results.is_file() and STARTED not in log.read_text(errors="replace"):
            raise Broken(f"the simulator does not start, see {log}")
        _, _, failed = sim_run.count_tests(results)  # the first; those after it were not run and count as failed too
        return Verdict("killed" if failed else "hung", failed[0] if failed else "", round(seconds, 1))


def _make_netlist(plan: Plan, folder: Path, mutants: int | None, seed: int) -> None:
    """<module>.v and sites.json in `folder`, by a process of their own."""
    job = {
        "module": plan.module,
        "top": plan.bench.toplevel,
        "parameters": plan.parameters,
        "mutants": mutants or plan.mutants,
        "seed": seed,
    }
    files = [path for path in hierarchy([RTL / f"{plan.bench.toplevel}.v"]) if path.suffix in (".v", ".vh")]
    key = _digest(json.dumps(job), _versions("pyosys"), HERE / "netlist.py", HERE / "sites.py", *files)
    stamp = folder / "netlist.key"
    if stamp.is_file() and stamp.read_text() == key:
        return
    stamp.unlink(missing_ok=True)
    (folder / "job.json").write_text(json.dumps(job))
    log = folder / "netlist.log"
    command = [sys.executable, str(HERE / "netlist.py"), str(folder / "job.json")]
    try:
        with log.open("w") as file:
            subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, timeout=NETLIST_LIMIT_S, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        last = [line for line in log.read_text(errors="replace").splitlines() if line.strip()][-1:]
        raise Broken(f"{error}; the last it said: {' '.join(last)} (log {log})") from None
    stamp.write_text(key)


def _compile(plan: Plan, folder: Path) -> str:
    """The Verilator model of the bench's top with the netlist in the module's place; the key of what it is made of."""
    bench, module = plan.bench, plan.module
    netlist = folder / f"{module}.v"
    top = [] if module == bench.toplevel else [RTL / f"{bench.toplevel}.v"]
    others = [path for path in hierarchy([RTL / f"{bench.toplevel}.v"]) if path.name != netlist.name]
    args = sim_run.compile_args("verilator", waves=False)
    key = _digest(repr((args, plan.parameters)), _versions("verilator", "cocotb"), netlist, *others, *bench.sources)
    stamp = folder / "model.key"
    if stamp.is_file() and stamp.read_text() == key:
        return key
    stamp.unlink(missing_ok=True)
    try:
        sim_run.cocotb_runner.get_runner("verilator").build(
            sources=[netlist, *bench.sources, *top],
            hdl_toplevel=bench.toplevel,
            parameters=plan.parameters,
            build_args=args,
            build_dir=folder / "model",
            always=True,
            log_file=folder / "build.log",
        )
    except (RuntimeError, SystemExit):
        raise Broken(f"does not compile, see {folder / 'build.log'}") from None
    stamp.write_text(key)
    return key


def _bench_files(plan: Plan) -> Iterable[Path]:
    """What the verdicts of a bench depend on besides the model."""
    for folder in (plan.bench.directory, sim_run.SIM / "tb" / "foveal_tb", ROOT / "host" / "foveal"):
        yield from sorted(folder.rglob("*.py"))


def prepare(plan: Plan, work: Path, mutants: int | None = None, seed: int = 1) -> Model:
    """Make or reuse in a folder of `work` everything that `Model.judge` needs; raises Broken."""
    folder = work / plan.module
    folder.mkdir(parents=True, exist_ok=True)
    _make_netlist(plan, folder, mutants, seed)
    content = json.loads((folder / "sites.json").read_text())
    model_key = _compile(plan, folder)
    key = _digest(model_key, repr(plan.tests), str(BENCH_SEED), *_bench_files(plan))
    model = Model(plan, folder, [Site(**entry) for entry in content["chosen"]], set(content["known"]), key)
    model.check_original()
    return model


def prefix(work: Path) -> str:
    """Prefix of a simulator's command, run in work/<module>/runs/<mutant>; relative, for cocotb splits it at blanks."""
    return f"timeout -k 10 3600 sh {os.path.relpath(HERE / 'limit.sh', work / 'module' / 'runs' / 'mutant')}"
