"""The unmodified `carla` client drives the server end to end."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from clients_manager import MAY_HANG
from world_client import Server, run_client, world_server

SYNCHRONOUS = """
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "town_block", "--traffic", "12", "--walkers", "6", "--seed", "5") as running:
        yield running


def synchronous(body: str, server: Server) -> dict[str, Any]:
    return run_client(SYNCHRONOUS + dedent(body), server.rpc)


def test_the_ready_line_names_map_and_ports(server):
    assert server.ready == (
        f"world server ready: map town_block, rpc 127.0.0.1:{server.rpc}, streams 127.0.0.1:{server.streams}"
    )


def test_an_asynchronous_world_moves_by_itself(server):
    facts = run_client(
        """
        first = world.get_snapshot()
        last = first
        for _ in range(5):
            last = world.wait_for_tick()
        facts["frames"] = last.frame - first.frame
        facts["seconds"] = last.timestamp.elapsed_seconds - first.timestamp.elapsed_seconds
        facts["delta"] = last.timestamp.delta_seconds
        facts["version"] = client.get_server_version() == client.get_client_version()
        """,
        server.rpc,
    )
    assert facts["frames"] >= 5
    assert facts["seconds"] == pytest.approx(facts["frames"] * facts["delta"], abs=1e-4)
    assert facts["version"]


def test_a_synchronous_start_repeats_a_drive_bit_for_bit():
    def drive() -> dict[str, Any]:
        options = ("--map", "town_block", "--traffic", "8", "--walkers", "4", "--seed", "9", "--synchronous")
        with world_server(*options) as running:
            return run_client(
                """
                facts["synchronous"] = world.get_settings().synchronous_mode
                facts["start"] = world.get_snapshot().frame
                for _ in range(40):
                    facts["last"] = world.tick()
                facts["places"] = [
                    [actor.id, actor.get_transform().location.x, actor.get_transform().location.y]
                    for actor in sorted(world.get_actors(), key=lambda actor: actor.id)
                ]
                """,
                running.rpc,
            )

    first = drive()
    assert first["synchronous"]
    assert (first["start"], first["last"]) == (0, 40)
    assert len(first["places"]) > 9
    assert drive() == first


def test_fifty_ticks_agree_with_their_snapshots_and_vehicles_keep_their_lanes(server):
    facts = synchronous(
        """
        town = world.get_map()
        facts["map"] = town.name
        frames, unequal, beside, speeds = [], 0, 0.0, []
        for _ in range(50):
            frames.append(world.tick())
            snapshot = world.get_snapshot()
            assert snapshot.frame == frames[-1]
            actors = world.get_actors()
            for actor in actors:
                unequal += actor.get_transform() != snapshot.find(actor.id).get_transform()
            for vehicle in actors.filter("vehicle.*"):
                place = vehicle.get_location()
                centre = town.get_waypoint(place).transform.location
                beside = max(beside, math.hypot(place.x - centre.x, place.y - centre.y))
            facts["traffic"] = len(actors.filter("vehicle.*"))
            for walker in actors.filter("walker.*"):
                assert town.get_waypoint(walker.get_location(), False, carla.LaneType.Sidewalk) is not None
            facts["walkers"] = len(actors.filter("walker.*"))
        speeds = [vehicle.get_velocity().length() for vehicle in actors.filter("vehicle.*")]
        facts.update(frames=frames, unequal=unequal, beside=beside, fastest=max(speeds))
        facts["limit"] = vehicle.get_speed_limit()
        """,
        server,
    )
    assert facts["map"] == "town_block"
    assert facts["traffic"] == 12
    assert facts["walkers"] == 6
    assert facts["frames"] == list(range(facts["frames"][0], facts["frames"][0] + 50))
    assert facts["unequal"] == 0
    assert facts["beside"] < 0.5
    assert 3.0 < facts["fastest"] < 14.0
    assert facts["limit"] in (30.0, 50.0), "as the block's signs say"


