"""The device backend "cosim": the card's driver on the co-simulated card."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from foveal.card import FovealDriver, load_board
from foveal.channel import Channel
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList
from foveal.errors import DeviceNotFound, SceneError
from foveal.frame import Frame
from foveal.region import RegionSet

from foveal_sim.cosim.faults import Fault, parse_faults
from foveal_sim.cosim.memory import MemoryTiming

if TYPE_CHECKING:
    from foveal_sim.cosim.card import CosimCard
    from foveal_sim.cosim.geometry import CosimGeometry

__all__ = ["CosimDevice", "open_cosim"]


class CosimDevice(FovealDriver):
    """The driver, with what only a simulation can do to a frame."""

    spoil_next: tuple[int, int] | None = None
    """(x, y): flip a bit of this pixel in the next frame, once, so that a benchmark can prove that it would notice."""

    wave_next: Path | None = None
    """Write the waves of the next frame there, once: from its first register access to its last. Needs waves=True."""

    def __init__(self, card: CosimCard, geometry: CosimGeometry, info: DeviceInfo, **options: Any) -> None:
        super().__init__(card, geometry, info, **options)
        self._wave = card.wave

    def render(
        self, draw: DrawList, regions: RegionSet, depth: bool = False, *, channels: Channel = Channel.COLOUR
    ) -> Frame:
        path, self.wave_next = self.wave_next, None
        with self._wave(path) if path is not None else nullcontext():
            return self._spoil(super().render(draw, regions, depth, channels=channels))

    def stream(
        self,
        requests: Iterable[tuple[DrawList, RegionSet]],
        *,
        depth: bool = False,
        counters: bool = False,
        channels: Channel = Channel.COLOUR,
    ) -> Generator[Frame]:
        with closing(super().stream(requests, depth=depth, counters=counters, channels=channels)) as frames:
            for frame in frames:
                yield self._spoil(frame)

    def _spoil(self, frame: Frame) -> Frame:
        if self.spoil_next is not None:
            frame = replace(frame, pixels=_spoiled(frame.pixels, *self.spoil_next))
            self.spoil_next = None
        return frame


def open_cosim(
    *,
    board: str = "u280",
    clock_hz: float | None = None,
    memory_bytes: int = 256 << 20,
    timing: MemoryTiming | None = None,
    deadline_s: float = 0.1,
    strided: bool = False,
    waves: bool = False,
    faults: str | Fault | Iterable[str | Fault] = (),
) -> CosimDevice:
    """Open a co-simulated card.

    board: whose PCIe and memory figures the models use. clock_hz: by default that of the board's facts.
    timing: the memory's, by default one HBM pseudo channel a port. deadline_s: longest frame in simulated time.
    strided: pixels at their place in a full frame instead of packed.
    waves: use a slower model of the same RTL, whose frames can write waves (CosimDevice.wave_next).
    faults: what shall go wrong and when, as "hang@3" or "slverr:gmem1@5, off_the_bus@9" (foveal_sim.cosim.FAULTS).
    Raises DeviceNotFound when the compiled model is missing, the board is unknown or a fault is.
    """
    try:
        from foveal_sim.cosim.card import CosimCard
        from foveal_sim.cosim.geometry import CosimGeometry
    except ImportError as error:
        raise DeviceNotFound(
            f"the co-simulation module is not built ({error}); install the wheel: pip install ."
        ) from error
    facts = load_board(board)
    card = CosimCard(
        facts,
        clock_hz=clock_hz or facts.clock_hz.value,
        memory_bytes=memory_bytes,
        timing=timing,
        waves=waves,
        faults=parse_faults(faults),
    )
    info = DeviceInfo("cosim", f"{facts.name} (co-simulated RTL)", "fpga", card.describe())
    return CosimDevice(card, CosimGeometry(card), info, deadline_s=deadline_s, strided=strided)


def _spoiled(pixels: np.ndarray, x: int, y: int) -> np.ndarray:
    height, width = pixels.shape[:2]
    if not (0 <= x < width and 0 <= y < height):
        raise SceneError(f"the pixel to spoil, ({x}, {y}), is outside the {width}x{height} frame")
    spoiled = pixels.copy()
    spoiled[y, x, 1] ^= 1
    return spoiled
