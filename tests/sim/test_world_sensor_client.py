"""The unmodified `carla` client receives every sensor's data and understands it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from world_client import Server, run_client, world_server

PROLOGUE = """
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
for actor in world.get_actors():  # of the test before
    if not actor.type_id.startswith(("spectator", "traffic.")):
        actor.destroy()
library = world.get_blueprint_library()
kept = []
def sensor(name, place=None, parent=None, **values):
    blueprint = library.find(name)
    for key, value in values.items():
        blueprint.set_attribute(key, str(value))
    actor = world.spawn_actor(blueprint, place or carla.Transform(), attach_to=parent)
    data = queue.Queue()
    actor.listen(data.put)
    kept.append(actor)  # one that goes out of scope stops listening
    return actor, data
def at(x, y, z=0.0, yaw=0.0):
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(yaw=yaw))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight") as running:
        yield running


def client(body: str, server: Server) -> dict[str, Any]:
    return run_client(PROLOGUE + dedent(body), server.rpc)


def test_lidar(server):
    facts = client(
        """
        import numpy as np
        lidar, data = sensor("sensor.lidar.ray_cast", at(100, 300, 1.86), channels=8, points_per_second=16000,
                             upper_fov=-30, lower_fov=-30, dropoff_general_rate=0, dropoff_zero_intensity=0)
        facts["frame"] = world.tick()
        scan = data.get(timeout=60)
        points = np.frombuffer(scan.raw_data, np.float32).reshape(-1, 4)
        facts["range"] = [float(value) for value in np.linalg.norm(points[:, :3], axis=1)[[0, -1]]]
        facts["same"] = [point.point.z for point in scan][:2] == [float(z) for z in points[:2, 2]]
        facts.update(seen=scan.frame, channels=scan.channels, count=len(scan), angle=scan.horizontal_angle)
        facts["each"] = [scan.get_point_count(channel) for channel in range(8)]
        facts["pose"] = scan.transform == lidar.get_transform()
        """,
        server,
    )
    assert facts["seen"] == facts["frame"]
    assert facts["range"] == pytest.approx([4.0, 4.0], abs=1e-4)  # 1.86 m over grass 0.14 m below the lanes
    assert facts["same"]
    assert (facts["channels"], facts["count"], facts["each"]) == (8, 800, [100] * 8)
    assert facts["angle"] == pytest.approx(math.pi, abs=1e-4)  # 10 turns a second: half a turn in a tick
    assert facts["pose"]


def test_a_lidar_that_meets_nothing_sends_an_empty_scan(server):
    facts = client(
        """
        _, data = sensor("sensor.lidar.ray_cast", at(100, 300, 50), channels=3)
        _, semantic = sensor("sensor.lidar.ray_cast_semantic", at(100, 300, 50), channels=3)
        _, radar = sensor("sensor.other.radar", at(100, 300, 500))
        world.tick()
        scans = [data.get(timeout=60), semantic.get(timeout=60)]
        facts["scans"] = [[len(scan), scan.channels, [scan.get_point_count(n) for n in range(3)]] for scan in scans]
        facts["radar"] = len(radar.get(timeout=60))
        """,
        server,
    )
    assert facts["scans"] == [[0, 3, [0, 0, 0]]] * 2
    assert facts["radar"] == 0


def test_semantic_lidar(server):
    facts = client(
        """
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300))
        walker = world.spawn_actor(library.find("walker.pedestrian.0001"), at(90, 306, 0.92))
        lidar, data = sensor("sensor.lidar.ray_cast_semantic", at(90, 300, 0.7), channels=4, upper_fov=0, lower_fov=-20,
                             range=30, rotation_frequency=20, points_per_second=80000)
        world.tick()
        found = {}
        for hit in data.get(timeout=60):
            found.setdefault(hit.object_idx, []).append((hit.object_tag, hit.point.x, hit.cos_inc_angle))
        facts["car"] = [sorted({row[0] for row in found[car.id]}), min(row[1] for row in found[car.id])]
        facts["walker"] = sorted({row[0] for row in found[walker.id]})
        facts["rest"] = sorted({row[0] for row in found[0]})
        facts["cos"] = max(row[2] for row in found[car.id])
        """,
        server,
    )
    assert facts["car"] == [[14], pytest.approx(10.0 - 2.35, abs=1e-3)]
    assert facts["walker"] == [12]
    assert facts["rest"] == [10]
    assert facts["cos"] == pytest.approx(1.0, abs=1e-3)


def test_radar(server):
    facts = client(
        """
        truck = world.spawn_actor(library.find("vehicle.carlamotors.firetruck"), at(130, 300))
        truck.enable_constant_velocity(carla.Vector3D(-5, 0, 0))
        _, data = sensor("sensor.other.radar", at(100, 300, 1), horizontal_fov=4, vertical_fov=2)
        world.tick()
        found = list(data.get(timeout=60))
        facts["count"] = len(found)
        facts["depth"] = [min(hit.depth for hit in found), max(hit.depth for hit in found)]
        facts["velocity"] = [min(hit.velocity for hit in found), max(hit.velocity for hit in found)]
        facts["azimuth"] = max(abs(hit.azimuth) for hit in found)
        facts["altitude"] = max(abs(hit.altitude) for hit in found)
        """,
        server,
    )
    assert facts["count"] == 75  # 1500 a second
    # The tail starts 130 - 4.25 - 100 m away and has moved 0.25 m nearer; 2 degrees aside it is 1 / cos(2) further.
    assert facts["depth"] == pytest.approx([25.5, 25.5], rel=1e-3)
    assert facts["velocity"] == pytest.approx([-5.0, -5.0], rel=1e-3)
    assert 0 < facts["azimuth"] <= math.radians(2)
    assert 0 < facts["altitude"] <= math.radians(1)


def test_imu_and_gnss(server):
    facts = client(
        """
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300, 0, -90))
        _, imu = sensor("sensor.other.imu", parent=car)
        gnss_actor, gnss = sensor("sensor.other.gnss", at(1.0, 2.0, 3.0), parent=car)
        world.tick()
        rest, place = imu.get(timeout=60), gnss.get(timeout=60)
        facts["rest"] = [rest.accelerometer.x, rest.accelerometer.y, rest.accelerometer.z, rest.gyroscope.z]
        facts["compass"] = rest.compass
        here = world.get_map().transform_to_geolocation(gnss_actor.get_location())
        facts["gnss"] = [place.latitude, place.longitude, place.altitude]
        facts["map"] = [here.latitude, here.longitude, here.altitude]
        car.apply_control(carla.VehicleControl(throttle=1.0))
        world.tick()
        facts["push"] = imu.get(timeout=60).accelerometer.x
        """,
        server,
    )
    assert facts["rest"] == pytest.approx([0, 0, 9.81, 0], abs=1e-5)
    assert facts["compass"] % (2 * math.pi) == pytest.approx(0.0, abs=1e-5)
    assert facts["push"] == pytest.approx(4.0, abs=1e-3)
    assert facts["gnss"] == pytest.approx(facts["map"], abs=1e-12)
    assert facts["gnss"][2] == pytest.approx(3.0)
    assert facts["gnss"][:2] != [0.0, 0.0]


def test_collision_and_obstacle(server):
    facts = client(
        """
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300))
        box = world.spawn_actor(library.find("static.prop.streetbarrier"), at(110, 300))
        _, hits = sensor("sensor.other.collision", parent=car)
        _, warnings = sensor("sensor.other.obstacle", at(2.4, 0, 0.5), parent=car, distance=8, hit_radius=0.1)
        car.enable_constant_velocity(carla.Vector3D(10, 0, 0))
        frames = [world.tick() for _ in range(30)]
        hit = hits.get(timeout=60)
        facts["hit"] = [hit.actor.id == car.id, hit.other_actor.id == box.id, hit.frame - frames[0]]
        facts["impulse"] = [hit.normal_impulse.x, hit.normal_impulse.y, hit.normal_impulse.z]
        warned = [warnings.get(timeout=60) for _ in range(warnings.qsize())]
        facts["warned"] = [warned[0].frame - frames[0], warned[0].distance, warned[0].other_actor.id == box.id]
        time.sleep(0.2)
        facts["more"] = hits.qsize()
        house = [thing for thing in world.get_environment_objects(carla.CityObjectLabel.Buildings)][0]
        car.disable_constant_velocity()
        car.set_location(carla.Location(house.transform.location.x, house.transform.location.y, 0))
        world.tick()
        against = hits.get(timeout=60).other_actor
        facts["house"] = [against.type_id, list(against.semantic_tags)]
        """,
        server,
    )
    # From 100 at 10 m/s: the nose (2.35 m ahead) is past the barrier's face at 109.4 after 0.705 s, in the 15th tick.
    assert facts["hit"] == [True, True, 14]
    # 1500 kg and 20 kg that close at 10 m/s.
    assert facts["impulse"] == pytest.approx([-1500 * 20 / 1520 * 10, 0, 0], rel=1e-4)
    # From 102.4 + 0.5 n a ball of 0.1 m meets 109.4 within 8 m at once: 109.4 - 102.9 - 0.1 in the first tick.
    assert facts["warned"] == [0, pytest.approx(6.4, abs=1e-3), True]
    assert facts["more"] == 0
    assert facts["house"] == ["static.building", [3]]


