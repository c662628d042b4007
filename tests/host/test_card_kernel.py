"""kernel.xml as hosts read it: arguments are the registers of the kernel, in their order."""

from __future__ import annotations

import pytest
from foveal.card import registers
from foveal.card.kernel import kernel_names, kernel_xml, load_kernel, read_kernel
from foveal.errors import DeviceNotFound

POINTERS = {"TRI_BASE", "BAND_BASE", "OUT_BASE", "MAT_BASE", "TEX_BASE"}


def test_both_kernels_are_described() -> None:
    assert kernel_names() == ["foveal_kernel", "geometry"]
    with pytest.raises(DeviceNotFound, match="foveal_kernel, geometry"):
        load_kernel("shading")


def test_arguments_are_the_registers_in_their_order() -> None:
    kernel = load_kernel("foveal_kernel")
    assert [argument.index for argument in kernel.arguments] == list(range(len(kernel.arguments)))
    offsets = [argument.offset for argument in kernel.arguments]
    assert offsets == sorted(offsets)
    for argument in kernel.arguments:
        low = f"{argument.name}_LO" if argument.pointer else argument.name
        assert registers.OFFSETS[low] == argument.offset
        assert argument.size == (8 if argument.pointer else 4)
        if argument.pointer:
            assert registers.OFFSETS[f"{argument.name}_HI"] == argument.offset + 4
    assert {a.name for a in kernel.arguments if a.pointer} == POINTERS


def test_a_run_commits_its_regions_and_never_resets() -> None:
    names = [argument.name for argument in load_kernel("foveal_kernel").arguments]
    assert names.index("ROI_COMMIT") == names.index("ROI_15_HI") + 1
    assert not {"CTRL", "GIE", "IER", "ISR", "CTRL_RESET", "STATUS", "ID"} & set(names)


def test_arguments_stay_inside_the_control_port() -> None:
    for name in kernel_names():
        kernel = load_kernel(name)
        control = next(port for port in kernel.ports if port.mode == "slave")
        assert (control.name, control.width, control.span) == ("s_axi_control", 32, 4096)
        assert all(a.offset >= 0x10 and a.offset + a.size <= control.span for a in kernel.arguments)
        assert {a.port for a in kernel.arguments} <= {port.name for port in kernel.ports}
        assert kernel.protocol == "ap_ctrl_hs"


def test_an_unknown_argument_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="position, triangle"):
        load_kernel("geometry").argument("TRI_BASE")


def test_a_damaged_description_is_refused() -> None:
    text = kernel_xml("geometry")
    for broken in (text[:200], text.replace('hwControlProtocol="ap_ctrl_hs"', ""), text.replace('size="0x8"', "")):
        with pytest.raises(ValueError, match=r"kernel\.xml"):
            read_kernel(broken)
