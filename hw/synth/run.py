"""Synthesise the modules for UltraScale+, compare with budgets and baseline: ``python hw/synth/run.py``.

Each module is synthesised at its default parameters (8 pixels a clock) with everything below it, so the rows overlap
and `foveal_kernel` holds them all. A module is synthesised again only when a file of its hierarchy or the flow changed.
The run fails on a latch, a net with two drivers, a memory made of registers, a kernel that exceeds one super logic
region, and on growth beyond ``baseline.json``, which ``--update`` rewrites.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from marked_part import replace_part  # noqa: E402
from rtl_files import RTL, hierarchy, modules  # noqa: E402

sys.path.insert(0, str(HERE))

from budget import KINDS, budgets  # noqa: E402

__all__ = ["compare", "main", "memory_problems"]

TOP = "foveal_kernel"
BASELINE = HERE / "baseline.json"
README = HERE.parent / "README.md"
CACHE = ROOT / "build" / "synth"
TIMEOUT_S = 3600  # of one module, on a machine that has other work too
METRICS = ("lut", "ff", "carry", "dsp", "bram", "uram", "depth")
# A change may grow a count by this share and this many on top; the rest must not grow at all.
SLACK = {"lut": (0.02, 16), "ff": (0.02, 16), "carry": (0.02, 4), "depth": (0.0, 1)}
# Memories that must lie in a certain kind of block, by the end of their name in the kernel.
INTENDED = {".ram.mem": "ultra", "u_axi_write.firewall.data.mem": "block"}

Result = dict[str, Any]


def cache_key(module: str) -> str:
    """Changes with the module's files, the flow and Yosys."""
    digest = hashlib.sha256(importlib.metadata.version("pyosys").encode())
    for path in [HERE / "flow.py", *hierarchy([RTL / f"{module}.v"])]:
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def synthesise(module: str) -> tuple[Result | None, str]:
    """(result, problem) of one module; the result comes from the cache where nothing changed."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path, key = CACHE / f"{module}.json", cache_key(module)
    if path.is_file():
        known = json.loads(path.read_text())
        if known["key"] == key:
            return known["result"], ""
    log, fresh = CACHE / f"{module}.log", CACHE / f"{module}.new"
    start = time.monotonic()
    try:
        with log.open("w") as file:
            command = [sys.executable, str(HERE / "flow.py"), module, str(fresh)]
            subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        last = [line for line in log.read_text(errors="replace").splitlines() if line.strip()][-1:]
        return None, f"{error}; the last it said: {' '.join(last)} (log {log})"
    result = json.loads(fresh.read_text())
    path.write_text(json.dumps({"key": key, "result": result}))
    fresh.unlink()
    print(f"synth: {module:16} {time.monotonic() - start:6.1f} s", file=sys.stderr, flush=True)
    return result, ""


def compare(module: str, result: Result, baseline: Result | None) -> list[str]:
    """What grew beyond the slack; a module without a baseline counts as grown."""
    if baseline is None:
        return [f"{module}: not in the baseline; make synth ARGS=--update"]
    found = []
    for metric in METRICS:
        share, more = SLACK.get(metric, (0.0, 0))
        if result[metric] > baseline[metric] * (1 + share) + more:
            found.append(f"{module}: {metric} grew from {baseline[metric]:g} to {result[metric]:g}")
    return found


def memory_problems(result: Result) -> list[str]:
    """Memories of the kernel that are not where they should be."""
    found = [
        f"{TOP}: memory {name} is made of registers" for name, kind in result["memories"].items() if kind == "registers"
    ]
    for end, kind in INTENDED.items():
        here = {name: where for name, where in result["memories"].items() if name.endswith(end)}
        if not here:
            found.append(f"{TOP}: no memory *{end}")
        found += [f"{TOP}: memory {name} is {where}, not {kind}" for name, where in here.items() if where != kind]
    return found


def table(results: dict[str, Result]) -> str:
    """The results as a table in Markdown."""
    rows = [
        "| module | LUT | of it memory | FF | carry | DSP | BRAM | URAM | levels |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(results, key=lambda name: (name != TOP, name)):
        r = results[name]
        values = (r["lut"], r["lutram"], r["ff"], r["carry"], r["dsp"], r["bram"], r["uram"], r["depth"])
        rows.append(
            f"| {name} | " + " | ".join(f"{value:,g}" if value < 1e6 else f"{value:,}" for value in values) + " |"
        )
    return "\n".join(rows)


def budget_table(kernel: Result) -> str:
    """The kernel as a share of what the shell leaves, a row a card."""
    rows = ["| of the card without its shell | LUT | FF | DSP | BRAM | URAM |", "|---|---|---|---|---|---|"]
    rows += [
        f"| {budget.name} | " + " | ".join(f"{budget.shares(kernel)[kind]:.2%}" for kind in KINDS) + " |"
        for budget in budgets()
    ]
    return "\n".join(rows)


def write_readme(results: dict[str, Result]) -> None:
    """Put the tables between the marks in hw/README.md."""
    replace_part(README, "synth", f"{table(results)}\n\n{budget_table(results[TOP])}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", nargs="+", choices=modules(), default=modules(), help="these only (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="modules synthesised side by side")
    parser.add_argument("--update", action="store_true", help="rewrite the baseline of these modules")
    parser.add_argument("--readme", action="store_true", help="rewrite the tables in hw/README.md")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args(argv)
    # The longest first: the kernel, then the others by the size of what they hold.
    order = sorted(options.module, key=lambda name: -sum(p.stat().st_size for p in hierarchy([RTL / f"{name}.v"])))
    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        outcomes = dict(zip(order, pool.map(synthesise, order), strict=True))
    results = {name: result for name, (result, _) in outcomes.items() if result is not None}
    problems = [f"{name}: {problem}" for name, (_, problem) in outcomes.items() if problem]
    baseline = json.loads(BASELINE.read_text()) if BASELINE.is_file() else {}
    if options.update:
        kept = {name: row for name, row in baseline.items() if name in modules()}
        kept |= {name: {metric: result[metric] for metric in METRICS} for name, result in results.items()}
        BASELINE.write_text("{\n" + ",\n".join(f'  "{n}": {json.dumps(kept[n])}' for n in sorted(kept)) + "\n}\n")
    else:
        problems += [text for name in sorted(results) for text in compare(name, results[name], baseline.get(name))]
    if TOP in results:
        problems += memory_problems(results[TOP])
        problems += [text for budget in budgets() for text in budget.problems(results[TOP])]
    if options.readme and TOP in results:
        write_readme(results)
    if options.json:
        print(json.dumps({"modules": results, "problems": problems}, indent=1))
    else:
        print(table(results))
        if TOP in results:
            print("\n" + budget_table(results[TOP]))
            print(
                "\nmemories: " + ", ".join(f"{name} {kind}" for name, kind in sorted(results[TOP]["memories"].items()))
            )
        for text in problems:
            print(f"FAIL {text}")
        print(f"synth: {len(problems)} problems" if problems else f"synth: {len(results)} modules passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
