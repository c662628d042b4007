"""Put many mutants of one module into one netlist, by Yosys: ``python netlist.py JOB.json``.

The module is elaborated with the parameters that it has inside the bench's top, optimised word by word (what is dead
or constant is no place for a mutant), and written as Verilog under its own name, so that it stands in for its source in
the bench. Which mutant is active is read from the file `mutant` in the directory of the simulation; 0 is none.

Runs in a process of its own, because a Yosys error ends the process.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pyosys import libyosys
from rtl_files import RTL, hierarchy
from sites import choose, find_sites, usual_count

SELECTOR = "mutant_number"
WIDTH = 16


class Design:
    """A Yosys design with the files of `top` read in."""

    def __init__(self, top: str) -> None:
        self.design = libyosys.Design()
        self.run("read_verilog " + " ".join(p.name for p in hierarchy([RTL / f"{top}.v"]) if p.suffix == ".v"))

    def run(self, command: str) -> None:
        libyosys.run_pass(command, self.design)


def _verilog(value: int) -> str:
    """A parameter's value as Yosys reads it: no signs."""
    return str(value) if value >= 0 else f"32'h{value % 2**32:08x}"


def parameters(module: str, top: str, given: dict[str, int]) -> dict[str, int]:
    """The parameters of `module` inside `top`; raises ValueError unless all instances have the same."""
    design = Design(top)
    for key, value in given.items():
        design.run(f"chparam -set {key} {_verilog(value)} {top}")
    design.run(f"hierarchy -check -top {top}")
    found = {
        tuple(sorted((str(key)[1:], value.as_int()) for key, value in m.parameter_default_values.items()))
        for m in design.design.modules_.values()
        if str(m.name).rpartition("\\")[2] == module or f"\\{module}\\" in str(m.name)
    }
    if len(found) != 1:
        raise ValueError(f"{module} has {len(found)} sets of parameters inside {top}, one is needed")
    return dict(found.pop())


def write_mutants(job: dict[str, Any], folder: Path) -> None:
    """Write <module>.v and sites.json into `folder`."""
    module, top = job["module"], job["top"]
    values = parameters(module, top, job["parameters"])
    design = Design(top)
    for key, value in values.items():
        design.run(f"chparam -set {key} {_verilog(value)} {module}")
    design.run(f"select {module}")
    # Without enables and resets inferred: what stays are the choices that the source makes.
    plain = "-nodffe -nosdff"
    for step in ("proc", f"opt -fast {plain}", "wreduce", f"opt {plain}"):
        design.run(step)
    design.run(f"write_json -selected {folder / 'netlist.json'}")
    content = json.loads((folder / "netlist.json").read_text())["modules"][module]
    source = (RTL / f"{module}.v").read_text().split("\n")
    sites = list(find_sites(content, f"{module}.v", source, job["pokes"]))
    chosen = choose(sites, job["mutants"] or usual_count(sites), job["seed"])
    for number, site in enumerate(chosen, 1):
        design.run(site.command(module, SELECTOR, WIDTH, number))
    design.run(f"select {module}")
    design.run(f"delete -port {module}/w:{SELECTOR}")
    raw = folder / "raw.v"
    design.run(f"write_verilog -noattr -selected {raw}")
    (folder / f"{module}.v").write_text(stand_in(raw.read_text(), module, values))
    known = sorted({site.ident for _, site in sites})
    (folder / "sites.json").write_text(
        json.dumps({"chosen": [dataclasses.asdict(site) for site in chosen], "known": known})
    )


def stand_in(text: str, module: str, values: dict[str, int]) -> str:
    """The netlist with the parameters that its parent sets and with the selector read from a file."""
    head = re.search(rf"^module {module}\(.*?\);\n", text, re.MULTILINE | re.DOTALL)
    wire = re.search(rf"^  wire \[{WIDTH - 1}:0\] {SELECTOR};\n", text, re.MULTILINE)
    if head is None or wire is None:
        raise ValueError(f"the netlist of {module} has no head or no {SELECTOR}")
    names = "".join(f"  parameter {name} = {_verilog(value)};\n" for name, value in values.items())
    read = (
        f"  reg [{WIDTH - 1}:0] {SELECTOR};\n"
        "  integer mutant_file, mutant_read;\n"
        "  initial begin\n"
        '    mutant_file = $fopen("mutant", "r");\n'
        f'    mutant_read = $fscanf(mutant_file, "%d", {SELECTOR});\n'
        "    if (mutant_read != 1) $fatal;\n"
        "    $fclose(mutant_file);\n"
        "  end\n"
    )
    text = text[: wire.start()] + read + text[wire.end() :]
    return "`timescale 1ns/1ps\n" + text[: head.end()] + names + text[head.end() :]


def main(path: str) -> None:
    folder = Path(path).resolve().parent
    job = json.loads(Path(path).read_text())
    os.chdir(RTL)  # names of files are part of cells' names: no folder in them
    write_mutants(job, folder)


if __name__ == "__main__":
    main(sys.argv[1])
