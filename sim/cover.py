"""Line, branch and toggle coverage of hw/rtl by the benches on Verilator: ``python sim/cover.py --module roi_clip``.

Each bench runs once, at 8 pixels a clock where it has that configuration, else in its first one; a module's points are
those of its own bench and of every bench that holds it. A line that was not reached fails the run unless
``uncovered.yaml`` says why, a signal that was not fully toggled unless ``untoggled.yaml`` does.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import run as sim_run
import yaml
from coverage_data import KINDS, ModuleCoverage, by_module, merge, read_points
from marked_part import replace_part

__all__ = ["at_rest", "explained", "main", "unexplained"]

SIM = Path(__file__).resolve().parent
REASONS = SIM / "uncovered.yaml"
RESTING = SIM / "untoggled.yaml"


def explained(path: Path = REASONS) -> dict[str, list[dict[str, str]]]:
    """Module -> entries with `code` (text of a line) and `why`."""
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}


def unexplained(found: ModuleCoverage, source: list[str], entries: list[dict[str, str]]) -> list[int]:
    """First lines of the missed points that no entry's `code` explains. `source` is the module's text in lines.

    A branch that ends the simulation is a check (of a parameter, of a promise between modules): a bench that passes
    cannot reach it.
    """

    def told(line: str) -> bool:
        return "$finish" in line or any(entry["code"] in line for entry in entries)

    return sorted({p.line for p in found.missed if not any(told(source[n - 1]) for n in p.lines)})


def at_rest(found: ModuleCoverage, reasons: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Signals with a bit that never rose or never fell and that no pattern of the module, or of `any`, names."""
    entries = [*reasons.get("any", []), *reasons.get(found.module, [])]
    patterns = [pattern for entry in entries for pattern in entry["signals"]]
    return [name for name in found.missed_signals if not any(fnmatchcase(name, pattern) for pattern in patterns)]


def coverage_table(modules: list[ModuleCoverage]) -> str:
    """Shares of each module's points, in Markdown."""
    rows = ["| module | " + " | ".join(KINDS) + " |", "|---|" + "---|" * len(KINDS)]
    rows += [f"| {m.module} | " + " | ".join(f"{m.share(kind):.1%}" for kind in KINDS) + " |" for m in modules]
    return "\n".join(rows)


def _run(run: sim_run.Run, seed: int) -> tuple[str, Path]:
    _, problem, directory = sim_run.simulate(run, seed, None, waves=False)
    print(f"{'FAIL' if problem else 'ok':4} {run.label} {problem}", flush=True)
    return problem, directory / "coverage.dat"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", nargs="+", default=["all"], help="benches by name (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--readme", action="store_true", help="write the table into hw/README.md when all is explained")
    options = parser.parse_args(argv)
    if options.readme and options.module != ["all"]:
        parser.error("--readme is for a run of everything")
    logging.disable(logging.ERROR)
    benches = [b for b in sim_run.find_benches(options.module, SIM / "tb") if "verilator" in b.sims]
    runs = [
        sim_run.Run(b, "verilator", next((c for c in b.configs if c.get("PPC") == 8), b.configs[0]), True)
        for b in benches
    ]
    sim_run.use_benches(runs)
    with sim_run.environment(), ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        outcomes = list(pool.map(lambda run: _run(run, options.seed), runs))
    hits = merge(read_points(path) for _, path in outcomes if path.is_file())
    reasons, resting = explained(), yaml.safe_load(RESTING.read_text(encoding="utf-8"))
    problems = sum(bool(problem) for problem, _ in outcomes)
    known = {path.stem for path in sim_run.RTL.glob("*.v")}
    modules = [entry for entry in by_module(hits) if entry.module in known]
    print("\n" + coverage_table(modules))
    notes = []
    for module in modules:
        source = (sim_run.RTL / f"{module.module}.v").read_text().split("\n")
        # Without every bench that holds a module, what it misses says nothing.
        own = options.module == ["all"] or module.module in options.module
        open_lines = unexplained(module, source, reasons.get(module.module, [])) if own else []
        notes += [f"FAIL {module.module}.v:{n}: {source[n - 1].strip()}" for n in open_lines]
        problems += len(open_lines)
        silent = at_rest(module, resting) if own else []
        notes += [f"FAIL {module.module}: {name} was not fully toggled" for name in silent]
        problems += len(silent)
    print("\n" + "\n".join(notes))
    print(
        f"cover: {problems} problems" if problems else f"cover: {len(runs)} benches, what was not reached is explained"
    )
    if options.readme and hits and not problems:
        made = "Made by `make cover ARGS=--readme`, every bench once on Verilator at 8 pixels a clock:"
        replace_part(SIM.parent / "hw" / "README.md", "cover", f"{made}\n\n{coverage_table(modules)}")
    return 1 if problems or not hits else 0


if __name__ == "__main__":
    sys.exit(main())
