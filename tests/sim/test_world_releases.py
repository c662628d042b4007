"""Clients of both releases drive the server alike; only what their wires differ in depends on `--version`."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients_manager import MAY_HANG
from foveal_sim.world.blueprints import library
from foveal_sim.world.release import RELEASES
from foveal_sim.world.wire import snapshot_message
from world_client import CARLA15, Server, run_client, run_server, world_server

PYTHONS = {"0.9.15": CARLA15, "0.9.16": sys.executable}


@pytest.fixture(scope="module", params=PYTHONS)
def release(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    options = ("--map", "straight", "--traffic", "2", "--walkers", "1", "--synchronous", "--version", request.param)
    with world_server(*options) as server:
        yield request.param, server


def run(body: str, release: tuple[str, Server]) -> dict:
    version, server = release
    python = PYTHONS[version]
    assert Path(python).exists(), "there is no .venv-carla15: run tools/setup.sh carla15 (make test does)"
    facts = run_client(body, server.rpc, python)
    assert server.process.poll() is None
    return facts


def test_the_server_reports_the_release_of_its_client(release):
    facts = run('facts["versions"] = [client.get_client_version(), client.get_server_version()]', release)
    assert facts["versions"] == [release[0]] * 2


def test_ticks_snapshots_and_controls(release):
    facts = run(
        """
        world.tick()
        car = next(iter(world.get_actors().filter("vehicle.*")))
        before, frames = car.get_location(), []
        for _ in range(20):
            frames.append(world.tick())
            assert car.get_transform() == world.get_snapshot().find(car.id).get_transform()
        facts["frames"], facts["moved"] = frames, car.get_location().distance(before)
        facts["actors"] = sorted(actor.type_id.split(".")[0] for actor in world.get_actors())
        facts["limit"] = car.get_speed_limit()
        facts["map"] = world.get_map().name
        hero = world.get_blueprint_library().find("vehicle.tesla.model3")
        car = world.spawn_actor(hero, carla.Transform(carla.Location(300, 300, 0), carla.Rotation(yaw=90)))
        car.apply_control(carla.VehicleControl(throttle=0.5, steer=-0.25))
        world.tick()
        control = car.get_control()
        facts["control"] = [control.throttle, control.steer, control.brake]
        facts["gone"] = car.destroy()
        world.tick()
        """,
        release,
    )
    first = facts["frames"][0]
    assert facts["frames"] == list(range(first, first + 20))
    assert facts["moved"] > 0.5
    assert facts["actors"] == ["spectator", "vehicle", "vehicle", "walker"]
    assert facts["limit"] == pytest.approx(13.9 * 3.6, rel=1e-5)
    assert facts["map"] == "straight"
    assert facts["control"] == [0.5, -0.25, 0.0]
    assert facts["gone"]


def test_attributes_have_the_types_of_the_release(release):
    facts = run(
        """
        library = world.get_blueprint_library()
        car = library.find("vehicle.audi.tt")
        names = ["sticky_control", "number_of_wheels", "role_name", "color"]
        facts["types"] = [str(car.get_attribute(name).type) for name in names]
        facts["types"].append(str(library.find("sensor.camera.rgb").get_attribute("fov").type))
        facts["values"] = [car.get_attribute(names[0]).as_bool(), car.get_attribute(names[1]).as_int()]
        colour = car.get_attribute("color").as_color()
        facts["values"].append([colour.r, colour.g, colour.b])
        facts["values"].append(library.find("sensor.camera.rgb").get_attribute("fov").as_float())
        spawned = world.spawn_actor(car, carla.Transform(carla.Location(300, 300, 0)))
        facts["kept"] = spawned.attributes["number_of_wheels"]
        world.tick()  # before it has been in a snapshot the client may take it for dead, and leaves it there
        facts["gone"] = spawned.destroy()
        """,
        release,
    )
    assert facts["types"] == ["Bool", "Int", "String", "RGBColor", "Float"]
    assert facts["values"] == [True, 4, [180, 30, 30], 90.0]
    assert facts["kept"] == "4"
    assert facts["gone"]


def test_boxes_are_those_of_the_blueprint(release):
    facts = run(
        """
        library = world.get_blueprint_library()
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), carla.Transform(carla.Location(300, 300, 0)))
        world.tick()
        box = car.bounding_box
        facts["box"] = [[p.x, p.y, p.z] for p in (box.location, box.extent)]
        boxes = world.get_level_bbs(carla.CityObjectLabel.Buildings)
        facts["level"] = [len(boxes), min(box.extent.z for box in boxes)]
        facts["objects"] = len(world.get_environment_objects(carla.CityObjectLabel.Buildings))
        car.destroy()
        """,
        release,
    )
    # The blueprint: 4.70 m long, 1.85 m wide, 1.45 m high, standing on its origin.
    assert facts["box"] == [pytest.approx([0, 0, 0.725]), pytest.approx([2.35, 0.925, 0.725])]
    assert facts["level"][0] == facts["objects"] > 3
    assert facts["level"][1] > 1.0


def test_an_attached_camera_spawned_alone_or_in_a_batch_shows_each_frame(release):
    facts = run(
        """
        library, command = world.get_blueprint_library(), carla.command
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), carla.Transform(carla.Location(300, 300, 0)))
        camera = library.find("sensor.camera.rgb")
        for name, value in (("image_size_x", "64"), ("image_size_y", "48"), ("fov", "60")):
            camera.set_attribute(name, value)
        mount = carla.Transform(carla.Location(1, 0, 2))
        world.tick()
        alone = world.spawn_actor(camera, mount, attach_to=car, attachment_type=carla.AttachmentType.Rigid)
        (done,) = client.apply_batch_sync([command.SpawnActor(camera, mount, car)], True)
        facts["error"] = done.error
        together = world.get_actor(done.actor_id)
        facts["parents"] = [alone.parent.id == car.id, together.parent.id == car.id]
        images = [queue.Queue(), queue.Queue()]
        alone.listen(images[0].put), together.listen(images[1].put)
        asked, seen = [], []
        for _ in range(5):
            asked.append(world.tick())
            seen += [source.get(timeout=60) for source in images]
        facts["asked"], facts["seen"] = asked, [image.frame for image in seen]
        facts["sizes"] = [[image.width, image.height, image.fov, len(image.raw_data)] for image in seen[-2:]]
        facts["place"] = [seen[-1].transform.location.x, seen[-1].transform.location.z]
        alone.destroy(), together.destroy(), car.destroy()
        """,
        release,
    )
    assert facts["error"] == ""
    assert facts["parents"] == [True, True]
    assert facts["seen"] == [frame for frame in facts["asked"] for _ in range(2)]
    assert facts["sizes"] == [[64, 48, 60.0, 64 * 48 * 4]] * 2
    assert facts["place"] == pytest.approx([301, 2])


def test_a_batch_obeys_what_follows_a_spawn(release):
    facts = run(
        """
        command = carla.command
        blueprint = world.get_blueprint_library().find("vehicle.mini.cooper_s")
        places = [carla.Transform(carla.Location(400 + 8 * n, 300, 0)) for n in range(3)]
        pushed = carla.VehicleControl(throttle=1.0)
        batch = [
            command.SpawnActor(blueprint, place)
            .then(command.SetSimulatePhysics(command.FutureActor, False))
            .then(command.ApplyVehicleControl(command.FutureActor, pushed))
            for place in places
        ]
        done = client.apply_batch_sync(batch, True)
        facts["errors"] = [response.error for response in done]
        cars = [world.get_actor(response.actor_id) for response in done]
        facts["pushed"] = [car.get_control().throttle for car in cars]
        facts["still"] = [car.get_velocity().length() for car in cars]
        client.apply_batch_sync([command.DestroyActor(car) for car in cars], True)
        """,
        release,
    )
    assert facts["errors"] == [""] * 3
    assert facts["pushed"] == [1.0] * 3
    assert facts["still"] == [0.0] * 3


def test_maps_load_and_weather_and_settings_come_back(release):
    facts = run(
        """
        sun = world.get_weather()
        sun.sun_altitude_angle = 12.5
        world.set_weather(sun)
        settings = world.get_settings()
        settings.fixed_delta_seconds = 0.1
        world.apply_settings(settings)
        facts["before"] = [world.get_weather().sun_altitude_angle, world.get_settings().fixed_delta_seconds]
        old = world.id
        world = client.load_world("curve", False)
        world.tick()
        facts["after"] = [world.id != old, world.get_map().name, world.get_settings().fixed_delta_seconds]
        facts["frame"] = world.tick() == world.get_snapshot().frame
        settings.fixed_delta_seconds = 0.05
        client.load_world("straight", False).apply_settings(settings)
        """,
        release,
    )
    assert facts["before"] == [12.5, pytest.approx(0.1)]
    assert facts["after"] == [True, "curve", pytest.approx(0.1)]
    assert facts["frame"]


@MAY_HANG
@pytest.mark.timeout(300, func_only=True)
def test_the_clients_traffic_manager_drives(release):
    facts = run(
        """
        manager = client.get_trafficmanager(0)
        manager.set_synchronous_mode(True)
        manager.set_random_device_seed(3)
        blueprint = world.get_blueprint_library().find("vehicle.tesla.model3")
        cars = (world.try_spawn_actor(blueprint, place) for place in world.get_map().get_spawn_points())
        car = next(car for car in cars if car is not None)
        world.tick()
        car.set_autopilot(True, manager.get_port())
        start = car.get_location()
        for _ in range(60):
            world.tick()
        facts["driven"] = car.get_location().distance(start)
        manager.shut_down()  # before the car goes: its threads end the process when they ask for one that is gone
        car.destroy()
        """,
        release,
    )
    assert facts["driven"] > 1.0


def test_a_camera_of_regions_shows_each_frame(release):
    facts = run(
        """
        from foveal.carla import RoiCamera
        from foveal.policy import Fixed
        from foveal.region import Region
        library = world.get_blueprint_library()
        world.tick()
        car = next(iter(world.get_actors().filter("vehicle.*")))
        blueprint = library.find("sensor.camera.rgb")
        for name, value in (("image_size_x", "160"), ("image_size_y", "96")):
            blueprint.set_attribute(name, value)
        mount = carla.Transform(carla.Location(x=1.5, z=1.7))
        camera = RoiCamera(world, blueprint, mount, car, device="model", policy=Fixed([Region(20, 10, 150, 90)]))
        images, asked, seen = queue.Queue(), [], []
        camera.listen(images.put)
        for _ in range(4):
            asked.append(world.tick())
            seen.append(images.get(timeout=60))
        facts["asked"], facts["seen"] = asked, [image.frame for image in seen]
        facts["apart"] = seen[-1].transform.location.distance(camera.get_transform().location)
        facts["pixels"] = [int(seen[-1].mask.sum()), int(seen[-1].pixels[10:90, 20:150, :3].max())]
        camera.destroy()
        """,
        release,
    )
    assert facts["seen"] == facts["asked"]
    assert facts["apart"] < 1e-3
    assert facts["pixels"][0] == 130 * 80
    assert facts["pixels"][1] > 0


def test_every_sensor_sends_what_its_client_understands(release):
    facts = run(
        """
        library = world.get_blueprint_library()
        def at(x, y, z):
            return carla.Transform(carla.Location(x, y, z))
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300, 0))
        barrier = world.spawn_actor(library.find("static.prop.streetbarrier"), at(110, 300, 0))
        data, sensors = {}, []
        for name in ("lidar.ray_cast", "lidar.ray_cast_semantic", "other.radar", "other.imu", "other.gnss",
                     "other.collision", "other.obstacle"):
            mount = at(2.4, 0, 2.0 if "lidar" in name else 0.5)
            blueprint = library.find("sensor." + name)
            if "lidar" in name:
                blueprint.set_attribute("rotation_frequency", "20.0")  # all round in a tick
            sensors.append(world.spawn_actor(blueprint, mount, attach_to=car))
            data[name] = queue.Queue()
            sensors[-1].listen(data[name].put)
        car.enable_constant_velocity(carla.Vector3D(10, 0, 0))
        frames = [world.tick() for _ in range(20)]
        facts["frames"] = {name: [data[name].get(timeout=60).frame for _ in frames] == frames
                           for name in ("lidar.ray_cast", "other.radar", "other.gnss")}
        hits = list(data["lidar.ray_cast_semantic"].get(timeout=60))
        facts["barrier"] = sorted({hit.object_tag for hit in hits if hit.object_idx == barrier.id})
        imu = data["other.imu"].get(timeout=60)
        facts["imu"] = [imu.accelerometer.z, imu.compass]
        hit = data["other.collision"].get(timeout=60)
        facts["hit"] = [hit.frame - frames[0], hit.other_actor.type_id, hit.normal_impulse.x]
        facts["warned"] = data["other.obstacle"].get(timeout=60).other_actor.id == barrier.id
        for actor in [*sensors, barrier, car]:
            if actor.type_id.startswith("sensor."):
                actor.stop()
            actor.destroy()
        world.tick()
        """,
        release,
    )
    assert set(facts["frames"].values()) == {True}
    assert facts["barrier"] == [21]
    assert facts["imu"] == pytest.approx([9.81, math.pi / 2], abs=1e-5)
    # The nose (2.35 m ahead) reaches the barrier's face at 109.4 after 0.705 s; 1500 kg and 20 kg close at 10 m/s.
    assert facts["hit"] == [14, "static.prop.streetbarrier", pytest.approx(-1500 * 20 / 1520 * 10, rel=1e-4)]
    assert facts["warned"]


@pytest.mark.parametrize("version", PYTHONS)
def test_lights_have_groups_states_and_vehicles_at_them(version):
    options = ("--map", "junction", "--synchronous", "--version", version)
    with world_server(*options) as server:
        facts = run(
            """
            world.tick()
            lights = {light.get_opendrive_id(): light for light in world.get_actors().filter("traffic.traffic_light")}
            facts["groups"] = [sorted(other.get_opendrive_id() for other in light.get_group_traffic_lights())
                               for light in lights.values()]
            world.freeze_all_traffic_lights(True)
            start = carla.Transform(carla.Location(60, -1.75, 0.5), carla.Rotation(yaw=180))
            car = world.spawn_actor(world.get_blueprint_library().find("vehicle.tesla.model3"), start)
            facts["seen"] = []
            for x, state in ((40, "Red"), (19.5, "Red"), (19.5, "Yellow"), (5, "Red")):
                lights["1"].set_state(getattr(carla.TrafficLightState, state))
                car.set_location(carla.Location(x, -1.75, 0))
                world.tick()
                light = car.get_traffic_light()
                facts["seen"].append([str(lights["1"].state), car.is_at_traffic_light(),
                                      str(car.get_traffic_light_state()), light and light.get_opendrive_id()])
            facts["lanes"] = [[way.road_id, way.lane_id] for way in lights["1"].get_affected_lane_waypoints()]
            car.destroy()
            """,
            (version, server),
        )
    assert facts["groups"] == [["1", "2", "3", "4"]] * 4
    # The volume of arm 1 is the 5 m before the line at x = 17; elsewhere CARLA says green.
    assert facts["seen"] == [
        ["Red", False, "Green", None],
        ["Red", True, "Red", "1"],
        ["Yellow", True, "Yellow", "1"],
        ["Red", False, "Green", None],
    ]
    assert set(map(tuple, facts["lanes"])) == {(1, 1)}


@pytest.mark.parametrize(("version", "index", "bool_kind"), [("0.9.15", 16, 0), ("0.9.16", 17, 1)])
def test_numbers_of_a_release(version, index, bool_kind):
    release = RELEASES[version]
    message = snapshot_message(release.world_observer, 1, 0.0, 0.05, 0.0, 1, 0, b"")
    assert struct.unpack_from("<Q", message, 4) == (index,)
    kinds = {a.name: a.kind for b in library(release).values() for a in b.attributes}
    assert [kinds[n] - bool_kind for n in ("sticky_control", "number_of_wheels", "fov", "role_name", "color")] == [
        0, 1, 2, 3, 4
    ]  # fmt: skip


def test_an_unknown_release_is_refused():
    done = run_server("--version", "0.9.14")
    assert done.returncode == 2
    assert "0.9.15" in done.stderr
    assert "0.9.16" in done.stderr
