"""The interface of an HLS kernel, read from its C++ source: pointer arguments, their types and their bundles."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["HLS_FIRST", "HLS_STEP", "HlsFunction", "Pointer", "read_function"]

HLS_FIRST, HLS_STEP = 0x10, 12
"""Offset of a kernel's first pointer, and bytes to the next: two words and a reserved one."""


@dataclass(frozen=True)
class Pointer:
    """A pointer argument; bundle: the m_axi bundle that its pragma names."""

    name: str
    type: str
    bundle: str


@dataclass(frozen=True)
class HlsFunction:
    name: str
    pointers: tuple[Pointer, ...]


def read_function(text: str, name: str) -> HlsFunction:
    """The definition of the extern "C" function `name` with its INTERFACE pragmas.

    Raises ValueError when it is missing, an argument is no pointer, or arguments and m_axi pragmas do not pair up.
    """
    match = re.search(rf'extern "C" void {name}\(([^)]*)\)\s*\{{', text)
    if match is None:
        raise ValueError(f'there is no definition of extern "C" void {name}(...)')
    types: dict[str, str] = {}
    for argument in match[1].split(","):
        found = re.fullmatch(r"(?:const\s+)?(?:foveal::)?(\w+)\s*\*\s*(\w+)", argument.strip())
        if found is None:
            raise ValueError(f"{name}: {argument.strip()!r} is not a plain pointer")
        types[found[2]] = found[1]
    body = text[match.end() :]
    bundles: dict[str, str] = {}
    for line in re.findall(r"#pragma HLS INTERFACE m_axi (.*)", body):
        keys = dict(re.findall(r"(\w+)\s*=\s*(\w+)", line))
        bundles[keys["port"]] = keys["bundle"]
        if keys.get("offset") != "slave":
            raise ValueError(f"{name}: argument {keys['port']} has no offset = slave")
    if types.keys() != bundles.keys():
        odd = ", ".join(sorted(types.keys() ^ bundles.keys()))
        raise ValueError(f"{name}: {odd}: arguments and m_axi pragmas do not pair up")
    for mode in ("s_axilite", "ap_ctrl_hs"):
        if not re.search(rf"#pragma HLS INTERFACE {mode} port = return\b", body):
            raise ValueError(f"{name}: no {mode} pragma for return")
    return HlsFunction(name, tuple(Pointer(key, types[key], bundles[key]) for key in types))
