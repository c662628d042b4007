"""Do all places that name a port, an argument, an offset or a bank agree? ``python hw/packaging/consistency.py``

Compares the RTL (elaborated), foveal_regs.vh, the kernels' kernel.xml, the HLS kernel's signature and pragmas, the
packaging script, the constraints, each card's board.yaml and connectivity.cfg, and the driver's tables. Each line of
output names the two places that differ. ``--xo FILE.xo`` also compares what v++ made of the HLS kernel.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import yaml
from foveal.card.bank import banks_of, select
from foveal.card.kernel import CONTROL, Kernel, read_kernel

sys.path.insert(0, str(Path(__file__).resolve().parent))

from driver_registers import read_constants, read_table
from hls_source import HLS_FIRST, HLS_STEP, read_function
from link_config import read_config
from package_texts import BOARDS, Package, load
from rtl_ports import AXI4, AXI4_LITE, interfaces, read_last_writable, read_offsets, read_ports

__all__ = ["main", "problems"]

RTL, HEADER = "hw/rtl/foveal_kernel.v", "hw/rtl/foveal_regs.vh"
HLS, HLS_CONFIG = "hw/hls/geometry.cpp", "hw/hls/geometry.cfg"
REGISTERS, ROLES = "host/foveal/card/registers.py", "host/foveal/card/roles.py"
XRT_IMAGE = "host/foveal/xrt/image.py"
PACKAGING, CONSTRAINTS = "boards/kernel/package_xo.tcl", "boards/kernel/foveal_kernel.xdc"
KERNEL, GEOMETRY = "foveal_kernel", "geometry"
CLOCK, RESET = "ap_clk", "ap_rst_n"
FIRST_ARGUMENT, NO_ARGUMENT = 0x010, "CTRL_RESET"
"""Everything that can be written from there on is set before a run, but no run shall reset the kernel."""

Read = TypeVar("Read")


def _xml(kernel: str) -> str:
    return f"boards/kernel/{kernel}.xml"


def problems(package: Package) -> list[str]:
    """One line for each disagreement, naming both places; a file that cannot be read is one too."""
    try:
        kernels = {name: _read(package, _xml(name), read_kernel) for name in (KERNEL, GEOMETRY)}
        return [
            *_ports(package, kernels[KERNEL]),
            *_packaging(package, kernels[KERNEL]),
            *_offsets(package, kernels[KERNEL]),
            *_signature(package, kernels[GEOMETRY]),
            *_roles(package, kernels),
            *(line for board in BOARDS for line in _board(package, board, kernels)),
        ]
    except ValueError as error:
        return [str(error)]


def _read(package: Package, path: str, reader: Callable[[str], Read]) -> Read:
    """What `reader` makes of the file; its complaint is raised as a ValueError that names the file."""
    try:
        return reader(package.text[path])
    except (ValueError, KeyError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _rtl_ports(package: Package) -> dict[str, tuple[str, int]]:
    return _read(package, RTL, lambda text: read_ports(text, package.text[HEADER], KERNEL))


def _ports(package: Package, kernel: Kernel) -> Iterator[str]:
    """The RTL's interfaces against kernel.xml: names, signals, directions, widths."""
    ports = _rtl_ports(package)
    found = {name: signals for name, signals in interfaces(ports).items() if "_axi_" in name}
    xml = _xml(KERNEL)
    for name in sorted(found.keys() - {port.name for port in kernel.ports}):
        yield f"{RTL} has the port {name}, {xml} does not"
    for port in kernel.ports:
        if port.name not in found:
            yield f"{xml} has the port {port.name}, {RTL} does not"
            continue
        memory = port.mode == "master"
        address_bits = 64 if memory else (port.span - 1).bit_length()
        bits = {"data": port.width, "strobe": port.width // 8, "address": address_bits}
        flip = {"in": "out", "out": "in"}
        expected = {
            signal: (way if memory else flip[way], bits.get(width, width))
            for signal, (way, width) in (AXI4 if memory else AXI4_LITE).items()
        }
        for signal in sorted(expected.keys() | found[port.name].keys()):
            want, have = expected.get(signal), found[port.name].get(signal)
            if want != have:
                yield (
                    f"{xml} makes {port.name}_{signal} {_pin(want)}, in {RTL} it is {_pin(have)}"
                    f" (port {port.name} of {port.width} bits)"
                )
    for pin in (CLOCK, RESET, "interrupt"):
        if pin not in ports:
            yield f"{PACKAGING} needs the pin {pin}, {RTL} does not have it"


def _pin(pin: tuple[str, Any] | None) -> str:
    return "absent" if pin is None else f"an {pin[0]}put of {pin[1]} bits"


def _packaging(package: Package, kernel: Kernel) -> Iterator[str]:
    """The packaging script's lists of interfaces against kernel.xml and the RTL."""
    script = package.text[PACKAGING]
    lists = {name: set(values.split()) for name, values in re.findall(r"^set (\w+) \{([^}]*)\}", script, re.M)}
    memory = {port.name for port in kernel.ports if port.mode == "master"}
    if lists.get("memory_ports") != memory:
        yield f"{PACKAGING} packages {_names(lists.get('memory_ports'))}, {_xml(KERNEL)} has {_names(memory)}"
    streams = {s for s in interfaces(_rtl_ports(package)) if "_axis_" in s}
    if lists.get("resting_streams") != streams:
        yield f"{PACKAGING} takes the streams {_names(lists.get('resting_streams'))} off, {RTL} has {_names(streams)}"
    top = re.search(r"^set top (\w+)", script, re.M)
    if top is None or top[1] != kernel.name:
        yield f"{PACKAGING} packages the module {top[1] if top else None}, {_xml(KERNEL)} names {kernel.name}"
    if f"[get_ports {CLOCK}]" not in package.text[CONSTRAINTS]:
        yield f"{CONSTRAINTS} makes no clock on {CLOCK}, which is the clock of {RTL}"


def _names(names: set[str] | None) -> str:
    return ", ".join(sorted(names)) if names else "none"


def _offsets(package: Package, kernel: Kernel) -> Iterator[str]:
    """Offsets in the RTL's header, in the driver's two tables and in kernel.xml."""
    header = read_offsets(package.text[HEADER])
    driver = {
        f"{REGISTERS} (constants)": read_constants(package.text[REGISTERS]),
        f"{REGISTERS} (REGISTERS)": read_table(package.text[REGISTERS]),
    }
    for place, offsets in driver.items():
        for name in sorted(header.keys() | offsets.keys()):
            if header.get(name) != offsets.get(name):
                yield f"{name} is at {_hex(header.get(name))} in {HEADER}, at {_hex(offsets.get(name))} in {place}"
    taken = {argument.name for argument in kernel.arguments} | {NO_ARGUMENT}
    for name, offset in header.items():
        if FIRST_ARGUMENT <= offset < header["ID"] and re.sub(r"(_BASE)_(LO|HI)$", r"\1", name) not in taken:
            yield f"{HEADER} has the register {name}, {_xml(KERNEL)} no such argument"
    welcome, written = read_last_writable(package.text[HEADER]), max(a.offset + a.size - 4 for a in kernel.arguments)
    if welcome != written:
        yield (
            f"a run writes every word up to {_hex(written)}, the last argument of {_xml(KERNEL)};"
            f" by {HEADER} the kernel takes writes up to {_hex(welcome)}"
        )
    for place, argument in enumerate(kernel.arguments):
        if argument.index != place:
            yield f"{argument.name} is argument {argument.index} in {_xml(KERNEL)}, by offset {place} in {HEADER}"
        words = ["_LO", "_HI"] if argument.pointer else [""]
        if argument.size != 4 * len(words):
            yield f"{argument.name} has {argument.size} bytes in {_xml(KERNEL)}, {4 * len(words)} in {HEADER}"
        for n, word in enumerate(words):
            offset = header.get(argument.name + word)
            if offset != argument.offset + 4 * n:
                yield (
                    f"{argument.name + word} is at {_hex(offset)} in {HEADER}, at"
                    f" {_hex(argument.offset + 4 * n)} in {_xml(KERNEL)}"
                )


def _hex(offset: int | None) -> str:
    return "no offset" if offset is None else f"0x{offset:03X}"


def _signature(package: Package, kernel: Kernel) -> Iterator[str]:
    """The HLS kernel's signature and bundles against its kernel.xml."""
    pointers = _read(package, HLS, lambda text: read_function(text, GEOMETRY)).pointers
    have, want = [a.name for a in kernel.arguments], [p.name for p in pointers]
    if have != want:
        yield f"{HLS} takes {', '.join(want)}; {_xml(GEOMETRY)} has {', '.join(have)}"
        return
    for argument, pointer in zip(kernel.arguments, pointers, strict=True):
        port = f"m_axi_{pointer.bundle}"
        if argument.port != port:
            yield f"{HLS} puts {pointer.name} on {port}, {_xml(GEOMETRY)} on {argument.port}"
        place = (pointers.index(pointer), HLS_FIRST + HLS_STEP * pointers.index(pointer), 8)
        if (argument.index, argument.offset, argument.size) != place:
            yield (
                f"{GEOMETRY}.{argument.name} is argument {argument.index} at {_hex(argument.offset)} with"
                f" {argument.size} bytes in {_xml(GEOMETRY)}; by its place in {HLS} it is {place[0]} at"
                f" {_hex(place[1])} with 8"
            )
        if argument.type != f"{pointer.type}*":
            yield f"{pointer.name} is {pointer.type}* in {HLS}, {argument.type} in {_xml(GEOMETRY)}"


def _roles(package: Package, kernels: dict[str, Kernel]) -> Iterator[str]:
    """The driver's table of roles, and the port that it takes for the pixels', against kernel.xml."""
    named = re.search(r'^OUTPUT_PORT = "(\w+)"', package.text[XRT_IMAGE], re.M)
    pixels = kernels[KERNEL].argument("OUT_BASE").port
    if named is None or named[1] != pixels:
        yield f"{XRT_IMAGE} takes the pixels' width from {named and named[1]}, {_xml(KERNEL)} puts them on {pixels}"
    held = {place for places in package.roles.values() for place in places}
    for name, kernel in kernels.items():
        for argument in kernel.arguments:
            if argument.pointer and (name, argument.name) not in held:
                yield f"{_xml(name)} has the pointer {argument.name}, no role in {ROLES} does"
    for name, argument_name in sorted(held):
        pointers = {a.name for a in kernels[name].arguments if a.pointer} if name in kernels else set()
        if argument_name not in pointers:
            yield f"{ROLES} names {name}.{argument_name}, which is no pointer in {_xml(name)}"


def _board(package: Package, board: str, kernels: dict[str, Kernel]) -> Iterator[str]:
    """A card's connectivity.cfg and board.yaml, with each other, with the kernels and with the driver's roles."""
    cfg, facts_file = f"boards/{board}/connectivity.cfg", f"boards/{board}/board.yaml"
    facts = _read(package, facts_file, yaml.safe_load)
    config = _read(package, cfg, read_config)
    image: dict[str, Any] = facts["image"]["kernels"]
    banks = _read(package, facts_file, lambda _: banks_of(facts["memories"]))
    clock_hz = int(facts["clock_hz"]["value"])

    instances = {entry["instance"]: name for name, entry in image.items()}
    if config.instances != instances:
        yield f"{cfg} makes {_pairs(config.instances)}; {facts_file} has {_pairs(instances)}"
        return
    reach: dict[tuple[str, str], set[str]] = {}
    for name, entry in image.items():
        kernel, instance = kernels[name], entry["instance"]
        region = config.regions.get(instance)
        if region != entry["super_logic_region"]:
            yield f"{instance} is in {region} in {cfg}, in {entry['super_logic_region']} in {facts_file}"
        hertz = config.clocks.get((instance, CLOCK))
        if hertz != clock_hz:
            yield f"{instance}.{CLOCK} has {hertz} Hz in {cfg}, {clock_hz} in {facts_file}"
        memory = {port.name for port in kernel.ports if port.name != CONTROL}
        if memory != set(entry["ports"]):
            yield f"{name} has {_names(memory)} in {_xml(name)}, {_names(set(entry['ports']))} in {facts_file}"
            continue
        for argument in kernel.arguments:
            if not argument.pointer:
                continue
            linked = config.memories.get((instance, argument.name))
            stated = entry["ports"][argument.port]
            if linked != stated:
                yield (
                    f"{instance}.{argument.name} goes to {linked} in {cfg}, its port {argument.port} to {stated}"
                    f" in {facts_file}"
                )
            chosen = _read(package, cfg, lambda _, text=linked or stated: select(text, banks))
            reach[name, argument.name] = {bank.tag for bank in chosen}
    known = {(e["instance"], a.name) for name, e in image.items() for a in kernels[name].arguments if a.pointer}
    for instance, argument_name in sorted(config.memories.keys() - known):
        yield f"{cfg} connects {instance}.{argument_name}, which is no pointer of a kernel in {facts_file}"
    hls_hz = _read(package, HLS_CONFIG, read_config).kernel_clocks.get(GEOMETRY)
    if hls_hz != clock_hz:
        yield f"{HLS_CONFIG} schedules {GEOMETRY} for {hls_hz} Hz, {facts_file} clocks it with {clock_hz}"
    period = re.search(r"create_clock .*-period ([\d.]+)", package.text[CONSTRAINTS])
    if period is None or abs(float(period[1]) - 1e9 / clock_hz) > 0.001:
        yield f"{CONSTRAINTS} has a period of {period[1] if period else None} ns, {facts_file} {1e9 / clock_hz:.3f}"
    for role, places in package.roles.items():
        reached = [reach[place] for place in places if place in reach]
        if reached and not set.intersection(*reached):
            yield f"no bank of {cfg} is reached by all arguments of the role {role} in {ROLES}"


def _pairs(instances: dict[str, str]) -> str:
    return ", ".join(f"{name} of {kernel}" for name, kernel in sorted(instances.items()))


def _of_xo(path: Path) -> str:
    """Text of the kernel.xml inside a .xo, which is a zip."""
    with zipfile.ZipFile(path) as xo:
        names = [name for name in xo.namelist() if name.endswith("/kernel.xml") or name == "kernel.xml"]
        if len(names) != 1:
            raise ValueError(f"{path} holds {len(names)} files kernel.xml")
        return xo.read(names[0]).decode()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xo", type=Path, help="also compare the geometry kernel that v++ compiled")
    options = parser.parse_args(argv)
    package = load()
    lines = problems(package)
    if options.xo is not None:
        try:
            made = replace(package, text=package.text | {_xml(GEOMETRY): _of_xo(options.xo)})
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            lines.append(f"{options.xo} cannot be read: {error}")
        else:
            lines += [f"with {options.xo} for {_xml(GEOMETRY)}: {line}" for line in problems(made) if line not in lines]
    for line in lines:
        print(line)
    if not lines:
        print(f"{len(package.text)} files and the driver's roles agree")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
