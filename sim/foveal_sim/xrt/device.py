"""Device, image and UUID in pyxrt's shape."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from foveal.card.kernel import load_kernel

if TYPE_CHECKING:
    from foveal_sim.xrt.library import World

__all__ = ["KEYS", "SimulatedDevice", "SimulatedUuid", "SimulatedXclbin"]


KEYS = ("bdf", "name", "max_clock_frequency_mhz", "platform", "electrical", "thermal")
"""Of xrt_info_device, as far as they mean something here."""


class SimulatedUuid:
    def __init__(self, text: str) -> None:
        self._text = text

    def to_string(self) -> str:
        return self._text


class SimulatedXclbin:
    """An image file. Its memories and connections are those of the board that is simulated."""

    world: World

    def __init__(self, path: str) -> None:
        content = Path(path).read_bytes()
        if not content.startswith(b"xclbin2\0"):
            raise RuntimeError("Invalid xclbin")
        self.identity = str(uuid.UUID(bytes=hashlib.sha256(content).digest()[:16]))
        self._names = re.findall(rb'<kernel name="(\w+)"', content)

    def get_uuid(self) -> SimulatedUuid:
        return SimulatedUuid(self.identity)

    def get_kernels(self) -> list[Any]:
        return [_kernel(name.decode()) for name in self._names]

    def get_mems(self) -> list[Any]:
        return [_memory(index, banks) for index, banks in enumerate(self.world.groups())]


class SimulatedDevice:
    world: World

    def __init__(self, index: int) -> None:
        if index:
            raise RuntimeError(f"Could not open device with index '{index}'")

    def load_xclbin(self, image: SimulatedXclbin) -> SimulatedUuid:
        world = self.world
        if world.loaded != image.identity and len(world.kernels):
            raise RuntimeError("failed to load xclbin: Device or resource busy")
        world.loaded = image.identity
        return image.get_uuid()

    def get_xclbin_uuid(self) -> SimulatedUuid:
        return SimulatedUuid(self.world.loaded or str(uuid.UUID(int=0)))

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


def _kernel(name: str) -> Any:
    count = len(load_kernel(name).arguments)
    return SimpleNamespace(get_name=lambda: name, get_num_args=lambda: count)


def _memory(index: int, banks: Any) -> Any:
    first, last, size = banks[0], banks[-1], sum(bank.size for bank in banks)
    tag = first.tag if first is last else f"{first.tag[:-1]}:{last.tag.partition('[')[2]}"
    return SimpleNamespace(
        get_index=lambda: index,
        get_tag=lambda: tag,
        get_base_address=lambda: first.base,
        get_size_kb=lambda: size >> 10,
        get_used=lambda: True,
    )
