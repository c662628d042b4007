"""The survivors that are known and why they survive (survivors.yaml), and what a run says against them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from sites import Site

__all__ = ["GATE", "Entry", "Tally", "problems_of", "read_entries", "read_table", "stale", "table", "tally"]

HERE = Path(__file__).resolve().parent
TOGETHER = "together"  # the row of sums
GATE = 0.95  # share of the mutants that are not equivalent which a module's bench must kill


@dataclass(frozen=True)
class Entry:
    """One survivor. `equivalent`: no input could ever tell it from the original; else it could, but no bench does."""

    ident: str
    site: str
    equivalent: bool
    why: str


@dataclass(frozen=True)
class Tally:
    """How a module's mutants ended. `killed` holds `hung`; a survivor is equivalent, accepted or open."""

    mutants: int
    killed: int
    hung: int
    equivalent: int
    accepted: int
    open: int

    @property
    def survived(self) -> int:
        return self.equivalent + self.accepted + self.open

    @property
    def share(self) -> float:
        """Killed among those that are not equivalent; 1 if there is none."""
        judged = self.killed + self.accepted + self.open
        return self.killed / judged if judged else 1.0


def read_entries(path: Path = HERE / "survivors.yaml") -> dict[str, dict[str, Entry]]:
    """Module -> identity -> entry; raises ValueError for an entry that is not one identity, one site and one reason."""
    content: dict[str, list[dict[str, Any]]] = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    found: dict[str, dict[str, Entry]] = {}
    for module, rows in content.items():
        found[module] = {}
        for row in rows:
            kinds = row.keys() & {"equivalent", "accepted"}
            if row.keys() != {"id", "site", *kinds} or len(kinds) != 1 or str(row["id"]) in found[module]:
                raise ValueError(f"{path}: {module}: {row} needs id (once), site, and either equivalent or accepted")
            kind = kinds.pop()
            found[module][str(row["id"])] = Entry(str(row["id"]), row["site"], kind == "equivalent", row[kind])
    return found


def tally(outcomes: Mapping[str, str], entries: Mapping[str, Entry]) -> Tally:
    """Count the outcomes ("killed", "hung", "survived") of mutants by identity."""
    survivors = [ident for ident, outcome in outcomes.items() if outcome == "survived"]
    equivalent = sum(ident in entries and entries[ident].equivalent for ident in survivors)
    told = sum(ident in entries for ident in survivors)
    hung = sum(outcome == "hung" for outcome in outcomes.values())
    killed = len(outcomes) - len(survivors)
    return Tally(len(outcomes), killed, hung, equivalent, told - equivalent, len(survivors) - told)


def stale(
    outcomes: Mapping[str, str], entries: Mapping[str, Entry], known: Collection[str], whole: bool
) -> dict[str, str]:
    """Identity -> why an entry is to be removed. Whether a mutant was chosen counts only in a `whole` run."""
    found = {}
    for ident in entries:
        if ident not in known:
            found[ident] = "its line has changed or is gone"
        elif outcomes.get(ident, "survived") != "survived":
            found[ident] = "it is killed now"
        elif whole and ident not in outcomes:
            found[ident] = "it is not among the mutants"
    return found


def problems_of(
    module: str,
    outcomes: dict[str, str],
    sites: dict[str, Site],
    entries: dict[str, Entry],
    known: set[str],
    whole: bool,
) -> list[str]:
    """What is wrong with a module's outcomes, a line each. The share is held to in a `whole` run alone."""
    found = []
    for ident, outcome in outcomes.items():
        if outcome == "survived" and ident not in entries:
            site = sites[ident]
            found.append(
                f"{module}: no test sees this mutant: hw/rtl/{module}.v:{site.line}: {site.code}\n"
                f"     - {{id: {ident}, site: '{site.what}, {site.mode}', equivalent: or accepted: }}"
            )
    for ident, why in stale(outcomes, entries, known, whole).items():
        found.append(f"{module}: survivors.yaml still tells {ident}, {entries[ident].site}: {why}")
    counts = tally(outcomes, entries)
    if whole and counts.share < GATE:
        found.append(f"{module}: {counts.share:.1%} killed, at least {GATE:.0%} is asked")
    return found


def table(tallies: Mapping[str, Tally]) -> str:
    """The tallies as a table in Markdown, with a row of their sum."""
    rows = [
        "| module | mutants | killed | of them hung | survived | equivalent | accepted | killed of the rest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    total = Tally(*(sum(getattr(t, name) for t in tallies.values()) for name in Tally.__dataclass_fields__))
    for name, t in [*sorted(tallies.items()), *([(TOGETHER, total)] if len(tallies) > 1 else [])]:
        counts = (t.mutants, t.killed, t.hung, t.survived, t.equivalent, t.accepted)
        rows.append(f"| {name} | " + " | ".join(str(n) for n in counts) + f" | {t.share:.1%} |")
    return "\n".join(rows)


def read_table(text: str) -> dict[str, Tally]:
    """The tallies of a table that `table` wrote."""
    found = {}
    for name, *cells in re.findall(r"^\| (\w+) " + r"\| (\d+) " * 6 + r"\| [0-9.]+% \|$", text, re.MULTILINE):
        mutants, killed, hung, survived, equivalent, accepted = map(int, cells)
        found[name] = Tally(mutants, killed, hung, equivalent, accepted, survived - equivalent - accepted)
    found.pop(TOGETHER, None)
    return found
