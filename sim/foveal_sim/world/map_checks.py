"""What in an OpenDRIVE file the client would misread, refuse without a reason, or end its process for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from xml.etree import ElementTree as ET

from foveal.errors import MapError

from foveal_sim.world.map_xml import MapDocument
from foveal_sim.world.plan_view import gaps

__all__ = ["check_map"]

_ID_LIMIT = 2**32
_S_SLACK_M = 1e-6
ROAD_LIMIT_M, PLACE_LIMIT_M, HEIGHT_LIMIT_M, WIDTH_LIMIT_M = 1e5, 1e7, 1e5, 1e3
"""Beyond these a figure is a slip, and the client samples for ever or loses all digits."""

LENGTH_SLACK_M = 0.1
DRIVEN = {"driving", "bidirectional", "entry", "exit", "onRamp", "offRamp", "connectingRamp"}
_SHAPES = {
    "line": (),
    "arc": ("curvature",),
    "spiral": ("curvStart", "curvEnd"),
    "poly3": tuple("abcd"),
    "paramPoly3": ("aU", "bU", "cU", "dU", "aV", "bV", "cV", "dV"),
}
_Lanes = list[set[int]]


def check_map(document: MapDocument) -> list[str]:
    """Warnings about what is legal and probably a slip. Raises MapError with the line of what cannot be used."""
    root = document.root
    roads = root.findall("road")
    if not roads:
        raise MapError(f"{document.file}: holds no <road>; export the map as OpenDRIVE 1.4 with its roads")
    by_id = _unique(document, "road", roads)
    junctions = _unique(document, "junction", root.findall("junction"))
    warnings: list[str] = []
    lanes: dict[int, _Lanes] = {}
    for number, road in by_id.items():
        length = document.number(road, "length")
        if not 0 < length <= ROAD_LIMIT_M:
            document.refuse(
                road, f"road {number} is {length:g} m long, expected more than 0 and {ROAD_LIMIT_M:g} at most"
            )
        _check_plan(document, road, length, warnings)
        warnings += gaps(document, road)
        for path in ("elevationProfile/elevation", "lateralProfile/superelevation", "lanes/laneOffset"):
            _check_polynomials(document, road, path, length)
        lanes[number] = _check_lanes(document, road, length, warnings)
        if road.get("junction", "-1") != "-1" and _id(road.get("junction", "")) not in junctions:
            document.refuse(
                road, f"road {number} belongs to junction {road.get('junction')!r}, which is not in the map"
            )
    if not any(lane.get("type") in DRIVEN for road in roads for lane in road.iterfind("lanes/laneSection/*/lane")):
        raise MapError(f"{document.file}: no lane has the type driving, so nothing can drive on this map")
    for number, road in by_id.items():
        _check_links(document, road, number, by_id, junctions, lanes)
    for junction in junctions.values():
        _check_connections(document, junction, by_id, lanes)
    _check_signals(document, by_id)
    _check_reference(document)
    return warnings


def _id(value: str) -> int:
    """The number that an id is, -1 for one that the client would read as 0."""
    return int(value) if value.isascii() and value.isdecimal() and int(value) < _ID_LIMIT else -1


def _unique(document: MapDocument, kind: str, elements: Iterable[ET.Element]) -> dict[int, ET.Element]:
    found: dict[int, ET.Element] = {}
    for element in elements:
        value = element.get("id", "")
        number = _id(value)
        if number < 0:
            document.refuse(
                element,
                f"{kind} id {value!r} is not a decimal integer below 2^32; "
                f"the carla client would read it as 0: renumber the {kind}s",
            )
        if number in found:
            document.refuse(element, f"{kind} id {number} is already used on line {document.lines[found[number]]}")
        found[number] = element
    return found


def _ascending(document: MapDocument, elements: list[ET.Element], attribute: str, end: float, what: str) -> None:
    """Stretches start at 0 and go on in order, all before `end`."""
    starts = [document.number(element, attribute) for element in elements]
    if abs(starts[0]) > _S_SLACK_M:
        document.refuse(elements[0], f"the first {what} starts at {attribute}={starts[0]:g}, expected 0")
    for (before, start), element in zip(pairwise(starts), elements[1:], strict=True):
        if start <= before:
            document.refuse(
                element, f"{what} starts at {attribute}={start:g}, not after the one before it ({before:g})"
            )
        if start > end + LENGTH_SLACK_M:
            document.refuse(element, f"{what} starts at {attribute}={start:g}, beyond the end of its road ({end:g} m)")


def _check_plan(document: MapDocument, road: ET.Element, length: float, warnings: list[str]) -> None:
    name = road.get("id")
    pieces = road.findall("planView/geometry")
    if not pieces:
        document.refuse(road, f"road {name} has no <planView><geometry>")
    for piece in pieces:
        x, y, _ = (document.number(piece, attribute) for attribute in ("x", "y", "hdg"))
        if max(abs(x), abs(y)) > PLACE_LIMIT_M:
            document.refuse(piece, f"<geometry> of road {name} starts at ({x:g}, {y:g}), more than 10,000 km away")
        if (span := document.number(piece, "length")) <= 0:
            document.refuse(piece, f"<geometry> of road {name} is {span:g} m long; remove it")
        _check_shape(document, piece, name)
    _ascending(document, pieces, "s", length, f"<geometry> of road {name}")
    end = document.number(pieces[-1], "s") + document.number(pieces[-1], "length")
    if abs(end - length) > LENGTH_SLACK_M:
        warnings.append(
            document.at(
                road, f"road {name} is {length:g} m long, but its geometry ends at {end:g} m; the last piece goes on"
            )
        )


def _check_shape(document: MapDocument, piece: ET.Element, name: str | None) -> None:
    shapes = [child for child in piece if child.tag in _SHAPES]
    if len(shapes) != 1:
        other = ", ".join(f"<{child.tag}>" for child in piece) or "nothing"
        document.refuse(
            piece, f"<geometry> of road {name} has no shape that the client knows ({', '.join(_SHAPES)}), but {other}"
        )
    (shape,) = shapes
    figures = [document.number(shape, attribute) for attribute in _SHAPES[shape.tag]]
    if shape.tag == "arc" and not figures[0]:
        document.refuse(shape, f"<arc> of road {name} has no curvature; write <line/>")
    if shape.tag == "paramPoly3" and not any(figures[1:4] + figures[5:]):
        document.refuse(shape, f"<paramPoly3> of road {name} is a single point; give it a slope")


def _check_polynomials(document: MapDocument, road: ET.Element, path: str, length: float) -> None:
    """Cubics along the road, in the stretch that each is for."""
    pieces = road.findall(path)
    starts = [document.number(piece, "s") for piece in pieces]
    ends = [*starts, length][1:]
    for piece, start, end in zip(pieces, starts, ends, strict=True):
        a, b, c, d = (document.number(piece, name, 0.0) for name in "abcd")
        s = max(end - start, 0.0)
        if max(abs(a), abs(a + s * (b + s * (c + s * d)))) > HEIGHT_LIMIT_M:
            document.refuse(piece, f"<{piece.tag}> of road {road.get('id')} goes beyond {HEIGHT_LIMIT_M:g}")


def _check_lanes(document: MapDocument, road: ET.Element, length: float, warnings: list[str]) -> _Lanes:
    """Lane ids of each section."""
    name = road.get("id")
    sections = road.findall("lanes/laneSection")
    if not sections:
        document.refuse(road, f"road {name} has no <laneSection>")
    _ascending(document, sections, "s", length, f"<laneSection> of road {name}")
    found: _Lanes = []
    for section in sections:
        ids: set[int] = set()
        for side, sign in (("left", 1), ("center", 0), ("right", -1)):
            for lane in section.iterfind(f"{side}/lane"):
                number = document.integer(lane, "id")
                if (number > 0) - (number < 0) != sign:
                    document.refuse(lane, f"lane {number} of road {name} is on the wrong side, <{side}>")
                if number in ids:
                    document.refuse(lane, f"lane {number} of road {name} is there twice in its section")
                ids.add(number)
                if number:
                    _check_width(document, lane, number, name, warnings)
        if 0 not in ids:
            document.refuse(section, f"a section of road {name} has no centre lane (id 0)")
        if ids != set(range(min(ids), max(ids) + 1)):
            document.refuse(
                section,
                f"lanes {sorted(ids)} of road {name} leave a number out; the client looks its neighbours up by it",
            )
        found.append(ids)
    return found


def _check_width(document: MapDocument, lane: ET.Element, number: int, name: str | None, warnings: list[str]) -> None:
    widths, borders = lane.findall("width"), lane.findall("border")
    for piece in widths + borders:
        figures = [document.number(piece, attribute, 0.0) for attribute in ("sOffset", *"abcd")]
        if abs(figures[1]) > WIDTH_LIMIT_M:
            document.refuse(piece, f"lane {number} of road {name} is {figures[1]:g} m wide")
        if piece.tag == "width" and figures[1] < -LENGTH_SLACK_M:
            warnings.append(document.at(piece, f"lane {number} of road {name} has a negative width"))
    if widths and document.number(widths[0], "sOffset", 0.0) > _S_SLACK_M:
        document.refuse(widths[0], f"lane {number} of road {name} has no width before its first sOffset; start at 0")
    if not borders and not any(document.number(piece, key, 0.0) for piece in widths for key in "abcd"):
        warnings.append(
            document.at(
                lane,
                f"lane {number} of road {name} has no width; "
                "it counts as 0 m wide, so no point beside the centre line is on it",
            )
        )


def _check_links(
    document: MapDocument,
    road: ET.Element,
    number: int,
    roads: dict[int, ET.Element],
    junctions: dict[int, ET.Element],
    lanes: dict[int, _Lanes],
) -> None:
    beyond: dict[str, set[int] | None] = {"predecessor": None, "successor": None}
    for tag in beyond:
        for link in road.findall(f"link/{tag}"):
            target, kind = link.get("elementId", ""), link.get("elementType", "road")
            if _id(target) not in (junctions if kind == "junction" else roads):
                document.refuse(link, f"{tag} of road {number} is {kind} {target!r}, which is not in the map")
            if kind == "road":
                contact = link.get("contactPoint", "start" if tag == "successor" else "end")
                if contact not in ("start", "end"):
                    document.refuse(link, f"{tag} of road {number} has contactPoint {contact!r}, expected start or end")
                beyond[tag] = lanes[_id(target)][0 if contact == "start" else -1]
    sections = road.findall("lanes/laneSection")
    for index, section in enumerate(sections):
        before = lanes[number][index - 1] if index else beyond["predecessor"]
        after = lanes[number][index + 1] if index + 1 < len(sections) else beyond["successor"]
        for tag, there in (("predecessor", before), ("successor", after)):
            for link in section.iterfind(f"*/lane/link/{tag}"):
                lane = document.integer(link, "id")
                if there is not None and lane not in there:
                    document.refuse(link, f"{tag} of a lane of road {number} is lane {lane}, which is not there")


def _check_connections(
    document: MapDocument, junction: ET.Element, roads: dict[int, ET.Element], lanes: dict[int, _Lanes]
) -> None:
    name = junction.get("id")
    for connection in junction.findall("connection"):
        for attribute in ("incomingRoad", "connectingRoad"):
            if _id(connection.get(attribute, "")) not in roads:
                document.refuse(
                    connection,
                    f"{attribute} {connection.get(attribute, '')!r} of junction {name} is no road of the map",
                )
        incoming, through = (lanes[_id(connection.get(key, ""))] for key in ("incomingRoad", "connectingRoad"))
        for link in connection.findall("laneLink"):
            first, last = document.integer(link, "from"), document.integer(link, "to")
            if first not in incoming[0] | incoming[-1] or last not in through[0] | through[-1]:
                document.refuse(link, f"junction {name} joins lanes {first} and {last}, of which one is not there")


def _check_signals(document: MapDocument, roads: dict[int, ET.Element]) -> None:
    known: dict[str, int] = {}
    for number, road in roads.items():
        for signal in road.findall("signals/signal"):
            name = signal.get("id", "")
            if name in known:
                document.refuse(signal, f"signal id {name!r} is already used on line {known[name]}")
            known[name] = document.lines[signal]
        for placed in [*road.iterfind("signals/*"), *road.iterfind("objects/object")]:
            s, _ = document.number(placed, "s"), document.number(placed, "t", 0.0)
            if s < -_S_SLACK_M:
                document.refuse(placed, f"<{placed.tag}> of road {number} is at s={s:g}, before its road begins")
        for corner in road.iterfind("objects/object/outline/cornerLocal"):
            for axis in "uvz":
                document.number(corner, axis, 0.0)
    for tag, attribute in (("road/signals/signalReference", "id"), ("controller/control", "signalId")):
        for reference in document.root.iterfind(tag):
            if reference.get(attribute, "") not in known:
                document.refuse(
                    reference,
                    f"<{reference.tag}> names signal {reference.get(attribute, '')!r}, which is not in the map",
                )


def _check_reference(document: MapDocument) -> None:
    """The client reads the two angles of the projection as numbers, and fails without a reason on others."""
    for element in document.root.iterfind("header/geoReference"):
        for name, value in re.findall(r"\+(lat_0|lon_0)=(\S*)", element.text or ""):
            try:
                float(value)
            except ValueError:
                document.refuse(element, f"<geoReference> has +{name}={value}, which is no number of degrees")
