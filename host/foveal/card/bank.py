"""Memory banks of a card, as boards/<name>/board.yaml lists them and as v++ and XRT name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

__all__ = ["Bank", "banks_of", "select"]

RANGE = re.compile(r"(\w+)\[(\d+)(?::(\d+))?\]")


@dataclass(frozen=True, slots=True)
class Bank:
    """One memory that a kernel's port can be connected to: an HBM pseudo channel or a DDR4 channel.

    tag: "HBM[3]". kind: "hbm2" or "ddr4". base: device address of the first byte. size: bytes.
    """

    tag: str
    kind: str
    base: int
    size: int


def banks_of(memories: Sequence[dict[str, Any]]) -> tuple[Bank, ...]:
    """All banks of a board file's `memories`, in the order of the link's indices. Raises ValueError on an overlap."""
    banks = []
    for memory in memories:
        size = int(memory["bank_bytes"])
        stride = int(memory.get("stride", size))
        for n in range(int(memory["banks"])):
            banks.append(Bank(f"{memory['name']}[{n}]", memory["kind"], int(memory["base"]) + n * stride, size))
    ordered = sorted(banks, key=lambda bank: bank.base)
    for lower, upper in pairwise(ordered):
        if lower.base + lower.size > upper.base:
            raise ValueError(f"{lower.tag} and {upper.tag} overlap")
    return tuple(banks)


def select(text: str, banks: Sequence[Bank]) -> tuple[Bank, ...]:
    """The banks that `text`, "HBM[3]" or "HBM[0:3]" (both ends included), names.

    Raises ValueError, with what there is, when it names none or is no such range.
    """
    match = RANGE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not NAME[n] or NAME[first:last]")
    name, first, last = match[1], int(match[2]), int(match[3] or match[2])
    known = {bank.tag: bank for bank in banks}
    wanted = [f"{name}[{n}]" for n in range(first, last + 1)]
    missing = [tag for tag in wanted if tag not in known]
    if not wanted or missing:
        names = sorted({bank.tag.split("[")[0] for bank in banks})
        counts = ", ".join(f"{n}[0:{sum(bank.tag.startswith(n + '[') for bank in banks) - 1}]" for n in names)
        raise ValueError(f"{text!r} is not on this card, which has {counts}")
    return tuple(known[tag] for tag in wanted)
