"""Write the views of the register map: ``python hw/regmap.py`` (``--check`` only compares).

The source is ``hw/rtl/foveal.rdl``; the views are a Verilog header, a Python module, a C++ header and a page of text.
They are committed, because readers and builds need them without the SystemRDL compiler; a test keeps them fresh.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes import OnReadType

__all__ = ["Field", "Register", "load", "views"]

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "hw" / "rtl" / "foveal.rdl"
NOTE = "Written by hw/regmap.py from hw/rtl/foveal.rdl; do not edit."


@dataclass(frozen=True)
class Field:
    """Bits of a register. `access` is rw, r, w (write 1 to act), rc (cleared by reading), rs, rt (1 sets, toggles)."""

    name: str
    lsb: int
    width: int
    access: str
    reset: int
    signed: bool
    text: str

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.lsb


@dataclass(frozen=True)
class Register:
    """A 32-bit register at byte `offset`. `counter` is frame, total, or empty for other registers.

    points_to: of the low half of an address, the memory port that it is used on; else empty.
    """

    name: str
    offset: int
    fields: tuple[Field, ...]
    counter: str
    points_to: str
    text: str

    @property
    def reset(self) -> int:
        return sum(field.reset << field.lsb for field in self.fields)

    @property
    def access(self) -> str:
        """rw, r or w: what software may do at all."""
        means = {"rc": "r", "rs": "rw", "rt": "rw"}
        able = {letter for field in self.fields for letter in means.get(field.access, field.access)}
        return "".join(letter for letter in "rw" if letter in able)

    @property
    def kept(self) -> int:
        """Bits that keep what is written until it is written again."""
        return sum(field.mask for field in self.fields if field.access == "rw")


def _field(node: FieldNode) -> Field:
    access = node.get_property("sw").name
    if node.get_property("onread") is OnReadType.rclr:
        access = "rc"
    onwrite, reset = node.get_property("onwrite"), node.get_property("reset")
    if onwrite is not None:
        access = {"woset": "rs", "wot": "rt"}[onwrite.name]
    return Field(
        name=node.inst_name,
        lsb=node.lsb,
        width=node.width,
        access=access,
        reset=reset if isinstance(reset, int) else 0,
        signed=bool(node.get_property("is_signed", default=False)),
        text=node.get_property("desc") or "",
    )


def _register(node: RegNode) -> Register:
    name = node.inst_name
    parent = node.parent
    if parent is not None and parent.is_array and parent.current_idx is not None:
        name = f"{parent.inst_name}_{parent.current_idx[0]}_{name}"
    return Register(
        name=name,
        offset=node.absolute_address,
        fields=tuple(_field(field) for field in node.fields()),
        counter=node.get_property("counts", default="") or "",
        points_to=node.get_property("points_to", default="") or "",
        text=node.get_property("desc") or "",
    )


def load(source: Path = SOURCE) -> tuple[Register, ...]:
    """All registers by ascending offset; the compiler refuses overlaps and unknown properties."""
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    top = compiler.elaborate(top_def_name="foveal").top
    registers = [_register(node) for node in top.descendants(unroll=True) if isinstance(node, RegNode)]
    return tuple(sorted(registers, key=lambda register: register.offset))


def _counters(registers: tuple[Register, ...], kind: str) -> list[Register]:
    return [register for register in registers if register.counter == kind]


def _field_pairs(register: Register) -> list[tuple[str, Field]]:
    """(REGISTER_FIELD, field) of the registers that are more than one plain word."""
    if register.name.startswith("ROI_") and register.name[4].isdigit():
        return []
    return [(f"{register.name}_{f.name.upper()}", f) for f in register.fields if f.name != "value"]


def _last_writable(registers: tuple[Register, ...]) -> int:
    """Byte offset of the last register that software may write: the RTL takes writes of all words up to it."""
    return max(register.offset for register in registers if "w" in register.access)


def _kept_words(registers: tuple[Register, ...]) -> list[tuple[int, int]]:
    """Bits that keep what is written, and their values after reset, of each word from offset 0 to the last region.

    The RTL cuts the words of regions that it is built without off the end, so the regions must be the last ones.
    """
    at = {register.offset: register for register in registers if register.kept}
    last = max(at)
    if not at[last].name.startswith("ROI_"):
        raise ValueError(f"{at[last].name} keeps what is written and lies behind the regions")
    words = [at.get(offset) for offset in range(0, last + 4, 4)]
    return [(word.kept, word.reset & word.kept) if word else (0, 0) for word in words]


def _verilog_words(name: str, words: list[int]) -> list[str]:
    """A macro that is one vector, the word of the lowest offset in its lowest bits."""
    rows = [words[start : start + 8] for start in range(0, len(words), 8)]
    text = [", ".join(f"32'h{word:08X}" for word in reversed(row)) for row in reversed(rows)]
    return [f"`define {name} {{ \\", *(f"  {row}, \\" for row in text[:-1]), f"  {text[-1]} }}"]


def verilog(registers: tuple[Register, ...]) -> str:
    lines = [f"// {NOTE}", "`ifndef FOVEAL_REGS_VH", "`define FOVEAL_REGS_VH", "", "// byte offsets"]
    lines += [f"`define FOVEAL_REG_{r.name} 12'h{r.offset:03X}" for r in registers]
    lines += ["", "// byte offset of the last register that may be written"]
    lines += [f"`define FOVEAL_LAST_WRITABLE 12'h{_last_writable(registers):03X}"]
    lines += ["", "// bit positions and widths of fields"]
    for register in registers:
        for name, field in _field_pairs(register):
            lines.append(f"`define FOVEAL_{name}_LSB {field.lsb}")
            if field.width > 1:
                lines.append(f"`define FOVEAL_{name}_WIDTH {field.width}")
    lines += ["", "// values after reset"]
    lines += [f"`define FOVEAL_DEFAULT_{r.name} 32'h{r.reset:08X}" for r in registers if r.reset]
    kept = _kept_words(registers)
    lines += ["", "// words up to the last region: which bits keep what is written, and their values after reset"]
    lines += _verilog_words("FOVEAL_KEPT_BITS", [bits for bits, _ in kept])
    lines += _verilog_words("FOVEAL_KEPT_RESET", [reset for _, reset in kept])
    for kind in ("frame", "total"):
        counters = _counters(registers, kind)
        lines += ["", f"// {kind} counters: word of each in the packed bus, and their number"]
        lines += [f"`define FOVEAL_COUNTER_{r.name} {index}" for index, r in enumerate(counters)]
        lines.append(f"`define FOVEAL_{kind.upper()}_COUNTERS {len(counters)}")
    return "\n".join([*lines, "", "`endif", ""])


def cplusplus(registers: tuple[Register, ...]) -> str:
    lines = [f"// {NOTE}", "#pragma once", "", "#include <cstdint>", "", "namespace foveal::regs {", ""]
    lines += [f"inline constexpr std::uint32_t {r.name} = 0x{r.offset:03X};" for r in registers]
    lines.append("")
    for register in registers:
        for name, field in _field_pairs(register):
            lines.append(f"inline constexpr std::uint32_t {name}_MASK = 0x{field.mask:08X};")
            lines.append(f"inline constexpr unsigned {name}_SHIFT = {field.lsb};")
    lines.append("")
    lines += [f"inline constexpr std::uint32_t DEFAULT_{r.name} = 0x{r.reset:08X};" for r in registers if r.reset]
    lines.append("")
    lines += [
        f"inline constexpr unsigned {kind.upper()}_COUNTERS = {len(_counters(registers, kind))};"
        for kind in ("frame", "total")
    ]
    lines += [
        "",
        "inline constexpr std::uint32_t roi_lo(unsigned n) { return ROI_0_LO + 8 * n; }",
        "inline constexpr std::uint32_t roi_hi(unsigned n) { return ROI_0_HI + 8 * n; }",
        "",
        "}  // namespace foveal::regs",
    ]
    return "\n".join([*lines, ""])


PYTHON_TYPES = '''
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """Bits of a register. `access` is rw, r, w (write 1 to act), rc (cleared by reading), rs, rt (1 sets, toggles)."""

    name: str
    lsb: int
    width: int
    access: str
    signed: bool
    text: str


@dataclass(frozen=True)
class Register:
    """A 32-bit register at byte `offset`; `access` is what software may do: rw, r or w."""

    name: str
    offset: int
    access: str
    reset: int
    fields: tuple[Field, ...]
    text: str


def roi_lo(n: int) -> int:
    """Byte offset of the register that holds x0 and y0 of region `n`, 0..15."""
    if not 0 <= n < ROI_COUNT:
        raise ValueError(f"region {n} is outside 0..{ROI_COUNT - 1}")
    return ROI_0_LO + 8 * n


def roi_hi(n: int) -> int:
    """Byte offset of the register that holds x1 and y1 of region `n`, 0..15."""
    return roi_lo(n) + 4

'''


def python(registers: tuple[Register, ...]) -> str:
    """Module text as ruff formats it (offsets, masks and shifts by name, then the tables)."""
    rois = sum(r.name.startswith("ROI_") and r.name.endswith("_LO") for r in registers)
    lines = [
        f'"""Registers of the kernel: byte offsets, field masks, and tables.\n\n{NOTE}\n"""',
        PYTHON_TYPES,
        f"ROI_COUNT = {rois}",
        "",
        "# byte offsets",
    ]
    lines += [f"{r.name} = 0x{r.offset:03X}" for r in registers]
    lines += ["", "# field masks and shifts"]
    for register in registers:
        for name, field in _field_pairs(register):
            lines += [f"{name}_MASK = 0x{field.mask:08X}", f"{name}_SHIFT = {field.lsb}"]
    lines += ["", "# values after reset, of registers whose value is not 0"]
    lines += [f"DEFAULT_{r.name} = 0x{r.reset:08X}" for r in registers if r.reset]
    for kind, text in (("frame", "of the last frame"), ("total", "since reset")):
        lines += ["", f"# counters {text}, by ascending offset", f"{kind.upper()}_COUNTERS: tuple[str, ...] = ("]
        lines += [f'    "{r.name}",' for r in _counters(registers, kind)] + [")"]
    lines += ["COUNTERS: tuple[str, ...] = FRAME_COUNTERS + TOTAL_COUNTERS", "", "# fmt: off"]
    lines.append("REGISTERS: tuple[Register, ...] = (")
    for r in registers:
        lines.append(f'    Register("{r.name}", 0x{r.offset:03X}, "{r.access}", 0x{r.reset:08X}, (')
        lines += [
            f'        Field("{f.name}", {f.lsb}, {f.width}, "{f.access}", {f.signed},\n              "{f.text}"),'
            for f in r.fields
        ]
        lines.append(f'    ), "{r.text}"),')
    lines += [
        ")",
        "# fmt: on",
        "",
        "OFFSETS: dict[str, int] = {register.name: register.offset for register in REGISTERS}",
    ]
    return "\n".join([*lines, ""])


ACCESS_TEXT = {"rw": "read, write", "r": "read", "w": "write 1", "rc": "read clears"}
ACCESS_TEXT |= {"rs": "write 1 sets", "rt": "write 1 toggles"}


def markdown(registers: tuple[Register, ...]) -> str:
    lines = ["# Registers", "", f"{NOTE} All registers are 32 bits wide. Reserved bits read 0.", ""]
    lines += ["| offset | register | bits | field | access | reset | meaning |", "|---|---|---|---|---|---|---|"]
    for register in registers:
        roi = register.name.startswith("ROI_") and register.name[4].isdigit()
        if roi and not register.name.startswith("ROI_0_"):
            continue
        offset, name = f"0x{register.offset:03X}", register.name
        if roi:
            offset, name = f"{offset} + 8n", f"{name.replace('_0_', '_n_')} (n = 0..15)"
        for index, field in enumerate(register.fields):
            bits = str(field.lsb) if field.width == 1 else f"{field.lsb + field.width - 1}:{field.lsb}"
            label = "" if field.name == "value" else field.name
            text = register.text if field.name == "value" else field.text
            if index == 0 and label:
                text = f"*{register.text}* {text}"
            reset = str(field.reset) if field.reset < 100000 else f"0x{field.reset:08X}"
            signed = ", signed" if field.signed else ""
            first = (offset, name) if index == 0 else ("", "")
            access = ACCESS_TEXT[field.access] + signed
            lines.append(f"| {first[0]} | {first[1]} | {bits} | {label} | {access} | {reset} | {text} |")
    return "\n".join([*lines, ""])


def views(registers: tuple[Register, ...]) -> dict[Path, str]:
    """Path of each generated file and its text."""
    return {
        ROOT / "hw" / "rtl" / "foveal_regs.vh": verilog(registers),
        ROOT / "host" / "foveal" / "card" / "registers.py": python(registers),
        ROOT / "hw" / "hls" / "foveal_regs.h": cplusplus(registers),
        ROOT / "hw" / "REGISTERS.md": markdown(registers),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a view is not fresh")
    options = parser.parse_args(argv)
    stale = [path for path, text in views(load()).items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(views(load())[path])
        print(("stale " if options.check else "wrote ") + str(path.relative_to(ROOT)))
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
