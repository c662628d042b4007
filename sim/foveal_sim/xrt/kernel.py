"""Kernels in pyxrt's shape, and in that of Foveal's own binding, which also reaches the registers."""

from __future__ import annotations

from typing import Any

from foveal.card import registers
from foveal.card.roles import KERNEL

from foveal_sim.xrt.world import World

__all__ = ["SimulatedKernel", "SimulatedRegisterKernel"]


class SimulatedKernel:
    """kernel(device, uuid, "name:{instance}", mode)."""

    world: World

    def __init__(self, device: Any, identity: Any, name: str, mode: int) -> None:
        image = self.world.image
        if image is None or identity.to_string() != self.world.loaded:
            raise RuntimeError(f"xclbin with uuid '{identity.to_string()}' is not loaded")
        if any(other.name == name.partition(":")[0] for other in self.world.kernels):
            raise RuntimeError(f"failed to open cu context '{name}': Device or resource busy")
        self.name, _, instance = name.partition(":")
        self.description = image.instance(instance.strip("{}")).kernel
        self._place = next(n for n, ip in enumerate(image.ips) if ip.name == name.replace("{", "").replace("}", ""))
        self.world.kernels.add(self)
        if self.name == KERNEL:
            # What the kernel driver does when a context is opened: ends of runs come by interrupt.
            self.world.card.kernel.write_register(registers.GIE, registers.GIE_ENABLE_MASK)
            self.world.card.kernel.write_register(registers.IER, registers.IER_AP_DONE_MASK)

    def group_id(self, index: int) -> int:
        assert self.world.image is not None
        connections = self.world.image.group_connections or self.world.image.connections
        found = [c.memory for c in connections if (c.ip, c.argument) == (self._place, index)]
        if not found:
            raise IndexError(f"argument {index} has no memory connection")
        return found[-1]


class SimulatedRegisterKernel(SimulatedKernel):
    """With read_register and write_register."""

    def read_register(self, offset: int) -> int:
        return self.world.card.read(offset)

    def write_register(self, offset: int, value: int) -> None:
        self.world.card.write(offset, value)
