"""Maps made for one test: a straight street with lights and signs."""

from __future__ import annotations

from foveal_sim.maps.generate import opendrive
from foveal_sim.maps.plan import Chain, Lane, Piece, Plan, Roadsign
from foveal_sim.world.opendrive import RoadMap, parse_map

LIMIT_MPS = 13.9
"""Where no sign says otherwise."""


def street_text(*signs: Roadsign, length: float = 400.0) -> str:
    """OpenDRIVE of one street from the origin along +x; who drives forward is on its right, at y = 1.75."""
    lanes = (Lane("driving", 3.5), Lane("sidewalk", 2.5))
    return opendrive(Plan("street", lanes, LIMIT_MPS, Chain((Piece(length, signs=signs),))))


def street(*signs: Roadsign, length: float = 400.0) -> RoadMap:
    """The map of `street_text`."""
    return parse_map(street_text(*signs, length=length), "street", "street.xodr", trusted=True)
