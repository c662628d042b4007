"""Reads an OpenDRIVE file and refuses what the client would silently misread."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

from foveal.errors import MapError

from foveal_sim.maps import map_names, map_path

__all__ = ["LaneSpan", "RoadMap", "load_map", "parse_map"]

_ROAD_ID_LIMIT = 2**32


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
    """A usable map. text: the OpenDRIVE source. geometry: `carla.Map` built from it. warnings: for the user."""

    name: str
    text: str
    lanes: tuple[LaneSpan, ...]
    warnings: tuple[str, ...]
    speed_limit_mps: float
    geometry: Any


def load_map(source: str) -> RoadMap:
    """Load a packaged map by name or an OpenDRIVE file by path.

    Raises MapError naming the file, the line and what is wrong.
    """
    path = map_path(source) if source in map_names() else Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MapError(f"no map {source!r}: neither a file nor one of {', '.join(map_names())}") from None
    except UnicodeDecodeError as error:
        raise MapError(
            f"{path}: not a text file ({error.reason} at byte {error.start}); expected OpenDRIVE XML"
        ) from None
    except OSError as error:
        raise MapError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_map(text, path.stem, str(path))


def parse_map(text: str, name: str, file: str) -> RoadMap:
    """Check OpenDRIVE `text` and build its geometry. file: what messages call it. Raises MapError."""
    root, lines = _parse_xml(text, file)
    if root.tag != "OpenDRIVE":
        raise MapError(f"{file}, line {lines[root]}: root element is <{root.tag}>, expected <OpenDRIVE>")
    roads = root.findall("road")
    if not roads:
        raise MapError(f"{file}: holds no <road>; export the map as OpenDRIVE 1.4 with its roads")
    seen: dict[int, int] = {}
    for road in roads:
        number = _road_id(road, lines[road], file)
        if number in seen:
            raise MapError(f"{file}, line {lines[road]}: road id {number} is already used on line {seen[number]}")
        seen[number] = lines[road]
    warnings: list[str] = []
    lanes: list[LaneSpan] = []
    junctions = {junction.get("id", "") for junction in root.findall("junction")}
    for road in roads:
        _check_plan(road, lines, file)
        _check_links(road, junctions, seen, lines, file)
        lanes += _lanes(road, lines, file, warnings)
    speeds = [_speed_mps(element) for element in root.iterfind("road/type/speed")]
    limits = [speed for speed in speeds if speed > 0]
    try:
        geometry = _carla().Map(name, text)
    except RuntimeError as error:
        raise MapError(f"{file}: the carla client cannot build a map from it: {error}") from None
    return RoadMap(name, text, tuple(lanes), tuple(warnings), limits[0] if limits else 13.9, geometry)


def _carla() -> ModuleType:
    if "HOME" not in os.environ and "CARLA_CACHE_DIR" not in os.environ:
        # Importing carla without either ends the process with a segmentation fault.
        os.environ["CARLA_CACHE_DIR"] = tempfile.gettempdir()
    import carla

    return carla


def _parse_xml(text: str, file: str) -> tuple[ET.Element, dict[ET.Element, int]]:
    parser = expat.ParserCreate()
    builder = ET.TreeBuilder()
    lines: dict[ET.Element, int] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise MapError(
            f"{file}, line {error.lineno}: not OpenDRIVE, XML error: {expat.ErrorString(error.code)}; "
            "expected an .xodr file"
        ) from None
    return builder.close(), lines


def _road_id(road: ET.Element, line: int, file: str) -> int:
    value = road.get("id", "")
    if not (value.isascii() and value.isdecimal()) or int(value) >= _ROAD_ID_LIMIT:
        raise MapError(
            f"{file}, line {line}: road id {value!r} is not a decimal integer below 2^32; "
            "the carla client would read it as 0: renumber the roads"
        )
    return int(value)


def _number(element: ET.Element, attribute: str, line: int, file: str) -> float:
    value = element.get(attribute, "")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MapError(f"{file}, line {line}: <{element.tag} {attribute}={value!r}> is not a finite number")
    return number


def _check_plan(road: ET.Element, lines: dict[ET.Element, int], file: str) -> None:
    pieces = road.findall("planView/geometry")
    if not pieces:
        raise MapError(f"{file}, line {lines[road]}: road {road.get('id')} has no <planView><geometry>")
    for piece in pieces:
        for attribute in ("s", "x", "y", "hdg", "length"):
            _number(piece, attribute, lines[piece], file)
        if len(piece) == 0:
            raise MapError(
                f"{file}, line {lines[piece]}: <geometry> of road {road.get('id')} has no shape (line, arc, ...)"
            )


def _check_links(
    road: ET.Element, junctions: set[str], roads: dict[int, int], lines: dict[ET.Element, int], file: str
) -> None:
    for tag in ("predecessor", "successor"):
        for link in road.findall(f"link/{tag}"):
            target = link.get("elementId", "")
            if link.get("elementType") == "junction":
                known = target in junctions
            else:
                known = target.isdecimal() and int(target) in roads
            if not known:
                raise MapError(
                    f"{file}, line {lines[link]}: {tag} of road {road.get('id')} is {link.get('elementType')} "
                    f"{target!r}, which is not in the map"
                )


def _lanes(road: ET.Element, lines: dict[ET.Element, int], file: str, warnings: list[str]) -> Iterator[LaneSpan]:
    length = _number(road, "length", lines[road], file)
    sections = road.findall("lanes/laneSection")
    if not sections:
        raise MapError(f"{file}, line {lines[road]}: road {road.get('id')} has no <laneSection>")
    starts = [_number(section, "s", lines[section], file) for section in sections]
    for index, section in enumerate(sections):
        end = starts[index + 1] if index + 1 < len(starts) else length
        for lane in section.iterfind("*/lane"):
            number = int(_number(lane, "id", lines[lane], file))
            if number == 0:
                continue
            if not lane.findall("width") and not lane.findall("border"):
                warnings.append(
                    f"{file}, line {lines[lane]}: lane {number} of road {road.get('id')} has no width; "
                    "it counts as 0 m wide, so no point beside the centre line is on it"
                )
            elif end - starts[index] > 0.01:
                yield LaneSpan(int(road.get("id", "")), index, number, lane.get("type", "none"), starts[index], end)


def _speed_mps(speed: ET.Element) -> float:
    factor = {"km/h": 1 / 3.6, "mph": 0.44704}.get(speed.get("unit", "m/s"), 1.0)
    try:
        return float(speed.get("max", "0")) * factor
    except ValueError:  # "no limit" and "undefined" are legal
        return 0.0
