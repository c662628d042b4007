"""Register values of a frame; a value that the kernel already holds is not written again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from foveal.card import registers
from foveal.card.card import Card
from foveal.card.identity import check_id
from foveal.card.status import ALL_ONES
from foveal.drawlist import DrawList
from foveal.errors import DeviceError, DeviceTimeout
from foveal.region import MAX_REGIONS, RegionSet
from foveal.residency import ZoneWindow, centimetres

__all__ = ["Program", "region_words"]


def region_words(regions: RegionSet) -> list[tuple[int, int]]:
    """(x0 | y0 << 16, x1 | y1 << 16) of all 16 register pairs; unused ones are 0 and hold nothing."""
    words = [(r.x0 | r.y0 << 16, r.x1 | r.y1 << 16) for r in regions]
    return words + [(0, 0)] * (MAX_REGIONS - len(words))


class Program:
    """The registers of one kernel, with what was last written to them.

    reads, writes: accesses so far. All of them may be made while a frame runs: it keeps the values that it began with.
    """

    def __init__(self, card: Card) -> None:
        self._card = card
        self._held: dict[int, int] = {}
        self.reads = self.writes = 0

    def read(self, offset: int) -> int:
        """Read a register. Raises DeviceError, also when the card is no longer there or holds another kernel."""
        self.reads += 1
        with self._explained():
            value = self._card.read(offset)
        if value == ALL_ONES:
            check_id(self._card)
        return value

    def act(self, offset: int, value: int) -> None:
        """Write a register that does something when it is written."""
        self.writes += 1
        with self._explained():
            self._card.write(offset, value)

    def set(self, offset: int, value: int) -> None:
        """Write `value`, signed or unsigned, where it differs from what the register holds."""
        value &= 0xFFFFFFFF
        if self._held.get(offset) != value:
            self.act(offset, value)
            self._held[offset] = value

    def set_address(self, low: int, address: int) -> None:
        """A 64-bit address in the register pair that starts at `low`."""
        self.set(low, address)
        self.set(low + 4, address >> 32)

    def set_draw(self, draw: DrawList, background: tuple[int, int, int]) -> None:
        """Size, ego and zone of `draw`, all finite; R, G, B of where nothing is drawn."""
        self.set(registers.WIDTH, draw.width)
        self.set(registers.HEIGHT, draw.height)
        red, green, blue = background
        self.set(registers.BACKGROUND, int(np.array([red, green, blue, 0], np.uint8).view("<u4")[0]))
        window = ZoneWindow.of(draw.zone)
        self.set(registers.EGO_X, centimetres(draw.ego[0]))
        self.set(registers.EGO_Y, centimetres(draw.ego[1]))
        for name in ("x0", "y0", "x1", "y1", "margin"):
            self.set(registers.OFFSETS[f"ZONE_{name.upper()}"], getattr(window, name))

    def set_regions(self, regions: RegionSet) -> None:
        """Write the set's changed words, read each back, and commit. Raises DeviceError when one reads differently."""
        changed = []
        for n, words in enumerate(region_words(regions)):
            for offset, value in zip((registers.roi_lo(n), registers.roi_hi(n)), words, strict=True):
                if self._held.get(offset) != value:
                    self.set(offset, value)
                    changed.append((offset, value))
        for offset, value in changed:
            found = self.read(offset)
            if found != value:
                raise DeviceError(
                    f"region register 0x{offset:03X} reads 0x{found:08X} after 0x{value:08X} was written; "
                    "the set was not committed"
                )
        self.act(registers.ROI_COMMIT, 1)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Who answers with an error may be another kernel."""
        try:
            yield
        except DeviceTimeout:
            raise
        except DeviceError:
            check_id(self._card)
            raise
