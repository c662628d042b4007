"""What an xclbin says, decoded and checked against itself: kernels, where they are, and which memories they reach."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from uuid import UUID

from foveal.card.kernel import Argument
from foveal.errors import XclbinError
from foveal.xclbin.container import Container, Kind, pack, unpack
from foveal.xclbin.metadata import Instance, read_metadata
from foveal.xclbin.sections import (
    IP_KERNEL,
    Clock,
    Connection,
    Ip,
    Memory,
    read_clocks,
    read_connections,
    read_ips,
    read_memories,
)

__all__ = ["GENERATOR", "Image", "content_uuid", "read_image"]

GENERATOR = "foveal xclbin"
"""Mark in the build metadata of files that this project wrote; their UUID is a digest of their content."""


@dataclass(frozen=True, slots=True)
class Image:
    """instances: by the address of their control port, those without one last. ips, connections: as in the tables.

    memories: banks. groups: banks and ranges of them, from which XRT allocates. build: the build metadata, empty
    without. bitstream: there is something to program a card with.
    """

    container: Container
    instances: tuple[Instance, ...]
    ips: tuple[Ip, ...]
    memories: tuple[Memory, ...]
    connections: tuple[Connection, ...]
    groups: tuple[Memory, ...]
    group_connections: tuple[Connection, ...]
    clocks: tuple[Clock, ...]
    build: dict[str, Any]

    @property
    def uuid(self) -> UUID:
        return self.container.uuid

    @property
    def platform(self) -> str:
        return self.container.platform

    @property
    def bitstream(self) -> bool:
        return bool(self.container.sections.get(Kind.BITSTREAM))

    @property
    def clock_hz(self) -> float | None:
        """The kernels' clock: a link drives ap_clk with the data clock. None where the file does not tell it."""
        return next((clock.mhz * 1e6 for clock in self.clocks if clock.type == "DATA" and clock.mhz), None)

    def instance(self, name: str) -> Instance:
        """Raises XclbinError with the names that there are."""
        for instance in self.instances:
            if instance.name == name:
                return instance
        names = ", ".join(instance.name for instance in self.instances)
        raise XclbinError(f"the image has no instance {name!r}; it has {names}")

    def reach(self, instance: str, argument: str) -> tuple[Memory, ...]:
        """The banks that an argument is connected to, in the order of the table; none for a value."""
        found = self.instance(instance)
        index = found.kernel.argument(argument).index
        ip = next(n for n, ip in enumerate(self.ips) if _names(ip) == (found.kernel.name, instance))
        entries = sorted(c.memory for c in self.connections if (c.ip, c.argument) == (ip, index))
        return tuple(self.memories[entry] for entry in entries)


def content_uuid(container: Container) -> UUID:
    """A UUID (of version 5's form) that is a digest of the whole file but its own UUID."""
    digest = hashlib.sha256(pack(replace(container, uuid=UUID(int=0)))).digest()
    return UUID(bytes=digest[:16], version=5)


def read_image(data: bytes) -> Image:
    """Decode a file, whoever wrote it. Raises XclbinError when a section is missing or broken, or two contradict.

    A file that this project wrote is also refused when its content is not what its UUID is a digest of.
    """
    container = unpack(data)
    image = Image(  # the small tables first
        container,
        build=_build(container.sections.get(Kind.BUILD_METADATA, b"")),
        ips=read_ips(_section(container, Kind.IP_LAYOUT)),
        memories=read_memories(_section(container, Kind.MEM_TOPOLOGY)),
        connections=read_connections(_section(container, Kind.CONNECTIVITY)),
        groups=_optional(container, Kind.GROUP_TOPOLOGY, read_memories),
        group_connections=_optional(container, Kind.GROUP_CONNECTIVITY, read_connections),
        clocks=_optional(container, Kind.CLOCK_FREQ_TOPOLOGY, read_clocks),
        instances=tuple(sorted(read_metadata(_section(container, Kind.EMBEDDED_METADATA)), key=_place)),
    )
    _check_kernels(image)
    _check_instances(image)
    _check_memories(image)
    _check_connections(image, image.connections, image.memories)
    _check_connections(image, image.group_connections, image.groups)
    if image.build.get("generator") == GENERATOR and content_uuid(container) != container.uuid:
        raise XclbinError(
            f"its content is not what its UUID {container.uuid} was made of: it was changed; make it again"
        )
    return image


def _section(container: Container, kind: Kind) -> bytes:
    data = container.sections.get(kind)
    if not data:
        raise XclbinError(f"it has no section {kind.name}, without which no host can use its kernels")
    return data


def _optional(container: Container, kind: Kind, read: Any) -> Any:
    return read(container.sections[kind]) if container.sections.get(kind) else ()


