"""Reads an OpenDRIVE file and refuses what the client would silently misread."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import foveal.carla  # noqa: F401  # before carla: it finds the client a cache folder where no home is set

# isort: split
import carla
from foveal.errors import MapError

from foveal_sim.maps import map_names, map_path
from foveal_sim.world.map_checks import check_map
from foveal_sim.world.map_xml import MapDocument, read_xml
from foveal_sim.world.signals import LIGHT, Crossroad, Signal, crossroads, read_signals

__all__ = ["LaneSpan", "RoadMap", "load_map", "parse_map", "uploaded_map"]

BYTES_LIMIT = 256 << 20
TRIAL_S = 300.0
UPLOAD_BYTES, UPLOAD_TRIAL_S = 8 << 20, 10.0
"""Of a map that a client sends: all others wait meanwhile."""

_START = "or start a server with it (--map FILE)"
_TRIAL = """
import resource, sys
from math import isfinite
import foveal.carla
import carla
sys.stdin.reconfigure(encoding="utf-8")
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
try:
    world_map = carla.Map("trial", sys.stdin.read())
    ways = world_map.generate_waypoints(2.0)
    world_map.get_topology(), world_map.get_crosswalks(), world_map.get_all_landmarks()
    for way in ways[:: len(ways) // 2000 + 1]:
        place, turn = way.transform.location, way.transform.rotation
        if not isfinite(place.x + place.y + place.z + turn.pitch + turn.yaw + turn.roll + way.lane_width):
            raise ValueError(f"road {way.road_id} is not finite at s={way.s:g}")
        way.next(2.0), way.previous(2.0), way.get_left_lane(), way.get_right_lane()
        way.left_lane_marking, way.right_lane_marking
        if way.is_junction:
            way.get_junction().bounding_box
except Exception as error:
    sys.exit("refused: " + str(error).splitlines()[0])
"""
"""What a client asks of a map, in a process of its own: some files end it by a signal."""


@dataclass(frozen=True, slots=True)
class LaneSpan:
    """A lane inside one lane section: s0 and s1 are metres along the road's reference line."""

    road: int
    section: int
    lane: int
    kind: str
    s0: float
    s1: float


@dataclass(frozen=True, slots=True)
class RoadMap:
    """A usable map. text: the OpenDRIVE source. geometry: `carla.Map` built from it. warnings: for the user.

    signals: its traffic lights and signs. crossroads: which lights have green in turn.
    """

    name: str
    text: str
    lanes: tuple[LaneSpan, ...]
    warnings: tuple[str, ...]
    speed_limit_mps: float
    geometry: Any
    signals: tuple[Signal, ...] = ()
    crossroads: tuple[Crossroad, ...] = ()


def load_map(source: str) -> RoadMap:
    """Load a packaged map by name or an OpenDRIVE file by path.

    Raises MapError naming the file, the line and what is wrong.
    """
    packaged = source in map_names()
    path = map_path(source) if packaged else Path(source)
    try:
        if not path.exists():
            raise MapError(f"no map {source!r}: neither a file nor one of {', '.join(map_names())}")
        if not path.is_file():
            raise MapError(f"{path}: not a file; expected OpenDRIVE XML")
        if path.stat().st_size > BYTES_LIMIT:
            raise MapError(f"{path}: larger than {BYTES_LIMIT >> 20} MiB; expected OpenDRIVE XML")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise MapError(
            f"{path}: not a text file ({error.reason} at byte {error.start}); expected OpenDRIVE XML"
        ) from None
    except OSError as error:
        raise MapError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_map(text, path.stem, str(path), trusted=packaged)


def parse_map(text: str, name: str, file: str, trusted: bool = False, trial_s: float = TRIAL_S) -> RoadMap:
    """Check OpenDRIVE `text` and build its geometry. file: what messages call it. Raises MapError.

    A map that passes is tried out in a process of its own first, unless it is `trusted`, for `trial_s` at most.
    """
    document = read_xml(text, file)
    warnings = check_map(document)
    lanes = [span for road in document.root.findall("road") for span in _lanes(document, road)]
    if not trusted:
        _try_out(text, file, trial_s)
    speeds = [_speed_mps(element) for element in document.root.iterfind("road/type/speed")]
    limits = [speed for speed in speeds if 0 < speed < math.inf]
    try:
        geometry = carla.Map(name, text)
    except (RuntimeError, ValueError, IndexError) as error:
        raise MapError(f"{file}: the carla client cannot build a map from it: {error}") from None
    about: list[str] = []
    signals = read_signals(geometry, about)
    groups = crossroads(document.root, {signal.id: signal for signal in signals if signal.kind == LIGHT}, about)
    warnings += [f"{file}: {warning}" for warning in about]
    limit = limits[0] if limits else 13.9
    return RoadMap(name, text, tuple(lanes), tuple(warnings), limit, geometry, signals, groups)


def uploaded_map(text: str, name: str) -> RoadMap:
    """The same for what a client sends, within tighter limits. Raises MapError."""
    file, size = "uploaded map", len(text.encode("utf-8", "replace"))
    if size > UPLOAD_BYTES:
        limit = f"{UPLOAD_BYTES >> 20} MiB"
        raise MapError(
            f"{file}: {size / (1 << 20):.1f} MiB, and other clients wait: {limit} at most; split it, {_START}"
        )
    return parse_map(text, name, file, trial_s=UPLOAD_TRIAL_S)


def _try_out(text: str, file: str, trial_s: float) -> None:
    """Raises MapError where the client refuses the map, ends or does not come to an end."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRIAL],
            input=text,
            encoding="utf-8",
            errors="replace",
            capture_output=True,
            timeout=trial_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        longer = f", {_START}" if trial_s < TRIAL_S else ""
        raise MapError(
            f"{file}: the carla client needs more than {trial_s:g} s for it; split the map{longer}"
        ) from None
    if done.returncode < 0:
        raise MapError(
            f"{file}: the carla client's process ends by signal {-done.returncode} on it; "
            "check it with a validator for OpenDRIVE 1.4"
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason"])[-1].removeprefix("refused: ")
        raise MapError(f"{file}: the carla client cannot use it: {reason}; check it with a validator for OpenDRIVE 1.4")


def _lanes(document: MapDocument, road: ET.Element) -> Iterator[LaneSpan]:
    """The lanes with a width; whatever is wrong was refused before."""
    sections = road.findall("lanes/laneSection")
    ends = [float(section.get("s", "0")) for section in sections[1:]] + [document.number(road, "length")]
    for index, (section, end) in enumerate(zip(sections, ends, strict=True)):
        start = document.number(section, "s")
        for lane in section.iterfind("*/lane"):
            number = document.integer(lane, "id")
            wide = lane.findall("width") or lane.findall("border")
            if number and wide and end - start > 0.01:
                yield LaneSpan(int(road.get("id", "")), index, number, lane.get("type", "none"), start, end)


def _speed_mps(speed: ET.Element) -> float:
    factor = {"km/h": 1 / 3.6, "mph": 0.44704}.get(speed.get("unit", "m/s"), 1.0)
    try:
        return float(speed.get("max", "0")) * factor
    except ValueError:  # "no limit" and "undefined" are legal
        return 0.0
