"""PYNQ's own parser of xclbins reads what foveal.xclbin writes, and agrees with its reader field by field."""

from __future__ import annotations

import pytest
from foveal.card import board_names, load_board
from foveal.xclbin import make_xclbin, read_image
from pynq.pl_server.xclbin_parser import XclBin


@pytest.fixture(params=board_names())
def both(request: pytest.FixtureRequest) -> tuple:
    data = make_xclbin(load_board(request.param))
    return XclBin("", data), read_image(data)


def test_kernels(both: tuple) -> None:
    theirs, ours = both
    assert list(theirs.ip_dict) == [instance.name for instance in ours.instances]
    for index, instance in enumerate(ours.instances):
        entry = theirs.ip_dict[instance.name]
        assert entry["phys_addr"] == instance.base
        assert entry["addr_range"] == max(port.span for port in instance.kernel.ports if port.mode == "slave")
        assert entry["type"] == f"foveal:kernel:{instance.kernel.name}:1.0"
        assert entry["hw_control_protocol"] == instance.kernel.protocol
        assert entry["cu_name"] == f"{instance.kernel.name}:{instance.name}"
        assert entry["cu_index"] == entry["index"] == index
        assert entry["xclbin_uuid"] == ours.uuid.hex
        assert not entry["streams"]


def test_arguments(both: tuple) -> None:
    theirs, ours = both
    for instance in ours.instances:
        entries = dict(theirs.ip_dict[instance.name]["registers"])
        control = entries.pop("CTRL")
        assert (control["address_offset"], control["id"]) == (0, None)
        assert list(entries) == [argument.name for argument in instance.kernel.arguments]
        for argument in instance.kernel.arguments:
            entry = entries[argument.name]
            found = (entry["id"], entry["address_offset"], entry["size"], entry["type"])
            assert found == (argument.index, argument.offset, 8 * argument.size, argument.type)
            assert ("*" in entry["type"]) == argument.pointer


def test_connections(both: tuple) -> None:
    theirs, ours = both
    for instance in ours.instances:
        for argument in instance.kernel.arguments:
            entry = theirs.ip_dict[instance.name]["registers"][argument.name]
            tags = [memory.tag for memory in ours.reach(instance.name, argument.name)]
            assert entry.get("MBG", [entry["memory"]] if "memory" in entry else []) == tags


def test_memories(both: tuple) -> None:
    theirs, ours = both
    assert len(theirs.mem_dict) == len(ours.memories)
    for index, memory in enumerate(ours.memories):
        assert theirs.mem_dict[memory.tag] == {
            "raw_type": {"HBM": 6, "DDR4": 1}[memory.type],
            "used": int(memory.used),
            "base_address": memory.base,
            "size": memory.size,
            "type": memory.type,
            "streaming": False,
            "idx": index,
            "tag": memory.tag,
        }


def test_clocks(both: tuple) -> None:
    theirs, ours = both
    assert [(clock["name"], clock["type"], clock["frequency"]) for clock in theirs.clock_dict.values()] == [
        (clock.name, clock.type, clock.mhz) for clock in ours.clocks
    ]
