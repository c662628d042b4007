"""The simulation of a module with all its mutants in it: made by Yosys and Verilator once, run once per mutant."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from farm import IMPORTS, JOB
from plan import HERE, ROOT, Plan, sim_run
from rtl_files import RTL, hierarchy
from sites import Site

__all__ = ["BENCH_SEED", "Broken", "Model", "Verdict", "prepare"]

BENCH_SEED = 1  # the same stimulus for every mutant, and in every run
SOURCES = tuple(ROOT / folder for folder in ("sim", "host", "bench"))  # where a bench's modules change
NETLIST_LIMIT_S = 900
ORIGINAL = "original"
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


def _digests(paths: Iterable[str]) -> dict[str, str]:
    """Path -> digest of the file, empty where there is none."""
    return {path: _digest(Path(path)) if Path(path).is_file() else "" for path in paths}


def _versions(*names: str) -> str:
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


class Model:
    """A compiled module with its mutants, and the verdicts that are known."""

    def __init__(self, plan: Plan, folder: Path, sites: list[Site], known: set[str], key: str) -> None:
        self.plan = plan
        self.folder = folder
        self.sites = sites
        self.known = known  # every site of the module, chosen or not
        self.limit_s = 0
        self._key = key
        self._lock = threading.Lock()
        self._file = folder / "verdicts.json"
        self._files: dict[str, str] = {}  # of the project that the bench has loaded, and their digests
        self.verdicts: dict[str, Verdict] = {}
        content = json.loads(self._file.read_text()) if self._file.is_file() else {}
        if content.get("key") == key and content["files"] == _digests(content["files"]):
            self._files = content["files"]
            self.verdicts = {ident: Verdict(**entry) for ident, entry in content["verdicts"].items()}

    def judge(self, sites: list[Site]) -> None:
        """Put the verdicts on these mutants into `verdicts`, if they are not known there from an earlier run."""
        numbers = {site.ident: number for number, site in enumerate(self.sites, 1)}
        self._simulate({site.ident: numbers[site.ident] for site in sites}, self.limit_s)

    def check_original(self) -> None:
        """The bench must pass without a mutant; raises Broken. What it takes limits what a mutant may take."""
        self._simulate({ORIGINAL: 0}, 3600)
        original = self.verdicts[ORIGINAL]
        if original.outcome != "survived":
            log = self.folder / "runs" / ORIGINAL / "sim.log"
            raise Broken(f"the bench fails without a mutant ({original.test or original.outcome}), see {log}")
        self.limit_s = int(20 + 4 * original.seconds)

    def _simulate(self, numbers: dict[str, int], limit_s: int) -> None:
        """Run the bench up to its first failing test for each mutant that has no verdict."""
        bench = self.plan.bench
        fresh = {name: number for name, number in numbers.items() if name not in self.verdicts}
        if not fresh:
            return
        runs = self.folder / "runs"
        parent = runs / next(iter(fresh))
        parent.mkdir(parents=True, exist_ok=True)
        job = {"bench": f"test_{bench.module}", "folder": str(runs), "limit_s": limit_s, "mutants": fresh}
        env = {
            "FOVEAL_SEED": str(BENCH_SEED),
            "FOVEAL_PARAMETERS": json.dumps(self.plan.parameters),
            "COCOTB_ANSI_OUTPUT": "0",
            "COCOTB_MAX_FAILURES": "1",
            JOB: json.dumps(job),
        }
        # The parent of all runs leaves no results, which the runner takes for an error.
        with contextlib.suppress(RuntimeError, SystemExit):
            sim_run.cocotb_runner.get_runner("verilator").test(
                test_module=["farm", f"test_{bench.module}"],
                hdl_toplevel=bench.toplevel,
                hdl_toplevel_lang="verilog",
                testcase=list(self.plan.tests) or None,
                seed=BENCH_SEED,
                build_dir=self.folder / "model",
                test_dir=parent,
                extra_env=env,
                results_xml=str(parent / "none.xml"),
                log_file=parent / "farm.log",
            )
        if not self._files and (runs / IMPORTS).is_file():
            loaded = json.loads((runs / IMPORTS).read_text())
            self._files = _digests(path for path in loaded if any(path.startswith(f"{folder}/") for folder in SOURCES))
        for name in fresh:
            verdict = self._read(runs / name, parent / "farm.log")
            with self._lock:
                self.verdicts[name] = verdict
                self._save()

    def _read(self, directory: Path, farm_log: Path) -> Verdict:
        """The verdict that a run left in its directory."""
        results, log = directory / "results.xml", directory / "sim.log"
        if not results.is_file() and not (log.is_file() and STARTED in log.read_text(errors="replace")):
            raise Broken(f"the simulator does not start, see {log} and {farm_log}")
        seconds = float((directory / "seconds").read_text())
        _, problem = sim_run.judge(results, len(self.plan.tests) or self.plan.bench.declared_tests())
        if not problem:
            return Verdict("survived", "", seconds)
        _, _, failed = sim_run.count_tests(results)  # the first; those after it were not run and count as failed too
        return Verdict("killed" if failed else "hung", failed[0] if failed else "", seconds)

    def _save(self) -> None:
        fresh = self._file.with_suffix(".new")
        verdicts = {ident: asdict(verdict) for ident, verdict in self.verdicts.items()}
        fresh.write_text(json.dumps({"key": self._key, "files": self._files, "verdicts": verdicts}, indent=1))
        fresh.replace(self._file)


def _make_netlist(plan: Plan, folder: Path, mutants: int | None, seed: int) -> None:
    """<module>.v and sites.json in `folder`, by a process of their own."""
    job = {
        "module": plan.module,
        "top": plan.bench.toplevel,
        "parameters": plan.parameters,
        "mutants": mutants or plan.mutants,
        "seed": seed,
        "pokes": plan.pokes,
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


def prepare(plan: Plan, work: Path, mutants: int | None = None, seed: int = 1) -> Model:
    """Make or reuse in a folder of `work` everything that `Model.judge` needs; raises Broken."""
    folder = work / plan.module
    folder.mkdir(parents=True, exist_ok=True)
    _make_netlist(plan, folder, mutants, seed)
    content = json.loads((folder / "sites.json").read_text())
    model_key = _compile(plan, folder)
    key = _digest(model_key, repr(plan.tests), str(BENCH_SEED))
    model = Model(plan, folder, [Site(**entry) for entry in content["chosen"]], set(content["known"]), key)
    model.check_original()
    return model
