"""What the unmodified client sees of traffic lights and signs, and what it can do to them."""

from __future__ import annotations

import pytest
from clients_manager import MAY_HANG
from world_client import run_client, world_server


@pytest.fixture(scope="module")
def server():
    with world_server("--map", "junction", "--traffic", "10", "--seed", "3", "--synchronous") as running:
        yield running.rpc


@pytest.fixture(scope="module")
def block():
    with world_server("--map", "town_block", "--synchronous") as running:
        yield running.rpc


LIGHTS = """
        world.freeze_all_traffic_lights(False)
        world.reset_all_traffic_lights()
        lights = {light.get_opendrive_id(): light for light in world.get_actors().filter("traffic.traffic_light")}
"""


def test_lights_are_actors_with_boxes_groups_and_trigger_volumes(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        place = lambda v: [v.x, v.y, v.z]
        for name, light in lights.items():
            (box,) = light.get_light_boxes()
            volume = light.trigger_volume
            facts[name] = {
                "class": type(light).__name__, "tags": list(light.semantic_tags), "pole": light.get_pole_index(),
                "times": [light.get_green_time(), light.get_yellow_time(), light.get_red_time()],
                "group": sorted(other.get_opendrive_id() for other in light.get_group_traffic_lights()),
                "at": place(light.get_location()), "box": [place(box.location), place(box.extent)],
                "volume": place(light.get_transform().transform(volume.location)), "extent": place(volume.extent),
                "stop": [[w.road_id, w.lane_id] for w in light.get_stop_waypoints()],
                "lanes": [[w.road_id, w.lane_id] for w in light.get_affected_lane_waypoints()],
            }
        """,
        server,
    )
    assert sorted(facts) == ["1", "2", "3", "4"]
    assert sorted(fact["pole"] for fact in facts.values()) == [0, 1, 2, 3]
    for name, fact in facts.items():
        assert (fact["class"], fact["tags"]) == ("TrafficLight", [7])
        assert fact["times"] == [10.0, 3.0, 2.0]
        assert fact["group"] == ["1", "2", "3", "4"]
        assert fact["box"][0] == pytest.approx([*fact["at"][:2], 5.5], abs=1e-3), "1 m high from 5 m on"
        assert fact["box"][1] == pytest.approx([0.15, 0.2, 0.5])
        assert fact["extent"] == pytest.approx([0.45 * 3.5, 2.5, 1.0])
        assert fact["stop"]
        assert fact["stop"] + fact["lanes"] == [[int(name), 1]] * (len(fact["stop"]) + 1)
    # Arm 1 lies to the east: its traffic comes in at y = -1.75 and stops at x = 17, a metre before the junction.
    assert facts["1"]["volume"][:2] == pytest.approx([19.5, -1.75], abs=0.01)
    # CARLA's y axis is OpenDRIVE's turned over: arm 2 leaves to the north, at negative y.
    assert facts["2"]["volume"][:2] == pytest.approx([-1.75, -19.5], abs=0.01)


def test_the_clients_ways_from_maps_to_lights(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        names = lambda found: sorted(light.get_opendrive_id() for light in found)
        here = world.get_map().get_waypoint_xodr(2, 1, 41.0)
        facts["from_waypoint"] = names(world.get_traffic_lights_from_waypoint(here, 60.0))
        facts["too_far"] = names(world.get_traffic_lights_from_waypoint(here, 20.0))
        facts["in_junction"] = names(world.get_traffic_lights_in_junction(100))
        facts["by_id"] = world.get_traffic_light_from_opendrive_id("3").id == lights["3"].id
        (landmark,) = here.get_landmarks(60.0, False)
        facts["by_landmark"] = world.get_traffic_light(landmark).id == lights["2"].id
        """,
        server,
    )
    assert facts == {
        "from_waypoint": ["2"],
        "too_far": [],
        "in_junction": ["1", "2", "3", "4"],
        "by_id": True,
        "by_landmark": True,
    }


