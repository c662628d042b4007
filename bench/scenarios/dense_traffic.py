"""Drive among many cars and pedestrians: a fifth of the pixels at most, for those that are reached first."""

from __future__ import annotations

from collections.abc import Sequence

from driver import Driver, path
from foveal.errors import FovealError
from foveal.policy import Budget, Hold, TrackedActors
from options import options
from stage import Stage, run, stage

SHARE, TM_PORT = 0.2, 8000


def main(arguments: Sequence[str] | None = None) -> Stage:
    place = "free spawn points with a lane of 100 m"
    chosen = options(__doc__ or "", arguments, "town_block", place, ticks=200, traffic=40, walkers=24)
    with stage(chosen, chosen.traffic, chosen.walkers) as scene:
        ego = car(scene)
        if chosen.host:  # the built-in server has its own
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


def autopilots(scene: Stage, count: int) -> None:
    """Cars that CARLA's traffic manager drives, destroyed at the end."""
    manager = scene.client.get_trafficmanager(TM_PORT)
    manager.set_synchronous_mode(True)
    manager.set_random_device_seed(scene.chosen.seed)
    scene.at_end(manager.set_synchronous_mode, False)
    kinds = scene.world.get_blueprint_library().filter("vehicle.*")
    for place in scene.starts()[:count]:
        other = scene.spawn(scene.random.choice(kinds).id, place.transform)
        if other:
            other.set_autopilot(True, TM_PORT)


if __name__ == "__main__":
    run(main)