def test_lane_invasion(server):
    facts = client(
        """
        road = world.get_map().get_waypoint(carla.Location(60, 1.75, 0))
        car = world.spawn_actor(library.find("vehicle.audi.tt"), road.transform)
        invasion = world.spawn_actor(library.find("sensor.other.lane_invasion"), carla.Transform(), attach_to=car)
        crossed = queue.Queue()
        invasion.listen(crossed.put)
        right = road.transform.get_right_vector()
        place = road.transform.location
        for n in range(12):
            car.set_location(carla.Location(place.x + 0.5 * n * right.x, place.y - 0.5 * n, 0))
            world.tick()
        facts["marks"] = [str(mark.type) for mark in crossed.get(timeout=60).crossed_lane_markings]
        """,
        server,
    )
    assert facts["marks"]


def test_sensor_tick_holds_for_sensors_and_refusals_name_the_attribute(server):
    facts = client(
        """
        _, slow = sensor("sensor.lidar.ray_cast", at(100, 300, 2), sensor_tick=0.2, points_per_second=3200,
                         channels=1, upper_fov=-30, lower_fov=-30, dropoff_general_rate=0, dropoff_zero_intensity=0)
        frames = [world.tick() for _ in range(9)]
        scans = [slow.get(timeout=60) for _ in range(3)]
        facts["frames"] = [scan.frame - frames[0] for scan in scans]
        facts["count"] = [len(scan) for scan in scans]
        facts["refused"] = []
        for name, key, value in (("sensor.lidar.ray_cast", "channels", 0), ("sensor.other.radar", "range", -1)):
            try:
                sensor(name, **{key: value})
            except RuntimeError as error:
                facts["refused"].append(str(error))
        try:
            library.find("sensor.camera.dvs")
        except IndexError as error:
            facts["missing"] = str(error)
        """,
        server,
    )
    assert facts["frames"] == [0, 4, 8]
    assert facts["count"] == [640, 640, 640]  # 0.2 s of 3200 points a second
    assert "channels must be a whole number from 1" in facts["refused"][0]
    assert "range must be" in facts["refused"][1]
    assert "sensor.camera.dvs" in facts["missing"]


def test_random_lidars_and_radars_never_break_the_client(server):
    facts = client(
        """
        import random
        chance = random.Random(11)
        for _ in range(12):
            world.try_spawn_actor(chance.choice(library.filter("vehicle.*")),
                                  at(chance.uniform(80, 120), chance.uniform(280, 320), 0, chance.uniform(-180, 180)))
        facts["wrong"] = []
        for turn in range(40):
            name = chance.choice(["sensor.lidar.ray_cast", "sensor.lidar.ray_cast_semantic", "sensor.other.radar"])
            values = {"range": chance.uniform(0, 200), "points_per_second": chance.choice([1, 7, 1000, 200000]),
                      "horizontal_fov": chance.choice([0.0, 0.1, 90.0, 360.0])}
            if "lidar" in name:
                values.update(channels=chance.choice([1, 2, 31, 128]), rotation_frequency=chance.choice([0, 7, 1000]),
                              upper_fov=chance.uniform(-90, 90), lower_fov=chance.uniform(-90, 90))
            place = carla.Transform(
                carla.Location(chance.uniform(80, 120), chance.uniform(280, 320), chance.uniform(-2, 5)),
                carla.Rotation(chance.uniform(-90, 90), chance.uniform(-180, 180), chance.uniform(-180, 180)))
            actor, data = sensor(name, place, **values)
            for _ in range(2):
                frame = world.tick()
                scan = data.get(timeout=60)
                length = len(list(scan))
                bytes_each = {"sensor.lidar.ray_cast": 16, "sensor.lidar.ray_cast_semantic": 24}.get(name, 16)
                counted = sum(scan.get_point_count(n) for n in range(scan.channels)) if "lidar" in name else length
                if scan.frame != frame or len(scan.raw_data) != bytes_each * length or counted != length:
                    facts["wrong"].append([name, values, length, counted, len(scan.raw_data)])
                facts["points"] = facts.get("points", 0) + length
            actor.stop()
            actor.destroy()
        """,
        server,
    )
    assert facts["wrong"] == []
    assert facts["points"] > 10_000


def test_an_asynchronous_world_pushes_scans(server):
    facts = client(
        """
        settings.synchronous_mode, settings.fixed_delta_seconds = False, None
        world.apply_settings(settings)
        _, data = sensor("sensor.lidar.ray_cast", at(100, 300, 2))
        _, imu = sensor("sensor.other.imu", at(100, 300, 2))
        facts["frames"] = [data.get(timeout=60).frame for _ in range(4)]
        facts["imu"] = [imu.get(timeout=60).frame for _ in range(4)]
        """,
        server,
    )
    for frames in (facts["frames"], facts["imu"]):
        assert frames == list(range(frames[0], frames[0] + 4))


def test_two_clients_listen_to_one_sensor(server):
    facts = client(
        """
        lidar, data = sensor("sensor.lidar.ray_cast", at(100, 300, 2))
        other = carla.Client("127.0.0.1", port)
        other.set_timeout(20.0)
        seen = queue.Queue()
        world.tick()
        second = other.get_world().get_actor(lidar.id)
        second.listen(seen.put)
        frames = [world.tick() for _ in range(3)]
        facts["first"] = [data.get(timeout=60).frame for _ in range(4)][1:] == frames
        facts["second"] = [seen.get(timeout=60).frame for _ in range(3)] == frames
        second.stop()
        frame = world.tick()
        facts["alone"] = data.get(timeout=60).frame == frame
        """,
        server,
    )
    assert facts == {"first": True, "second": True, "alone": True}


@pytest.mark.parametrize("kind", ["Rigid", "SpringArm", "SpringArmGhost"])
def test_every_attachment_is_rigid(server, kind):
    facts = client(
        f"""
        car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300, 0, 90))
        lidar = world.spawn_actor(library.find("sensor.lidar.ray_cast"), at(1, 2, 3, 10), attach_to=car,
                                  attachment_type=carla.AttachmentType.{kind})
        car.set_transform(at(110, 300, 0, 180))
        world.tick()
        pose = lidar.get_transform()
        facts["pose"] = [pose.location.x, pose.location.y, pose.location.z, pose.rotation.yaw]
        """,
        server,
    )
    assert facts["pose"] == pytest.approx([109.0, 298.0, 3.0, -170.0], abs=1e-4)


def test_blueprints_have_the_attributes_of_carla(server):
    facts = client(
        """
        for blueprint in library.filter("sensor.*"):
            facts[blueprint.id] = {a.id: [str(a.type), str(a.as_str() if "String" in str(a.type) else
                                   a.as_bool() if "Bool" in str(a.type) else
                                   a.as_int() if "Int" in str(a.type) else round(a.as_float(), 4))]
                                   for a in blueprint if a.id != "role_name"}
        facts["roles"] = all(blueprint.has_attribute("role_name") for blueprint in library.filter("sensor.*"))
        """,
        server,
    )
    assert facts["roles"]
    lidar, semantic = facts["sensor.lidar.ray_cast"], facts["sensor.lidar.ray_cast_semantic"]
    scan = {
        "channels": ["Int", "32"],
        "range": ["Float", "10.0"],
        "points_per_second": ["Int", "56000"],
        "rotation_frequency": ["Float", "10.0"],
        "upper_fov": ["Float", "10.0"],
        "lower_fov": ["Float", "-30.0"],
        "horizontal_fov": ["Float", "360.0"],
        "sensor_tick": ["Float", "0.0"],
    }
    assert semantic == scan
    assert lidar == scan | {
        "atmosphere_attenuation_rate": ["Float", "0.004"],
        "dropoff_general_rate": ["Float", "0.45"],
        "dropoff_intensity_limit": ["Float", "0.8"],
        "dropoff_zero_intensity": ["Float", "0.4"],
        "noise_stddev": ["Float", "0.0"],
        "noise_seed": ["Int", "0"],
    }
    assert facts["sensor.other.obstacle"] == {
        "distance": ["Float", "5.0"],
        "hit_radius": ["Float", "0.5"],
        "only_dynamics": ["Bool", "False"],
        "debug_linetrace": ["Bool", "False"],
        "sensor_tick": ["Float", "0.0"],
    }
    noise = {f"noise_{axis}_{kind}" for axis in ("alt", "lat", "lon") for kind in ("bias", "stddev")}
    assert set(facts["sensor.other.gnss"]) == noise | {"noise_seed", "sensor_tick"}
    noise = {f"noise_{kind}_{a}" for kind in ("accel_stddev", "gyro_stddev", "gyro_bias") for a in "xyz"}
    assert set(facts["sensor.other.imu"]) == noise | {"noise_seed", "sensor_tick"}
    assert set(facts["sensor.other.radar"]) >= {"horizontal_fov", "vertical_fov", "points_per_second", "range"}


