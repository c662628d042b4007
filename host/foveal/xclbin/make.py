"""An xclbin without a bitstream, from the kernels' descriptions and a board's file; the same input, the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import version
from uuid import UUID

from foveal.card import registers
from foveal.card.bank import Bank
from foveal.card.board import Board
from foveal.card.kernel import load_kernel
from foveal.xclbin.container import Container, Kind, pack
from foveal.xclbin.image import GENERATOR, content_uuid
from foveal.xclbin.metadata import INSTANCE_RANGE, write_metadata
from foveal.xclbin.sections import (
    IP_KERNEL,
    Clock,
    Connection,
    Ip,
    Memory,
    write_clocks,
    write_connections,
    write_ips,
    write_memories,
)

__all__ = ["make_xclbin"]

FIRST_BASE = 0x800000
"""Address of the first instance's control port. A link chooses its own; hosts read it from the file."""

TYPES = {"hbm2": "HBM", "ddr4": "DDR4"}


def make_xclbin(board: Board) -> bytes:
    """What a link for `board` would tell hosts, for its co-simulated twin and tests; nothing to program a card with."""
    bases = [FIRST_BASE + n * INSTANCE_RANGE for n in range(len(board.kernels))]
    ips = [
        Ip(f"{placement.kernel}:{placement.instance}", IP_KERNEL, base, n, 0)
        for n, (placement, base) in enumerate(zip(board.kernels, bases, strict=True))
    ]
    reach = _reach(board)
    used = {bank.tag for banks in reach.values() for bank in banks}
    memories = [Memory(b.tag, TYPES[b.kind], b.tag in used, b.base, b.size) for b in board.banks]
    ranges = list(dict.fromkeys(banks for banks in reach.values() if len(banks) > 1))
    groups = memories + [_group(f"MBG[{n}]", banks) for n, banks in enumerate(ranges)]
    place = {memory.tag: n for n, memory in enumerate(memories)}
    connections = [Connection(*end, place[bank.tag]) for end, banks in reach.items() for bank in banks]
    group_connections = [
        Connection(argument, ip, len(memories) + ranges.index(banks) if len(banks) > 1 else place[banks[0].tag])
        for (argument, ip), banks in reach.items()
    ]
    clocks = [Clock("DATA_CLK", "DATA", round(board.clock_hz.value / 1e6))]
    container = Container(
        uuid=UUID(int=0),
        platform=board.platform,
        sections={
            Kind.EMBEDDED_METADATA: write_metadata(board, bases),
            Kind.IP_LAYOUT: write_ips(ips),
            Kind.MEM_TOPOLOGY: write_memories(memories),
            Kind.CONNECTIVITY: write_connections(connections),
            Kind.GROUP_TOPOLOGY: write_memories(groups),
            Kind.GROUP_CONNECTIVITY: write_connections(group_connections),
            Kind.CLOCK_FREQ_TOPOLOGY: write_clocks(clocks),
            Kind.BUILD_METADATA: _build(board),
        },
    )
    return pack(replace(container, uuid=content_uuid(container)))


def _reach(board: Board) -> dict[tuple[int, int], tuple[Bank, ...]]:
    """(argument index, instance index) of every address, with the banks behind its port."""
    return {
        (argument.index, n): placement.ports[argument.port]
        for n, placement in enumerate(board.kernels)
        for argument in load_kernel(placement.kernel).arguments
        if argument.pointer
    }


def _group(tag: str, banks: tuple[Bank, ...]) -> Memory:
    return Memory(tag, TYPES[banks[0].kind], True, banks[0].base, sum(bank.size for bank in banks))


def _build(board: Board) -> bytes:
    release = {register.name: register for register in registers.REGISTERS}["VERSION"].reset
    content = {
        "generator": GENERATOR,
        "foveal": version("foveal"),
        "board": board.key,
        "register_map": f"{release >> 16}.{release & 0xFFFF}",
        "target": "hw_emu",
        "bitstream": "none",
        "timing": "not checked here",
    }
    return json.dumps({"build_metadata": content}, indent=1).encode()
