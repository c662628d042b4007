"""A strict double of pyxrt: it knows the order, types and traps of the vendor's calls and fails at the first wrong one.

Give it the calls that are expected, and each one is compared as it is made. Without, only the rules hold: arguments of
the types that pyxrt's signatures have, no use of what was freed, no kernel that reads bytes which the host never sent,
no host that reads bytes which it never fetched, no buffer in another memory than the kernel's, no wait for ever.
"""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from card_double import pattern
from foveal.card import load_board, registers
from foveal.card.kernel import load_kernel
from foveal.card.roles import GEOMETRY, KERNEL
from foveal.geometry import STATISTICS
from foveal.xclbin import make_xclbin, read_image

BASE = 0x4_0000_0000
MIB = 1 << 20
OTHER = "ffffffff-0000-0000-0000-000000000000"
POISON = 0xEE
NEW, RUNNING, COMPLETED, ERROR, ABORT, TIMEOUT, NORESPONSE = 1, 3, 4, 5, 6, 8, 9
TO_DEVICE, FROM_DEVICE = 0, 1
STARTS_MS = {KERNEL: 2.0, GEOMETRY: 1.0}
"""How long the double's kernels run, in its own time."""


def banks(**changes: int) -> dict[str, int]:
    """Group of each pointer, by "kernel.argument": all that share a buffer in one."""
    groups = {f"{name}.{a.name}": 1 for name in (KERNEL, GEOMETRY) for a in load_kernel(name).arguments if a.pointer}
    groups |= {f"{KERNEL}.OUT_BASE": 2, f"{KERNEL}.MAT_BASE": 3, f"{KERNEL}.TEX_BASE": 3}
    return groups | {name.replace("__", "."): group for name, group in changes.items()}


IMAGE = make_xclbin(load_board("u280"))
UUID = str(read_image(IMAGE).uuid)


def write_image(folder: Path, board: str = "u280") -> Path:
    """An image file as far as hosts read it."""
    path = folder / f"foveal_{board}.xclbin"
    path.write_bytes(make_xclbin(load_board(board)))
    return path