def test_spawn_control_place_and_destroy(server):
    facts = synchronous(
        """
        library = world.get_blueprint_library()
        facts["vehicles"] = len(library.filter("vehicle.*"))
        facts["wheels"] = sorted({int(b.get_attribute("number_of_wheels")) for b in library.filter("vehicle.*")})
        model = library.find("vehicle.tesla.model3")
        model.set_attribute("role_name", "hero")
        start = carla.Transform(carla.Location(300, 300, 0), carla.Rotation(yaw=90))
        car = world.spawn_actor(model, start)
        facts["again"] = world.try_spawn_actor(model, start) is None
        facts["role"] = car.attributes["role_name"]
        facts["extent"] = [car.bounding_box.extent.x, car.bounding_box.extent.y, car.bounding_box.extent.z]
        facts["tags"] = list(car.semantic_tags)
        car.apply_control(carla.VehicleControl(throttle=1.0))
        for _ in range(20):
            world.tick()
        facts["driven"] = car.get_location().y - 300
        facts["throttle"] = car.get_control().throttle
        car.set_transform(carla.Transform(carla.Location(10, 400, 1), carla.Rotation(yaw=410)))
        car.set_simulate_physics(False)
        world.tick()
        facts["placed"] = [car.get_location().x, car.get_location().z, car.get_transform().rotation.yaw]
        car.set_light_state(carla.VehicleLightState.Brake)
        facts["lights"] = int(car.get_light_state())
        walker = world.spawn_actor(library.find("walker.pedestrian.0001"), carla.Transform(carla.Location(320, 300, 1)))
        walker.apply_control(carla.WalkerControl(carla.Vector3D(0, 1, 0), 2.0, False))
        for _ in range(20):
            world.tick()
        facts["walked"] = walker.get_location().y - 300
        facts["walker_yaw"] = walker.get_transform().rotation.yaw
        facts["destroyed"] = [car.destroy(), walker.destroy()]
        world.tick()
        facts["left"] = world.get_snapshot().has_actor(car.id) or world.get_snapshot().has_actor(walker.id)
        """,
        server,
    )
    assert facts["vehicles"] >= 12
    assert facts["wheels"] == [2, 4]
    assert facts["again"]
    assert facts["role"] == "hero"
    assert facts["extent"] == pytest.approx([2.35, 0.925, 0.725])
    assert facts["tags"] == [14]
    # 4 m/s2 for 1 s, fading towards 45 m/s; explicit steps add half a step's worth.
    assert facts["driven"] == pytest.approx(2.0, abs=0.15)
    assert facts["throttle"] == 1.0
    assert facts["placed"] == [10, 1, 410]
    assert facts["lights"] == 8
    assert facts["walked"] == pytest.approx(2.0, abs=1e-3)
    assert facts["walker_yaw"] == pytest.approx(90.0)
    assert facts["destroyed"] == [True, True]
    assert not facts["left"]


def test_batches_spawn_command_and_report_each_failure(server):
    facts = synchronous(
        """
        blueprint = world.get_blueprint_library().find("vehicle.mini.cooper_s")
        command = carla.command
        places = [carla.Transform(carla.Location(400 + 8 * n, 300, 0)) for n in range(40)]
        batch = [
            command.SpawnActor(blueprint, place).then(command.SetSimulatePhysics(command.FutureActor, False))
            for place in [*places, places[0]]
        ]
        done = client.apply_batch_sync(batch, True)
        facts["failed"] = [n for n, response in enumerate(done) if response.error]
        facts["why"] = done[-1].error
        ids = [response.actor_id for response in done[:-1]]
        client.apply_batch_sync([command.ApplyVehicleControl(n, carla.VehicleControl(throttle=1.0)) for n in ids], True)
        facts["still"] = [world.get_snapshot().find(n).get_velocity().length() for n in ids]
        moves = [command.ApplyTransform(n, carla.Transform(carla.Location(400 + n, 500, 0))) for n in ids]
        client.apply_batch_sync(moves, True)
        facts["moved"] = all(world.get_snapshot().find(n).get_transform().location.x == 400 + n for n in ids)
        gone = client.apply_batch_sync([command.DestroyActor(n) for n in [*ids, 4000000]], True)
        facts["gone"] = [bool(response.error) for response in gone]
        facts["left"] = [n for n in ids if world.get_snapshot().has_actor(n)]
        """,
        server,
    )
    assert facts["failed"] == [40]
    assert "collision" in facts["why"]
    assert facts["still"] == [0.0] * 40
    assert facts["moved"]
    assert facts["gone"] == [False] * 40 + [True]
    assert facts["left"] == []


