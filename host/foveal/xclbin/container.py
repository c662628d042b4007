"""The outer form of an xclbin: a header and named sections. Offsets and sizes as XRT's xclbin.h (2.18) has them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from foveal.errors import XclbinError

__all__ = ["HW_EMU", "Container", "Kind", "check_size", "pack", "unpack"]

MAGIC = b"xclbin2\0"
UNSIGNED = -1
"""m_signature_length of a file without a signature."""

HW_EMU = 4
"""m_mode of an image for a simulated card; XRT refuses it on a real one."""

HEADER = struct.Struct("<8si28s256sQ QQQHBBHH16s64s16s16sI4x")
"""struct axlf up to its sections: 456 bytes."""

SECTION = struct.Struct("<I16s4xQQ")
"""struct axlf_section_header: 40 bytes."""

NIL = UUID(int=0)
ALIGNMENT = 8
MAX_SECTIONS = 256
"""Far above the 36 kinds that there are; xclbin.h allows 65536, which would be hostile."""


class Kind(IntEnum):
    """Sections that this project writes or reads, and those that show what a file is for."""

    BITSTREAM = 0
    EMBEDDED_METADATA = 2
    MEM_TOPOLOGY = 6
    CONNECTIVITY = 7
    IP_LAYOUT = 8
    CLOCK_FREQ_TOPOLOGY = 11
    BUILD_METADATA = 14
    PARTITION_METADATA = 20
    GROUP_TOPOLOGY = 26
    GROUP_CONNECTIVITY = 27


@dataclass(frozen=True, slots=True)
class Container:
    """platform: name of the shell that the image fits. interface: UUID that the shell must have, nil if any.

    version: of the tools, (major, minor, patch). sections: content by kind; a kind that Kind does not name is a plain
    number.
    """

    uuid: UUID
    platform: str
    sections: Mapping[int, bytes]
    mode: int = HW_EMU
    timestamp: int = 0
    interface: UUID = NIL
    version: tuple[int, int, int] = (2, 18, 0)


def pack(container: Container) -> bytes:
    """The file. Raises ValueError when a name does not fit its field."""
    platform = container.platform.encode("ascii")
    if len(platform) > 63:
        raise ValueError(f"platform {container.platform!r} is longer than 63 characters")
    offset = _aligned(HEADER.size + SECTION.size * len(container.sections))
    table, body = [], b""
    for kind, data in sorted(container.sections.items()):
        name = Kind(kind).name.lower()[:15] if kind in Kind.__members__.values() else ""
        table.append(SECTION.pack(kind, name.encode(), offset + len(body), len(data)))
        body += data.ljust(_aligned(len(data)), b"\0")
    major, minor, patch = container.version
    header = HEADER.pack(
        MAGIC,
        UNSIGNED,
        b"\xff" * 28,
        b"\xff" * 256,
        0,
        offset + len(body),
        container.timestamp,
        0,
        patch,
        major,
        minor,
        container.mode,
        0,
        container.interface.bytes,
        platform,
        container.uuid.bytes,
        b"",
        len(table),
    )
    return (header + b"".join(table)).ljust(offset, b"\0") + body


def unpack(data: bytes) -> Container:
    """The sections of a file, whoever wrote it. Raises XclbinError for what is no whole xclbin.

    Bytes between the sections belong to nobody: vendor tools keep a copy of the headers as text there.
    """
    check_size(data, len(data))
    field = HEADER.unpack_from(data)
    length, timestamp, patch, major, minor, mode = *field[5:7], *field[8:12]
    count = field[17]
    if not 1 <= count <= MAX_SECTIONS:
        raise XclbinError(f"it says that it has {count} sections; 1 to {MAX_SECTIONS} can be")
    first = HEADER.size + SECTION.size * count
    if first > length:
        raise XclbinError(f"its {count} section headers end at byte {first}, behind its end at {length}")
    return Container(
        uuid=UUID(bytes=field[15]),
        platform=text(field[14], "the platform's name"),
        sections=_sections(data, first, length, count),
        mode=mode,
        timestamp=timestamp,
        interface=UUID(bytes=field[13]),
        version=(major, minor, patch),
    )


def check_size(head: bytes, size: int) -> None:
    """Raises XclbinError unless a file of `size` bytes that begins with `head` is an xclbin of that size."""
    if head[: len(MAGIC)] != MAGIC:
        raise XclbinError(f"it begins with {bytes(head[:8])!r} instead of {MAGIC!r}: this is no xclbin")
    if min(size, len(head)) < HEADER.size:
        raise XclbinError(f"it has {size} bytes, its header alone has {HEADER.size}: the file is cut short")
    field = HEADER.unpack_from(head)
    signature, length = field[1], field[5]
    whole = length + max(0, signature)
    if size != whole:
        state = "cut short" if size < whole else "longer than it says"
        raise XclbinError(f"it has {size} bytes and its header says {whole}: the file is {state}")


def _sections(data: bytes, first: int, length: int, count: int) -> dict[int, bytes]:
    found: dict[int, tuple[int, int]] = {}
    for kind, _, offset, size in SECTION.iter_unpack(data[HEADER.size : first]):
        if kind in found:
            raise XclbinError(f"section {_name(kind)} is there twice")
        if size and not first <= offset <= length - size:
            raise XclbinError(
                f"section {_name(kind)} is bytes {offset} to {offset + size}; sections lie between {first} and {length}"
            )
        found[kind] = (offset, size)
    end, before = first, -1
    for kind, (offset, size) in sorted(found.items(), key=lambda item: item[1]):
        if size and offset < end:
            raise XclbinError(f"sections {_name(before)} and {_name(kind)} overlap at byte {offset}")
        end, before = (offset + size, kind) if size else (end, before)
    return {kind: bytes(data[offset : offset + size]) for kind, (offset, size) in found.items()}


def text(field: bytes, what: str) -> str:
    """The text of a field that a zero byte ends. Raises XclbinError when none does, or it is not plain ASCII."""
    head, end, _ = field.partition(b"\0")
    if not end or not head.isascii() or not head.decode("ascii").isprintable():
        raise XclbinError(f"{what} is {head[:32]!r}: no plain text that a zero byte ends")
    return head.decode("ascii")


def _name(kind: int) -> str:
    return Kind(kind).name if kind in Kind.__members__.values() else str(kind)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
