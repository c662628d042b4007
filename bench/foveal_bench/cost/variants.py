"""A fleet under one other assumption, as claims and curves need it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from foveal_bench.cost.fleet import Fleet

__all__ = ["engineered", "pipelined"]


def pipelined(fleet: Fleet, rate: Decimal) -> Fleet:
    """Nodes that have frames in flight together and reach `rate` frames a second."""
    performance = replace(fleet.performance, rate=rate, basis="assumed", source="frames in flight together")
    return replace(fleet, name=f"{fleet.name}, pipelined", performance=performance)


def engineered(fleet: Fleet) -> Fleet:
    """Charged with the price book's engineering and licences, whatever its file says."""
    return replace(fleet, name=f"{fleet.name}, with engineering", engineering=None, licences=None)
