"""OpenDRIVE of roads that meet in one junction with traffic lights."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from foveal_sim.maps.plan import Crossing, Lane, Piece, Plan
from foveal_sim.maps.writer import cross_section, document, link, number, road, text

__all__ = ["JUNCTION", "SIGNAL_TYPE", "crossing_text"]

JUNCTION = 100
"""Id of the junction."""

SIGNAL_TYPE = "1000001"
"""A traffic light in OpenDRIVE's own catalogue of signals."""

_POLE_BESIDE_M, _LAMP_HEIGHT_M, _STOP_M = 0.8, 5.0, 1.0


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
        _signal(element, index, plan.lanes)
    ways = [(a, b) for a in range(len(crossing.arms)) for b in range(len(crossing.arms)) if a != b]
    first = len(crossing.arms) + 1
    for number_of, (a, b) in enumerate(ways):
        _way(root, plan, crossing, first + number_of, a, b)
    for phase, arms in enumerate(crossing.phases):
        controller = ET.SubElement(root, "controller", name=f"phase {phase}", id=str(phase + 1), sequence=str(phase))
        for index in arms:
            ET.SubElement(controller, "control", signalId=str(index + 1), type="0")
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


def _signal(road: ET.Element, index: int, lanes: tuple[Lane, ...]) -> None:
    """A traffic light on the right of the lane that comes in, for traffic against the road's direction."""
    signals = ET.SubElement(road, "signals")
    signal = ET.SubElement(
        signals,
        "signal",
        name=f"light {index}",
        id=str(index + 1),
        s=number(_STOP_M),
        t=number(lanes[0].width + _POLE_BESIDE_M),
        zOffset=number(_LAMP_HEIGHT_M),
        hOffset="0",
        roll="0",
        pitch="0",
        orientation="-",
        dynamic="yes",
        country="OpenDRIVE",
        type=SIGNAL_TYPE,
        subtype="-1",
        value="-1",
        text="",
        height="1.0",
        width="0.4",
    )
    ET.SubElement(signal, "validity", fromLane="1", toLane="1")
