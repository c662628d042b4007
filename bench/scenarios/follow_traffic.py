"""Follow a car that speeds up and slows down: what matters is the car ahead and the lane between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from driver import Driver, path
from foveal.errors import FovealError
from foveal.policy import Budget, Hold, LaneAhead, TrackedActors, Union
from options import options
from stage import Stage, run, stage

LEAD_M, SHARE = 22, 0.15


def main(arguments: Sequence[str] | None = None) -> Stage:
    chosen = options(__doc__ or "", arguments, "curve", "a lane of 150 m", ticks=200)
    with stage(chosen) as scene:
        lead, ego = cars(scene)
        lane = Budget(LaneAhead(ego.ahead, height_m=0.5), share=SHARE)  # the near end of it, which comes first
        policy = Hold(Union(TrackedActors(distance_m=60.0, classes={"vehicle.": 1.0}), lane))
        for number, (tick, _) in enumerate(scene.look(ego.car, policy)):
            lead.drive(tick, 6.0 + 3.0 * math.sin(number / 25.0))
            ego.drive(tick, 12.0)
        scene.print_table()
        print(f"gap           {ego.gap_m(tick):.1f} m at the end")
        return scene


def cars(scene: Stage) -> tuple[Driver, Driver]:
    """Two cars on the first lane that is free and long enough."""
    for start in scene.starts():
        ways = path(start, 400.0)
        if len(ways) < 150:
            continue
        ego = scene.spawn("vehicle.tesla.model3", ways[0].transform)
        lead = scene.spawn("vehicle.audi.tt", ways[LEAD_M].transform) if ego else None
        if ego and lead:
            return Driver(lead, ways[LEAD_M:]), Driver(ego, ways)
        if ego:
            ego.destroy()
    raise FovealError("no lane of this map has 150 m and room for two cars; use another map")


if __name__ == "__main__":
    run(main)
