"""The strict double of pyxrt is strict: each trap of the library that it knows is sprung once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from foveal.card.kernel import load_kernel
from foveal.card.roles import KERNEL
from xrt_double import UUID, StrictXrt

INDEX = {argument.name: argument.index for argument in load_kernel(KERNEL).arguments}


@pytest.fixture
def rig() -> Any:
    """A kernel of the double with a run, and a buffer that it may have."""
    library = StrictXrt()
    device = library.device(0)
    identity = SimpleNamespace(to_string=lambda: UUID)
    kernel = library.kernel(device, identity, "foveal_kernel:{foveal_1}", "exclusive")
    run = library.run(kernel)
    group = kernel.group_id(INDEX["OUT_BASE"])
    made = library.bo(device, 4096, "normal", group)
    made.write(np.zeros(4096, np.uint8), 0)
    made.sync(0, 4096, 0)
    return SimpleNamespace(library=library, device=device, kernel=kernel, run=run, bo=made, group=group)


@pytest.mark.parametrize("value", [1 << 31, -(1 << 31) - 1, 1.0, True, "1"])
def test_an_argument_that_pyxrt_does_not_take(rig: Any, value: object) -> None:
    with pytest.raises(TypeError):
        rig.run.set_arg(INDEX["WIDTH"], value)


def test_a_buffer_for_a_scalar_and_a_scalar_for_a_buffer(rig: Any) -> None:
    with pytest.raises(AssertionError, match="WIDTH is a scalar"):
        rig.run.set_arg(INDEX["WIDTH"], rig.bo)
    with pytest.raises(AssertionError, match="OUT_BASE takes a buffer"):
        rig.run.set_arg(INDEX["OUT_BASE"], 0x1000)


def test_a_buffer_in_another_memory(rig: Any) -> None:
    with pytest.raises(AssertionError, match="MAT_BASE: XRT would give the kernel a copy"):
        rig.run.set_arg(INDEX["MAT_BASE"], rig.bo)


def test_bytes_that_were_never_sent(rig: Any) -> None:
    rig.run.set_arg(INDEX["OUT_BASE"], rig.bo)
    rig.bo.write(np.ones(4, np.uint8), 100)
    with pytest.raises(AssertionError, match="OUT_BASE holds bytes that were never sent"):
        rig.run.start()


def test_a_buffer_that_is_gone(rig: Any) -> None:
    rig.run.set_arg(INDEX["OUT_BASE"], rig.bo)
    del rig.bo
    with pytest.raises(AssertionError, match="OUT_BASE was freed"):
        rig.run.start()


def test_a_strided_array(rig: Any) -> None:
    with pytest.raises(AssertionError, match="neighbours"):
        rig.bo.write(np.zeros((4, 6), np.uint8)[:, 1:4], 0)


def test_a_wait_for_ever_and_a_start_in_mid_run(rig: Any) -> None:
    rig.run.start()
    with pytest.raises(AssertionError, match="for ever"):
        rig.run.wait(0)
    with pytest.raises(AssertionError, match="while it runs"):
        rig.run.start()


def test_a_reset_under_what_is_held(rig: Any) -> None:
    with pytest.raises(AssertionError, match="under a kernel"):
        rig.library.reset("0000:d8:00.1")
    rig.run = rig.kernel = None
    with pytest.raises(AssertionError, match="under buffers"):
        rig.library.reset("0000:d8:00.1")
    rig.bo = None
    rig.library.reset("0000:d8:00.1")
