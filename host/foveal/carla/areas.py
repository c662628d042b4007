"""Areas of a CARLA map, for :class:`foveal.zone.ZonePlan`. Talks to no server."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import carla

from foveal.errors import MapError
from foveal.zone import Circle, Rectangle

__all__ = ["junction_areas", "road_area"]

STEP_M = 2.0
"""Distance of the waypoints that a road is measured by."""


def road_area(world_map: carla.Map, roads: Iterable[int], margin_m: float = 5.0) -> Rectangle:
    """The window around the driving lanes of some roads, by OpenDRIVE road id.

    It ends half a lane beside their centre lines, and STEP_M beyond the last waypoint along them.
    Raises MapError for a road that the map has not got or nobody drives on, ValueError for none.
    """
    wanted = set(roads)
    if not wanted:
        raise ValueError("a road area needs at least one road id")
    found = [way for way in world_map.generate_waypoints(STEP_M) if way.road_id in wanted]
    missing = wanted - {way.road_id for way in found}
    if missing:
        raise MapError(
            f"map {world_map.name!r} has no driving lane on road {', '.join(map(str, sorted(missing)))}; "
            "`world.get_map().get_topology()` lists its roads"
        )
    x, y = zip(*(point for way in found for point in _corners(way)), strict=True)
    return Rectangle(min(x), min(y), max(x), max(y), margin_m, f"roads {', '.join(map(str, sorted(wanted)))}")


def junction_areas(world_map: carla.Map, radius_m: float | None = None, margin_m: float = 5.0) -> tuple[Circle, ...]:
    """A circle around each junction, by junction id.

    radius_m: unless given, to the corners of `carla.Junction.bounding_box`, which ends at the centres of the lanes at
    its mouths, and half a lane more. Raises MapError where the map has no junction.
    """
    junctions: dict[int, tuple[carla.Junction, float]] = {}
    for way in world_map.generate_waypoints(STEP_M):
        if way.is_junction:
            junction, width = junctions.get(way.junction_id) or (way.get_junction(), 0.0)
            junctions[way.junction_id] = junction, max(width, way.lane_width)
    if not junctions:
        raise MapError(f"map {world_map.name!r} has no junction; use road_area, or another map")
    return tuple(_circle(*junctions[number], radius_m, margin_m) for number in sorted(junctions))


def _circle(junction: carla.Junction, width: float, radius_m: float | None, margin_m: float) -> Circle:
    box = junction.bounding_box
    reach = math.hypot(box.extent.x, box.extent.y) + width / 2
    radius = reach if radius_m is None else radius_m
    return Circle(box.location.x, box.location.y, radius, margin_m, f"junction {junction.id}")


def _corners(way: carla.Waypoint) -> Iterator[tuple[float, float]]:
    """Half a lane to each side of the waypoint, and a step along it in each direction."""
    place, angle = way.transform.location, math.radians(way.transform.rotation.yaw)
    along = STEP_M * math.cos(angle), STEP_M * math.sin(angle)
    side = -way.lane_width / 2 * math.sin(angle), way.lane_width / 2 * math.cos(angle)
    for a in (-1, 1):
        for b in (-1, 1):
            yield place.x + a * along[0] + b * side[0], place.y + a * along[1] + b * side[1]
