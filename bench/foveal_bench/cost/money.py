"""Decimal money: strict numbers, one rounding at the end, parts that add up to their total to the cent."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any

__all__ = ["CENT", "cents", "decimal", "split_cents"]

CENT = Decimal("0.01")


def decimal(value: Any, name: str, *, least: Decimal | None = Decimal(0)) -> Decimal:
    """`value` (text or number) as a finite Decimal of at least `least`; None allows any sign.

    Raises ValueError naming `name`. A truth value is no number, and neither is text with separators or a unit.
    """
    try:
        if isinstance(value, bool):
            raise InvalidOperation
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise ValueError(f"{name}: {value!r} is not a number") from None
    if not number.is_finite():
        raise ValueError(f"{name}: {value} is not a finite number")
    if least is not None and number < least:
        raise ValueError(f"{name}: {number} is below {least}")
    return number


def cents(amount: Decimal) -> Decimal:
    """Rounded to the cent, half to even."""
    return amount.quantize(CENT, rounding=ROUND_HALF_EVEN)


def split_cents(parts: Mapping[str, Decimal]) -> tuple[Decimal, dict[str, Decimal]]:
    """(total, parts) in whole cents: the exact total is rounded once, and the parts add up to it.

    Every part is rounded down; the cents that are then missing go to the largest remainders (first named wins a tie).
    """
    total = cents(sum(parts.values(), Decimal(0)))
    rounded = {name: amount.quantize(CENT, rounding=ROUND_FLOOR) for name, amount in parts.items()}
    missing = int((total - sum(rounded.values(), Decimal(0))) / CENT)
    by_remainder = sorted(parts, key=lambda name: parts[name] - rounded[name], reverse=True)
    for name in by_remainder[:missing]:
        rounded[name] += CENT
    return total, rounded
