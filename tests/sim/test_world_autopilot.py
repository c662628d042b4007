"""Vehicles of the client's own traffic manager among lights, stop signs, yield signs and limits."""

from __future__ import annotations

import pytest
from clients_manager import MAY_HANG
from world_client import run_client, world_server

DRIVE = """
random.seed(5)
manager = client.get_trafficmanager(0)
manager.set_synchronous_mode(True)
manager.set_random_device_seed(5)
kinds, places, cars = world.get_blueprint_library().filter("vehicle.*"), world.get_map().get_spawn_points(), []
random.shuffle(places)
while len(cars) < 10:
    car = world.try_spawn_actor(random.choice(kinds), places.pop())
    cars += [car] if car else []
world.tick()
for car in cars:
    car.set_autopilot(True, manager.get_port())
driven = [0.0] * len(cars)
for _ in range(600):
    world.tick()
    driven = [far + 0.05 * car.get_velocity().length() for far, car in zip(driven, cars)]
facts["driven"] = driven
facts["signs"] = sorted({actor.type_id for actor in world.get_actors().filter("traffic.*")})
manager.shut_down()  # before the cars go: its threads end the process when they ask for one that is gone
client.apply_batch_sync([carla.command.DestroyActor(car) for car in cars], True)
"""


@MAY_HANG
@pytest.mark.timeout(300, func_only=True)
def test_the_clients_own_traffic_drives_and_asks_for_nothing_that_is_missing() -> None:
    with world_server("--map", "town_block", "--synchronous") as server:
        facts = run_client("import random\n" + DRIVE, server.rpc)
        assert server.stop() == 0
        assert server.process.stderr
        said = server.process.stderr.read()
    assert {"traffic.stop", "traffic.traffic_light", "traffic.yield"} <= set(facts["signs"])
    # 30 s at 30 km/h, the lower of the two limits, are 250 m; some wait at a light.
    assert sum(far > 100.0 for far in facts["driven"]) >= 8
    assert min(facts["driven"]) > 5.0, "nobody stands for good"
    assert "does not have" not in said
    assert "WARNING" not in said
