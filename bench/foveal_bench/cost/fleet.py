"""A fleet as a file describes it: what a node is made of, how fast it renders, what comes on top."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml
from foveal.errors import FovealError

from foveal_bench.cost.book import BASES, Figure
from foveal_bench.cost.intake.text_yaml import load_text_yaml
from foveal_bench.cost.money import decimal
from foveal_bench.cost.spread import Spread, read_spread

__all__ = ["REFERENCE", "Fleet", "Performance", "load_fleet", "reference_text"]

REFERENCE = ("gpu.yaml", "hybrid.yaml")
"""The shipped fleets: the claim's two rows."""
FLEET_KEYS = {
    "name",
    "server_cards",
    "added_cards",
    "utilisation",
    "performance",
    "full_frame",
    "spare_nodes",
    "staff_per_year",
    "engineering_per_year",
    "licences_per_year",
}
PERFORMANCE_KEYS = {"latency_p95_ms", "frames_per_second", "spread_latency", "spread_rate", "basis", "source"}


@dataclass(frozen=True, slots=True)
class Performance:
    """What one node does under the load that it is sized for.

    rate: frames a second, its own figure since frames may be in flight together; None: one frame at a time, as the
    fleet's file says with `serial`. latency and rate may have a spread.
    """

    latency_ms: Decimal
    rate: Decimal | None
    basis: str
    source: str
    latency_spread: Spread | None = None
    rate_spread: Spread | None = None

    @property
    def rows(self) -> list[Figure]:
        """As figures for the table of assumptions."""
        latency = Figure("latency p95", self.latency_ms, self.basis, self.source, unit="ms")
        if self.rate is None:
            return [latency, Figure("rate", 1000 / self.latency_ms, "assumed", "one frame at a time", unit="frames/s")]
        return [latency, Figure("rate", self.rate, self.basis, self.source, unit="frames/s")]


@dataclass(frozen=True, slots=True)
class Fleet:
    """Nodes of one kind. server_cards come with their server, added_cards are put into it: SKU -> number a node.

    staff, engineering, licences: a year, in the price book's currency; None takes the book's rows.
    full_frame: what the node does when it renders without regions, if the file says.
    """

    name: str
    server_cards: dict[str, int]
    added_cards: dict[str, int]
    utilisation: Figure
    performance: Performance
    full_frame: Performance | None = None
    spare_nodes: int = 0
    staff: Decimal | None = None
    engineering: Decimal | None = None
    licences: Decimal | None = None

    @property
    def cards(self) -> dict[str, int]:
        """All cards of a node."""
        return {
            sku: self.server_cards.get(sku, 0) + self.added_cards.get(sku, 0)
            for sku in [*self.server_cards, *(s for s in self.added_cards if s not in self.server_cards)]
        }


def reference_text(name: str) -> str:
    """The text of a shipped fleet file, for copying."""
    return files("foveal_bench.cost").joinpath("fleets", name).read_text(encoding="utf-8")


def load_fleet(path: Path | str) -> Fleet:
    """Read a fleet file; a string names a shipped one (`REFERENCE`).

    Raises FovealError, naming file and entry, when it cannot be read or an entry is missing, unknown or nonsense.
    """
    source: Path | Traversable = files("foveal_bench.cost").joinpath("fleets", path) if isinstance(path, str) else path
    try:
        return _fleet(load_text_yaml(source.read_text(encoding="utf-8")))
    except OSError as error:
        raise FovealError(f"fleet {source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FovealError(f"fleet {source} is not UTF-8 text") from error
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise FovealError(f"fleet {source} is not usable ({what}); `foveal tco example` writes two that are") from error


def _fleet(raw: Any) -> Fleet:
    if not isinstance(raw, dict):
        raise ValueError("it has no entries")
    _known(raw, FLEET_KEYS, "fleet")
    server = _cards(raw.get("server_cards"), "server_cards")
    added = _cards(raw.get("added_cards"), "added_cards")
    if not server and not added:
        raise ValueError("server_cards: a node has at least one card")
    share = raw["utilisation"]
    utilisation = decimal(share["value"], "utilisation")
    if utilisation > 1:
        raise ValueError(f"utilisation: {utilisation} is above 1")
    spread = read_spread(share["spread"], float(utilisation), "utilisation", most=1.0) if "spread" in share else None
    yearly = {
        key: decimal(raw[f"{key}_per_year"], f"{key}_per_year") if f"{key}_per_year" in raw else None
        for key in ("staff", "engineering", "licences")
    }
    return Fleet(
        name=_text(raw["name"], "name"),
        server_cards=server,
        added_cards=added,
        utilisation=Figure("utilisation", utilisation, *_basis(share, "utilisation"), spread=spread),
        performance=_performance(raw["performance"], "performance"),
        full_frame=_performance(raw["full_frame"], "full_frame") if "full_frame" in raw else None,
        spare_nodes=_count(raw.get("spare_nodes", "0"), "spare_nodes"),
        **yearly,
    )


def _performance(raw: dict[str, Any], where: str) -> Performance:
    _known(raw, PERFORMANCE_KEYS, where)
    latency = decimal(raw["latency_p95_ms"], f"{where}: latency_p95_ms")
    if latency <= 0:
        raise ValueError(f"{where}: latency_p95_ms must be more than 0")
    text = raw["frames_per_second"]
    rate = None if text == "serial" else decimal(text, f"{where}: frames_per_second")
    if rate is not None and rate <= 0:
        raise ValueError(f"{where}: frames_per_second must be more than 0, or `serial`")
    spreads = {
        key: read_spread(raw[f"spread_{key}"], float(value), f"{where}: spread_{key}", least=1e-6)
        for key, value in (("latency", latency), ("rate", rate))
        if f"spread_{key}" in raw and value is not None
    }
    return Performance(latency, rate, *_basis(raw, where), spreads.get("latency"), spreads.get("rate"))


def _basis(raw: dict[str, Any], where: str) -> tuple[str, str]:
    allowed = (*BASES, "measured", "simulated", "modelled")
    if raw["basis"] not in allowed:
        raise ValueError(f"{where}: basis {raw['basis']!r} is none of {', '.join(allowed)}")
    return raw["basis"], _text(raw["source"], f"{where}: source")


def _cards(raw: Any, where: str) -> dict[str, int]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise ValueError(f"{where}: it is not a list of `name: number`")
    return {sku: _count(number, f"{where}: {sku}", least=1) for sku, number in raw.items()}


def _count(value: Any, where: str, least: int = 0) -> int:
    if not (isinstance(value, str) and value.isascii() and value.isdigit()) or int(value) < least:
        raise ValueError(f"{where}: {value!r} is not a whole number of at least {least}")
    return int(value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: a text is needed")
    return value


def _known(raw: dict[str, Any], keys: set[str], where: str) -> None:
    if unknown := sorted(set(raw) - keys):
        raise ValueError(f"{where}: {', '.join(unknown)} is not known; it has {', '.join(sorted(keys))}")