def test_what_the_server_does_not_have_raises_and_does_not_end_it(server):
    facts = synchronous(
        """
        def refused(call):
            try:
                call()
            except RuntimeError as error:
                return str(error)
            return None
        car = world.spawn_actor(world.get_blueprint_library().find("vehicle.audi.tt"),
                                carla.Transform(carla.Location(300, 350, 0)))
        facts["method"] = refused(lambda: client.start_recorder("drive.log"))
        facts["map"] = refused(lambda: client.load_world("Atlantis"))
        nan = carla.Transform(carla.Location(float("nan"), 0, 0))
        facts["nan"] = refused(lambda: world.spawn_actor(world.get_blueprint_library().find("vehicle.audi.tt"), nan))
        car.set_transform(nan)
        facts["frame"] = world.tick()
        facts["x"] = car.get_location().x
        car.destroy()
        facts["box"] = refused(lambda: car.bounding_box)
        """,
        server,
    )
    assert "start_recorder" in facts["method"]
    assert "Atlantis" in facts["map"]
    assert "straight, town_block" in facts["map"]
    assert "finite" in facts["nan"]
    assert facts["frame"] > 0
    assert facts["x"] == 300.0
    assert facts["box"]


def test_surroundings_weather_spectator_and_traffic_lights_are_answered(server):
    facts = synchronous(
        """
        label = carla.CityObjectLabel
        names = ("Any", "Buildings", "Poles", "Vegetation", "Car", "Bridge", "TrafficLight", "TrafficSigns")
        facts["counts"] = {n: len(world.get_environment_objects(getattr(label, n))) for n in names}
        facts["boxes"] = len(world.get_level_bbs(label.Buildings))
        house = world.get_environment_objects(label.Buildings)[0]
        facts["box_is_in_the_world"] = house.bounding_box.location.distance(house.transform.location)
        facts["half_height"] = house.bounding_box.extent.z
        world.enable_environment_objects({house.id}, False)
        world.enable_environment_objects({house.id}, True)
        weather = world.get_weather()
        weather.sun_altitude_angle = 15.0
        world.set_weather(weather)
        facts["sun"] = world.get_weather().sun_altitude_angle
        world.get_spectator().set_transform(carla.Transform(carla.Location(1, 2, 30), carla.Rotation(pitch=-90)))
        world.tick()
        facts["spectator"] = world.get_spectator().get_location().z
        world.debug.draw_point(carla.Location(0, 0, 1))
        world.freeze_all_traffic_lights(True)
        world.reset_all_traffic_lights()
        facts["traffic_lights"] = len(world.get_actors().filter("traffic.*"))
        facts["maps"] = client.get_available_maps()
        """,
        server,
    )
    counts = facts["counts"]
    assert counts["Any"] == sum(count for name, count in counts.items() if name != "Any")
    assert (counts["TrafficLight"], counts["TrafficSigns"]) == (4, 6)
    assert min(counts[name] for name in ("Buildings", "Poles", "Vegetation", "Car")) > 10
    assert counts["Bridge"] == 0
    assert facts["boxes"] == counts["Buildings"]
    assert facts["box_is_in_the_world"] == pytest.approx(facts["half_height"], abs=1e-4)
    assert facts["sun"] == 15.0
    assert facts["spectator"] == 30.0
    assert facts["traffic_lights"] == 10
    assert facts["maps"] == ["curve", "junction", "straight", "town_block"]


