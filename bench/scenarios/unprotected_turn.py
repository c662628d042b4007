"""Turn left across oncoming traffic without a signal: look at who comes, and along the turn, not straight on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from driver import LEFT, STRAIGHT, Driver, degrees, path
from foveal.carla.areas import junction_areas
from foveal.counted import counted
from foveal.errors import FovealError
from foveal.policy import Budget, LaneAhead, TrackedActors, Union
from foveal.zone import ZonePlan
from options import options
from stage import Stage, run, stage

SHARE = 0.2
NEAR, FAR = range(10, 26), range(25, 46)
"""Metres before the junction where the ego starts, and where the oncoming car does."""


def main(arguments: Sequence[str] | None = None) -> Stage:
    place = "a junction with a left turn and an oncoming lane near spawn points"
    chosen = options(__doc__ or "", arguments, "junction", place, ticks=320)
    with stage(chosen) as scene:
        ego, oncoming, line, clear = cars(scene)
        lane = Budget(LaneAhead(ego.ahead, height_m=0.5, pieces=6), share=SHARE)
        policy = Union(TrackedActors(distance_m=100.0, classes={"vehicle.": 2.0}), lane)
        zones = ZonePlan(junction_areas(scene.world.get_map(), margin_m=3.0))
        waited = 0
        for tick, _ in scene.look(ego.car, policy, zone=zones):
            oncoming.drive(tick, 9.0)
            yields = oncoming.along < clear and ego.along <= line
            ego.drive(tick, 6.0, stop_at_m=line + 3.0 if yields else math.inf)
            waited += yields
        scene.print_table()
        print(f"yielded       {counted(waited, 'tick')}")
        print(f"zones         {zones.entered} entered, {zones.left} left")
        return scene


def cars(scene: Stage) -> tuple[Driver, Driver, int, int]:
    """Ego and oncoming car, the metre where the ego's junction begins, and where the other one's way is past it."""
    starts = scene.starts()
    turns = [ways for ways in (path(start, 160.0, LEFT) for start in starts) if turned(ways, NEAR) < -60.0]
    straight = [ways for ways in (path(start, 160.0, STRAIGHT) for start in starts) if abs(turned(ways, FAR)) < 20.0]
    for mine in turns:
        line = entry(mine)
        for theirs in straight:
            past = entry(theirs)
            facing = degrees(theirs[past].transform.rotation.yaw - mine[line].transform.rotation.yaw)
            if mine[line].junction_id != theirs[past].junction_id or abs(facing) < 150.0:
                continue
            ego = scene.spawn("vehicle.tesla.model3", mine[0].transform)
            other = scene.spawn("vehicle.audi.tt", theirs[0].transform) if ego else None
            if ego and other:
                inside = sum(way.is_junction for way in theirs[past : past + 60])
                return Driver(ego, mine), Driver(other, theirs), line, past + inside
            if ego:
                ego.destroy()
    raise FovealError("this map has no junction with a left turn and an oncoming lane near spawn points; use another")


def entry(ways: list) -> int:
    """The metre of the path where its first junction begins; its end without one."""
    return next((metre for metre, way in enumerate(ways) if way.is_junction), len(ways) - 1)


def turned(ways: list, wanted: range) -> float:
    """By how much the path turns in its first junction, in degrees; 360 where that does not begin within `wanted`."""
    start = entry(ways)
    end = next((m for m in range(start, len(ways)) if not ways[m].is_junction), None)
    if start not in wanted or end is None:
        return 360.0
    return degrees(ways[end].transform.rotation.yaw - ways[start].transform.rotation.yaw)


if __name__ == "__main__":
    run(main)
