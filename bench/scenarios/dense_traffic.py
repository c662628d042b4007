"""Drive among many cars and pedestrians: a fifth of the pixels at most, for those that are reached first."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from driver import Driver, path
from foveal.errors import FovealError
from foveal.policy import Budget, Hold, TrackedActors
from options import options
from stage import Stage, run, stage

# isort: split
import carla

SHARE, WALK_M_S = 0.2, 1.4


def main(arguments: Sequence[str] | None = None) -> Stage:
    place = "free spawn points with a lane of 100 m"
    chosen = options(__doc__ or "", arguments, "town_block", place, ticks=200, traffic=40, walkers=24)
    with stage(chosen, chosen.traffic, chosen.walkers) as scene:
        ego = car(scene)
        if chosen.host:  # the built-in server has its own
            walkers(scene, chosen.walkers)
            autopilots(scene, chosen.traffic)
        policy = Budget(Hold(TrackedActors(distance_m=80.0, margin_share=0.05)), share=SHARE)
        others = 0
        for tick, _ in scene.look(ego.car, policy):
            ego.drive(tick, 10.0)
            others = max(others, len(tick.actor_id) - 1)
        scene.print_table()
        print(f"others        {others} at most, vehicles and walkers")
        return scene


def car(scene: Stage) -> Driver:
    """The ego, on the first free spawn point with a lane that goes on."""
    for start in scene.starts():
        ways = path(start, 400.0)
        ego = scene.spawn("vehicle.tesla.model3", ways[0].transform) if len(ways) > 100 else None
        if ego:
            return Driver(ego, ways)
    raise FovealError("no spawn point of this map is free; use less --traffic")


def walkers(scene: Stage, count: int) -> None:
    """Pedestrians on the sidewalks beside spawn points, who walk on straight."""
    kinds, world_map = scene.world.get_blueprint_library().filter("walker.*"), scene.world.get_map()
    for start in scene.starts():
        beside = world_map.get_waypoint(start.transform.location, lane_type=carla.LaneType.Sidewalk)
        walker = scene.spawn(scene.random.choice(kinds).id, beside.transform, lift_m=1.0) if beside and count else None
        if walker:
            walker.apply_control(carla.WalkerControl(direction=beside.transform.get_forward_vector(), speed=WALK_M_S))
            count -= 1


def autopilots(scene: Stage, count: int) -> None:
    """Cars that CARLA's traffic manager drives; it is shut down before they are destroyed."""
    kinds, cars = scene.world.get_blueprint_library().filter("vehicle.*"), []
    for start in scene.starts():
        other = scene.spawn(scene.random.choice(kinds).id, start.transform) if len(cars) < count else None
        cars += [other] if other else []
    with socket.create_server(("", 0)) as free:  # another script on this machine may have 8000
        port = free.getsockname()[1]
    manager = scene.client.get_trafficmanager(port)
    scene.at_end(manager.shut_down)
    manager.set_synchronous_mode(True)
    manager.set_random_device_seed(scene.chosen.seed)
    for other in cars:
        other.set_autopilot(True, port)


if __name__ == "__main__":
    run(main)