def _build(data: bytes) -> dict[str, Any]:
    try:
        build = json.loads(data.rstrip(b"\0") or b"{}")
    except (ValueError, RecursionError) as error:
        raise XclbinError(f"its build metadata is no JSON: {error}") from error
    found = build.get("build_metadata", {}) if isinstance(build, dict) else None
    if not isinstance(found, dict):
        raise XclbinError("its build metadata is JSON of another form")
    return found


def _place(instance: Instance) -> tuple[bool, int]:
    return (instance.base is None, instance.base or 0)


def _names(ip: Ip) -> tuple[str, str]:
    kernel, _, instance = ip.name.partition(":")
    return kernel, instance


def _check_kernels(image: Image) -> None:
    """Arguments have their own place in the control port; pointers take eight bytes."""
    for kernel in {instance.kernel.name: instance.kernel for instance in image.instances}.values():
        ports = {port.name: port for port in kernel.ports}
        span = max((port.span for port in kernel.ports if port.mode == "slave"), default=0)
        end, before = 0, ""
        indices: set[int] = set()
        for argument in sorted(kernel.arguments, key=lambda argument: argument.offset):
            name = f"{kernel.name}.{argument.name}"
            mode = ports[argument.port].mode if argument.port in ports else None
            if mode is None or argument.index in indices:
                raise XclbinError(f"{name} has a port that the kernel has not, or the number of another argument")
            indices.add(argument.index)
            if mode not in ("slave", "master"):
                continue  # a stream: hosts do not set it
            if mode == "master" and argument.size != 8:
                raise XclbinError(f"{name} is an address of {argument.size} bytes; 8 are expected")
            if argument.size < 1 or argument.offset < end or argument.offset + argument.size > span:
                raise XclbinError(
                    f"{name} takes {argument.size} bytes at 0x{argument.offset:X}, which lie in {before or 'nothing'} "
                    f"or behind the {span} bytes of the control port"
                )
            end, before = argument.offset + argument.size, argument.name


def _check_instances(image: Image) -> None:
    """The layout and the metadata name the same instances at the same addresses."""
    layout: dict[tuple[str, str], int] = {}
    for ip in image.ips:
        if ip.type == IP_KERNEL:
            if _names(ip) in layout:
                raise XclbinError(f"the layout has {ip.name} twice")
            layout[_names(ip)] = ip.base
    described = {(instance.kernel.name, instance.name): instance.base for instance in image.instances}
    if len(described) != len(image.instances) or len({name for _, name in described}) != len(described):
        raise XclbinError("two instances have the same name")
    for key in described.keys() | layout.keys():
        found, said = layout.get(key), described.get(key)
        if key not in layout or key not in described or (said is not None and found != said):
            raise XclbinError(
                f"instance {':'.join(key)} is at {_hex(found)} by the layout and at {_hex(said)} by the metadata"
            )


def _hex(base: int | None) -> str:
    return "no address" if base is None else f"0x{base:X}"


def _check_memories(image: Image) -> None:
    """Banks that are used have names and addresses of their own."""
    used = sorted((m for m in image.memories if m.used and m.type != "STREAM"), key=lambda memory: memory.base)
    if len({memory.tag for memory in used}) != len(used):
        raise XclbinError("two memories that are used have the same tag")
    for lower, upper in pairwise(used):
        if lower.base + lower.size > upper.base:
            raise XclbinError(f"memories {lower.tag} and {upper.tag} overlap at 0x{upper.base:X}")


def _check_connections(image: Image, connections: tuple[Connection, ...], memories: tuple[Memory, ...]) -> None:
    """Each connection joins an argument that takes an address with a memory that is there; each address has one."""
    if not memories and not connections:
        return
    kernels = {(i.kernel.name, i.name): {a.index: a for a in i.kernel.arguments} for i in image.instances}
    open_ends = {
        (n, argument.index): f"{ip.name}.{argument.name}"
        for n, ip in enumerate(image.ips)
        if ip.type == IP_KERNEL
        for argument in kernels[_names(ip)].values()
        if argument.pointer and argument.size == 8
    }
    for connection in connections:
        argument: Argument | None = None
        if 0 <= connection.ip < len(image.ips):
            argument = kernels.get(_names(image.ips[connection.ip]), {}).get(connection.argument)
        if argument is None or not 0 <= connection.memory < len(memories):
            raise XclbinError(f"{connection} joins what is not there")
        if not memories[connection.memory].used:
            raise XclbinError(f"{connection} reaches {memories[connection.memory].tag}, which is marked as not used")
        open_ends.pop((connection.ip, connection.argument), None)
    if open_ends:
        raise XclbinError(f"no memory is connected to {', '.join(open_ends.values())}")
