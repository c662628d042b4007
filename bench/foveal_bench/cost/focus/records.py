"""A run's fleets as cost records: what is paid when, and what each month bears.

Capital is one Purchase row, billed at the start with an effective cost of 0, and Usage rows that bear its share of each
month and bill nothing. So the sum of a cost column counts it once: BilledCost gives payments, EffectiveCost the bill.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from foveal_bench.cost.focus.columns import CUSTOM, MANDATORY
from foveal_bench.cost.money import split_cents
from foveal_bench.cost.tco import HOURS_PER_YEAR, PARTS

__all__ = ["COLUMNS", "records_of_run"]

COLUMNS = (*(column.name for column in MANDATORY), *CUSTOM)
MONTHS = 12
ISSUER = "Foveal cost model"
SERVICES = {
    "capital": ("Compute", "Render nodes"),
    "energy": ("Compute", "Electricity"),
    "maintenance": ("Compute", "Maintenance"),
    "staff": ("Other", "Operations"),
    "licences": ("Developer Tools", "FPGA tools"),
    "engineering": ("Developer Tools", "FPGA engineering"),
}
Record = dict[str, str | None]


def records_of_run(run: dict[str, Any], start: datetime) -> list[Record]:
    """Twelve months from the month of `start`, for every fleet that run.json prices; each fleet is a billing account.

    Costs are text in whole cents; the months of a part add up to what the run says of its year.
    """
    cost = run["summary"]["cost"]
    records = []
    for scenario in cost["scenarios"]:
        for fleet in scenario["fleets"]:
            records += _fleet(fleet, scenario, cost, start)
    return records


def _fleet(fleet: dict[str, Any], scenario: dict[str, Any], cost: dict[str, Any], start: datetime) -> list[Record]:
    bounds = _months(start)
    hours = [Decimal((end - begin).total_seconds()) / 3600 for begin, end in bounds]
    year = sum(hours, Decimal(0))
    energy = Decimal(str(fleet["energy_kwh"]))
    frames = cost["streams"] * Decimal(str(cost["fps"])) * 3600 * HOURS_PER_YEAR
    common = {
        "BillingAccountId": f"fleet/{fleet['label']}",
        "BillingAccountName": fleet["label"],
        "BillingCurrency": cost["currency"],
        "ChargeClass": None,
        **dict.fromkeys(("InvoiceIssuerName", "ProviderName", "PublisherName"), ISSUER),
        "x_Scenario": scenario["name"],
        "x_LatencyMs": _number(Decimal(str(fleet["frame_ms"]))),
        "x_Provenance": scenario["provenance"],
    }
    records = [_purchase(fleet, common, bounds[0])]
    for part in PARTS:
        amount = Decimal(fleet[part])
        if not amount:
            continue
        _, shares = split_cents({str(n): amount * h / year for n, h in enumerate(hours)})
        low, high = fleet["intervals"][part]
        for number, (begin, end) in enumerate(bounds):
            share = shares[str(number)]
            portion = hours[number] / year
            billed = Decimal(0) if part == "capital" else share
            quantity, unit = (energy * portion, "kWh") if part == "energy" else (hours[number], "Hours")
            records.append(
                common
                | _charge("Usage", part, begin, end, quantity, unit)
                | dict.fromkeys(("BilledCost", "ListCost", "ContractedCost"), _number(billed))
                | {
                    "EffectiveCost": _number(share),
                    "ChargeDescription": f"{fleet['label']}: {part}" + (" (amortised)" if part == "capital" else ""),
                    "x_EnergyKwh": _number(energy * portion) if part == "energy" else None,
                    "x_Frames": str(round(frames * portion)) if part == "capital" else None,
                    "x_EffectiveCostLow": _number(Decimal(repr(low)) * portion),
                    "x_EffectiveCostHigh": _number(Decimal(repr(high)) * portion),
                }
            )
    return [{column: record[column] for column in COLUMNS} for record in records]


def _purchase(fleet: dict[str, Any], common: Record, first: tuple[datetime, datetime]) -> Record:
    invested = _number(Decimal(fleet["invested"]))
    return (
        common
        | _charge("Purchase", "capital", *first, Decimal(fleet["nodes"]), "Nodes")
        | dict.fromkeys(("BilledCost", "ListCost", "ContractedCost"), invested)
        | {"EffectiveCost": "0", "ChargeDescription": f"{fleet['label']}: {fleet['nodes']} nodes"}
        | dict.fromkeys(("x_EnergyKwh", "x_Frames", "x_EffectiveCostLow", "x_EffectiveCostHigh"))
    )


def _charge(category: str, part: str, begin: datetime, end: datetime, quantity: Decimal, unit: str) -> Record:
    service, name = SERVICES[part]
    return {
        "ChargeCategory": category,
        "BillingPeriodStart": _time(begin),
        "BillingPeriodEnd": _time(end),
        "ChargePeriodStart": _time(begin),
        "ChargePeriodEnd": _time(end),
        "PricingQuantity": _number(quantity),
        "PricingUnit": unit,
        "ServiceCategory": service,
        "ServiceName": name,
        "x_Part": part,
    }


def _months(start: datetime) -> list[tuple[datetime, datetime]]:
    """Twelve calendar months in UTC; the end is exclusive."""
    first = start.astimezone(UTC)
    edges = [
        datetime(first.year + (first.month - 1 + n) // 12, (first.month - 1 + n) % 12 + 1, 1, tzinfo=UTC)
        for n in range(MONTHS + 1)
    ]
    return list(pairwise(edges))


def _time(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _number(value: Decimal) -> str:
    """Digits and a point, at most six of them behind it, no exponent and no sign where it is positive."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
