"""Scans of the world server's lidar, in this process: rays a second in a street full of boxes."""

from __future__ import annotations

import os

import pytest
from foveal_sim.world.blueprints import LIBRARY
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.lidar import Lidar
from foveal_sim.world.moment import Moment
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.solids import SolidWorld

STEP_S = 0.05
LIDAR = "sensor.lidar.ray_cast"


@pytest.mark.parametrize(("channels", "points_per_second"), [(32, 56_000), (64, 1_300_000), (128, 2_600_000)])
def test_scan(benchmark, channels, points_per_second):
    world = Episode(1, load_map("town_block"), Population(20, 10, 1), first_id=1)
    values = {"channels": channels, "points_per_second": points_per_second, "range": 100, "dropoff_general_rate": 0}
    attributes = {**LIBRARY[LIDAR].defaults, **{name: str(value) for name, value in values.items()}}
    x, y = world.spawn_points[0][:2]
    sensor = world.spawn(LIDAR, attributes, (x, y, 2.0, 0.0, 0.0, 0.0))
    solids, lidar = SolidWorld(), Lidar(attributes)

    def scan() -> int:
        return sum(len(body) for body in lidar.measure(Moment(world, sensor, lambda: solids.now(world), STEP_S)))

    assert scan() > 16 * 100
    benchmark(scan)
    rays = round(points_per_second * STEP_S / channels) * channels
    benchmark.extra_info |= {"rays": rays, "boxes": len(solids.now(world)), "provenance": "measured"}
    each = benchmark.stats.stats.median
    print(
        f"\n{channels} channels, {rays:,} rays among {len(solids.now(world))} boxes: {1e3 * each:.1f} ms,"
        f" {rays / each / 1e6:.1f} million rays/s (measured; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )
