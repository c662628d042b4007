"""The kernels' arguments against the register map, the HLS source, and the buffers that they take."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from foveal.card import registers
from foveal.card.arguments import ARGUMENTS, FIRST_ARGUMENT
from foveal.card.roles import GEOMETRY, KERNEL, ROLES

HEADER = Path(__file__).resolve().parents[2] / "hw" / "hls" / "geometry.hpp"


def test_arguments_stand_in_ascending_order_and_do_not_overlap() -> None:
    for arguments in ARGUMENTS.values():
        assert [argument.index for argument in arguments] == list(range(len(arguments)))
        assert arguments[0].offset == FIRST_ARGUMENT
        for before, after in pairwise(arguments):
            assert before.offset + before.size <= after.offset


def test_every_register_that_a_frame_needs_is_an_argument() -> None:
    words = {offset for item in ARGUMENTS[KERNEL] for offset in range(item.offset, item.offset + item.size, 4)}
    writable = {r.offset for r in registers.REGISTERS if "w" in r.access and r.offset >= FIRST_ARGUMENT}
    assert writable - words == {registers.CTRL_RESET}
    assert words <= writable


def test_a_run_that_writes_in_order_commits_the_regions_after_their_words() -> None:
    offsets = {argument.name: argument.offset for argument in ARGUMENTS[KERNEL]}
    words = [offset for name, offset in offsets.items() if re.match(r"ROI_\d", name)]
    assert len(words) == 2 * registers.ROI_COUNT
    assert max(words) < offsets["ROI_COMMIT"]


def test_pointers_are_the_address_registers() -> None:
    pointers = {argument.name: argument.offset for argument in ARGUMENTS[KERNEL] if argument.pointer}
    assert pointers == {
        "TRI_BASE": registers.TRI_BASE_LO,
        "BAND_BASE": registers.BAND_BASE_LO,
        "OUT_BASE": registers.OUT_BASE_LO,
        "MAT_BASE": registers.MAT_BASE_LO,
        "TEX_BASE": registers.TEX_BASE_LO,
    }


def test_geometry_arguments_are_those_of_its_source() -> None:
    call = re.search(r'extern "C" void geometry\(([^)]*)\)', HEADER.read_text(encoding="utf-8"))
    assert call is not None
    names = [re.split(r"[ *]+", parameter.strip())[-1] for parameter in call[1].split(",")]
    assert [argument.name for argument in ARGUMENTS[GEOMETRY]] == names


def test_each_pointer_has_one_role() -> None:
    taken = [use for uses in ROLES.values() for use in uses]
    pointers = [(kernel, a.name) for kernel, arguments in ARGUMENTS.items() for a in arguments if a.pointer]
    assert sorted(taken) == sorted(pointers)
