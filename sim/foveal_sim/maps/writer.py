"""Elements of an OpenDRIVE 1.4 file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from foveal_sim.maps.plan import SIGNAL_TYPES, Lane, Piece, Roadsign

__all__ = ["controller", "cross_section", "document", "link", "number", "road", "signal", "text"]

_POLE_BESIDE_M, _LAMP_HEIGHT_M, _SIGN_HEIGHT_M = 0.8, 5.0, 2.2


def document(name: str) -> ET.Element:
    """The root with its header."""
    root = ET.Element("OpenDRIVE")
    header = ET.SubElement(root, "header", revMajor="1", revMinor="4", name=name, version="1.00")
    # A transverse Mercator plane at the origin: the client warns about a map that has no reference at all.
    ET.SubElement(
        header, "geoReference"
    ).text = "+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m"
    return root


def road(
    root: ET.Element,
    name: str,
    identity: int,
    piece: Piece,
    start: tuple[float, float, float],
    speed_mps: float,
    junction: int = -1,
) -> ET.Element:
    """A road of one piece that starts at x, y (metres), heading (radians); its <link> is still empty."""
    element = ET.SubElement(
        root, "road", name=name, length=number(piece.length), id=str(identity), junction=str(junction)
    )
    ET.SubElement(element, "link")
    kind = ET.SubElement(element, "type", s="0", type="town")
    ET.SubElement(kind, "speed", max=number(speed_mps), unit="m/s")
    x, y, heading = (number(value) for value in start)
    plan = ET.SubElement(element, "planView")
    geometry = ET.SubElement(plan, "geometry", s="0", x=x, y=y, hdg=heading, length=number(piece.length))
    if piece.curvature:
        ET.SubElement(geometry, "arc", curvature=number(piece.curvature))
    else:
        ET.SubElement(geometry, "line")
    return element


def link(road: ET.Element, tag: str, kind: str, identity: int, contact: str = "") -> None:
    """What comes before or after a road. tag: predecessor, successor. kind: road, junction. contact: start, end."""
    target = {"elementType": kind, "elementId": str(identity)} | ({"contactPoint": contact} if contact else {})
    element = road.find("link")
    assert element is not None
    ET.SubElement(element, tag, target)


def cross_section(
    road: ET.Element,
    left: Sequence[Lane],
    right: Sequence[Lane],
    before: dict[int, int] | None = None,
    after: dict[int, int] | None = None,
) -> None:
    """The lanes of a road, each side from the centre outwards. before, after: ids of linked lanes, by lane id."""
    section = ET.SubElement(ET.SubElement(road, "lanes"), "laneSection", s="0")
    sides = [ET.SubElement(section, "left")] if left else []
    centre = ET.SubElement(section, "center")
    middle = ET.SubElement(centre, "lane", id="0", type="none", level="false")
    if left:
        _mark(middle, "broken", "yellow")
    sides.append(ET.SubElement(section, "right"))
    for identity in range(len(left), 0, -1):
        _lane(sides[0], identity, left[identity - 1], before or {}, after or {})
    for identity in range(1, len(right) + 1):
        _lane(sides[-1], -identity, right[identity - 1], before or {}, after or {})


def signal(road: ET.Element, identity: int, name: str, sign: Roadsign, lanes: Sequence[Lane]) -> None:
    """A light or sign on a pole at the right of its lane, the first of `lanes` from the centre outwards."""
    found = road.find("signals")
    signals = found if found is not None else ET.SubElement(road, "signals")
    light = sign.kind == "light"
    # A pole stands beside the carriageway, in which parking belongs.
    beside = sum(lane.width for lane in lanes if lane.kind != "sidewalk") + _POLE_BESIDE_M
    lane = -1 if sign.forward else 1
    element = ET.SubElement(
        signals,
        "signal",
        name=name,
        id=str(identity),
        s=number(sign.at),
        t=number(lane * beside),
        zOffset=number(_LAMP_HEIGHT_M if light else _SIGN_HEIGHT_M),
        hOffset=number(math.pi) if sign.forward else "0",  # it faces who comes
        roll="0",
        pitch="0",
        orientation="+" if sign.forward else "-",
        dynamic="yes" if light else "no",
        country="OpenDRIVE" if light else "DE",
        type=SIGNAL_TYPES[sign.kind],
        subtype="-1",
        value=number(sign.value) if sign.value else "-1",
        text="",
        height="1.0" if light else "0.75",
        width="0.4" if light else "0.75",
    )
    if sign.value:
        element.set("unit", "km/h")
    ET.SubElement(element, "validity", fromLane=str(lane), toLane=str(lane))


def controller(root: ET.Element, identity: int, sequence: int, name: str, signals: Sequence[int]) -> None:
    """Lights that have green together."""
    element = ET.SubElement(root, "controller", name=name, id=str(identity), sequence=str(sequence))
    for signal_id in signals:
        ET.SubElement(element, "control", signalId=str(signal_id), type="0")


def text(root: ET.Element) -> str:
    """The file."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def number(value: float) -> str:
    """A number as the files have it."""
    return f"{value:.12g}"


def _lane(side: ET.Element, identity: int, lane: Lane, before: dict[int, int], after: dict[int, int]) -> None:
    element = ET.SubElement(side, "lane", id=str(identity), type=lane.kind, level="false")
    joined = ET.SubElement(element, "link")
    for tag, ids in (("predecessor", before), ("successor", after)):
        if identity in ids:
            ET.SubElement(joined, tag, id=str(ids[identity]))
    ET.SubElement(element, "width", sOffset="0", a=number(lane.width), b="0", c="0", d="0")
    _mark(element, "solid", "white")


def _mark(lane: ET.Element, kind: str, colour: str) -> None:
    ET.SubElement(
        lane, "roadMark", sOffset="0", type=kind, weight="standard", color=colour, width="0.15", laneChange="none"
    )
