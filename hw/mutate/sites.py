"""Places of a netlist that can be mutated, and an even choice among them that survives edits elsewhere.

A site is one bit of one port of a cell (an operator, a register, a memory port, an instance) with one kind of change:
inverted, stuck at 0 or 1, or inverted where another bit of the port is 0 or 1. Its identity is the text of its line,
not the line's number, and the choice orders sites by a hash of the identity: a change of one line changes the mutants
of that line alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["MODES", "Site", "choose", "find_sites", "usual_count"]

MODES = ("inv", "const0", "const1", "cnot0", "cnot1")
WATCHERS = ("$print", "$check", "$assert", "$assume", "$cover", "$live", "$fair", "$scopeinfo")
# A bit of these that is inverted only where another one decides the result changes nothing.
HIDDEN = {"$reduce_or": "cnot1", "$reduce_bool": "cnot1", "$logic_not": "cnot1", "$reduce_and": "cnot0"}
CLOCKS = ("CLK", "WR_CLK", "RD_CLK", "clk")


@dataclass(frozen=True)
class Site:
    """One possible mutant. `ident` is stable; `cell` is Yosys' name of this elaboration and is not."""

    ident: str
    code: str  # text of the source line
    what: str  # the bit, in words: "$add -> x_next, A[3]"
    mode: str  # one of MODES
    line: int
    cell: str
    port: str
    bit: int
    control: int | None  # the bit of the port that a conditional inversion looks at

    def command(self, module: str, signal: str, width: int, number: int) -> str:
        """Yosys' command that puts this mutant into `module`, active while `signal` is `number`."""
        control = "" if self.control is None else f" -ctrlbit {self.control}"
        return (
            f"mutate -mode {self.mode} -ctrl {signal} {width} {number} -module {module} -cell {self.cell} "
            f"-port {self.port} -portbit {self.bit}{control}"
        )


def _line(attributes: dict[str, str], file: str) -> int:
    """Line of `file` in which a cell begins; 0 if it stems from elsewhere. Yosys joins places with "|"."""
    for place in attributes.get("src", "").split("|"):
        name, _, where = place.rpartition(":")
        if name.rpartition("/")[2] == file:
            return int(where.partition(".")[0])
    return 0


def _names(netnames: dict[str, Any]) -> dict[int, str]:
    """Net bit -> a name of the source, with its index where the net is wider."""
    names: dict[int, str] = {}
    for name in sorted(netnames, key=lambda name: (netnames[name].get("hide_name", 0), len(name), name)):
        bits = netnames[name]["bits"]
        if not netnames[name].get("hide_name"):
            for index, bit in enumerate(bits):
                names.setdefault(bit, f"{name}[{index}]" if len(bits) > 1 else name)
    return names


def _used(module: dict[str, Any]) -> set[int]:
    """Net bits that something reads."""
    used = {bit for port in module["ports"].values() if port["direction"] != "input" for bit in port["bits"]}
    for cell in module["cells"].values():
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) != "output":
                used.update(bits)
    return {bit for bit in used if isinstance(bit, int)}


def _group(cell: dict[str, Any], name: str, code: str) -> str:
    """What the choice spreads over: registers by name, for they share a line; the rest by line."""
    return name.partition("[")[0] if "ff" in cell["type"] or "dff" in cell["type"] else code


def find_sites(
    module: dict[str, Any], file: str, source: Sequence[str], pokes: Collection[str] = ()
) -> Iterator[tuple[str, Site]]:
    """(group, site) of all sites of a module as `write_json` describes it. `source` is the text of `file` in lines.

    Outputs of registers in `pokes` are left out: whoever sets a register by its name needs one that has it.
    """
    names, used = _names(module["netnames"]), _used(module)
    seen: Counter[tuple[str, str, str]] = Counter()
    for cell_name, cell in module["cells"].items():
        if cell["type"] in WATCHERS:
            continue
        line = _line(cell["attributes"], file)
        code = " ".join(source[line - 1].split()) if line else ""
        directions = cell["port_directions"]
        driven = [bit for port, bits in cell["connections"].items() if directions.get(port) == "output" for bit in bits]
        driven_name = next((names[bit] for bit in driven if bit in names), "")
        target = driven_name.partition("[")[0]
        kind = cell["type"] if cell["type"].startswith("$") else f"{cell['type']} {cell_name}"
        for port, bits in cell["connections"].items():
            if port in CLOCKS or (port == "Q" and target in pokes):
                continue
            for index, bit in enumerate(bits):
                if not isinstance(bit, int) or (directions.get(port) == "output" and bit not in used):
                    continue
                others = [n for n, other in enumerate(bits) if n != index and isinstance(other, int) and other != bit]
                for mode in MODES:
                    if mode.startswith("cnot") and (not others or HIDDEN.get(cell["type"]) == mode):
                        continue
                    control = min(others, key=lambda n: (abs(n - index), n)) if mode.startswith("cnot") else None
                    what = f"{kind}{f' -> {target}' if target else ''}, {port}[{index}]"
                    if bit in names and names[bit].partition("[")[0] != target:
                        what += f" = {names[bit]}"
                    key = (code, what, mode)
                    seen[key] += 1
                    text = "\n".join((*key, str(seen[key])))
                    ident = "m" + hashlib.sha256(text.encode()).hexdigest()[:9]  # no number to YAML
                    yield (
                        _group(cell, driven_name, code),
                        Site(ident, code, what, mode, line, cell_name, port, index, control),
                    )


def usual_count(sites: Sequence[tuple[str, Site]]) -> int:
    """How many mutants a module gets: a third of its lines and registers, 24 to 40."""
    return min(40, max(24, len({group for group, _ in sites}) // 3))


def choose(sites: Sequence[tuple[str, Site]], count: int, seed: int) -> list[Site]:
    """`count` of the sites (or all): one of each group before the second of any, groups and sites in hashed order."""

    def order(text: str) -> str:
        return hashlib.sha256(f"{seed}/{text}".encode()).hexdigest()

    groups: dict[str, list[Site]] = defaultdict(list)
    for group, site in sites:
        groups[group].append(site)
    ranked = [
        (rank, order(group), site)
        for group, members in groups.items()
        for rank, site in enumerate(sorted(members, key=lambda site: order(site.ident)))
    ]
    ranked.sort(key=lambda entry: entry[:2])
    return [site for _, _, site in ranked[:count]]
