"""A module of pyxrt's shape whose one device is the co-simulated card. Time is the card's own, never a clock's."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

from foveal.card import load_board

from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.faults import Fault, parse_faults
from foveal_sim.xrt.buffer import SimulatedBo
from foveal_sim.xrt.device import KEYS, SimulatedDevice, SimulatedUuid, SimulatedXclbin
from foveal_sim.xrt.kernel import SimulatedKernel, SimulatedRegisterKernel
from foveal_sim.xrt.run import SimulatedRun, State
from foveal_sim.xrt.world import World

__all__ = ["BDF", "SimulatedXrt"]

BDF = "0000:00:00.0"
"""Address of the card that is not on any bus."""


class Direction(IntEnum):
    """xclBOSyncDirection."""

    XCL_BO_SYNC_BO_TO_DEVICE = 0
    XCL_BO_SYNC_BO_FROM_DEVICE = 1


class SimulatedXrt:
    """Stands where `import pyxrt` does.

    clock: nanoseconds of the card's time, for XrtCard. world: what happened, for tests.
    """

    def __init__(
        self,
        *,
        board: str = "u280",
        memory_bytes: int = 256 << 20,
        registers: bool = True,
        faults: str | Fault | Iterable[str | Fault] = (),
    ) -> None:
        """registers: with access to the kernel's registers, as Foveal's own binding has it and pyxrt has not.

        faults: what shall go wrong with the card, as for foveal_sim.cosim.open_cosim.
        """
        facts = load_board(board)
        card = CosimCard(facts, clock_hz=facts.clock_hz.value, memory_bytes=memory_bytes, faults=parse_faults(faults))
        self.world = world = World(facts, card)
        self.clock = world.now_ns

        def of_world(name: str, base: type, **attributes: Any) -> Any:
            return type(name, (base,), {"world": world, **attributes})

        self.device = of_world("device", SimulatedDevice)
        self.xclbin = of_world("xclbin", SimulatedXclbin)
        self.uuid = SimulatedUuid
        self.bo = of_world("bo", SimulatedBo, flags=SimpleNamespace(normal=0, cacheable=1, device_only=2, host_only=3))
        modes = SimpleNamespace(exclusive=0, shared=1, none=2)
        self.kernel = of_world(
            "kernel", SimulatedRegisterKernel if registers else SimulatedKernel, cu_access_mode=modes
        )
        self.run = of_world("run", SimulatedRun)
        self.xclBOSyncDirection = Direction
        self.ert_cmd_state = State
        self.xrt_info_device = SimpleNamespace(**{key: key for key in KEYS})

    def enumerate_devices(self) -> int:
        """One card."""
        return 1

    def reset(self, bdf: str) -> None:
        """What `xbutil reset` does. Raises RuntimeError where the driver would end this process for what it holds."""
        held = [f"{len(self.world.kernels)} kernels", f"{len(self.world.buffers)} buffers"]
        if len(self.world.kernels) or len(self.world.buffers):
            raise RuntimeError(f"card {bdf} was reset while this process held {' and '.join(held)}")
        self.world.card.reset()
        self.world.image = None
