"""The file of claims, and the verdict on each, recomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from foveal_bench.cost.claims import fleets, run_checks, simulations
from foveal_bench.cost.claims.evidence import Evidence
from foveal_bench.cost.claims.formula import evaluate
from foveal_bench.cost.claims.verdict import Finding, Verdict

__all__ = ["Checked", "Claim", "check", "load_claims"]

CHECKS: dict[str, Callable[[Evidence], Finding]] = {
    name: getattr(module, name)
    for module in (fleets, run_checks, simulations)
    for name in module.__all__
    if callable(getattr(module, name))
}
LIMITS = ("within", "at_most", "at_least")


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure. `recorded`: the verdict that was agreed on. It has a formula, a check, or neither."""

    id: str
    text: str
    value: float | None
    unit: str
    needs: str
    recorded: Verdict
    formula: str | None
    limits: dict[str, float]
    only_if: str
    why: str
    check: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with what was found. changed: the verdict is another than the recorded one."""

    claim: Claim
    finding: Finding

    @property
    def changed(self) -> bool:
        """A verdict has not changed for want of a run, a card or a device, nor because one is there now."""
        known = {self.finding.verdict, self.claim.recorded}
        return len(known) == 2 and Verdict.UNCHECKED not in known


def load_claims() -> list[Claim]:
    """The shipped claims. Raises ValueError when an entry is not what it should be."""
    raw = yaml.safe_load(files("foveal_bench.cost.claims").joinpath("claims.yaml").read_text(encoding="utf-8"))
    claims = [_claim(entry) for entry in raw["claims"]]
    if len({claim.id for claim in claims}) < len(claims):
        raise ValueError("two claims have one id")
    return claims


def _claim(entry: dict[str, Any]) -> Claim:
    known = {"id", "text", "value", "unit", "needs", "verdict", "formula", "only_if", "why", "check", *LIMITS}
    if unknown := set(entry) - known:
        raise ValueError(f"{entry['id']}: {', '.join(sorted(unknown))} is not known")
    limits = {name: float(entry[name]) for name in LIMITS if name in entry}
    if ("formula" in entry) != (len(limits) == 1) or ("formula" in entry and "check" in entry):
        raise ValueError(f"{entry['id']}: a formula has one limit and no check")
    return Claim(
        id=entry["id"],
        text=entry["text"],
        value=None if entry["value"] is None else float(entry["value"]),
        unit=entry["unit"],
        needs=entry["needs"],
        recorded=Verdict(entry["verdict"]),
        formula=entry.get("formula"),
        limits=limits,
        only_if=entry.get("only_if", ""),
        why=entry.get("why", ""),
        check=entry.get("check"),
    )


def check(claim: Claim, evidence: Evidence) -> Checked:
    """Recompute one claim."""
    if claim.check is not None:
        return Checked(claim, CHECKS[claim.check](evidence))
    if claim.formula is None:
        return Checked(claim, Finding(Verdict.UNCHECKED, None, f"needs {claim.needs}", ""))
    value = evaluate(claim.formula)
    if not _agrees(claim, value):
        return Checked(claim, Finding(Verdict.CONTRADICTS, value, claim.why))
    if claim.only_if:
        return Checked(claim, Finding(Verdict.ONLY_IF, value, claim.only_if))
    return Checked(claim, Finding(Verdict.HOLDS, value, ""))


def _agrees(claim: Claim, value: float) -> bool:
    if "at_most" in claim.limits:
        return value <= claim.limits["at_most"]
    if "at_least" in claim.limits:
        return value >= claim.limits["at_least"]
    assert claim.value is not None
    return abs(value - claim.value) <= claim.limits["within"]