def test_states_cycle_and_obey_the_client(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        show = lambda: "".join(str(lights[name].state)[0] for name in "1234")
        run = lambda ticks: [world.tick() for _ in range(ticks)]
        # Commands act before the next tick, which is the first of the cycle.
        facts["cycle"] = []
        for ticks in (199, 1, 60, 40, 300):
            run(ticks)
            facts["cycle"].append(show())
        facts["elapsed"] = round(lights["1"].get_elapsed_time(), 4)
        world.reset_all_traffic_lights()
        lights["1"].set_green_time(4.0)
        lights["3"].set_yellow_time(1.0)
        run(79)
        facts["shorter"] = [show()]
        run(1)
        facts["shorter"].append(show())
        run(20)
        facts["shorter"].append(show())
        facts["times"] = [lights[n].get_green_time() for n in "1234"] + [lights[n].get_yellow_time() for n in "1234"]
        lights["2"].set_state(carla.TrafficLightState.Green)
        lights["2"].freeze(True)
        run(100)
        facts["frozen"] = [show(), [lights[n].is_frozen() for n in "1234"], lights["2"].get_elapsed_time()]
        lights["2"].freeze(False)
        lights["2"].reset_group()
        run(1)
        facts["reset"] = [show(), lights["1"].is_frozen()]
        world.freeze_all_traffic_lights(True)
        run(1000)
        facts["all"] = show()
        world.freeze_all_traffic_lights(False)
        for n in "13":
            lights[n].set_green_time(10.0)
            lights[n].set_yellow_time(3.0)
        facts["destroyed"] = lights["1"].destroy()
        world.tick()
        """,
        server,
    )
    # 20 ticks a second: green until 10 s, yellow until 13 s, red until 15 s; then the other arms.
    assert facts["cycle"] == ["GRGR", "YRYR", "RRRR", "RGRG", "GRGR"]
    assert facts["elapsed"] == 0.0
    assert facts["shorter"] == ["GRGR", "YRYR", "RRRR"]
    assert facts["times"] == [4.0, 10.0, 4.0, 10.0, 1.0, 3.0, 1.0, 3.0]
    assert facts["frozen"] == ["RGRR", [True] * 4, 0.0]
    assert facts["reset"] == ["GRGR", False]
    assert facts["all"] == "GRGR"
    assert not facts["destroyed"]


def test_a_vehicle_in_the_volume_knows_its_light(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        for vehicle in world.get_actors().filter("vehicle.*"):
            vehicle.destroy()
        library = world.get_blueprint_library()
        start = carla.Transform(carla.Location(60, -1.75, 0.5), carla.Rotation(yaw=180))
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), start)
        facts["seen"] = []
        world.freeze_all_traffic_lights(True)
        for name, state in (("far", "Red"), ("in", "Red"), ("in", "Green"), ("past", "Red")):
            lights["1"].set_state(getattr(carla.TrafficLightState, state))
            car.set_location(carla.Location({"far": 40, "in": 19.5, "past": 5}[name], -1.75, 0))
            world.tick()
            light = car.get_traffic_light()
            facts["seen"].append([
                car.is_at_traffic_light(), str(car.get_traffic_light_state()), light and light.get_opendrive_id()
            ])
        car.destroy()
        """,
        server,
    )
    assert facts["seen"] == [
        [False, "Green", None],
        [True, "Red", "1"],
        [True, "Green", "1"],
        [False, "Green", None],
    ]


def test_signs_are_actors_and_limits_reach_who_passes_them(block):
    facts = run_client(
        """
        world.tick()
        signs = [a for a in world.get_actors().filter("traffic.*") if a.type_id != "traffic.traffic_light"]
        facts["types"] = sorted(sign.type_id for sign in signs)
        facts["classes"] = sorted({type(sign).__name__ for sign in signs})
        facts["wide"] = sorted({round(sign.trigger_volume.extent.x, 3) for sign in signs})
        town = world.get_map()
        car = world.spawn_actor(
            world.get_blueprint_library().find("vehicle.tesla.model3"), town.get_waypoint_xodr(2, -1, 10.0).transform
        )
        facts["limit"] = []
        for road, s in ((2, 10.0), (3, 40.0), (3, 79.0)):
            car.set_transform(town.get_waypoint_xodr(road, -1, s).transform)
            world.tick()
            facts["limit"].append(car.get_speed_limit())
        car.destroy()
        """,
        block,
    )
    limits = ["traffic.speed_limit.30"] * 2 + ["traffic.speed_limit.50"] * 2
    assert facts["types"] == [*limits, "traffic.stop", "traffic.yield"]
    assert facts["classes"] == ["TrafficSign"]
    assert facts["wide"] == [1.575]
    assert facts["limit"] == [50.0, 30.0, 50.0]


@MAY_HANG
@pytest.mark.timeout(300, func_only=True)
def test_the_clients_traffic_manager_stops_at_red_and_goes_at_green(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        for vehicle in world.get_actors().filter("vehicle.*"):
            vehicle.destroy()
        manager = client.get_trafficmanager(0)
        manager.set_synchronous_mode(True)
        manager.set_random_device_seed(1)
        car = world.spawn_actor(
            world.get_blueprint_library().find("vehicle.tesla.model3"),
            carla.Transform(carla.Location(90, -1.75, 0.5), carla.Rotation(yaw=180)),
        )
        world.tick()
        car.set_autopilot(True, manager.get_port())
        world.freeze_all_traffic_lights(True)
        lights["1"].set_state(carla.TrafficLightState.Red)
        def run(ticks):
            for _ in range(ticks):
                time.sleep(0.005)
                world.tick()
        run(400)
        facts["waits"] = [car.get_location().x, car.get_velocity().length(), car.is_at_traffic_light()]
        lights["1"].set_state(carla.TrafficLightState.Green)
        run(80)
        facts["gone"] = car.get_location().x
        car.set_autopilot(False, manager.get_port())
        manager.set_synchronous_mode(False)
        manager.shut_down()
        world.freeze_all_traffic_lights(False)
        car.destroy()
        """,
        server,
    )
    x, speed, there = facts["waits"]
    assert 17.0 + 2.35 < x < 17.0 + 2.35 + 6.0, (
        "its front is before the line at 17 m, in the volume of 5 m or a stride off"
    )
    assert speed < 0.1
    assert there
    assert facts["gone"] < 10.0


def test_what_is_no_light_is_told_so(server):
    facts = run_client(
        """
        world.tick()
        """
        + LIGHTS
        + """
        try:
            world.spawn_actor(world.get_blueprint_library().find("traffic.traffic_light"), carla.Transform())
        except Exception as error:
            facts["spawn"] = str(error)
        facts["boxes"] = len(lights["1"].get_light_boxes())
        """,
        server,
    )
    assert "not found" in facts["spawn"]
    assert facts["boxes"] == 1
