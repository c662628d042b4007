"""Write boards/kernel/*.xml, what v++ and XRT know of the kernels: ``python hw/packaging/kernel_xml.py`` (``--check``).

foveal_kernel: from hw/rtl/foveal.rdl. Registers that software may write, from 0x010 on, are its arguments, except
CTRL_RESET; an address is one argument of eight bytes, anything else one of four. XRT writes all words from 0x010 to
the last argument in one go, in ascending order, so ROI_COMMIT behind the regions commits them.

geometry: from its C++ signature and pragmas. Vitis HLS writes the kernel.xml that is used; this one is what it is
expected to write (64-bit pointers from 0x10, 12 bytes apart), for hosts without the tool and for consistency.py.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(ROOT / "hw"))

import regmap  # noqa: E402
from hls_source import HLS_FIRST, HLS_STEP, HlsFunction, read_function  # noqa: E402

__all__ = ["geometry_xml", "kernel_xml", "views"]

FIRST_ARGUMENT = 0x010
NO_ARGUMENT = "CTRL_RESET"
"""No run shall reset the kernel."""

OUT_PORT, BEAT_BITS = "m_axi_gmem1", 512
"""The pixel port has 32 bits a pixel of a clock; the others take records, tables and pages in beats of 64 bytes."""


@dataclass(frozen=True)
class Row:
    name: str
    port: str
    offset: int
    size: int
    type: str


def _rtl_rows(registers: tuple[regmap.Register, ...]) -> list[Row]:
    rows = []
    for register in registers:
        if register.offset < FIRST_ARGUMENT or "w" not in register.access or register.name == NO_ARGUMENT:
            continue
        if register.points_to:
            rows.append(Row(register.name.removesuffix("_LO"), register.points_to, register.offset, 8, "void*"))
        elif not (rows and rows[-1].size == 8 and register.offset == rows[-1].offset + 4):
            signed = any(field.signed for field in register.fields)
            rows.append(Row(register.name, "s_axi_control", register.offset, 4, "int" if signed else "uint"))
    return rows


def _text(name: str, language: str, widths: dict[str, int], rows: list[Row], note: str) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- {note} -->",
        '<root versionMajor="1" versionMinor="6">',
        f'  <kernel name={quoteattr(name)} language="{language}" vlnv="foveal:kernel:{name}:1.0" attributes=""'
        ' preferredWorkGroupSizeMultiple="0" workGroupSize="1" interrupt="true" hwControlProtocol="ap_ctrl_hs">',
        "    <ports>",
        '      <port name="s_axi_control" mode="slave" range="0x1000" dataWidth="32"'
        ' portType="addressable" base="0x0"/>',
    ]
    lines += [
        f'      <port name="{port}" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="{width}"'
        ' portType="addressable" base="0x0"/>'
        for port, width in sorted(widths.items())
    ]
    lines += ["    </ports>", "    <args>"]
    for index, row in enumerate(rows):
        qualifier = 0 if row.port == "s_axi_control" else 1
        lines.append(
            f'      <arg name="{row.name}" addressQualifier="{qualifier}" id="{index}" port="{row.port}"'
            f' size="0x{row.size:X}" offset="0x{row.offset:03X}" hostOffset="0x0" hostSize="0x{row.size:X}"'
            f' type="{row.type}"/>'
        )
    lines += ["    </args>", "  </kernel>", "</root>", ""]
    return "\n".join(lines)


def kernel_xml(registers: tuple[regmap.Register, ...]) -> str:
    """kernel.xml of the RTL kernel at its default parameters."""
    config = next(register for register in registers if register.name == "CONFIG")
    ppc = next(field.reset for field in config.fields if field.name == "ppc")
    ports = {register.points_to for register in registers if register.points_to}
    widths = {port: 32 * ppc if port == OUT_PORT else BEAT_BITS for port in ports}
    note = "Written by hw/packaging/kernel_xml.py from hw/rtl/foveal.rdl; do not edit."
    return _text("foveal_kernel", "ip_c", widths, _rtl_rows(registers), note)


def geometry_xml(function: HlsFunction) -> str:
    """The kernel.xml that Vitis HLS is expected to write for `function`."""
    rows = [
        Row(p.name, f"m_axi_{p.bundle}", HLS_FIRST + HLS_STEP * n, 8, f"{p.type}*")
        for n, p in enumerate(function.pointers)
    ]
    widths = {row.port: BEAT_BITS for row in rows}
    note = "Expected of Vitis HLS; written by hw/packaging/kernel_xml.py from hw/hls/geometry.cpp; do not edit."
    return _text(function.name, "c", widths, rows, note)


def views() -> dict[Path, str]:
    """Path of each generated file and its text."""
    folder = ROOT / "boards" / "kernel"
    geometry = read_function((ROOT / "hw" / "hls" / "geometry.cpp").read_text(), "geometry")
    return {
        folder / "foveal_kernel.xml": kernel_xml(regmap.load()),
        folder / "geometry.xml": geometry_xml(geometry),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not fresh")
    options = parser.parse_args(argv)
    stale = [(path, text) for path, text in views().items() if not path.is_file() or path.read_text() != text]
    for path, text in stale:
        if not options.check:
            path.write_text(text)
        print(("stale " if options.check else "wrote ") + str(path.relative_to(ROOT)))
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
