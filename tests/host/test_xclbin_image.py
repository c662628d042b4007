"""foveal.xclbin: the images of the boards, and images that contradict themselves, the board or the driver."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from foveal.card import board_names, load_board, registers
from foveal.errors import XclbinError
from foveal.xclbin import Kind, check_board, make_xclbin, pack, read_image, unpack
from foveal.xclbin.image import content_uuid
from foveal.xclbin.sections import (
    Clock,
    Connection,
    Ip,
    Memory,
    read_clocks,
    read_ips,
    write_clocks,
    write_ips,
    write_memories,
)

U280 = load_board("u280")
MADE = make_xclbin(U280)


def resealed(kind: Kind, change: Callable[[bytes], bytes]) -> bytes:
    """The U280's file with one section changed, and a UUID that fits."""
    container = unpack(MADE)
    container = replace(container, sections=dict(container.sections) | {kind: change(container.sections[kind])})
    return pack(replace(container, uuid=content_uuid(container)))


@pytest.mark.parametrize("name", board_names())
def test_an_image_says_what_the_board_file_says(name: str) -> None:
    board = load_board(name)
    image = read_image(make_xclbin(board))
    check_board(image, board)
    assert image.platform == board.platform
    assert not image.bitstream
    assert [(i.name, i.kernel.name) for i in image.instances] == [(p.instance, p.kernel) for p in board.kernels]
    assert [(m.tag, m.base, m.size) for m in image.memories] == [(b.tag, b.base, b.size) for b in board.banks]
    for placement in board.kernels:
        for argument in image.instance(placement.instance).kernel.arguments:
            reach = [memory.tag for memory in image.reach(placement.instance, argument.name)]
            assert reach == [bank.tag for bank in placement.ports.get(argument.port, ())]
    assert image.clocks == (Clock("DATA_CLK", "DATA", 300),)
    assert image.clock_hz == board.clock_hz.value


def test_registers_come_from_the_map() -> None:
    foveal = read_image(MADE).instance("foveal_1").kernel
    for name in ("WIDTH", "BACKGROUND", "ROI_0_LO", "ROI_COMMIT"):
        assert foveal.argument(name).offset == registers.OFFSETS[name]
    assert foveal.argument("OUT_BASE").offset == registers.OUT_BASE_LO
    major, minor = map(int, read_image(MADE).build["register_map"].split("."))
    assert next(r for r in registers.REGISTERS if r.name == "VERSION").reset == major << 16 | minor


def test_the_same_board_gives_the_same_bytes() -> None:
    assert make_xclbin(load_board("u280")) == MADE


def test_groups_are_the_ranges_that_ports_reach() -> None:
    image = read_image(MADE)
    output = image.instance("foveal_1").kernel.argument("OUT_BASE").index
    entry = next(c.memory for c in image.group_connections if (c.argument, c.ip) == (output, 0))
    assert image.groups[entry] == Memory("MBG[1]", "HBM", True, 4 << 28, 4 << 28)
    assert image.groups[: len(image.memories)] == image.memories


def test_a_changed_byte_is_noticed() -> None:
    data = bytearray(MADE)
    data[MADE.index(b"OCL_REGION_0")] ^= 1
    with pytest.raises(XclbinError, match="it was changed"):
        read_image(bytes(data))


def test_a_file_of_another_tool_need_not_be_a_digest() -> None:
    container = unpack(MADE)
    sections = {kind: data for kind, data in container.sections.items() if kind != Kind.BUILD_METADATA}
    image = read_image(pack(replace(container, sections=sections)))
    assert image.build == {}
    check_board(image, U280)


@pytest.mark.parametrize(
    "kind", [Kind.EMBEDDED_METADATA, Kind.IP_LAYOUT, Kind.MEM_TOPOLOGY, Kind.CONNECTIVITY], ids=lambda kind: kind.name
)
def test_what_no_host_can_do_without_must_be_there(kind: Kind) -> None:
    with pytest.raises(XclbinError, match=f"no section {kind.name}"):
        read_image(resealed(kind, lambda data: b""))


