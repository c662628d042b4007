"""Ports of the RTL kernel at its default parameters, elaborated with slang."""

from __future__ import annotations

import re

from pyslang.ast import ArgumentDirection, Compilation
from pyslang.syntax import SyntaxTree

__all__ = ["AXI4", "AXI4_LITE", "interfaces", "read_last_writable", "read_offsets", "read_ports"]

# Signals of each interface: name -> (direction at a master, bits). Bits: a number, "data", "strobe" or "address".
_READ_ADDRESS: dict[str, tuple[str, int | str]] = {"araddr": ("out", "address"), "arvalid": ("out", 1)}
_READ_ADDRESS |= {"arprot": ("out", 3), "arready": ("in", 1)}
_READ_DATA: dict[str, tuple[str, int | str]] = {"rdata": ("in", "data"), "rresp": ("in", 2)}
_READ_DATA |= {"rvalid": ("in", 1), "rready": ("out", 1)}
_WRITE_DATA: dict[str, tuple[str, int | str]] = {"wdata": ("out", "data"), "wstrb": ("out", "strobe")}
_WRITE_DATA |= {"wvalid": ("out", 1), "wready": ("in", 1)}
_WRITE_ANSWER: dict[str, tuple[str, int | str]] = {"bresp": ("in", 2), "bvalid": ("in", 1), "bready": ("out", 1)}
_BURST: dict[str, tuple[str, int | str]] = {"len": ("out", 8), "size": ("out", 3), "burst": ("out", 2)}
_BURST |= {"cache": ("out", 4), "id": ("out", 1)}


def _of_write(signals: dict[str, tuple[str, int | str]]) -> dict[str, tuple[str, int | str]]:
    return {"aw" + name.removeprefix("ar"): value for name, value in signals.items()}


AXI4 = _READ_ADDRESS | _of_write(_READ_ADDRESS) | _READ_DATA | _WRITE_DATA | _WRITE_ANSWER
AXI4 |= {channel + name: value for channel in ("ar", "aw") for name, value in _BURST.items()}
AXI4 |= {"rlast": ("in", 1), "wlast": ("out", 1), "rid": ("in", 1), "bid": ("in", 1)}
"""A memory port, as the kernel's masters have it."""

AXI4_LITE = {
    name: value
    for name, value in (_READ_ADDRESS | _of_write(_READ_ADDRESS) | _READ_DATA | _WRITE_DATA | _WRITE_ANSWER).items()
    if not name.endswith("prot")
}
"""The control port; directions are still those of the master at its other end."""


def read_ports(text: str, header: str, module: str) -> dict[str, tuple[str, int]]:
    """Port name -> ("in" or "out", bits) of `module` in `text`, with `header` in place of its `include.

    Raises ValueError when there is no such module.
    """
    source = header + re.sub(r'`include\s+"[^"]+"', "", text)
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText(source))
    for top in compilation.getRoot().topInstances:
        if top.name == module:
            return {
                port.name: ("in" if port.direction == ArgumentDirection.In else "out", port.type.bitWidth)
                for port in top.body.portList
            }
    raise ValueError(f"there is no module {module}")


def interfaces(ports: dict[str, tuple[str, int]]) -> dict[str, dict[str, tuple[str, int]]]:
    """Interface name -> signal -> (direction, bits), of everything that is named like an AXI interface."""
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for name, port in ports.items():
        match = re.fullmatch(r"([ms]_axis?_\w+)_([a-z]+)", name)
        if match:
            found.setdefault(match[1], {})[match[2]] = port
    return found


def read_offsets(header: str) -> dict[str, int]:
    """Register -> byte offset of foveal_regs.vh."""
    return {name: int(value, 16) for name, value in re.findall(r"`define FOVEAL_REG_(\w+) 12'h([0-9A-F]+)", header)}


def read_last_writable(header: str) -> int | None:
    """Byte offset up to which the RTL answers every write OKAY, of foveal_regs.vh; None where it says none."""
    found = re.search(r"`define FOVEAL_LAST_WRITABLE 12'h([0-9A-F]+)", header)
    return int(found[1], 16) if found else None
