"""Traffic lights and signs of an OpenDRIVE map, as the client reads them, and which lights change together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

__all__ = [
    "LIGHT",
    "SIGN_ID_BYTES",
    "SPEED_LIMIT",
    "STOP",
    "YIELD",
    "Crossroad",
    "Signal",
    "crossroads",
    "read_signals",
]

LIGHT, STOP, YIELD, SPEED_LIMIT = "1000001", "206", "205", "274"
"""Types that become actors: OpenDRIVE's own number of a traffic light, the German numbers of three signs."""

SIGN_ID_BYTES = 31
"""A snapshot carries a sign's id in 32 bytes, the last of them zero."""

_KMH = {"": 1.0, "km/h": 1.0, "m/s": 3.6, "mph": 1.609344}


@dataclass(frozen=True, slots=True)
class Signal:
    """A traffic light or sign. kind: one of the types above.

    pose: x, y, z of its face's lower edge and the yaw that it faces, in CARLA's frame (metres, degrees). above: metres
    from the road up to there. width, height: of the face in metres, 0 where the map does not say. limit_kmh: of a
    speed limit, else 0. lines: where it applies: road, lane and metres along the road's reference line.
    """

    id: str
    kind: str
    pose: tuple[float, float, float, float]
    above: float
    width: float
    height: float
    limit_kmh: float
    lines: tuple[tuple[int, int, float], ...]

    @property
    def type_id(self) -> str:
        """The actor's type, as CARLA calls it."""
        if self.kind == SPEED_LIMIT:
            return f"traffic.speed_limit.{self.limit_kmh:.0f}"
        return {LIGHT: "traffic.traffic_light", STOP: "traffic.stop", YIELD: "traffic.yield"}[self.kind]


@dataclass(frozen=True, slots=True)
class Crossroad:
    """Lights of one junction: phases that have green one after the other, each the ids of its signals."""

    phases: tuple[tuple[str, ...], ...]


def read_signals(geometry: Any, warnings: list[str]) -> tuple[Signal, ...]:
    """Lights and signs that `geometry`, a `carla.Map`, knows, in the order of their ids; what is left out is warned of.

    A reference to a signal from another road is one more line of that signal.
    """
    found: dict[str, list[Any]] = {}
    for landmark in geometry.get_all_landmarks():
        if landmark.type in (LIGHT, STOP, YIELD, SPEED_LIMIT):
            found.setdefault(landmark.id, []).append(landmark)
    signals = []
    for identity in sorted(found, key=lambda name: (len(name), name)):
        signal = _signal(found[identity], warnings)
        if signal is not None:
            signals.append(signal)
    return tuple(signals)


def _signal(landmarks: list[Any], warnings: list[str]) -> Signal | None:
    first = landmarks[0]
    if len(first.id.encode()) > SIGN_ID_BYTES:
        warnings.append(f"signal {first.id!r} is left out: ids have at most {SIGN_ID_BYTES} bytes; rename it")
        return None
    limit = _limit_kmh(first) if first.type == SPEED_LIMIT else 0.0
    if first.type == SPEED_LIMIT and not limit > 0:
        warnings.append(f"signal {first.id!r} is left out: a speed limit (type 274) needs a value in km/h above 0")
        return None
    lines = tuple(sorted({line for landmark in landmarks for line in _lines(landmark)}))
    place, turn = first.transform.location, first.transform.rotation
    pose = (place.x, place.y, place.z, turn.yaw)
    sizes = (first.z_offset, first.width, first.height)
    if not all(map(math.isfinite, (*pose, *sizes, *(s for _, _, s in lines)))):
        warnings.append(f"signal {first.id!r} is left out: its place or size is not finite")
        return None
    above, width, height = (max(size, 0.0) for size in sizes)
    return Signal(first.id, first.type, pose, above, width, height, limit, lines)


def _lines(landmark: Any) -> Iterator[tuple[int, int, float]]:
    for first, last in landmark.get_lane_validities():
        for lane in range(min(first, last), max(first, last) + 1):
            if lane:
                yield landmark.road_id, lane, landmark.s


def _limit_kmh(landmark: Any) -> float:
    """The signal's value in its unit (km/h unless it says), else its subtype (30 or 274-30)."""
    if landmark.value > 0:
        return float(landmark.value) * _KMH.get(landmark.unit, 1.0)
    digits = landmark.sub_type.removeprefix(f"{SPEED_LIMIT}-")
    return float(digits) if digits.isascii() and digits.isdecimal() else 0.0


def crossroads(root: ET.Element, lights: Mapping[str, Signal], warnings: list[str]) -> tuple[Crossroad, ...]:
    """Groups of lights that a junction's controllers switch in turn, by the controllers' sequence.

    Controllers of no junction have green alone, and so have lights of no controller. Names of signals that are no
    lights of the map are warned of.
    """
    members: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for controller in root.findall("controller"):
        name = controller.get("id", "")
        named = [control.get("signalId", "") for control in controller.findall("control")]
        for signal in named:
            if signal not in lights:
                warnings.append(f"controller {name!r} switches signal {signal!r}, which is no traffic light of the map")
            elif signal in taken:
                warnings.append(
                    f"controller {name!r} switches signal {signal!r}, as another one does; the first counts"
                )
        members[name] = tuple(s for s in dict.fromkeys(named) if s in lights and s not in taken)
        taken.update(members[name])
    order = {c.get("id", ""): _sequence(c) for c in root.findall("controller")}
    groups: list[tuple[tuple[str, ...], ...]] = []
    used: set[str] = set()
    for junction in root.findall("junction"):
        names = [c.get("id", "") for c in junction.findall("controller")]
        mine = [name for name in dict.fromkeys(names) if name in members and name not in used]
        used.update(mine)
        groups.append(tuple(members[name] for name in sorted(mine, key=lambda name: order[name]) if members[name]))
    groups += [(phase,) for name, phase in members.items() if name not in used and phase]
    groups += [((name,),) for name in lights if name not in taken]
    return tuple(Crossroad(phases) for phases in groups if phases)


def _sequence(controller: ET.Element) -> int:
    value = controller.get("sequence", "0")
    return int(value) if value.isascii() and value.isdecimal() else 0
