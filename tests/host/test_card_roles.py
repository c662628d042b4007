"""What buffers are for: each pointer of the kernels has one role."""

from __future__ import annotations

from foveal.card.kernel import load_kernel
from foveal.card.roles import GEOMETRY, KERNEL, ROLES


def test_each_pointer_has_one_role() -> None:
    taken = [use for uses in ROLES.values() for use in uses]
    pointers = [(name, a.name) for name in (KERNEL, GEOMETRY) for a in load_kernel(name).arguments if a.pointer]
    assert sorted(taken) == sorted(pointers)
