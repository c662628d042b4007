"""The lights and signs of the built-in maps that govern an ego, found through the unmodified client."""

from __future__ import annotations

import pytest
from world_client import run_client, world_server

LOOK = """
    from foveal.carla.ego_signals import EgoSignals
    from foveal.carla.reader import TickReader
    from foveal.policy import Sight, SignalsAhead, choose
    from foveal.scene.tick import CameraMount
    mount = CameraMount(width=1280, height=720, z=1.7)
    world.tick()
    town = world.get_map()
    car = world.spawn_actor(world.get_blueprint_library().find("vehicle.tesla.model3"), town.get_spawn_points()[0])
    reader = TickReader(world, mount, car.id)
    signals = EgoSignals(world)
    def look(road, lane, s):
        car.set_transform(town.get_waypoint_xodr(road, lane, s).transform)
        world.tick()
        sight = Sight.of(reader.read(world.get_snapshot()), mount)
        regions = choose(SignalsAhead(signals), sight).regions
        return [signals(sight).round(2).tolist(), [[r.x0, r.y0, r.x1, r.y1] for r in regions]]
"""


def test_on_each_arm_its_own_light_governs_and_has_a_region():
    with world_server("--map", "junction", "--synchronous") as server:
        facts = run_client(
            LOOK
            + """
    for arm in "1234":
        facts[arm] = look(int(arm), 1, 41.0)
    facts["leaving"] = look(1, -1, 5.0)
    facts["too far"] = look(1, 1, 100.0)
    tick = reader.read(world.get_snapshot())
    facts["types"] = [tick.types[k] for k in tick.actor_type]
    car.destroy()
            """,
            server.rpc,
        )
    # A light's pole stands 4.3 m to the right of its arm's middle; CARLA's y axis points to the south.
    places = {"1": (17.25, -4.3), "2": (-4.3, -17.25), "3": (-17.25, 4.3), "4": (4.3, 17.25)}
    for arm, place in places.items():
        ((row,), (region,)) = facts[arm]
        assert row[:3] == pytest.approx([*place, 5.5], abs=0.02)
        # The volume begins 6 m before the junction's edge at s = 0, which is 35 m from s = 41.
        assert row[9] == pytest.approx(35.0, abs=1.01)
        # The head is to the right of the lane and above the camera: right of and above the picture's middle.
        assert region[0] > 640
        assert region[3] < 360
    assert facts["leaving"] == facts["too far"] == [[], []]
    assert facts["types"] == ["vehicle.tesla.model3"], "the box of a light actor is its volume on the road"


def test_signs_of_the_town_block_govern_whom_they_face():
    with world_server("--map", "town_block", "--synchronous") as server:
        facts = run_client(
            LOOK
            + """
    facts["stop"] = look(7, -1, 5.0)
    facts["yield"] = look(7, 1, 78.0)
    facts["light"] = look(1, -1, 40.0)
    stop = world.get_actors().filter("traffic.stop")[0]
    facts["pole"] = [stop.get_location().x, stop.get_location().y]
    car.destroy()
            """,
            server.rpc,
        )
    ((row,), (region,)) = facts["stop"]
    assert row[:2] == pytest.approx(facts["pole"], abs=0.02)
    assert row[2] == pytest.approx(2.2 + 0.75 / 2, abs=0.02)
    assert row[3:6] == pytest.approx([0.03, 0.375, 0.375], abs=0.01)
    # 35 m from s = 5 to the line at s = 40, and the volume begins 5 m before it.
    assert row[9:] == pytest.approx([30.0, 0.5], abs=1.01)
    assert region[0] > 640
    assert len(facts["yield"][0]) == 1
    assert len(facts["light"][0]) == 1
    assert facts["light"][0][0][10] == 1.0
