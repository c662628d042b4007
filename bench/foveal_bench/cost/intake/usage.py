"""Sums over rows: money in several currencies, accelerators of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from foveal_bench.cost.money import cents

__all__ = ["NodeUse", "Total", "accelerator_cost", "mean_utilisation", "total"]


@dataclass(frozen=True, slots=True)
class Total:
    """amount None: it is not known, and `status` says why. rates: currency -> (rate, date) that were used."""

    amount: Decimal | None
    currency: str
    status: str
    rates: dict[str, tuple[Decimal, str]]
    excluded: tuple[int, ...] = ()


def total(
    rows: Sequence[tuple[Decimal | None, str | None]],
    currency: str,
    rates: Mapping[str, tuple[Decimal, str]],
    *,
    exclude: bool = False,
) -> Total:
    """Sum of (amount, currency) rows in `currency`, rounded once.

    rates: currency -> (worth of one unit, date). A row without an amount or a currency, or in one without a rate, makes
    the sum unknown; with `exclude` it is left out and named.
    """
    amount = Decimal(0)
    used: dict[str, tuple[Decimal, str]] = {}
    left_out = []
    for number, (value, code) in enumerate(rows, 1):
        if code is None:
            reason = f"row {number} has no currency"
        elif value is None:
            reason = f"row {number} has no amount"
        elif code != currency and code not in rates:
            reason = f"row {number} is in {code}, for which there is no rate"
        else:
            if code != currency:
                used[code] = rates[code]
            amount += value * (rates[code][0] if code != currency else 1)
            continue
        if not exclude:
            return Total(None, currency, reason, used)
        left_out.append(number)
    return Total(cents(amount), currency, "ok", used, tuple(left_out))


@dataclass(frozen=True, slots=True)
class NodeUse:
    """Accelerators of a node: their number, price an hour of one, seconds busy of seconds seen (None: not known)."""

    cards: int
    price_per_hour: Decimal
    busy_s: Decimal | None
    seen_s: Decimal | None

    @property
    def utilisation(self) -> Decimal | None:
        """Share of the time that was seen; None where there is no card, no time, or no reading."""
        if not self.cards or self.busy_s is None or not self.seen_s:
            return None
        return self.busy_s / self.seen_s


def accelerator_cost(use: NodeUse, hours: Decimal) -> tuple[Decimal, Decimal | None]:
    """(cost, cost of a busy hour). A node without accelerators pays for none, whatever the price."""
    cost = use.cards * use.price_per_hour * hours
    busy = use.utilisation
    return cost, cost / (hours * busy) if busy and hours else None


def mean_utilisation(uses: Sequence[NodeUse]) -> Decimal | None:
    """Mean over the nodes that have accelerators; None as soon as one is not known."""
    shares = [use.utilisation for use in uses if use.cards]
    if not shares or None in shares:
        return None
    return sum((share for share in shares if share is not None), Decimal(0)) / len(shares)
