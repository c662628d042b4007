"""Checks of the claims about money: the two fleets of the white paper's table, and its formula of a running cost."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from foveal_bench.cost.claims.evidence import Evidence
from foveal_bench.cost.claims.verdict import Finding, Verdict
from foveal_bench.cost.comparison import Comparison, break_even, compare, ranges
from foveal_bench.cost.fleet import load_fleet
from foveal_bench.cost.tco import Service, saving
from foveal_bench.cost.unit import literal_recalibrate_cost
from foveal_bench.cost.variants import engineered, pipelined

__all__ = ["CLAIMED", "STREAMS", "cost_saving", "gpu_total", "hybrid_total", "literal_breach", "literal_hours"]

STREAMS = 4
CLAIMED = {"GPU only": 28_500, "FPGA + regions": 16_800}
CLAIMED_SAVING = Decimal("0.41")
NEAR = 0.02
"""A claimed sum is reached when the model comes within 2 % of it."""


def _reference(evidence: Evidence) -> Comparison:
    service = Service(evidence.book.figures["service_fps"].value, None)
    return compare(evidence.book, load_fleet("gpu.yaml"), load_fleet("hybrid.yaml"), service)


def gpu_total(evidence: Evidence) -> Finding:
    """The yearly sum of the GPU fleet."""
    return _total(evidence, 0)


def hybrid_total(evidence: Evidence) -> Finding:
    """The yearly sum of the fleet with FPGA cards."""
    return _total(evidence, 1)


def _total(evidence: Evidence, which: int) -> Finding:
    comparison = _reference(evidence)
    found = comparison.bills(STREAMS)[which]
    claimed = CLAIMED[found.fleet]
    if abs(float(found.total) / claimed - 1) > NEAR:
        return Finding(Verdict.CONTRADICTS, float(found.total), f"the reference fleet of {STREAMS} streams costs this")
    fleet = comparison.fleets[which]
    cards = " + ".join(fleet.cards)
    return Finding(
        Verdict.ONLY_IF,
        float(found.total),
        f"it is a fleet of {found.nodes} nodes with {cards} for {STREAMS} streams, one frame at a time, no engineering",
    )


def cost_saving(evidence: Evidence) -> Finding:
    """For which fleets the saving is reached, and for which it is not."""
    serial = _reference(evidence)
    fps = serial.service.fps
    gpu, hybrid = serial.fleets
    others = compare(serial.book, pipelined(gpu, fps), hybrid, serial.service)
    charged = compare(serial.book, gpu, replace(engineered(hybrid), licences=Decimal(0)), serial.service)

    def reached(share: Decimal) -> bool:
        return share >= CLAIMED_SAVING

    gains = serial.savings()
    true = [n for n, share in enumerate(gains, 1) if share is not None and reached(share)]
    shown = float(saving(*serial.bills(STREAMS)) or 0)
    if not true:
        return Finding(Verdict.CONTRADICTS, -100 * shown, "no number of streams up to 1,000 reaches it")
    rates = [break_even(c.savings(), reached)["first"] for c in (others, charged)]
    from_pipelined, from_charged = (f"first at {n} streams" if n else "never up to 1,000 streams" for n in rates)
    false = [n for n in range(1, len(gains) + 1) if n not in set(true)]
    yearly = charged.inputs.values["engineering"]
    return Finding(
        Verdict.ONLY_IF,
        -100 * shown,
        f"{ranges(true)} streams are served one frame at a time without engineering (false for {ranges(false)});"
        f" where the GPU pipelines to {fps} frames a second: {from_pipelined};"
        f" with {yearly:,} a year of engineering: {from_charged}; never for one node against one",
    )


def literal_breach(evidence: Evidence) -> Finding:
    """The comment says that each percent of missed service raises the cost 2.1 times; the code takes a share."""
    plain, late = (literal_recalibrate_cost(300, 0, rate, 31.2) for rate in (0.0, 0.01))
    verdict = Verdict.HOLDS if late / plain >= 2.1 else Verdict.CONTRADICTS
    return Finding(verdict, late / plain, "the formula with a share of 0.01, word for word")


def literal_hours(evidence: Evidence) -> Finding:
    """The formula multiplies watts with a price of a kilowatt-hour."""
    value = literal_recalibrate_cost(300, 0, 0.0, 31.2)
    hourly = 300 / 1000 * 0.082 / 31.2
    verdict = Verdict.HOLDS if abs(value / hourly - 1) < 0.05 else Verdict.CONTRADICTS
    return Finding(verdict, value, f"watts x price of a kWh; an hour's energy would be {hourly:.6f}")
