"""A run in pyxrt's shape: all argument registers are written in ascending order, gaps too, and then the start."""

from __future__ import annotations

import logging
from enum import IntEnum
from typing import Any

import numpy as np
from foveal.card import FrameCall, GeometryBuffers, registers
from foveal.card.roles import KERNEL
from foveal.errors import DeviceTimeout
from foveal.geometry import PARAMETERS

from foveal_sim.xrt.buffer import SimulatedBo
from foveal_sim.xrt.world import World

__all__ = ["SimulatedRun", "State"]

_log = logging.getLogger(__name__)

FIRST = 0x10
"""Byte offset of the first argument register."""


class State(IntEnum):
    """ert_cmd_state, where runs end here."""

    ERT_CMD_STATE_NEW = 1
    ERT_CMD_STATE_RUNNING = 3
    ERT_CMD_STATE_COMPLETED = 4
    ERT_CMD_STATE_TIMEOUT = 8


FOR_EVER_S = 1e9


class SimulatedRun:
    world: World

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._arguments = {argument.index: argument for argument in kernel.description.arguments}
        last = max(self._arguments.values(), key=lambda argument: argument.offset)
        self._words = np.zeros((last.offset + last.size - FIRST) // 4, np.uint32)
        self._objects: dict[str, SimulatedBo] = {}
        self._state = State.ERT_CMD_STATE_NEW
        self._end_ns = 0.0

    def set_arg(self, index: int, value: Any) -> None:
        argument = self._arguments[index]
        word = (argument.offset - FIRST) // 4
        if isinstance(value, SimulatedBo):
            value = self._reachable(index, value)
            self._words[word], self._words[word + 1] = value.address() & 0xFFFFFFFF, value.address() >> 32
            self._objects[argument.name] = value
        elif isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
            self._words[word] = value & 0xFFFFFFFF
        else:
            raise TypeError("set_arg(): incompatible function arguments")

    def start(self) -> None:
        card = self.world.card
        if self._kernel.name != KERNEL:
            time_ns = self._run_geometry()
            self._end_ns = self.world.now_ns() + time_ns
            self._state = State.ERT_CMD_STATE_COMPLETED
            return
        card.spend(card.pcie.launch_ns)
        self._state, self._end_ns = State.ERT_CMD_STATE_RUNNING, float(self.world.now_ns())
        for word, value in enumerate(self._words.tolist()):
            if card.kernel.write_register(FIRST + 4 * word, value):
                self.world.refused_writes.append(FIRST + 4 * word)
        card.faults.before_start(card)
        card.kernel.write_register(registers.CTRL, registers.CTRL_AP_START_MASK)
        card.faults.after_start(card)

    def wait(self, timeout_ms: int) -> State:
        world, card = self.world, self.world.card
        if self._state == State.ERT_CMD_STATE_RUNNING:
            try:
                card.wait_done(timeout_ms / 1000)
            except DeviceTimeout:
                world.clock_ns = world.now_ns() + 1e6 * timeout_ms
                return State.ERT_CMD_STATE_TIMEOUT
            cycles, _ = card.kernel.read_register(registers.FRAME_CYCLES)
            self._end_ns += cycles * 1e9 / card.clock_hz
            self._acknowledge()
        world.clock_ns = max(float(world.now_ns()), self._end_ns)
        return self._state

    def state(self) -> State:
        return self._state

    def _acknowledge(self) -> None:
        """What the kernel driver does at the interrupt."""
        kernel = self.world.card.kernel
        kernel.write_register(registers.ISR, registers.ISR_AP_DONE_MASK)
        control, _ = kernel.read_register(registers.CTRL)
        if control & registers.CTRL_AP_DONE_MASK:
            self._state = State.ERT_CMD_STATE_COMPLETED

    def _reachable(self, index: int, bo: SimulatedBo) -> SimulatedBo:
        """XRT does not refuse a buffer in another memory: it warns, and the kernel gets a copy."""
        group = self._kernel.group_id(index)
        if bo.group == group:
            return bo
        _log.warning("argument %d: allocating local copy of argument buffer in connected bank", index)
        copy = type(bo)(None, bo.size(), 0, group)
        copy.device_buffer.view(bo.size())[:] = bo.device_buffer.view(bo.size())
        return copy

    def _run_geometry(self) -> float:
        """Run the kernel; its nanoseconds."""
        objects = self._objects
        offset = objects["frame"].address() - objects["frame"].device_buffer.address
        row = objects["frame"].device_buffer.view(PARAMETERS.itemsize, offset).view(PARAMETERS)[0]
        buffers = GeometryBuffers(
            frame=objects["region"].device_buffer,
            **{
                name: objects[name].device_buffer
                for name in ("position", "triangle", "mesh", "staging", "record", "band", "statistics")
            },
        )
        sizes = {"vertices": buffers.position.size // 12, "triangles": buffers.triangle.size // 32}
        call = FrameCall(**sizes, **{name: row[name].item() for name in (PARAMETERS.names or ())[:-1]})
        self.world.geometry.start(buffers, call)
        return self.world.geometry.wait(FOR_EVER_S).time_ns
