"""Kernels in pyxrt's shape, and in that of Foveal's own binding, which also reaches the registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foveal.card import registers
from foveal.card.kernel import load_kernel
from foveal.card.roles import KERNEL

if TYPE_CHECKING:
    from foveal_sim.xrt.library import World

__all__ = ["SimulatedKernel", "SimulatedRegisterKernel"]


class SimulatedKernel:
    """kernel(device, uuid, name, mode)."""

    world: World

    def __init__(self, device: Any, identity: Any, name: str, mode: int) -> None:
        if identity.to_string() != self.world.loaded:
            raise RuntimeError(f"xclbin with uuid '{identity.to_string()}' is not loaded")
        if any(other.name == name for other in self.world.kernels):
            raise RuntimeError(f"failed to open cu context '{name}': Device or resource busy")
        self.name, self.description = name, load_kernel(name)
        self.world.kernels.add(self)
        if name == KERNEL:
            # What the kernel driver does when a context is opened: ends of runs come by interrupt.
            self.world.card.kernel.write_register(registers.GIE, registers.GIE_ENABLE_MASK)
            self.world.card.kernel.write_register(registers.IER, registers.IER_AP_DONE_MASK)

    def group_id(self, index: int) -> int:
        argument = self.description.arguments[index]
        return self.world.group_of(self.name, argument.port)


class SimulatedRegisterKernel(SimulatedKernel):
    """With read_register and write_register."""

    def read_register(self, offset: int) -> int:
        return self.world.card.read(offset)

    def write_register(self, offset: int, value: int) -> None:
        self.world.card.write(offset, value)
