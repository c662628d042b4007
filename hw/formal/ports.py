"""Which handshakes of the RTL have a property set.

A handshake is a pair of ports `<name>valid` and `<name>ready` of a module in hw/rtl. It is bound if

* the module's harness connects both to wires that a property set takes as its `valid` and `ready` (of an AXI port the
  set has one pair a channel), or
* the module hands both through to an instance inside, whose handshake is bound, or
* the module drives what is its own of the pair with constants: a channel that it does not use.

VALID that a neighbour drives may also be left free: what is proven without an assumption holds with it.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from rtl_files import RTL, modules  # noqa: E402  (hw is no package)


@dataclasses.dataclass(frozen=True)
class Handshake:
    """A pair of ports; `drives`: the module drives VALID, so its rules are the module's own."""

    module: str
    valid: str
    drives: bool

    @property
    def ready(self) -> str:
        return self.valid[: -len("valid")] + "ready"


@dataclasses.dataclass(frozen=True)
class Instance:
    """A module used by another: `wires` maps its ports to what they are connected to."""

    module: str
    name: str
    wires: dict[str, str]


@functools.cache
def source(path: Path) -> str:
    """A Verilog file without its comments; empty if there is none."""
    return re.sub(r"//.*|/\*.*?\*/", "", path.read_text()) if path.exists() else ""


def handshakes(module: str) -> Iterator[Handshake]:
    """The handshakes among the ports of an RTL module."""
    head = source(RTL / f"{module}.v").partition(");\n")[0]
    ports = {name: way for way, name in re.findall(r"\b(input|output)\s+wire\b[^,;]*?(\w+)\s*(?=,|$)", head)}
    for name, way in ports.items():
        if name.endswith("valid") and name[: -len("valid")] + "ready" in ports:
            yield Handshake(module, name, way == "output")


def closing(text: str, start: int) -> int:
    """The place of the parenthesis that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"a parenthesis stays open: {text[start : start + 60]!r}")


def connections(text: str) -> dict[str, str]:
    """The `.port(wire)` pairs of a list of them."""
    wires = {}
    for found in re.finditer(r"\.(\w+)\s*(?=\()", text):
        end = closing(text, found.end())
        wires[found[1]] = text[found.end() + 1 : end].strip()
    return wires


def instances(text: str) -> Iterator[Instance]:
    """All instances with named ports in a Verilog file."""
    for found in re.finditer(r"^\s*(\w+)\s+(?:#\s*(?=\()|(?=\w+\s*\(\s*\.))", text, re.MULTILINE):
        start = found.end()
        if text[start] == "(":
            start = closing(text, start) + 1
        named = re.compile(r"\s*(\w+)\s*(?=\()").match(text, start)
        if named:
            yield Instance(found[1], named[1], connections(text[named.end() : closing(text, named.end())]))


def is_set(harness: Instance, valid: str, ready: str) -> bool:
    """Whether a property set takes these wires as one of its handshakes."""
    return harness.module.endswith("_properties") and any(
        port.endswith("valid") and wire == valid and harness.wires.get(port[: -len("valid")] + "ready") == ready
        for port, wire in harness.wires.items()
    )


def binding(handshake: Handshake) -> str:
    """Where the handshake has its rules, in words; empty if nowhere."""
    module = handshake.module
    inside = list(instances(source(HERE / module / f"{module}_formal.v")))
    for dut in inside:
        if dut.module == module and handshake.valid in dut.wires:
            valid, ready = dut.wires[handshake.valid], dut.wires[handshake.ready]
            for bound in inside:
                if is_set(bound, valid, ready):
                    return f"{bound.module} ({bound.name})"
    text = source(RTL / f"{module}.v")
    handed_on = [
        Handshake(part.module, port, handshake.drives)
        for part in instances(text)
        for port, wire in part.wires.items()
        if wire == handshake.valid and part.wires.get(port[: -len("valid")] + "ready") == handshake.ready
    ]
    if handed_on:
        return ", ".join(f"{part.module}.{part.valid}" for part in handed_on) if all(map(binding, handed_on)) else ""
    own = handshake.valid if handshake.drives else handshake.ready
    return "constant" if re.search(rf"\bassign {own}\s*=\s*1'b0;", text) else ""


def unbound() -> list[Handshake]:
    """The handshakes whose VALID the RTL drives without a rule about it."""
    return [
        handshake
        for module in modules()
        for handshake in handshakes(module)
        if handshake.drives and not binding(handshake)
    ]


def main() -> int:
    for module in modules():
        for handshake in handshakes(module):
            way = "out" if handshake.drives else "in"
            print(f"{module:14} {handshake.valid:24} {way:4} {binding(handshake) or 'free'}")
    return bool(unbound())


if __name__ == "__main__":
    sys.exit(main())
