"""Tables inside an xclbin: memories, connections, kernels, clocks. Layouts as XRT's xclbin.h (2.18) has them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from foveal.errors import XclbinError
from foveal.xclbin.container import text

__all__ = [
    "IP_KERNEL",
    "MEMORY_TYPES",
    "Clock",
    "Connection",
    "Ip",
    "Memory",
    "read_clocks",
    "read_connections",
    "read_ips",
    "read_memories",
    "write_clocks",
    "write_connections",
    "write_ips",
    "write_memories",
]

MEMORY_TYPES = (
    "DDR3",
    "DDR4",
    "DRAM",
    "STREAMING",
    "PREALLOCATED",
    "ARE",
    "HBM",
    "BRAM",
    "URAM",
    "STREAM",
    "HOST",
    "PS",
)
"""enum MEM_TYPE, in its order."""

CLOCK_TYPES = ("UNUSED", "DATA", "KERNEL", "SYSTEM")
"""enum CLOCK_TYPE, in its order."""

IP_KERNEL = 1
"""enum IP_TYPE: an instance of a kernel; others are the shell's."""

KIB = 1024

_MEMORIES, _MEMORY = struct.Struct("<i4x"), struct.Struct("<BB6xQQ16s")
_CONNECTIONS, _CONNECTION = struct.Struct("<i"), struct.Struct("<iii")
_IPS, _IP = struct.Struct("<i4x"), struct.Struct("<IIQ64s")
_CLOCKS, _CLOCK = struct.Struct("<h"), struct.Struct("<HB5x128s")


@dataclass(frozen=True, slots=True)
class Memory:
    """A bank, or in the table of groups a range of banks. type: one of MEMORY_TYPES. base, size: bytes.

    used: a kernel is connected to it.
    """

    tag: str
    type: str
    used: bool
    base: int
    size: int


@dataclass(frozen=True, slots=True)
class Connection:
    """Argument `argument` of the kernel instance at `ip` of the layout reaches entry `memory` of the memories."""

    argument: int
    ip: int
    memory: int


@dataclass(frozen=True, slots=True)
class Ip:
    """name: "kernel:instance". type: IP_KERNEL or another number. base: byte address of its control port.

    interrupt: its number, None without one. control: enum IP_CONTROL, 0 is ap_ctrl_hs.
    """

    name: str
    type: int
    base: int
    interrupt: int | None
    control: int


@dataclass(frozen=True, slots=True)
class Clock:
    """type: one of CLOCK_TYPES."""

    name: str
    type: str
    mhz: int


def write_memories(memories: Sequence[Memory]) -> bytes:
    """MEM_TOPOLOGY or GROUP_TOPOLOGY. Raises ValueError for sizes that are no whole KiB, or tags that do not fit."""
    rows = []
    for memory in memories:
        if memory.size % KIB:
            raise ValueError(f"memory {memory.tag} has {memory.size} bytes, which are no whole KiB")
        kind = MEMORY_TYPES.index(memory.type)
        rows.append(_MEMORY.pack(kind, memory.used, memory.size // KIB, memory.base, _fitting(memory.tag, 16)))
    return _MEMORIES.pack(len(rows)) + b"".join(rows)


def read_memories(data: bytes) -> tuple[Memory, ...]:
    """Raises XclbinError for a table that is not whole, or types and tags that cannot be."""
    found = []
    for kind, used, size, base, tag in _rows(data, _MEMORIES, _MEMORY, "memories"):
        name = text(tag, "a memory's tag")
        if kind >= len(MEMORY_TYPES) or used > 1 or base >> 63 or size >> 43:
            raise XclbinError(f"memory {name!r} cannot be: type {kind}, used {used}, base {base:#x}, {size:#x} KiB")
        found.append(Memory(name, MEMORY_TYPES[kind], bool(used), base, size * KIB))
    return tuple(found)


def write_connections(connections: Sequence[Connection]) -> bytes:
    """CONNECTIVITY or GROUP_CONNECTIVITY."""
    rows = [_CONNECTION.pack(c.argument, c.ip, c.memory) for c in connections]
    return _CONNECTIONS.pack(len(rows)) + b"".join(rows)


def read_connections(data: bytes) -> tuple[Connection, ...]:
    """Raises XclbinError for a table that is not whole; what the numbers mean is for the image to check."""
    return tuple(Connection(*row) for row in _rows(data, _CONNECTIONS, _CONNECTION, "connections"))


def write_ips(ips: Sequence[Ip]) -> bytes:
    """IP_LAYOUT, in the order given. Raises ValueError for names that do not fit."""
    rows = []
    for ip in ips:
        properties = ip.control << 8 | (0 if ip.interrupt is None else 1 | ip.interrupt << 1)
        rows.append(_IP.pack(ip.type, properties, ip.base, _fitting(ip.name, 64)))
    return _IPS.pack(len(rows)) + b"".join(rows)


def read_ips(data: bytes) -> tuple[Ip, ...]:
    """Raises XclbinError for a table that is not whole, or a name that is none."""
    found = []
    for kind, properties, base, name in _rows(data, _IPS, _IP, "kernel instances"):
        interrupt = properties >> 1 & 0x7F if properties & 1 else None
        found.append(Ip(text(name, "an instance's name"), kind, base, interrupt, properties >> 8 & 0xFF))
    return tuple(found)


def write_clocks(clocks: Sequence[Clock]) -> bytes:
    """CLOCK_FREQ_TOPOLOGY. Raises ValueError for names that do not fit."""
    rows = [_CLOCK.pack(c.mhz, CLOCK_TYPES.index(c.type), _fitting(c.name, 128)) for c in clocks]
    return _CLOCKS.pack(len(rows)) + b"".join(rows)


def read_clocks(data: bytes) -> tuple[Clock, ...]:
    """Raises XclbinError for a table that is not whole, or a type that cannot be."""
    found = []
    for mhz, kind, name in _rows(data, _CLOCKS, _CLOCK, "clocks"):
        if kind >= len(CLOCK_TYPES):
            raise XclbinError(f"a clock of type {kind} cannot be")
        found.append(Clock(text(name, "a clock's name"), CLOCK_TYPES[kind], mhz))
    return tuple(found)


def _rows(data: bytes, head: struct.Struct, row: struct.Struct, what: str) -> list[tuple]:
    if len(data) < head.size:
        raise XclbinError(f"the table of {what} has {len(data)} bytes, too few for its count")
    (count,) = head.unpack_from(data)
    room = (len(data) - head.size) // row.size
    if not 0 <= count <= room:
        raise XclbinError(f"the table of {what} says that it has {count} entries; {room} fit into its section")
    return list(row.iter_unpack(data[head.size : head.size + count * row.size]))


def _fitting(name: str, size: int) -> bytes:
    data = name.encode("ascii")
    if not 0 < len(data) < size:
        raise ValueError(f"{name!r} has not 1 to {size - 1} characters")
    return data
