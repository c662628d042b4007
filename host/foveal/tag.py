"""Semantic tags."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Tag"]


class Tag(IntEnum):
    """Numbers of `carla.CityObjectLabel` in CARLA 0.9.16."""

    NONE = 0
    ROADS = 1
    SIDEWALKS = 2
    BUILDINGS = 3
    WALLS = 4
    FENCES = 5
    POLES = 6
    TRAFFIC_LIGHT = 7
    TRAFFIC_SIGNS = 8
    VEGETATION = 9
    TERRAIN = 10
    SKY = 11
    PEDESTRIANS = 12
    RIDER = 13
    CAR = 14
    TRUCK = 15
    BUS = 16
    TRAIN = 17
    MOTORCYCLE = 18
    BICYCLE = 19
    STATIC = 20
    DYNAMIC = 21
    OTHER = 22
    WATER = 23
    ROAD_LINES = 24
    GROUND = 25
    BRIDGE = 26
    RAIL_TRACK = 27
    GUARD_RAIL = 28
