"""Two fleets for the same streams: savings over stream counts, three years of payments, break-even."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from foveal.errors import FovealError

from foveal_bench.cost.book import PriceBook
from foveal_bench.cost.fleet import Fleet
from foveal_bench.cost.money import cents
from foveal_bench.cost.tco import Bill, Inputs, Service, bill, inputs_of, saving

__all__ = ["MOST_STREAMS", "Comparison", "break_even_months", "compare", "payments", "ranges"]

MOST_STREAMS = 1000
"""Stream counts that are tried for a break-even."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """baseline and alternative at one book, service level and set of prices."""

    book: PriceBook
    service: Service
    fleets: tuple[Fleet, Fleet]
    inputs: Inputs

    def bills(self, streams: int, values: Mapping[str, Decimal] | None = None) -> tuple[Bill, Bill]:
        """(baseline, alternative) for a number of streams; `values` in place of the comparison's own."""
        known = values or self.inputs.values
        first, second = (bill(known, fleet, streams, self.service) for fleet in self.fleets)
        return first, second

    def savings(self, most: int = MOST_STREAMS) -> list[Decimal | None]:
        """Saving for 1..most streams, a share of the baseline's cost."""
        values = self.inputs.values
        return [saving(*self.bills(streams, values)) for streams in range(1, most + 1)]


def compare(
    book: PriceBook, baseline: Fleet, alternative: Fleet, service: Service, region: str | None = None
) -> Comparison:
    """Prepare the comparison of two fleets.

    Raises FovealError when the book lacks something, or when two different fleets have one name.
    """
    if baseline.name == alternative.name and baseline != alternative:
        raise FovealError(f"both fleets are called {baseline.name!r}; give one another name")
    return Comparison(book, service, (baseline, alternative), inputs_of(book, [baseline, alternative], region))


def ranges(counts: list[int]) -> str:
    """Rising whole numbers as text: 4, 6 to 8, 10."""
    parts: list[list[int]] = []
    for count in counts:
        if parts and count == parts[-1][-1] + 1:
            parts[-1].append(count)
        else:
            parts.append([count])
    return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]} to {p[-1]}" for p in parts) or "none"


def break_even(savings: list[Decimal | None], holds: Callable[[Decimal], bool]) -> dict[str, int | None]:
    """First stream count at which `holds` is true of the saving, and the one from which it stays true to the last.

    savings[0] is that of one stream. Whole nodes make a saving jump, so the two may differ.
    """
    true = [value is not None and holds(value) for value in savings]
    first = true.index(True) + 1 if True in true else None
    last_false = max((number for number, value in enumerate(true, 1) if not value), default=0)
    return {"first": first, "always_from": last_false + 1 if last_false < len(true) else None}


def break_even_months(baseline: Bill, alternative: Bill) -> int | None:
    """Whole months until what the alternative costs more at the start is saved; 0: at once, None: never.

    Compared are payments: cards and servers at the start, everything else month by month.
    """
    more = alternative.invested - baseline.invested
    monthly = (baseline.running - alternative.running) / 12
    if more <= 0 and monthly >= 0:
        return 0
    if more <= 0 or monthly <= 0:
        return None
    return int((more / monthly).to_integral_value(rounding=ROUND_CEILING))


def payments(fleet: Bill, years: int = 3) -> list[dict[str, Any]]:
    """What is paid by the end of each year, from the purchase (year 0) on: `paid` and `together`, in cents."""
    rows: list[dict[str, Any]] = [{"year": 0, "paid": cents(fleet.invested), "together": cents(fleet.invested)}]
    for year in range(1, years + 1):
        together = cents(fleet.invested + year * fleet.running)
        rows.append({"year": year, "paid": together - rows[-1]["together"], "together": together})
    return rows
