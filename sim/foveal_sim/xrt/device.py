"""Device, image and UUID in pyxrt's shape."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from foveal.errors import XclbinError
from foveal.xclbin import read_file, read_image
from foveal.xclbin.sections import Memory

from foveal_sim.xrt.world import World

__all__ = ["KEYS", "SimulatedDevice", "SimulatedUuid", "SimulatedXclbin"]


KEYS = ("bdf", "name", "max_clock_frequency_mhz", "platform", "electrical", "thermal")
"""Of xrt_info_device, as far as they mean something here."""


FOREIGN_UUID = "12345678-0000-0000-0000-000000000000"
"""Of the image on a card that holds another kernel."""


class SimulatedUuid:
    def __init__(self, text: str) -> None:
        self._text = text

    def to_string(self) -> str:
        return self._text


class SimulatedXclbin:
    """An image file."""

    def __init__(self, path: str) -> None:
        try:
            self.image = read_image(read_file(Path(path)))
        except XclbinError as error:
            raise RuntimeError(f"Invalid xclbin: {error}") from error

    def get_uuid(self) -> SimulatedUuid:
        return SimulatedUuid(str(self.image.uuid))

    def get_mems(self) -> list[Any]:
        """The table of groups, as XRT does."""
        return [_memory(index, memory) for index, memory in enumerate(self.image.groups or self.image.memories)]


class SimulatedDevice:
    world: World

    def __init__(self, index: int) -> None:
        if index:
            raise RuntimeError(f"Could not open device with index '{index}'")

    def load_xclbin(self, image: SimulatedXclbin) -> SimulatedUuid:
        world = self.world
        if world.loaded != str(image.image.uuid) and len(world.kernels):
            raise RuntimeError("failed to load xclbin: Device or resource busy")
        world.image = image.image
        return image.get_uuid()

    def get_xclbin_uuid(self) -> SimulatedUuid:
        if self.world.card.faults.foreign:
            return SimulatedUuid(FOREIGN_UUID)
        return SimulatedUuid(self.world.loaded)

    def get_info(self, key: str) -> str:
        board = self.world.board
        clock = f"{self.world.card.clock_hz / 1e6:g}"
        clocks = [{"id": "DATA_CLK", "description": "Data", "freq_mhz": clock}]
        return {
            "bdf": "0000:00:00.0",
            "name": f"{board.platform} (co-simulated)",
            "max_clock_frequency_mhz": clock,
            "platform": json.dumps({"platforms": [{"clocks": clocks}]}),
            "electrical": json.dumps({"power_consumption_watts": "N/A"}),
            "thermal": json.dumps({"thermals": []}),
        }[key]


def _memory(index: int, memory: Memory) -> Any:
    return SimpleNamespace(
        get_index=lambda: index,
        get_tag=lambda: memory.tag,
        get_base_address=lambda: memory.base,
        get_size_kb=lambda: memory.size >> 10,
        get_used=lambda: memory.used,
    )
