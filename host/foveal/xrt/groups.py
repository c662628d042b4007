"""Which memory a buffer may lie in: the groups of the kernel arguments that take it, and the room there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from foveal.card.kernel import load_kernel
from foveal.card.roles import GEOMETRY, KERNEL, ROLES
from foveal.errors import DeviceError

__all__ = ["Bank", "Groups"]

BANK_MASK = 0xFFFF
"""Low bits of a group id: the index of the memory; XRT keeps the image's slot above."""


@dataclass(frozen=True, slots=True)
class Bank:
    """A memory of the image: its index and tag ("HBM[3]"), and its bytes."""

    index: int
    tag: str
    size: int


class Groups:
    """Groups by role, and what is in use of each bank."""

    def __init__(self, banks: list[Bank], group_id: Callable[[str, int], int]) -> None:
        """group_id: the group of a kernel's argument, by kernel name and argument index.

        Raises DeviceError when a role's arguments are connected to different memories.
        """
        self._banks = {bank.index: bank for bank in banks}
        self._used: dict[int, int] = {}
        self._group: dict[str, int] = {}
        kernels = {name: load_kernel(name) for name in (KERNEL, GEOMETRY)}
        for role, uses in ROLES.items():
            found = {(kernel, name): group_id(kernel, kernels[kernel].argument(name).index) for kernel, name in uses}
            if len({group & BANK_MASK for group in found.values()}) > 1:
                ends = " and ".join(f"{kernel}.{name} in {self.name(g)}" for (kernel, name), g in found.items())
                raise DeviceError(
                    f"the buffer {role!r} is used by {ends}: no memory is reached by both. Connect them to the same "
                    f"memory in connectivity.cfg and link the image again; it has {self._all()}"
                )
            self._group[role] = next(iter(found.values()))

    def group(self, role: str) -> int:
        """The group id to allocate with. Raises KeyError for a word that is no role."""
        return self._group[role]

    def name(self, group: int) -> str:
        """The tag of a group's memory."""
        bank = self._banks.get(group & BANK_MASK)
        return bank.tag if bank is not None else f"memory {group & BANK_MASK}"

    def take(self, role: str, size: int) -> None:
        """Count `size` bytes as used. Raises DeviceError, before anything is allocated, when there is no room."""
        index = self._group[role] & BANK_MASK
        used, bank = self._used.get(index, 0), self._banks.get(index)
        if bank is not None and used + size > bank.size:
            raise DeviceError(
                f"the buffer {role!r} needs {size} bytes; {bank.tag} has {bank.size - used} of {bank.size} left, "
                "whatever the rest of the card has: draw smaller frames, or connect its arguments to a larger memory"
            )
        self._used[index] = used + size

    def give(self, role: str, size: int) -> None:
        """Count `size` bytes as free again."""
        self._used[self._group[role] & BANK_MASK] -= size

    def clear(self) -> None:
        """Count everything as free."""
        self._used.clear()

    def _all(self) -> str:
        return ", ".join(f"{bank.tag} ({bank.size >> 20} MiB)" for bank in self._banks.values()) or "none"