def test_many_sensors_on_one_vehicle_end_with_it_and_with_the_world(server):
    facts = client(
        """
        names = ["sensor.lidar.ray_cast", "sensor.lidar.ray_cast_semantic", "sensor.other.radar", "sensor.other.imu",
                 "sensor.other.gnss", "sensor.other.obstacle", "sensor.other.collision"]
        for turn in range(3):
            car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300))
            pairs = [sensor(name, at(0, 0, 2), parent=car) for name in names]
            frames = [world.tick() for _ in range(20)]
            got = [[pair[1].get(timeout=60).frame for _ in range(20)] == frames for pair in pairs[:5]]
            facts.setdefault("got", []).append(got)
            if turn < 2:
                car.destroy()
                world.tick()
        world = client.load_world("curve", False)
        world.tick()
        facts["left"] = [actor.type_id for actor in world.get_actors() if "traffic." not in actor.type_id]
        world = client.load_world("straight", False)
        """,
        server,
    )
    assert facts["got"] == [[True] * 5] * 3
    assert facts["left"] == ["spectator"]


def test_a_semantic_lidar_and_cameras_at_one_place_agree_on_the_ground(server):
    facts = client(
        """
        import numpy as np
        place = carla.Transform(carla.Location(10, 1.75, 2.0), carla.Rotation(pitch=-5, yaw=3))
        size = {"image_size_x": 640, "image_size_y": 360, "fov": 90}
        _, scans = sensor("sensor.lidar.ray_cast_semantic", place, channels=40, upper_fov=-3, lower_fov=-20, range=40,
                          horizontal_fov=80, rotation_frequency=20, points_per_second=160000)
        _, depths = sensor("sensor.camera.depth", place, **size)
        _, tags = sensor("sensor.camera.semantic_segmentation", place, **size)
        world.tick()
        scan = np.frombuffer(scans.get(timeout=60).raw_data, np.dtype("4<f4,2<u4"))
        depth, tag = (np.frombuffer(q.get(timeout=60).raw_data, np.uint8).reshape(360, 640, 4) for q in (depths, tags))
        metres = depth[..., 2] * 1.0 + depth[..., 1] * 256.0 + depth[..., 0] * 65536.0
        metres *= 1000.0 / (256**3 - 1)
        x, y, z = scan["f0"][:, :3].T
        u, v = 320 + 320 * y / x, 180 - 320 * z / x
        seen = (u > 0) & (u < 640) & (v > 0) & (v < 360)
        row, column = v[seen].astype(int), u[seen].astype(int)
        far, label = x[seen], scan["f1"][seen, 1]
        drawn = tag[row, column, 2].copy()
        drawn[drawn == 24] = 1  # lines are painted on the road
        flat = np.isin(label, (1, 2, 10))
        # A pixel is 1/320 of the depth high; on ground 2 m below it spans depth**2 / (320 * 2) metres of depth.
        near = np.abs(metres[row, column] - far) < far**2 / 640 + 0.05
        facts["points"] = int(flat.sum())
        facts["kinds"] = sorted({int(value) for value in label[flat]})
        facts["same_tag"] = float((drawn == label)[flat].mean())
        facts["same_depth"] = float(near[flat & (drawn == label)].mean())
        """,
        server,
    )
    assert facts["points"] > 3000
    assert facts["kinds"] == [1, 2, 10]
    assert facts["same_tag"] > 0.99
    assert facts["same_depth"] > 0.98
