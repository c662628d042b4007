"""Synthesise one module with Yosys and write what it costs: ``python flow.py TOP RESULT.json``.

Runs in a process of its own, because a Yosys error ends the process and a design is not given back. The counts are
those of ``synth_xilinx -family xcup -abc9``. The logic depth is that of a plain mapping to six-input LUTs
(``ltp -noff``) without memories and multipliers; carry chains are made of LUTs there, so it is for comparison, not for
timing.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pyosys import libyosys
from rtl_files import RTL, hierarchy

# LUTs that a primitive occupies (UG974: a SLICEM has eight; a 64-bit RAM port takes one, a shift register one).
LUTS = {
    **{f"LUT{n}": 1 for n in range(1, 7)},
    "INV": 0,  # goes into the LUT behind it
}
LUT_RAMS = {
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1S": 2,
    "RAM128X1D": 4,
    "RAM256X1S": 4,
    "RAM256X1D": 8,
    "RAM512X1S": 8,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32M16": 8,
    "RAM64M8": 8,
    "RAM32X16DR8": 8,
    "RAM64X8SW": 8,
}
KINDS = {
    "CARRY4": "carry",
    "CARRY8": "carry",
    "DSP48E2": "dsp",
    "URAM288": "uram",
    "RAMB36E2": "bram",
    "RAMB18E2": "bram",
}
KINDS |= dict.fromkeys(("FDRE", "FDSE", "FDCE", "FDPE"), "ff")
LATCHES = ("LDCE", "LDPE")
MUXES = ("MUXF7", "MUXF8", "MUXF9")


class Log:
    """Runs commands and keeps what Yosys prints for each."""

    def __init__(self) -> None:
        self.design = libyosys.Design()

    def run(self, command: str) -> str:
        with tempfile.NamedTemporaryFile("r", suffix=".log") as file:
            libyosys.run_pass(f"tee -o {file.name} {command}", self.design)
            return file.read()


def counts(cells: dict[str, int]) -> dict[str, float]:
    """Resources of a mapped netlist; raises ValueError for a primitive that is not known, a latch among them."""
    total: Counter[str] = Counter(dict.fromkeys(("lut", "lutram", "ff", "carry", "dsp", "bram", "uram"), 0))
    for cell, count in cells.items():
        if cell in LATCHES:
            raise ValueError(f"{count} latches ({cell})")
        if cell in LUTS:
            total["lut"] += LUTS[cell] * count
        elif cell in LUT_RAMS:
            total["lut"] += LUT_RAMS[cell] * count
            total["lutram"] += LUT_RAMS[cell] * count
        elif cell in KINDS:
            total[KINDS[cell]] += count * (0.5 if cell == "RAMB18E2" else 1)
        elif cell not in MUXES and not cell.startswith("$"):
            raise ValueError(f"{count} cells of the unknown primitive {cell}")
    return dict(total)


def memories(log: str) -> dict[str, str]:
    """Memory -> what it was mapped to: ultra, block, distributed or registers."""
    where = {"URAM": "ultra", "BLOCKRAM": "block", "LUTRAM": "distributed"}
    found = {}
    for name, target in re.findall(r"mapping memory (\S+) via (\S+)", log):
        label = name.replace("\\", "").partition(".")[2] or name
        found[label] = next((kind for key, kind in where.items() if key in target), target)
    for name in re.findall(r"using FF mapping for memory (\S+)", log):
        found[name.replace("\\", "").partition(".")[2] or name] = "registers"
    return found


def synthesise(top: str) -> dict[str, object]:
    """Costs, depth and memories of `top` with its parameters at their defaults, everything below it included."""
    yosys = Log()
    sources = " ".join(str(path) for path in hierarchy([RTL / f"{top}.v"]) if path.suffix == ".v")
    yosys.run(f"read_verilog -I{RTL} {sources}")
    yosys.run(f"hierarchy -check -top {top}")
    yosys.run("proc")
    # Latches are looked for where processes become cells: later passes may turn them into other logic.
    yosys.run("select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr")
    yosys.run("check -assert")
    yosys.run("design -save elaborated")
    mapping = yosys.run(f"synth_xilinx -family xcup -top {top} -flatten -noiopad -noclkbuf -abc9")
    yosys.run("check -assert")
    statistics = json.loads(yosys.run("stat -json"))["design"]["num_cells_by_type"]
    yosys.run("design -load elaborated")
    yosys.run(f"synth -flatten -top {top} -run begin:fine")
    # Memories keep their registered reads and are cut out, for a plain mapping would make registers of them; so are
    # multipliers, which are DSP slices on the device.
    yosys.run("cutpoint t:$mem_v2 t:$mul")
    yosys.run("opt_clean")
    yosys.run("synth -flatten -lut 6 -run fine:check")
    longest = re.search(r"Longest topological path in \S+ \(length=(-?\d+)\)", yosys.run("ltp -noff"))
    if longest is None:
        raise ValueError("ltp printed no path")
    return {**counts(statistics), "depth": max(0, int(longest[1])), "memories": memories(mapping)}


def main() -> None:
    top, result = sys.argv[1:]
    Path(result).write_text(json.dumps(synthesise(top)))


if __name__ == "__main__":
    main()