def test_camera_images_match_their_ticks_and_show_a_street(server):
    facts = synchronous(
        """
        library = world.get_blueprint_library()
        spot = world.get_map().get_waypoint(carla.Location(40, 1.75, 0)).transform
        car = None
        for _ in range(200):  # until the traffic leaves room
            car = world.try_spawn_actor(library.find("vehicle.tesla.model3"), spot)
            if car is not None:
                break
            world.tick()
        blueprint = library.find("sensor.camera.rgb")
        for name, value in (("image_size_x", "320"), ("image_size_y", "180"), ("fov", "75.5")):
            blueprint.set_attribute(name, value)
        mount = carla.Transform(carla.Location(x=1.5, z=1.7))
        camera = world.spawn_actor(blueprint, mount, attach_to=car)
        blueprint.set_attribute("sensor_tick", "0.2")
        slow = world.spawn_actor(blueprint, mount, attach_to=car)
        images, slow_images = queue.Queue(), queue.Queue()
        camera.listen(images.put)
        slow.listen(slow_images.put)
        frames, pictures = [], []
        for _ in range(9):
            frames.append(world.tick())
            pictures.append(images.get(timeout=60))
        facts["frames"] = frames == [picture.frame for picture in pictures]
        last = pictures[-1]
        facts["size"] = [last.width, last.height, last.fov, len(last.raw_data)]
        facts["pose"] = last.transform == camera.get_transform()
        data = bytes(last.raw_data)
        facts["alpha"] = set(data[3::4]) == {255}
        above_the_street, before_the_car = 20 * 320 + 160, 175 * 320 + 160
        facts["sky"], facts["road"] = (list(data[4 * n:4 * n + 3]) for n in (above_the_street, before_the_car))
        facts["colours"] = len({data[n:n + 4] for n in range(0, len(data), 4)})
        slow_frames = [slow_images.get(timeout=60).frame - frames[0] for _ in range(3)]
        facts["slow"] = slow_frames
        camera.stop(); slow.stop()
        facts["destroyed"] = [camera.destroy(), slow.destroy(), car.destroy()]
        """,
        server,
    )
    assert facts["frames"]
    assert facts["size"] == [320, 180, 75.5, 320 * 180 * 4]
    assert facts["pose"]
    assert facts["alpha"]
    blue, _, red = facts["sky"]
    assert blue > red + 40  # B, G, R: the sky is blue
    assert max(facts["road"]) - min(facts["road"]) < 40  # asphalt is grey
    assert facts["colours"] > 50
    assert facts["slow"] == [0, 4, 8]
    assert facts["destroyed"] == [True, True, True]


def test_no_first_image_is_lost(server):
    facts = synchronous(
        """
        blueprint = world.get_blueprint_library().find("sensor.camera.rgb")
        blueprint.set_attribute("image_size_x", "32")
        blueprint.set_attribute("image_size_y", "32")
        facts["late"] = []
        for _ in range(12):
            camera = world.spawn_actor(blueprint, carla.Transform(carla.Location(0, 0, 5)))
            images = queue.Queue()
            camera.listen(images.put)
            frame = world.tick()
            facts["late"].append(images.get(timeout=60).frame - frame)
            camera.stop()
            camera.destroy()
        """,
        server,
    )
    assert facts["late"] == [0] * 12


def test_a_camera_takes_what_scripts_set_and_draws_as_before():
    """In a world where nothing moves."""
    with world_server("--map", "straight") as still:
        facts = synchronous(
            """
            def picture(kind, **values):
                blueprint = world.get_blueprint_library().find("sensor.camera." + kind)
                for name, value in {"image_size_x": "64", "image_size_y": "48", **values}.items():
                    blueprint.set_attribute(name, value)
                camera = world.spawn_actor(blueprint, carla.Transform(carla.Location(20.0, 0.0, 3.0)))
                images = queue.Queue()
                camera.listen(images.put)
                world.tick()
                pixels = bytes(images.get(timeout=60).raw_data)
                camera.stop(), camera.destroy()
                return pixels
            facts["same"] = [
                picture("rgb") == picture(
                    "rgb", gamma="1.0", exposure_mode="manual", shutter_speed="60", blade_count="8", fstop="8.0",
                    enable_postprocess_effects="False", motion_blur_intensity="0", lens_k="0",
                ),
                picture("semantic_segmentation") == picture("semantic_segmentation", lens_circle_multiplier="3.0"),
            ]
            rgb, depth = (world.get_blueprint_library().find("sensor.camera." + kind) for kind in ("rgb", "depth"))
            facts["gamma"] = rgb.get_attribute("gamma").as_float(), depth.has_attribute("gamma")
            """,
            still,
        )
    assert facts["same"] == [True, True]
    assert facts["gamma"] == [pytest.approx(2.2), False]


def test_a_camera_with_impossible_attributes_is_refused(server):
    facts = synchronous(
        """
        blueprint = world.get_blueprint_library().find("sensor.camera.rgb")
        blueprint.set_attribute("fov", "180.0")
        try:
            world.spawn_actor(blueprint, carla.Transform())
        except RuntimeError as error:
            facts["error"] = str(error)
        """,
        server,
    )
    assert "fov must be between 0 and 180" in facts["error"]


