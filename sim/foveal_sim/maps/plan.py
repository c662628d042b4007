"""The plans of the packaged maps, as plans.yaml has them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

__all__ = ["SIGNAL_TYPES", "Arm", "Chain", "Crossing", "Lane", "Piece", "Plan", "Roadsign", "plans"]

SIGNAL_TYPES = {"light": "1000001", "stop": "206", "yield": "205", "limit": "274"}
"""OpenDRIVE's own number of a traffic light, and the German numbers of signs, which CARLA takes."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of a cross section, counted from the centre outwards. kind: OpenDRIVE lane type. width in metres."""

    kind: str
    width: float


@dataclass(frozen=True, slots=True)
class Roadsign:
    """A light or sign for the driving lane of one side. kind: of SIGNAL_TYPES. at: metres along the road.

    forward: for who drives along the road, else against it. value: km/h of a limit, else 0.
    """

    kind: str
    at: float
    forward: bool
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A straight (curvature 0) or an arc of `length` metres; curvature in 1/m, positive turns left.

    signs: along it; lights of one piece change together.
    """

    length: float
    curvature: float = 0.0
    signs: tuple[Roadsign, ...] = ()

    def end(self, x: float, y: float, heading: float) -> tuple[float, float, float]:
        """Where it ends when it starts at (x, y), metres, with `heading`, radians."""
        if not self.curvature:
            return x + self.length * math.cos(heading), y + self.length * math.sin(heading), heading
        turned = heading + self.length * self.curvature
        x += (math.sin(turned) - math.sin(heading)) / self.curvature
        y -= (math.cos(turned) - math.cos(heading)) / self.curvature
        return x, y, turned


@dataclass(frozen=True, slots=True)
class Chain:
    """Roads end to end from the origin along +x. closed: the last leads into the first (their geometry must close)."""

    pieces: tuple[Piece, ...]
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Arm:
    """A straight road of `length` metres away from a junction; heading in whole quarter turns, counted to the left."""

    quarter: int
    length: float


@dataclass(frozen=True, slots=True)
class Crossing:
    """Arms that meet around the origin. setback: from there to their starts. phases: indices of arms green together."""

    arms: tuple[Arm, ...]
    setback: float
    phases: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A map. lanes: of one side of every road. roads: their layout."""

    name: str
    lanes: tuple[Lane, ...]
    speed_mps: float
    roads: Chain | Crossing


def plans(text: str | None = None) -> dict[str, Plan]:
    """All plans of plans.yaml, or of a `text` like it, by name. Raises ValueError for arms at odd angles, odd signs."""
    content = yaml.safe_load(text or files(__package__).joinpath("plans.yaml").read_text(encoding="utf-8"))
    streets = {
        name: tuple(Lane(kind, float(width)) for kind, width in lanes) for name, lanes in content["streets"].items()
    }
    return {
        name: Plan(name, streets[entry["street"]], float(entry["speed_mps"]), _roads(entry))
        for name, entry in content["maps"].items()
    }


def _roads(entry: dict[str, Any]) -> Chain | Crossing:
    if "chain" in entry:
        pieces = tuple(
            Piece(
                float(piece["length"]),
                math.radians(piece.get("turn", 0.0)) / float(piece["length"]),
                tuple(_sign(sign) for sign in piece.get("signs", ())),
            )
            for piece in entry["chain"]
        )
        return Chain(pieces, bool(entry.get("closed", False)))
    headings = [arm["heading"] for arm in entry["arms"]]
    arms = tuple(Arm(arm["heading"] // 90, float(arm["length"])) for arm in entry["arms"])
    if any(heading % 90 for heading in headings) or len(set(headings)) != len(headings):
        raise ValueError(f"arms leave a junction in quarter turns, each another way, got {headings}")
    phases = tuple(tuple(headings.index(heading) for heading in phase) for phase in entry["phases"])
    return Crossing(arms, float(entry["setback"]), phases)


def _sign(entry: dict[str, Any]) -> Roadsign:
    if entry["kind"] not in SIGNAL_TYPES or entry["for"] not in ("forward", "back"):
        raise ValueError(f"a sign is one of {', '.join(SIGNAL_TYPES)}, for forward or back, got {entry}")
    return Roadsign(entry["kind"], float(entry["at"]), entry["for"] == "forward", float(entry.get("value", 0)))