@dataclass
class StrictXrt:
    """Stands where `import pyxrt` does. calls: what was called. expected: what must be, in order.

    loaded: UUID of the image on the card. others: it is in use by another process that many times. states: what waits
    return, one after the other, before runs complete. registers: with register access; values: what they read as.
    spoil: the kernel leaves its last pixel unwritten. cards: (bdf, serial).
    """

    expected: Sequence[str] | None = None
    registers: bool = False
    groups: dict[str, int] = field(default_factory=banks)
    memories: list[tuple[str, int]] = field(
        default_factory=lambda: [("bank0", MIB), ("HBM[1]", 256 * MIB), ("HBM[2]", 256 * MIB), ("HBM[3]", 256 * MIB)]
    )
    cards: list[tuple[str, str]] = field(default_factory=lambda: [("0000:d8:00.1", "XFL1RT5PHT31")])
    loaded: str = UUID
    others: int = 0
    waits: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    spoil: bool = False
    fail: dict[str, Exception] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    programmed: int = 0
    now_ns: float = 0.0

    def __post_init__(self) -> None:
        self.objects: weakref.WeakSet[StrictBo] = weakref.WeakSet()
        self.live_kernels = 0
        self._next = BASE
        self.free: dict[int, list[int]] = {}
        double = self

        class Device(_StrictDevice):
            world = double

        class Bo(StrictBo):
            world = double
            flags = SimpleNamespace(normal="normal")

        class Kernel(_RegisterKernel if self.registers else _StrictKernel):  # type: ignore[misc]
            world = double
            cu_access_mode = SimpleNamespace(exclusive="exclusive", shared="shared")

        class Run(_StrictRun):
            world = double

        class Xclbin(_StrictXclbin):
            world = double

        self.device, self.bo, self.kernel, self.run, self.xclbin = Device, Bo, Kernel, Run, Xclbin
        self.xclBOSyncDirection = SimpleNamespace(
            XCL_BO_SYNC_BO_TO_DEVICE=TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE=FROM_DEVICE
        )
        names = ("bdf", "name", "platform", "electrical", "thermal", "max_clock_frequency_mhz")
        self.xrt_info_device = SimpleNamespace(**{name: name for name in names})

    def clock(self) -> int:
        return int(self.now_ns)

    def enumerate_devices(self) -> int:
        return len(self.cards)

    def reset(self, bdf: str) -> None:
        assert not self.live_kernels, "the card was reset under a kernel of this process"
        assert not len(self.objects), "the card was reset under buffers of this process"
        self.resets.append(bdf)
        self.loaded = OTHER

    def call(self, name: str, *arguments: object, ns: float = 100.0) -> None:
        """Note a call, compare it with the expected one, and fail it where a failure was planned."""
        text = f"{name}({', '.join(str(argument) for argument in arguments)})"
        self.calls.append(text)
        self.now_ns += ns
        if self.expected is not None:
            position = len(self.calls) - 1
            assert position < len(self.expected), f"call {position} was not expected: {text}"
            assert re.fullmatch(self.expected[position], text), (
                f"call {position} was {text}, expected {self.expected[position]}"
            )
        if name in self.fail:
            raise self.fail.pop(name)

    def give(self, size: int, address: int) -> None:
        """A buffer object is gone; the next one of its size lies there."""
        self.free.setdefault(size, []).append(address)

    def take(self, size: int) -> int:
        if self.free.get(size):
            return self.free[size].pop()
        address, self._next = self._next, self._next + -(-size // 4096) * 4096
        return address


def integer(value: object, low: int = 0, high: int = 1 << 32) -> int:
    """pybind11 takes no floats, and no integer that does not fit."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value < high:
        raise TypeError(f"incompatible function arguments: {value!r}")
    return int(value)


class _Uuid(SimpleNamespace):
    def to_string(self) -> str:
        return str(self.text)


class _StrictXclbin:
    world: StrictXrt

    def __init__(self, path: str) -> None:
        assert isinstance(path, str)
        self.world.call("xclbin", Path(path).name)
        self._uuid = str(read_image(Path(path).read_bytes()).uuid)

    def get_uuid(self) -> _Uuid:
        return _Uuid(text=self._uuid)

    def get_mems(self) -> list[Any]:
        return [
            SimpleNamespace(
                get_index=lambda index=index: index,
                get_tag=lambda tag=tag: tag,
                get_size_kb=lambda size=size: size >> 10,
            )
            for index, (tag, size) in enumerate(self.world.memories)
        ]


class _StrictDevice:
    world: StrictXrt

    def __init__(self, index: int) -> None:
        self._index = integer(index)
        self.world.call("device", index)
        if index >= len(self.world.cards):
            raise RuntimeError(f"Could not open device with index '{index}'")

    def load_xclbin(self, image: _StrictXclbin) -> _Uuid:
        assert isinstance(image, _StrictXclbin)
        self.world.call("device.load_xclbin", ns=0)
        if image.get_uuid().to_string() == self.world.loaded:
            return image.get_uuid()  # XRT shares it
        if self.world.others:
            self.world.others -= 1
            raise RuntimeError("failed to load xclbin: Device or resource busy")
        self.world.loaded = image.get_uuid().to_string()
        self.world.programmed += 1
        return image.get_uuid()

    def get_xclbin_uuid(self) -> _Uuid:
        return _Uuid(text=self.world.loaded)

    def get_info(self, key: str) -> str:
        bdf, serial = self.world.cards[self._index]
        clocks = {"clocks": [{"id": "DATA_CLK", "description": "Data", "freq_mhz": "300"}]}
        told = {
            "bdf": bdf,
            "name": "xilinx_u280_gen3x16_xdma_base_1",
            "platform": json.dumps({"platforms": [clocks | {"controller": {"serial_number": serial}}]}),
        }
        text = (told | self.world.info).get(key)
        if text is None:
            raise RuntimeError(f"query request ({key}) is not supported")
        return text


class StrictBo:
    """host, card: both copies. dirty: bytes that the host wrote and did not send. stale: that the card wrote and the
    host did not fetch."""

    world: StrictXrt

    def __init__(self, owner: Any, size: int, *rest: Any) -> None:
        self.parent: StrictBo | None = None
        integer(size, 1, 1 << 40)
        if isinstance(owner, StrictBo):
            (offset,) = rest
            self.world.call("bo.part", size, offset)
            assert integer(offset) + size <= owner.size()
            self.parent, self._size, self.group = owner, size, owner.group
            self._address = owner.address() + offset
            return
        assert isinstance(owner, _StrictDevice)
        flags, self.group = rest
        assert flags == "normal"
        self.world.call("bo", size, self.group, ns=1000)
        index = integer(self.group) & 0xFFFF
        assert index < len(self.world.memories), "no such memory group"
        if size > self.world.memories[index][1]:
            raise MemoryError("std::bad_alloc")
        self._size, self._address = size, self.world.take(size)
        self.host, self.card = np.full(size, POISON, np.uint8), np.full(size, 0xA5, np.uint8)
        self.dirty, self.stale = np.zeros(size, bool), np.ones(size, bool)
        self.world.objects.add(self)
        weakref.finalize(self, self.world.give, size, self._address)

    def size(self) -> int:
        return self._size

    def address(self) -> int:
        return self._address

    def write(self, data: Any, seek: int) -> None:
        array = np.asarray(data)
        assert array.flags.c_contiguous, "pyxrt copies a strided array's neighbours, too"
        self.world.call("bo.write", array.nbytes, integer(seek), ns=array.nbytes / 10)
        assert seek + array.nbytes <= self._size
        self.host[seek : seek + array.nbytes] = array.reshape(-1).view(np.uint8)
        self.dirty[seek : seek + array.nbytes] = True

    def read(self, size: int, skip: int) -> np.ndarray:
        self.world.call("bo.read", integer(size), integer(skip))
        assert not self.stale[skip : skip + size].any(), "bytes are read that were never fetched from the card"
        return self.host[skip : skip + size].view(np.int8).copy()

    def sync(self, direction: int, size: int, offset: int) -> None:
        self.world.call(
            "bo.sync", "to" if direction == TO_DEVICE else "from", integer(size, 1), integer(offset), ns=1e4
        )
        part = slice(offset, offset + size)
        if direction == TO_DEVICE:
            self.card[part], self.dirty[part] = self.host[part], False
        else:
            assert not self.dirty[part].any(), "bytes that were never sent are overwritten by those of the card"
            self.host[part] = self.card[part]
        self.stale[part] = False


class _StrictKernel:
    world: StrictXrt

    def __init__(self, device: _StrictDevice, identity: _Uuid, name: str, mode: str) -> None:
        assert isinstance(device, _StrictDevice)
        assert identity.to_string() == self.world.loaded, "the image is not on the card"
        self.world.call("kernel", name, mode)
        self.name, _, instance = name.partition(":")
        assert instance == {KERNEL: "{foveal_1}", GEOMETRY: "{geometry_1}"}[self.name]
        self.world.live_kernels += 1

    def __del__(self) -> None:
        self.world.live_kernels -= 1

    def group_id(self, index: int) -> int:
        argument = load_kernel(self.name).arguments[integer(index)]
        if not argument.pointer:
            raise IndexError("no memory connection")
        return self.world.groups[f"{self.name}.{argument.name}"] | 1 << 16  # XRT keeps the image's slot above the bank


class _RegisterKernel(_StrictKernel):
    def read_register(self, offset: int) -> int:
        self.world.call("kernel.read_register", f"0x{integer(offset):03X}")
        return self.world.values.get(offset, {r.offset: r.reset for r in registers.REGISTERS}[offset])

    def write_register(self, offset: int, value: int) -> None:
        self.world.call("kernel.write_register", f"0x{integer(offset):03X}", integer(value))


class _StrictRun:
    world: StrictXrt

    def __init__(self, kernel: _StrictKernel) -> None:
        assert isinstance(kernel, _StrictKernel)
        self._kernel, self._state = kernel, NEW
        self._arguments = load_kernel(kernel.name).arguments
        self._values: dict[str, Any] = {}

    def set_arg(self, index: int, value: Any) -> None:
        argument = self._arguments[integer(index)]
        if isinstance(value, StrictBo):
            assert argument.pointer, f"{argument.name} is a scalar"
            group = self.world.groups[f"{self._kernel.name}.{argument.name}"]
            assert value.group & 0xFFFF == group, f"{argument.name}: XRT would give the kernel a copy"
            self.world.call("run.set_arg", argument.name, "bo")
            value = weakref.ref(value)  # XRT notes its address alone
        else:
            assert not argument.pointer, f"{argument.name} takes a buffer"
            integer(value, -(1 << 31), 1 << 31)
            self.world.call("run.set_arg", argument.name, value)
        self._values[argument.name] = value

    def start(self) -> None:
        self.world.call("run.start", self._kernel.name, ns=5e4)
        assert self._state != RUNNING, "started while it runs"
        for name, value in self._values.items():
            if isinstance(value, weakref.ref):
                bo = value()
                assert bo is not None, f"{name} was freed"
                whole = bo.parent or bo
                assert not whole.dirty.any(), f"{name} holds bytes that were never sent to the card"
        self._state = RUNNING

    def wait(self, timeout_ms: int) -> int:
        assert integer(timeout_ms) > 0, "0 waits for ever"
        self.world.call("run.wait", timeout_ms, ns=0)
        state = self.world.waits.pop(0) if self.world.waits else COMPLETED
        self.world.now_ns += 1e6 * (timeout_ms if state == TIMEOUT else STARTS_MS[self._kernel.name])
        if state == COMPLETED and self._state == RUNNING:
            self._work()
        self._state = state if state != TIMEOUT else self.world.states.pop(0) if self.world.states else RUNNING
        return state

    def state(self) -> int:
        return self._state

    def word(self, name: str) -> int:
        return int(self._values.get(name, 0)) & 0xFFFFFFFF

    def _work(self) -> None:
        if self._kernel.name == GEOMETRY:
            statistics = self._values["statistics"]()
            statistics.card[: STATISTICS.itemsize] = np.zeros(1, STATISTICS).view(np.uint8)
            statistics.stale[:] = True
            return
        width, height = self.word("WIDTH"), self.word("HEIGHT")
        keep = np.zeros((height, width), bool)
        for n in range(registers.ROI_COUNT):
            low, high = self.word(f"ROI_{n}_LO"), self.word(f"ROI_{n}_HI")
            keep[low >> 16 : high >> 16, low & 0xFFFF : high & 0xFFFF] = True
        if self.word("ROI_COMMIT"):
            self.world.values[registers.ROI_SETS] = self.world.values.get(registers.ROI_SETS, 0) + 1
        out = self._values["OUT_BASE"]()
        kept = pattern(width, height)[keep]
        words = out.card[: 4 * (out.size() // 4)].view("<u4")
        words[: len(kept) - self.world.spoil] = kept[: len(kept) - self.world.spoil]
        out.stale[:] = True
        self.world.values |= {registers.OUT_BYTES: 4 * len(kept), registers.FRAME_CYCLES: 300_000}
