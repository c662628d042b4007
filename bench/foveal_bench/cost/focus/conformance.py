"""Whether a table conforms to FOCUS 1.2 in the columns that are mandatory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from foveal_bench.cost.focus.columns import MANDATORY, OTHER, FocusColumn
from foveal_bench.cost.intake.cells import NULLS

__all__ = ["conformance"]

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
DECIMAL = re.compile(r"-?\d+(\.\d+)?(E-?\d+)?", re.ASCII)
CURRENCY = re.compile(r"[A-Z]{3}")
MOST = 100
"""Findings that are listed; a file of a million rows may be wrong in each."""

Row = dict[str, str | None]


def conformance(names: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """What is wrong, one sentence each with row (the first is 1) and column; empty when the table conforms.

    names: the header. A cell of None, or of an empty text, is null. At most 100 findings.
    """
    found = [f"column {column.name} is missing" for column in MANDATORY if column.name not in names]
    known = {column.name for column in MANDATORY} | OTHER
    found += [
        f"column {name} is not of FOCUS 1.2; the name of a custom column starts with x_"
        for name in names
        if name not in known and not name.startswith("x_")
    ]
    found += [f"column {name} is there twice" for name in sorted({n for n in names if list(names).count(n) > 1})]
    if any("is missing" in line for line in found):
        return found
    for number, row in enumerate(rows, 1):
        found += [f"row {number}, {line}" for line in _row(row)]
        if len(found) >= MOST:
            break
    return found[:MOST]


def _row(row: Row) -> list[str]:
    lines = [line for column in MANDATORY if (line := _cell(column, row.get(column.name) or None))]
    if lines:
        return lines
    for period in ("BillingPeriod", "ChargePeriod"):
        start, end = row[f"{period}Start"], row[f"{period}End"]
        if str(start) >= str(end):
            lines.append(f"column {period}End: {end} is not after {start} (the end is exclusive)")
    category = row["ChargeCategory"]
    quantity, unit = row["PricingQuantity"] or None, row["PricingUnit"] or None
    if (quantity is None) != (unit is None):
        lines.append("column PricingUnit: it is null exactly where PricingQuantity is")
    if category == "Tax" and quantity is not None:
        lines.append("column PricingQuantity: it is null for a Tax")
    if category in ("Usage", "Purchase") and quantity is None and not row["ChargeClass"]:
        lines.append(f"column PricingQuantity: it is needed for a {category}")
    return lines


def _cell(column: FocusColumn, value: str | None) -> str | None:
    if value is None:
        return None if column.null else f"column {column.name}: it must not be null"
    if value.strip().lower() in NULLS:
        return f"column {column.name}: {value!r} stands for null; leave the cell empty"
    if column.allowed and value not in column.allowed:
        return f"column {column.name}: {value!r} is none of {', '.join(column.allowed)}"
    if column.kind == "decimal" and not DECIMAL.fullmatch(value):
        return f"column {column.name}: {value!r} is not a number such as -1234.5"
    if column.kind == "currency" and not CURRENCY.fullmatch(value):
        return f"column {column.name}: {value!r} is not a currency code such as USD"
    if column.kind == "time" and not _is_time(value):
        return f"column {column.name}: {value!r} is not a UTC time such as 2026-05-01T00:00:00Z"
    return None


def _is_time(value: str) -> bool:
    if not TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
