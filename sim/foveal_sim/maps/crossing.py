"""OpenDRIVE of roads that meet in one junction with traffic lights."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from foveal_sim.maps.plan import Crossing, Lane, Piece, Plan, Roadsign
from foveal_sim.maps.writer import controller, cross_section, document, link, road, signal, text

__all__ = ["JUNCTION", "crossing_text"]

JUNCTION = 100
"""Id of the junction."""

_STOP_M = 1.0


def crossing_text(plan: Plan, crossing: Crossing) -> str:
    """Arms 1, 2, ... that start at the junction, then a road for each way through it, then what joins them.

    A way's reference line leads from an arm's centre line to another's, so that lanes of any width meet.
    """
    root = document(plan.name)
    for index, arm in enumerate(crossing.arms):
        heading = math.pi / 2 * arm.quarter
        start = (crossing.setback * math.cos(heading), crossing.setback * math.sin(heading), heading)
        element = road(root, f"{plan.name} arm {index}", index + 1, Piece(arm.length), start, plan.speed_mps)
        link(element, "predecessor", "junction", JUNCTION)
        cross_section(element, plan.lanes, plan.lanes)
        signal(element, index + 1, f"light {index}", Roadsign("light", _STOP_M, forward=False), plan.lanes)
    ways = [(a, b) for a in range(len(crossing.arms)) for b in range(len(crossing.arms)) if a != b]
    first = len(crossing.arms) + 1
    for number_of, (a, b) in enumerate(ways):
        _way(root, plan, crossing, first + number_of, a, b)
    for phase, arms in enumerate(crossing.phases):
        controller(root, phase + 1, phase, f"phase {phase}", [index + 1 for index in arms])
    junction = ET.SubElement(root, "junction", id=str(JUNCTION), name=plan.name)
    for number_of, (a, _) in enumerate(ways):
        connection = ET.SubElement(
            junction,
            "connection",
            id=str(number_of),
            incomingRoad=str(a + 1),
            connectingRoad=str(first + number_of),
            contactPoint="start",
        )
        ET.SubElement(connection, "laneLink", {"from": "1", "to": "-1"})
    for phase in range(len(crossing.phases)):
        ET.SubElement(junction, "controller", id=str(phase + 1), type="0")
    return text(root)


def _way(root: ET.Element, plan: Plan, crossing: Crossing, identity: int, a: int, b: int) -> None:
    """From arm a to arm b: straight on, or a quarter circle; a sidewalk follows where a turn to the right has one."""
    arm, other = crossing.arms[a], crossing.arms[b]
    inward = math.pi / 2 * (arm.quarter + 2)
    start = (-crossing.setback * math.cos(inward), -crossing.setback * math.sin(inward), inward)
    turn = (other.quarter - arm.quarter - 2) % 4
    if turn == 0:
        piece = Piece(2 * crossing.setback)
    else:
        piece = Piece(crossing.setback * math.pi / 2, (1 if turn == 1 else -1) / crossing.setback)
    lanes: tuple[Lane, ...] = plan.lanes if turn == 3 else plan.lanes[:1]
    element = road(root, f"{plan.name} way {a} {b}", identity, piece, start, plan.speed_mps, JUNCTION)
    link(element, "predecessor", "road", a + 1, "start")
    link(element, "successor", "road", b + 1, "start")
    ids = range(1, len(lanes) + 1)
    cross_section(element, (), lanes, before={-n: n for n in ids}, after={-n: -n for n in ids})
