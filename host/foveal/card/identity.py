"""Is it our kernel, and one that this driver understands?"""

from __future__ import annotations

from dataclasses import dataclass

from foveal.card import registers
from foveal.card.card import Card
from foveal.card.status import ALL_ONES, GONE
from foveal.errors import DeviceError
from foveal.geometry import BAND_ROWS
from foveal.region import MAX_REGIONS

__all__ = ["VERSION_MAJOR", "Identity", "check_id", "identify"]

VERSION_MAJOR = registers.DEFAULT_VERSION >> registers.VERSION_MAJOR_SHIFT
"""Major version of the register map that this driver was written for."""


@dataclass(frozen=True, slots=True)
class Identity:
    """version: major, minor. ppc: pixels a clock, the output bus is 4 ppc bytes wide. texture_pages: room on chip."""

    version: tuple[int, int]
    ppc: int
    texture_pages: int


def check_id(card: Card) -> None:
    """Raises DeviceError when no Foveal kernel answers."""
    found = card.read(registers.ID)
    if found == ALL_ONES:
        raise DeviceError(GONE)
    if found != registers.DEFAULT_ID:
        raise DeviceError(
            f"the card answers ID 0x{found:08X}, not 0x{registers.DEFAULT_ID:08X}: it does not hold a Foveal kernel; "
            "program it with the xclbin of this release"
        )


def identify(card: Card) -> Identity:
    """Read and check ID, VERSION and CONFIG. Raises DeviceError when another kernel, or another version, answers."""
    check_id(card)
    version = card.read(registers.VERSION)
    major, minor = version >> registers.VERSION_MAJOR_SHIFT, version & registers.VERSION_MINOR_MASK
    if major != VERSION_MAJOR:
        raise DeviceError(
            f"the kernel has register map {major}.{minor}, this driver speaks {VERSION_MAJOR}.x; "
            "install the driver and the xclbin of the same release"
        )
    config = card.read(registers.CONFIG)
    ppc = config & registers.CONFIG_PPC_MASK
    regions = (config & registers.CONFIG_REGIONS_MASK) >> registers.CONFIG_REGIONS_SHIFT
    band_rows = (config & registers.CONFIG_BAND_ROWS_MASK) >> registers.CONFIG_BAND_ROWS_SHIFT
    if regions != MAX_REGIONS or band_rows != BAND_ROWS or ppc not in (1, 2, 4, 8, 16):
        raise DeviceError(
            f"the kernel was built for {regions} regions, bands of {band_rows} rows and {ppc} pixels a clock; "
            f"this driver needs {MAX_REGIONS} regions, {BAND_ROWS} rows and 1, 2, 4, 8 or 16 pixels"
        )
    texture_pages = (config & registers.CONFIG_TEX_SLOTS_MASK) >> registers.CONFIG_TEX_SLOTS_SHIFT
    # The field is of register map 1.1; before, its bits were reserved and read 0, as without a store.
    return Identity((major, minor), ppc, texture_pages)
