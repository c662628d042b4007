"""Mutation test of the RTL's benches: ``python hw/mutate/run.py --module roi_clip``.

Yosys changes one bit of a module in a few dozen places (a bit of an operator, a register or a wire is inverted, stuck,
or inverted under a condition), one at a time; the module's bench on Verilator must fail for each. A mutant that
survives shows what no test looks at: either the bench learns to see it, or ``survivors.yaml`` says in one line why it
stays. The run fails if a bench kills less than 95 % of the mutants that are not equivalent to the original, if a
survivor has no reason, or if a reason has no survivor.

Everything is kept: a run that was interrupted, or a module that has not changed, costs nothing again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from ledger import Tally, problems_of, read_entries, read_table, table, tally
from model import Broken, Model, prepare
from plan import HERE, ROOT, Plan, read_plans, sim_run
from rtl_files import modules

__all__ = ["main"]

WORK = ROOT / "build" / "mutate"
PART = 6  # mutants that one simulator tries, one after the other
PART_LIMIT_S = 7200
README = HERE.parent / "README.md"


def _judge_all(
    plans: list[Plan], work: Path, mutants: int | None, seed: int, only: set[str], jobs: int
) -> tuple[dict[str, Model], dict[str, str]]:
    """(module -> model with verdicts, module -> why it could not be judged). The next models are made meanwhile."""
    models: dict[str, Model] = {}
    broken: dict[str, str] = {}
    start = time.monotonic()
    with ThreadPoolExecutor(max_workers=jobs) as builder, ThreadPoolExecutor(max_workers=jobs) as pool:
        builds = {plan.module: builder.submit(prepare, plan, work, mutants, seed) for plan in plans}
        for module, build in builds.items():
            try:
                model = build.result()
                sites = [site for site in model.sites if not only or site.ident in only]
                _say(f"{module}: {len(sites)} mutants")
                # Small parts: an interrupted run keeps what is done, and what takes long does not gather at the end.
                parts = [sites[n : n + PART] for n in range(0, len(sites), PART)]
                for part, _ in zip(parts, pool.map(model.judge, parts), strict=True):
                    for site in part:
                        verdict = model.verdicts[site.ident]
                        _say(f"  {module:14} {site.ident} {verdict.outcome:8} {verdict.seconds:6.1f} s  {verdict.test}")
                models[module] = model
            except Broken as error:
                broken[module] = str(error)
    _say(f"{time.monotonic() - start:.0f} s")
    return models, broken


def _say(text: str) -> None:
    print(f"mutate: {text}", file=sys.stderr, flush=True)


def write_readme(tallies: dict[str, Tally]) -> None:
    """Put these modules' rows into the table between the marks in hw/README.md; others keep theirs."""
    text = README.read_text(encoding="utf-8")
    head, mark, rest = text.partition("<!-- mutate -->\n")
    rows, end, tail = rest.partition("<!-- end -->")
    if not (mark and end):
        raise SystemExit(f"{README} has no place for the table: <!-- mutate --> and <!-- end -->")
    kept = {name: counts for name, counts in read_table(rows).items() if name in modules()}
    README.write_text(f"{head}{mark}{table(kept | tallies)}\n{end}{tail}", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    plans = read_plans()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", nargs="+", choices=list(plans), default=list(plans), help="these (default: all)")
    parser.add_argument("--mutants", type=int, help="so many of each module (default: by size, 24 to 40)")
    parser.add_argument("--seed", type=int, default=1, help="another choice of mutants (default: 1)")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="only these mutants of the choice")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="simulations side by side")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for what is made (default: build/mutate)")
    parser.add_argument("--readme", action="store_true", help="rewrite these modules' rows in hw/README.md")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args(argv)
    whole = options.mutants is None and options.seed == 1 and not options.only
    if options.readme and not whole:
        parser.error("--readme needs the usual mutants")
    logging.getLogger().setLevel(logging.CRITICAL)
    logging.disable(logging.ERROR)  # cocotb's runner announces every command; the logs are in files
    sim_run.cocotb_runner.MAX_PARALLEL_BUILD_JOBS = max(1, (os.cpu_count() or 1) // max(1, options.jobs))
    chosen = [plans[name] for name in options.module]
    sim_run.use_benches([sim_run.Run(plan.bench, "verilator") for plan in chosen])
    entries = read_entries()
    work = options.work.resolve()
    with sim_run.environment():
        os.environ["SIM_CMD_PREFIX"] = f"timeout -k 10 {PART_LIMIT_S}"
        models, broken = _judge_all(chosen, work, options.mutants, options.seed, set(options.only), options.jobs)
    problems = [f"{module}: {why}" for module, why in sorted(broken.items())]
    problems += [f"survivors.yaml: there is no module {module}" for module in entries if module not in plans]
    tallies, report = {}, {}
    for module, model in sorted(models.items()):
        sites = {site.ident: site for site in model.sites if not options.only or site.ident in options.only}
        outcomes = {ident: model.verdicts[ident].outcome for ident in sites}
        own = entries.get(module, {})
        tallies[module] = tally(outcomes, own)
        problems += problems_of(module, outcomes, sites, own, model.known, whole)
        report[module] = {
            ident: {**dataclasses.asdict(site), **dataclasses.asdict(model.verdicts[ident])}
            for ident, site in sites.items()
        }
    if options.only and not any(tally.mutants for tally in tallies.values()):
        problems.append(f"no mutant is called {' or '.join(options.only)}")
    if options.readme and not problems:
        write_readme(tallies)
    if options.json:
        print(json.dumps({"modules": report, "problems": problems}, indent=1))
    else:
        print(table(tallies))
        for text in problems:
            print(f"FAIL {text}")
        print(f"mutate: {len(problems)} problems" if problems else f"mutate: {len(tallies)} modules passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