def _put(layout: str, offset: int, value: int | bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        struct.pack_into(layout, changed, offset, value)
        return bytes(changed)

    return change


def _swap(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


WRONG = {
    "a count below zero": (Kind.IP_LAYOUT, _put("<i", 0, -1), "says that it has -1 entries"),
    "a count beyond the section": (Kind.MEM_TOPOLOGY, _put("<i", 0, 1 << 30), "34 fit into"),
    "a table without a count": (Kind.CONNECTIVITY, lambda data: b"\1", "too few for its count"),
    "a memory of no known type": (Kind.MEM_TOPOLOGY, _put("<B", 8, 77), "type 77"),
    "a tag without an end": (Kind.MEM_TOPOLOGY, _put("<16s", 32, b"x" * 16), "memory's tag"),
    "memories over each other": (Kind.MEM_TOPOLOGY, _put("<Q", 64, 4096), r"HBM\[0\] and HBM\[1\] overlap"),
    "the same tag twice": (Kind.MEM_TOPOLOGY, _put("<16s", 72, b"HBM[0]"), "the same tag"),
    "a memory that is marked as not used": (Kind.MEM_TOPOLOGY, _put("<B", 9, 0), "marked as not used"),
    "an argument that is not there": (Kind.CONNECTIVITY, _put("<i", 4, 999), "joins what is not there"),
    "a kernel that is not there": (Kind.CONNECTIVITY, _put("<i", 8, -1), "joins what is not there"),
    "a memory that is not there": (Kind.CONNECTIVITY, _put("<i", 12, 34), "joins what is not there"),
    "an address without a memory": (Kind.CONNECTIVITY, _put("<i", 0, 1), "no memory is connected to"),
    "the layout at another address": (Kind.IP_LAYOUT, _put("<Q", 16, 0x900000), "0x900000 by the layout"),
    "an instance of another name": (Kind.IP_LAYOUT, _put("<64s", 24, b"foveal_kernel:other"), "is at"),
    "a group that is not there": (Kind.GROUP_CONNECTIVITY, _put("<i", 12, 99), "joins what is not there"),
    "no XML": (Kind.EMBEDDED_METADATA, lambda data: b"<project>", "metadata cannot be read"),
    "entities": (Kind.EMBEDDED_METADATA, _swap(b"<project", b"<!DOCTYPE a><project"), "a document type"),
    "arguments over each other": (Kind.EMBEDDED_METADATA, _swap(b'offset="0x048"', b'offset="0x042"'), "HEIGHT takes"),
    "an argument beyond the port": (Kind.EMBEDDED_METADATA, _swap(b'offset="0x18C"', b'offset="0xFFD"'), "behind the"),
    "a number that is none": (Kind.EMBEDDED_METADATA, _swap(b'offset="0x048"', b'offset="x"'), "cannot be read"),
    "an attribute that is missing": (Kind.EMBEDDED_METADATA, _swap(b' offset="0x048"', b""), "'offset' is missing"),
    "an argument twice": (Kind.EMBEDDED_METADATA, _swap(b'id="5"', b'id="4"'), "number of another"),
    "an address of four bytes": (Kind.EMBEDDED_METADATA, _swap(b'size="0x8"', b'size="0x4"'), "of 4 bytes"),
    "build metadata that is no JSON": (Kind.BUILD_METADATA, lambda data: b"{", "is no JSON"),
    "build metadata of another form": (Kind.BUILD_METADATA, lambda data: b"[]", "another form"),
    "a clock of no known type": (Kind.CLOCK_FREQ_TOPOLOGY, _put("<B", 4, 9), "clock of type 9"),
}


@pytest.mark.parametrize(("kind", "change", "complaint"), WRONG.values(), ids=list(WRONG))
def test_sections_that_contradict_are_refused(kind: Kind, change: Callable[[bytes], bytes], complaint: str) -> None:
    with pytest.raises(XclbinError, match=complaint):
        read_image(resealed(kind, change))


def test_another_board_is_refused_by_name() -> None:
    with pytest.raises(XclbinError, match=r"platform xilinx_u280.*Alveo U55C"):
        check_board(read_image(MADE), load_board("u55c"))


def test_an_offset_that_the_driver_does_not_use_is_refused() -> None:
    moved = resealed(Kind.EMBEDDED_METADATA, _swap(b'offset="0x18C"', b'offset="0x194"'))
    with pytest.raises(XclbinError, match=r"foveal_1\.TEX_INVALIDATE is 4 bytes at 0x194 .* 0x18C in this driver"):
        check_board(read_image(moved), U280)


def test_a_missing_instance_lists_those_that_there_are() -> None:
    with pytest.raises(XclbinError, match="'foveal_2'; it has foveal_1, geometry_1"):
        read_image(MADE).instance("foveal_2")


def test_a_bank_is_what_its_bytes_are() -> None:
    table = write_memories([Memory("HBM[3]", "HBM", True, 0x3000_0000, 256 << 20)])
    assert table == bytes.fromhex("0100000000000000060100000000000000000400000000000000003000000000") + (
        b"HBM[3]".ljust(16, b"\0")
    )


def test_an_instance_is_what_its_bytes_are() -> None:
    head = bytes.fromhex("010000000000000001000000070000000000800000000000")  # interrupt 3, enabled, ap_ctrl_hs
    table = head + b"geometry:geometry_1".ljust(64, b"\0")
    assert read_ips(table) == (Ip("geometry:geometry_1", 1, 0x800000, 3, 0),)
    assert write_ips(read_ips(table)) == table
    without = table[:12] + bytes.fromhex("00020000") + table[16:]  # no interrupt, ap_ctrl_none
    assert read_ips(without) == (Ip("geometry:geometry_1", 1, 0x800000, None, 2),)
    assert write_ips(read_ips(without)) == without


def test_a_clock_is_what_its_bytes_are() -> None:
    table = bytes.fromhex("01002c01020000000000") + b"KERNEL_CLK".ljust(128, b"\0")
    assert read_clocks(table) == (Clock("KERNEL_CLK", "KERNEL", 300),)
    assert write_clocks([Clock("KERNEL_CLK", "KERNEL", 300)]) == table


def test_the_build_metadata_says_that_nothing_was_built() -> None:
    build = json.loads(unpack(MADE).sections[Kind.BUILD_METADATA])["build_metadata"]
    assert build["bitstream"] == "none"
    assert build["timing"] == "not checked here"


def test_connections_of_arguments_to_banks_are_those_of_the_link() -> None:
    image = read_image(MADE)
    assert Connection(0, 0, 0) in image.connections  # TRI_BASE of foveal_1 on HBM[0]
    assert not any(c.argument == 4 and c.ip == 0 for c in image.connections)  # WIDTH is a value
