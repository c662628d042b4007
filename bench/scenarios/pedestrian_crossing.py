"""A pedestrian steps onto the road: the car ahead of whom it happens must see them, small as they are."""

from __future__ import annotations

from collections.abc import Sequence

from driver import Driver, path
from foveal.errors import FovealError
from foveal.policy import Budget, Hold, LaneAhead, TrackedActors, Union
from options import options
from stage import Stage, run, stage

# isort: split
import carla

AHEAD_M, STEPS_OUT_M, BESIDE_M = 35, 24.0, 1.5


def main(arguments: Sequence[str] | None = None) -> Stage:
    chosen = options(__doc__ or "", arguments, "straight", "a lane of 100 m without a junction nearby", ticks=240)
    with stage(chosen) as scene:
        ego, walker, across = players(scene)
        people = TrackedActors(distance_m=50.0, margin_px=12.0, margin_share=0.3, classes={"walker.": 2.0})
        policy = Hold(Union(people, Budget(LaneAhead(ego.ahead, height_m=0.5), share=0.15)), ticks=10)
        nearest = AHEAD_M
        for tick, _ in scene.look(ego.car, policy):
            if AHEAD_M - ego.along < STEPS_OUT_M:
                walker.apply_control(carla.WalkerControl(direction=across, speed=1.5))
            ego.drive(tick, 8.0)
            nearest = min(nearest, AHEAD_M - ego.along)
        scene.print_table()
        print(f"nearest       {nearest} m along the lane before the crossing")
        return scene


def players(scene: Stage) -> tuple[Driver, carla.Actor, carla.Vector3D]:
    """A car, a walker beside its lane some way ahead, and the direction across the road."""
    for start in scene.starts():
        ways = path(start, 300.0)
        if len(ways) < 100 or any(way.is_junction for way in ways[: AHEAD_M + 10]):
            continue
        place = ways[AHEAD_M].transform
        right = place.get_right_vector()
        aside = ways[AHEAD_M].lane_width / 2 + BESIDE_M
        kerb = carla.Transform(place.location + carla.Location(x=right.x * aside, y=right.y * aside), place.rotation)
        ego = scene.spawn("vehicle.tesla.model3", ways[0].transform)
        walker = scene.spawn("walker.pedestrian.0001", kerb, lift_m=1.0) if ego else None
        if ego and walker:
            return Driver(ego, ways), walker, carla.Vector3D(-right.x, -right.y, 0.0)
        if ego:
            ego.destroy()
    raise FovealError("no straight lane of this map has 100 m and room for a car and a pedestrian; use another map")


if __name__ == "__main__":
    run(main)
