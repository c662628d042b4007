"""foveal.xclbin.container: the outer form, byte by byte, and what is no whole file."""

from __future__ import annotations

import struct
from uuid import UUID

import pytest
from foveal.errors import XclbinError
from foveal.xclbin import Container, Kind, pack, unpack

UUID_ = UUID("00112233-4455-6677-8899-aabbccddeeff")
SECTIONS = {Kind.MEM_TOPOLOGY: b"12345", Kind.EMBEDDED_METADATA: b"<project/>", 99: b"unknown kinds pass through"}
WHOLE = Container(UUID_, "xilinx_u280_gen3x16_xdma_1_202211_1", SECTIONS, timestamp=1_700_000_000)


def test_fields_lie_where_the_format_says() -> None:
    data = pack(WHOLE)
    assert data[:8] == b"xclbin2\0"
    assert struct.unpack_from("<i", data, 8) == (-1,)
    assert data[12:296] == b"\xff" * 284
    assert struct.unpack_from("<QQQ", data, 304) == (len(data), 1_700_000_000, 0)
    assert struct.unpack_from("<HBBHH", data, 328) == (0, 2, 18, 4, 0)
    assert data[352:416].rstrip(b"\0") == b"xilinx_u280_gen3x16_xdma_1_202211_1"
    assert data[416:432] == UUID_.bytes
    assert struct.unpack_from("<I", data, 448) == (3,)
    kind, name, offset, size = struct.unpack_from("<I16s4xQQ", data, 456)
    assert (kind, name.rstrip(b"\0"), offset, size) == (2, b"embedded_metada", 576, 10)
    assert data[offset : offset + size] == b"<project/>"


def test_sections_begin_at_multiples_of_eight() -> None:
    data = pack(WHOLE)
    offsets = [struct.unpack_from("<Q", data, 456 + 40 * n + 24)[0] for n in range(3)]
    assert [offset % 8 for offset in offsets] == [0, 0, 0]
    assert len(data) % 8 == 0


def test_a_file_reads_as_it_was_written() -> None:
    assert unpack(pack(WHOLE)) == WHOLE


def test_every_shorter_file_is_refused() -> None:
    data = pack(WHOLE)
    for size in range(len(data)):
        with pytest.raises(XclbinError, match=r"cut short|no xclbin"):
            unpack(data[:size])


def test_a_signature_behind_the_end_belongs_to_the_file() -> None:
    data = bytearray(pack(WHOLE))
    struct.pack_into("<i", data, 8, 3)
    assert unpack(bytes(data) + b"sig") == WHOLE
    with pytest.raises(XclbinError, match="longer than it says"):
        unpack(bytes(data) + b"sig+")


@pytest.mark.parametrize(
    ("offset", "layout", "value", "complaint"),
    [
        (0, "<8s", b"xclbin0\0", "this is no xclbin"),
        (304, "<Q", 1 << 63, "cut short"),
        (448, "<I", 0, "0 sections"),
        (448, "<I", 4000, "4000 sections"),
        (448, "<I", 200, "behind its end"),
        (456, "<I", 6, "MEM_TOPOLOGY is there twice"),
        (480, "<Q", 1 << 64 - 1, "sections lie between"),
        (480, "<Q", 456, "sections lie between"),
        (488, "<Q", 1 << 63, "sections lie between"),
        (488, "<Q", 20, "EMBEDDED_METADATA and MEM_TOPOLOGY overlap"),
        (352, "<64s", b"x" * 64, "platform's name"),
        (352, "<64s", b"u\n280", "platform's name"),
    ],
)
def test_a_header_that_lies_is_refused(offset: int, layout: str, value: int | bytes, complaint: str) -> None:
    data = bytearray(pack(WHOLE))
    struct.pack_into(layout, data, offset, value)
    with pytest.raises(XclbinError, match=complaint):
        unpack(bytes(data))


def test_a_platform_that_does_not_fit_is_not_written() -> None:
    with pytest.raises(ValueError, match="longer than 63"):
        pack(Container(UUID_, "x" * 64, SECTIONS))
