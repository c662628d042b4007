"""Cost of one unit of work: frames, camera hours, operations, tokens; and a published formula beside its sane form."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from foveal_bench.cost.tco import HOURS_PER_YEAR

__all__ = [
    "PowerSample",
    "literal_recalibrate_cost",
    "per_camera_hour",
    "per_million_tokens",
    "per_tflops_year",
    "per_thousand_frames",
    "recalibrate_cost",
]

SECONDS_PER_HOUR = 3600


def per_thousand_frames(yearly: Decimal, streams: int, fps: Decimal) -> Decimal | None:
    """What 1,000 frames cost of a fleet that serves `streams` x `fps` around the clock; None without frames."""
    frames = streams * fps * HOURS_PER_YEAR * SECONDS_PER_HOUR
    return yearly / frames * 1000 if frames else None


def per_camera_hour(yearly: Decimal, streams: int) -> Decimal | None:
    """What an hour of one camera costs; None without cameras."""
    return yearly / (streams * HOURS_PER_YEAR) if streams else None


def per_tflops_year(yearly: Decimal, operations: int, seconds: Decimal) -> Decimal:
    """What a sustained TFLOPS costs a year: `operations` were counted in `seconds` on what costs `yearly`.

    Counted operations, never a data sheet's peak. Raises ValueError when nothing was counted or no time passed.
    """
    if operations <= 0 or seconds <= 0:
        raise ValueError(f"{operations} operations in {seconds} s give no rate")
    return yearly / (Decimal(operations) / seconds / 10**12)


def per_million_tokens(hourly: Decimal, tokens_per_second: Decimal) -> Decimal:
    """What a million tokens cost on what costs `hourly`. Raises ValueError when no token comes."""
    if tokens_per_second <= 0:
        raise ValueError(f"{tokens_per_second} tokens a second never make a million")
    return hourly / (tokens_per_second * SECONDS_PER_HOUR) * 10**6


@dataclass(frozen=True, slots=True)
class PowerSample:
    """What was seen over one interval: average power, extra cooling cost in it, share of frames past their limit."""

    hours: Decimal
    power_w: Decimal
    cooling_usd: Decimal
    breach_share: Decimal


def recalibrate_cost(
    sample: PowerSample, *, yearly_capital: Decimal, tariff: Decimal, pue: Decimal, per_breach: Decimal
) -> Decimal:
    """Cost of an interval in USD: its share of the capital, its energy, its cooling, and what missed frames cost.

    per_breach: by how much a share of 1 (every frame late) raises the cost; 2.1 makes 1 % of late frames cost 2.1 %.
    """
    capital = yearly_capital * sample.hours / HOURS_PER_YEAR
    energy = sample.power_w / 1000 * sample.hours * tariff * pue
    return (capital + energy + sample.cooling_usd) * (1 + per_breach * sample.breach_share)


def literal_recalibrate_cost(power_w: float, cooling_cost_usd: float, breach_rate: float, tflops: float) -> float:
    """The white paper's `recalibrate_cost`, word for word. It is no cost: watts times a price of energy lack hours.

    Kept to check what the paper says of it; `recalibrate_cost` is what to use.
    """
    w_cooling = 1.0 + 0.32 * min(cooling_cost_usd / 100, 1.0)
    w_sla = 1.0 + 2.1 * breach_rate
    return (power_w * 0.082 + cooling_cost_usd) * w_cooling * w_sla / tflops
