"""What if: one thing is changed, everything else is drawn as before, and the difference is paired draw by draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from foveal.errors import FovealError
from numpy.typing import NDArray

from foveal_bench.cost.comparison import Comparison, compare
from foveal_bench.cost.fleet import Fleet
from foveal_bench.cost.uncertainty import Interval, Outcome, draw, interval, outcome_of

__all__ = ["Change", "Effect", "effect", "read_change"]

Array = NDArray[np.float64]
FORM = re.compile(r"(?P<target>[^=*]+)(?P<operator>[=*])(?P<value>.+)")


@dataclass(frozen=True, slots=True)
class Change:
    """target: fpga (=off), region (=full), or figures by name, first part or last part; factor or new value."""

    text: str
    target: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class Effect:
    """change: what was done. saving: under it. gained: saving with it minus without it, draw by draw, in shares.

    alternative: the alternative's yearly cost under it; more: its cost with it minus without it, draw by draw.
    """

    change: Change
    saving: Interval
    gained: Interval
    alternative: Interval
    more: Interval


def read_change(text: str) -> Change:
    """From `fpga=off`, `region=full`, `price*1.2`, `tariff=0.2`. Raises FovealError when it is none of these forms."""
    match = FORM.fullmatch(text.replace(" ", ""))
    if match is None:
        raise FovealError(f"{text!r} is no change; write fpga=off, region=full, price*1.2 or tariff=0.2")
    change = Change(text, match["target"], match["operator"], match["value"])
    switches = {"fpga": "off", "region": "full"}
    if change.target in switches:
        if (change.operator, change.value) != ("=", switches[change.target]):
            raise FovealError(f"{text!r}: {change.target} can only be {switches[change.target]}")
        return change
    try:
        number = float(change.value)
    except ValueError:
        raise FovealError(f"{text!r}: {change.value!r} is not a number") from None
    if not 0 <= number < float("inf"):
        raise FovealError(f"{text!r}: {change.value} is not a number of at least 0")
    return change


def effect(comparison: Comparison, change: Change, streams: int, draws: int, seed: int) -> Effect:
    """Apply `change` to the same draws. Raises FovealError when the comparison has nothing that it could change."""
    values = draw(comparison.inputs, draws, seed)
    before = outcome_of(comparison, streams, values, draws)
    after = _after(comparison, change, values, streams, draws, seed)
    return Effect(
        change,
        saving=interval(after.saving),
        gained=interval(after.saving - before.saving),
        alternative=interval(after.alternative),
        more=interval(after.alternative - before.alternative),
    )


def _after(
    comparison: Comparison, change: Change, values: Mapping[str, Array], streams: int, draws: int, seed: int
) -> Outcome:
    baseline, alternative = comparison.fleets
    if change.target == "fpga":
        bare = _without_fpga(comparison, baseline, alternative)
        changed = replace(comparison, fleets=(baseline, bare))
        own = {f"{bare.name}.{key}": values[f"{baseline.name}.{key}"] for key in ("latency_ms", "rate", "utilisation")
               if f"{baseline.name}.{key}" in values}  # fmt: skip
        own |= {f"{bare.name}.{part}": np.asarray(0.0) for part in ("engineering", "licences")}
        kept = {name: value for name, value in values.items() if name != f"{bare.name}.rate"}
        return outcome_of(changed, streams, kept | own, draws)
    if change.target == "region":
        if alternative.full_frame is None:
            raise FovealError(f"{alternative.name}: its file has no `full_frame`, so region=full is not known")
        full = replace(alternative, performance=alternative.full_frame)
        changed = compare(comparison.book, baseline, full, comparison.service)
        # The same names, hence the same draws of everything that is shared; the latency keeps its quantiles.
        return outcome_of(changed, streams, draw(changed.inputs, draws, seed), draws)
    names = _named(values, change.target)
    number = float(change.value)
    done = {name: values[name] * number if change.operator == "*" else np.asarray(number) for name in names}
    return outcome_of(comparison, streams, {**values, **done}, draws)


def _without_fpga(comparison: Comparison, baseline: Fleet, alternative: Fleet) -> Fleet:
    def rest(cards: dict[str, int]) -> dict[str, int]:
        return {sku: n for sku, n in cards.items() if comparison.book.card(sku).device != "fpga"}

    bare = replace(alternative, server_cards=rest(alternative.server_cards), added_cards=rest(alternative.added_cards))
    if bare.cards == alternative.cards:
        raise FovealError(f"{alternative.name} has no FPGA to take out")
    if not bare.cards:
        raise FovealError(f"{alternative.name} has nothing but FPGAs; without them it has no card")
    return replace(bare, performance=baseline.performance)


def _named(values: Mapping[str, Array], target: str) -> list[str]:
    """The figure of this name, or all whose name starts or ends with it (price: price.L40S; rate: every fleet's)."""
    names = [name for name in values if name == target]
    names = names or [n for n in values if n.startswith(f"{target}.") or n.rpartition(".")[2] == target]
    if not names:
        raise FovealError(f"no figure is called {target!r}; there are {', '.join(sorted(values))}")
    return names
