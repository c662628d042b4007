"""Writes the packaged OpenDRIVE 1.4 maps: `python -m foveal_sim.maps.generate`.

A map is a chain of roads with one lane section each. Metres and radians; OpenDRIVE's y points left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from foveal_sim.maps import map_path

__all__ = ["MAPS", "Lane", "Road", "opendrive", "straight", "town_block"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane of a cross section, counted from the centre outwards. kind: OpenDRIVE lane type. width in metres."""

    kind: str
    width: float


@dataclass(frozen=True, slots=True)
class Road:
    """A straight (curvature 0) or an arc of `length` metres; curvature in 1/m, positive turns left."""

    length: float
    curvature: float = 0.0


STREET = (Lane("driving", 3.5), Lane("sidewalk", 2.5))
STREET_WITH_PARKING = (Lane("driving", 3.5), Lane("parking", 2.2), Lane("sidewalk", 2.5))


def opendrive(name: str, roads: Sequence[Road], lanes: Sequence[Lane], closed: bool, speed_mps: float) -> str:
    """OpenDRIVE text of `roads` laid end to end from the origin along +x, both sides with the same `lanes`.

    closed: the last road leads into the first (the caller's geometry must close).
    """
    root = ET.Element("OpenDRIVE")
    header = ET.SubElement(root, "header", revMajor="1", revMinor="4", name=name, version="1.00")
    # A transverse Mercator plane at the origin: the client warns about a map that has no reference at all.
    ET.SubElement(
        header, "geoReference"
    ).text = "+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m"
    x = y = heading = 0.0
    for index, road in enumerate(roads):
        before = index - 1 if index else (len(roads) - 1 if closed else None)
        after = index + 1 if index + 1 < len(roads) else (0 if closed else None)
        element = ET.SubElement(
            root, "road", name=f"{name} {index}", length=_number(road.length), id=str(index + 1), junction="-1"
        )
        link = ET.SubElement(element, "link")
        for tag, neighbour, contact in (("predecessor", before, "end"), ("successor", after, "start")):
            if neighbour is not None:
                ET.SubElement(link, tag, elementType="road", elementId=str(neighbour + 1), contactPoint=contact)
        kind = ET.SubElement(element, "type", s="0", type="town")
        ET.SubElement(kind, "speed", max=_number(speed_mps), unit="m/s")
        geometry = ET.SubElement(
            ET.SubElement(element, "planView"),
            "geometry",
            s="0",
            x=_number(x),
            y=_number(y),
            hdg=_number(heading),
            length=_number(road.length),
        )
        if road.curvature:
            ET.SubElement(geometry, "arc", curvature=_number(road.curvature))
        else:
            ET.SubElement(geometry, "line")
        _cross_section(element, lanes, before is not None, after is not None)
        x, y, heading = _end(road, x, y, heading)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def straight() -> str:
    """500 m of two-lane road with sidewalks."""
    return opendrive("straight", [Road(500.0)], STREET, closed=False, speed_mps=13.9)


def town_block() -> str:
    """A closed loop around one block, 168 m by 108 m between reference lines, with parking lanes and sidewalks."""
    radius = 14.0
    corner = Road(radius * math.pi / 2, 1.0 / radius)
    roads = [Road(140.0), corner, Road(80.0), corner, Road(140.0), corner, Road(80.0), corner]
    return opendrive("town_block", roads, STREET_WITH_PARKING, closed=True, speed_mps=13.9)


MAPS = {"straight": straight, "town_block": town_block}


def _cross_section(road: ET.Element, lanes: Sequence[Lane], has_before: bool, has_after: bool) -> None:
    section = ET.SubElement(ET.SubElement(road, "lanes"), "laneSection", s="0")
    left, centre, right = (ET.SubElement(section, side) for side in ("left", "center", "right"))
    middle = ET.SubElement(centre, "lane", id="0", type="none", level="false")
    _mark(middle, "broken", "yellow")
    for number in range(len(lanes), 0, -1):
        _lane(left, number, lanes[number - 1], has_before, has_after)
    for number in range(1, len(lanes) + 1):
        _lane(right, -number, lanes[number - 1], has_before, has_after)


def _lane(side: ET.Element, number: int, lane: Lane, has_before: bool, has_after: bool) -> None:
    element = ET.SubElement(side, "lane", id=str(number), type=lane.kind, level="false")
    link = ET.SubElement(element, "link")
    if has_before:
        ET.SubElement(link, "predecessor", id=str(number))
    if has_after:
        ET.SubElement(link, "successor", id=str(number))
    ET.SubElement(element, "width", sOffset="0", a=_number(lane.width), b="0", c="0", d="0")
    _mark(element, "solid", "white")


def _mark(lane: ET.Element, kind: str, colour: str) -> None:
    ET.SubElement(
        lane, "roadMark", sOffset="0", type=kind, weight="standard", color=colour, width="0.15", laneChange="none"
    )


def _end(road: Road, x: float, y: float, heading: float) -> tuple[float, float, float]:
    if not road.curvature:
        return x + road.length * math.cos(heading), y + road.length * math.sin(heading), heading
    turned = heading + road.length * road.curvature
    x += (math.sin(turned) - math.sin(heading)) / road.curvature
    y -= (math.cos(turned) - math.cos(heading)) / road.curvature
    return x, y, turned


def _number(value: float) -> str:
    return f"{value:.12g}"


def main() -> None:
    """Write every packaged map beside this module."""
    for name, build in MAPS.items():
        map_path(name).write_text(build(), encoding="utf-8")


if __name__ == "__main__":
    main()