def test_a_second_client_reads_while_the_first_ticks(server):
    facts = synchronous(
        """
        other = carla.Client("127.0.0.1", port)
        other.set_timeout(20.0)
        seen = other.get_world()
        car = world.spawn_actor(world.get_blueprint_library().find("vehicle.audi.tt"),
                                carla.Transform(carla.Location(300, 370, 0)))
        car.apply_control(carla.VehicleControl(throttle=1.0))
        same = 0
        for _ in range(30):
            frame = world.tick()
            for _ in range(2000):
                if seen.get_snapshot().frame >= frame:
                    break
                time.sleep(0.001)
            snapshot = seen.get_snapshot()
            same += snapshot.frame == frame and seen.get_actor(car.id).get_transform() == car.get_transform()
        facts["same"] = same
        car.destroy()
        """,
        server,
    )
    assert facts["same"] == 30


def test_loading_maps_starts_new_episodes():
    road = (
        '<OpenDRIVE><header revMajor="1" revMinor="4"><geoReference>+proj=tmerc</geoReference></header>'
        '<road name="" length="80" id="7" junction="-1"><planView><geometry s="0" x="0" y="0" hdg="0" length="80">'
        '<line/></geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>'
        '<right><lane id="-1" type="driving"><width sOffset="0" a="3" b="0" c="0" d="0"/></lane></right>'
        "</laneSection></lanes></road></OpenDRIVE>"
    )
    with world_server("--map", "town_block", "--traffic", "4") as running:
        facts = run_client(
            SYNCHRONOUS
            + f"""
first = world.id
world = client.load_world("straight", False)
facts["new"] = world.id != first
facts["map"] = world.get_map().name
world.tick()
facts["traffic"] = len(world.get_actors().filter("vehicle.*"))
world = client.generate_opendrive_world({road!r})
facts["user"] = [w.road_id for w in world.get_map().generate_waypoints(40)]
world = client.generate_opendrive_world({road!r}, carla.OpendriveGenerationParameters(
    vertex_distance=1.0, max_road_length=50.0, wall_height=0.0, additional_width=0.6, smooth_junctions=False))
facts["again"] = len(world.get_map().generate_waypoints(40))
def refused(*arguments):
    try:
        client.generate_opendrive_world(*arguments)
    except RuntimeError as error:
        return str(error)
facts["bad"] = refused("<OpenDRIVE/>")
facts["step"] = refused({road!r}, carla.OpendriveGenerationParameters(vertex_distance=-1.0))
facts["still"] = world.get_snapshot().frame > 0
""",
            running.rpc,
        )
    assert facts["new"]
    assert facts["map"].endswith("straight")
    assert facts["traffic"] == 4
    assert set(facts["user"]) == {7}
    assert facts["again"] == len(facts["user"])
    assert "holds no <road>" in facts["bad"]
    assert "vertex_distance of -1.0" in facts["step"]
    assert facts["still"]


@MAY_HANG
@pytest.mark.timeout(300, func_only=True)
def test_the_clients_own_traffic_manager_can_drive(server):
    facts = synchronous(
        """
        spots = world.get_map().get_spawn_points()
        blueprint = world.get_blueprint_library().find("vehicle.lincoln.mkz_2020")
        car = next(a for a in (world.try_spawn_actor(blueprint, spot) for spot in spots) if a is not None)
        manager = client.get_trafficmanager(0)
        manager.set_synchronous_mode(True)
        manager.set_random_device_seed(1)
        time.sleep(0.01)
        world.tick()
        start = car.get_location()
        car.set_autopilot(True, manager.get_port())
        for _ in range(80):
            time.sleep(0.01)
            world.tick()
        place = car.get_location()
        facts["moved"] = place.distance(start)
        centre = world.get_map().get_waypoint(place).transform.location
        facts["beside"] = math.hypot(place.x - centre.x, place.y - centre.y)
        car.set_autopilot(False, manager.get_port())
        manager.set_synchronous_mode(False)
        manager.shut_down()
        car.destroy()
        """,
        server,
    )
    assert facts["moved"] > 1.0
    assert facts["beside"] < 1.0
