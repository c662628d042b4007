"""The static world as a CARLA client sees it: lanes from the map, boxes from the server."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import carla
import numpy as np

from foveal.carla.boxes import box_row
from foveal.carla.failure import lost_or, server_lost
from foveal.errors import MapError
from foveal.scene.kind import LABEL_KIND
from foveal.scene.static import Lane, Mark, StaticScene

__all__ = ["Objects", "lanes", "lanes_if_any", "objects", "static_scene", "usable_map"]

_LOG = logging.getLogger(__name__)

_LANE_USE: dict[carla.LaneType, Lane] = {
    carla.LaneType.Driving: Lane.DRIVING,
    carla.LaneType.Bidirectional: Lane.DRIVING,
    carla.LaneType.Sidewalk: Lane.SIDEWALK,
    carla.LaneType.Median: Lane.GREEN,
    carla.LaneType.Border: Lane.GREEN,
}
_SOLID = (
    carla.LaneMarkingType.Solid,
    carla.LaneMarkingType.SolidSolid,
    carla.LaneMarkingType.SolidBroken,
    carla.LaneMarkingType.BrokenSolid,
)
_BROKEN = (carla.LaneMarkingType.Broken, carla.LaneMarkingType.BrokenBroken, carla.LaneMarkingType.BottsDots)
_END_GAP_M = 0.02

_Key = tuple[int, int, int]


Objects = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Identity (K,) uint64, label (K,) uint8 and world box (K, 9) of what has a shape here, sorted by identity."""


def static_scene(world: carla.World, step_m: float = 1.0) -> StaticScene:
    """Everything that does not move, from the map and `get_environment_objects` (or `get_level_bbs`).

    step_m: distance of lane samples. Raises MapError when the map is not OpenDRIVE or has no driving lane, ServerLost
    when the server is gone.
    """
    world_map = usable_map(world)
    identity, label, box = objects(world)
    return StaticScene(
        map_name=world_map.name,
        step_m=step_m,
        **lanes(world_map, step_m),
        object_id=identity,
        object_label=label,
        object_box=box,
    )


def usable_map(world: carla.World) -> carla.Map:
    """The world's map. Raises MapError when it is not OpenDRIVE, ServerLost when the server is gone."""
    try:
        return world.get_map()
    except RuntimeError as error:
        raise lost_or(
            error, MapError, "the server's map is not usable OpenDRIVE; load another map or give a valid .xodr file"
        ) from error


def lanes(world_map: carla.Map, step_m: float = 1.0) -> dict[str, np.ndarray]:
    """The lane fields of :class:`StaticScene`, by name. Talks to no server.

    Every driving lane is sampled each `step_m` and at its end, and with it the lanes beside it that nobody drives on.
    Raises MapError when the map has no driving lane.
    """
    found: dict[tuple[int, int, int, float], carla.Waypoint] = {}
    last: dict[_Key, carla.Waypoint] = {}
    for waypoint in world_map.generate_waypoints(step_m):
        key = (waypoint.road_id, waypoint.section_id, waypoint.lane_id)
        if key not in last or waypoint.s > last[key].s:
            last[key] = waypoint
        for beside in _across(waypoint):
            found[(beside.road_id, beside.section_id, beside.lane_id, round(beside.s, 3))] = beside
    for waypoint in last.values():
        for beside in _across(_end_of(world_map, waypoint, step_m)):
            found[(beside.road_id, beside.section_id, beside.lane_id, round(beside.s, 3))] = beside
    if not found:
        raise MapError(f"map {world_map.name!r} has no driving lane; load a map with roads")
    ordered = [found[key] for key in sorted(found)]
    poses = [(w.transform.location, w.transform.rotation) for w in ordered]
    return {
        "lane_key": np.array(
            [(w.road_id, w.section_id, w.lane_id, w.junction_id if w.is_junction else -1) for w in ordered], np.int32
        ),
        "lane_s": np.array([w.s for w in ordered], np.float64),
        "lane_pose": np.array([(p.x, p.y, p.z, r.pitch, r.yaw, r.roll) for p, r in poses], np.float64),
        "lane_width": np.array([w.lane_width for w in ordered], np.float64),
        "lane_use": np.array([_LANE_USE.get(w.lane_type, Lane.PAVED) for w in ordered], np.uint8),
        "lane_mark": np.array([(_mark(w.left_lane_marking), _mark(w.right_lane_marking)) for w in ordered], np.uint8),
        "lane_yellow": np.array(
            [(_yellow(w.left_lane_marking), _yellow(w.right_lane_marking)) for w in ordered], np.bool_
        ),
        "lane_open": np.array([(w.get_left_lane() is None, w.get_right_lane() is None) for w in ordered], np.bool_),
    }


def lanes_if_any(world_map: carla.Map, step_m: float = 1.0) -> dict[str, np.ndarray]:
    """The same, without a row for a map that has no driving lane: it is ground and objects."""
    try:
        return lanes(world_map, step_m)
    except MapError:
        empty = StaticScene.empty(world_map.name).arrays()
        return {name: array for name, array in empty.items() if name.startswith("lane_")}


def _across(waypoint: carla.Waypoint) -> Iterator[carla.Waypoint]:
    """The lane itself and its neighbours up to the next driving lane on each side."""
    yield waypoint
    for step in ("get_left_lane", "get_right_lane"):
        seen = {waypoint.lane_id}
        beside = getattr(waypoint, step)()
        while beside is not None and beside.lane_id not in seen:
            if beside.lane_type == carla.LaneType.Driving:
                break
            seen.add(beside.lane_id)
            yield beside
            beside = getattr(beside, step)()


def _end_of(world_map: carla.Map, waypoint: carla.Waypoint, step_m: float) -> carla.Waypoint:
    """The last waypoint of the same lane section within `step_m`, found by bisection to 2 cm."""
    low, high, best = 0.0, step_m, waypoint
    while high - low > _END_GAP_M:
        middle = (low + high) / 2
        probe = world_map.get_waypoint_xodr(waypoint.road_id, waypoint.lane_id, waypoint.s + middle)
        if probe is not None and probe.section_id == waypoint.section_id:
            low, best = middle, probe
        else:
            high = middle
    return best


def _mark(marking: carla.LaneMarking | None) -> Mark:
    if marking is None:
        return Mark.NONE
    return Mark.SOLID if marking.type in _SOLID else Mark.BROKEN if marking.type in _BROKEN else Mark.NONE


def _yellow(marking: carla.LaneMarking | None) -> bool:
    return marking is not None and marking.color == carla.LaneMarkingColor.Yellow


def objects(world: carla.World) -> Objects:
    """What the server lists now. Raises ServerLost."""
    try:
        reported = world.get_environment_objects(carla.CityObjectLabel.Any)
        rows = [(int(o.id), int(o.type), o.bounding_box) for o in reported]
    except RuntimeError as error:
        if "time-out" in str(error):
            raise server_lost(error) from error
        _LOG.warning("the server lists no environment objects (%s); using its level boxes", error)
        rows = [
            (label * 1_000_000 + index, label, box)
            for label in LABEL_KIND
            for index, box in enumerate(world.get_level_bbs(carla.CityObjectLabel.values[label]))
        ]
    rows = sorted((row for row in rows if row[1] in LABEL_KIND), key=lambda row: row[0])
    boxes = [box_row(box) for _, _, box in rows]
    return (
        np.array([row[0] for row in rows], dtype=np.uint64),
        np.array([row[1] for row in rows], dtype=np.uint8),
        np.array(boxes, dtype=np.float64).reshape(-1, 9),
    )
