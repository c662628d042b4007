"""Which bench judges the mutants of a module, read from plan.yaml."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "sim"), str(ROOT / "hw")]

import run as sim_run  # noqa: E402  (neither folder is a package)
from rtl_files import modules  # noqa: E402

__all__ = ["Plan", "read_plans", "sim_run"]

KEYS = {"bench", "parameters", "tests", "mutants", "pokes"}


@dataclass(frozen=True)
class Plan:
    """One module: bench, parameters, the tests that are run (empty: all), number of mutants, registers that are set."""

    module: str
    bench: sim_run.Bench
    parameters: dict[str, object]
    tests: tuple[str, ...]
    mutants: int | None
    pokes: tuple[str, ...] = ()


def read_plans(folder: Path = sim_run.SIM / "tb", path: Path = HERE / "plan.yaml") -> dict[str, Plan]:
    """The plan of every module of hw/rtl; raises ValueError for an unknown module, key or bench."""
    entries: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    if unknown := set(entries) - set(modules()):
        raise ValueError(f"{path}: no module {sorted(unknown)}")
    plans = {}
    for module in modules():
        entry = entries.get(module, {})
        if unknown := set(entry) - KEYS:
            raise ValueError(f"{path}: {module} has unknown keys {sorted(unknown)}")
        directory = folder / entry.get("bench", module)
        if not directory.is_dir():
            raise ValueError(f"{path}: {module} needs a bench, {directory} does not exist")
        bench = sim_run.Bench.load(directory)
        usual = next((c for c in bench.configs if c.get("PPC") == 8), bench.configs[0])
        plans[module] = Plan(
            module,
            bench,
            entry.get("parameters", usual),
            tuple(entry.get("tests", ())),
            entry.get("mutants"),
            tuple(entry.get("pokes", ())),
        )
    return plans
