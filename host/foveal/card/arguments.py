"""Arguments of the kernels in an xclbin: what a host sets before a run, in the order of their registers."""

from __future__ import annotations

from dataclasses import dataclass

from foveal.card import registers
from foveal.card.roles import GEOMETRY, KERNEL

__all__ = ["ARGUMENTS", "FIRST_ARGUMENT", "Argument"]

FIRST_ARGUMENT = 0x10
"""Byte offset of the first argument register; CTRL, GIE, IER and ISR before it belong to the runtime."""

HLS_POINTERS = [
    "position",
    "triangle",
    "mesh",
    "instance",
    "region",
    "frame",
    "staging",
    "record",
    "band",
    "statistics",
]
"""Arguments of the geometry kernel (hw/hls/geometry.hpp), in their order; all are pointers."""

HLS_STRIDE = 12
"""Bytes from one 64-bit argument register of an HLS kernel to the next: two words and a reserved one."""


@dataclass(frozen=True, slots=True)
class Argument:
    """name, its index in the kernel's signature, byte offset and size of its register; pointer: takes a buffer."""

    index: int
    name: str
    offset: int
    size: int
    pointer: bool


def _kernel_arguments() -> tuple[Argument, ...]:
    """Every register from FIRST_ARGUMENT on that can be written, but CTRL_RESET: no run shall reset the kernel."""
    found: list[Argument] = []
    for register in registers.REGISTERS:
        if register.offset < FIRST_ARGUMENT or "w" not in register.access or register.name == "CTRL_RESET":
            continue
        base, low, half = register.name.rpartition("_BASE_")
        if low and half == "HI":
            continue
        name = f"{base}_BASE" if low else register.name
        found.append(Argument(len(found), name, register.offset, 8 if low else 4, bool(low)))
    return tuple(found)


ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    KERNEL: _kernel_arguments(),
    GEOMETRY: tuple(
        Argument(index, name, FIRST_ARGUMENT + HLS_STRIDE * index, 8, True) for index, name in enumerate(HLS_POINTERS)
    ),
}
"""By the kernel's name. Addresses are pointers of 64 bits; all else is a scalar of 32 bits, regions too."""
