"""What scripts order vehicles to do beyond pedals, through the unmodified `carla` client."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from clients_manager import MAY_HANG
from world_client import Server, ask, run_client, world_server

PROLOGUE = """
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
library = world.get_blueprint_library()
def at(x, y, z=0.0, yaw=0.0):
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(yaw=yaw))
def ticks(count):
    for _ in range(count):
        world.tick()
def refused(call):
    try:
        call()
    except RuntimeError as error:
        return str(error)
for actor in world.get_actors():  # of the test before
    if not actor.type_id.startswith(("spectator", "traffic.")):
        actor.destroy()
car = world.spawn_actor(library.find("vehicle.tesla.model3"), at(100, 300))
world.tick()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight") as running:
        yield running


def client(body: str, server: Server) -> dict[str, Any]:
    return run_client(PROLOGUE + dedent(body), server.rpc)


def test_rays_through_a_known_box(server):
    facts = client(
        """
        world.spawn_actor(library.find("vehicle.carlamotors.firetruck"), at(120, 300))
        world.tick()
        start, end = carla.Location(90, 300, 1), carla.Location(140, 300, 1)
        facts["cast"] = [[p.location.x, p.location.z, int(p.label)] for p in world.cast_ray(start, end)]
        down = world.cast_ray(carla.Location(100, 300, 10), carla.Location(100, 300, -10))
        facts["down"] = [[p.location.z, int(p.label)] for p in down]
        hit = world.project_point(start, carla.Vector3D(1, 0, 0), 50)
        facts["project"] = [hit.location.x, int(hit.label)]
        facts["short"] = world.project_point(start, carla.Vector3D(1, 0, 0), 7.6) is None
        hit = world.ground_projection(carla.Location(60, 1.75, 5), 10)
        facts["ground"] = [hit.location.z, int(hit.label)]
        facts["sky"] = world.project_point(start, carla.Vector3D(0, 0, 1), 500) is None
        facts["zero"] = refused(lambda: world.cast_ray(start, start))
        """,
        server,
    )
    # The car's tail is at 100 - 2.35, the truck's at 120 - 4.25.
    assert facts["cast"] == [[pytest.approx(97.65), 1.0, 14], [pytest.approx(115.75), 1.0, 15]]
    assert facts["down"] == [[pytest.approx(1.45, abs=1e-5), 14], [pytest.approx(-0.14, abs=1e-5), 10]]
    assert facts["project"] == [pytest.approx(97.65), 14]
    assert facts["short"]
    assert facts["ground"] == [pytest.approx(0.0, abs=1e-6), 1]
    assert facts["sky"]
    assert "two different points" in facts["zero"]


def test_impulses_and_forces_change_the_forward_speed_by_the_mass(server):
    facts = client(
        """
        def speed():
            v = car.get_velocity()
            return [v.x, v.y]
        car.add_impulse(carla.Vector3D(3000, 5000, 0))
        world.tick()
        facts["impulse"] = speed()
        car.set_target_velocity(carla.Vector3D(0, 0, 0))
        car.add_force(carla.Vector3D(30000, 0, 0))
        world.tick()
        facts["force"] = speed()
        world.tick()
        facts["after"] = speed()
        car.set_target_velocity(carla.Vector3D(0, 0, 0))
        car.add_angular_impulse(carla.Vector3D(0, 0, 900))
        car.add_torque(carla.Vector3D(0, 0, 900))
        car.set_target_angular_velocity(carla.Vector3D(0, 0, 90))
        car.set_enable_gravity(True)
        car.set_collisions(True)
        world.tick()
        facts["still"] = speed() + [car.get_transform().rotation.yaw]
        """,
        server,
    )
    rolling = 0.15 * 0.05  # m/s lost in a tick without throttle
    assert facts["impulse"] == pytest.approx([3000 / 1500 - rolling, 0], abs=1e-4)
    assert facts["force"] == pytest.approx([30000 / 1500 * 0.05 - rolling, 0], abs=1e-4)
    assert facts["after"] == pytest.approx([30000 / 1500 * 0.05 - 2 * rolling, 0], abs=1e-4)
    assert facts["still"] == [0, 0, 0]


def test_physics_control_is_read_changed_and_used(server):
    facts = client(
        """
        first = car.get_physics_control()
        facts["first"] = [first.mass, len(first.wheels), [wheel.max_steer_angle for wheel in first.wheels]]
        front, back = first.wheels[0].position, first.wheels[2].position
        facts["wheelbase"] = (front.x - back.x) / 100
        first.mass = 3000.0
        wheels = first.wheels
        for wheel in wheels[:2]:
            wheel.max_steer_angle = 70.0
        first.wheels = wheels
        car.apply_physics_control(first)
        world.tick()
        again = car.get_physics_control()
        facts["again"] = [again.mass, again.wheels[0].max_steer_angle]
        car.add_impulse(carla.Vector3D(3000, 0, 0))
        world.tick()
        facts["speed"] = car.get_velocity().x
        car.apply_control(carla.VehicleControl(steer=0.5))
        world.tick()
        where = carla.VehicleWheelLocation
        facts["angles"] = [car.get_wheel_steer_angle(w) for w in (where.FL_Wheel, where.FR_Wheel, where.BL_Wheel)]
        heavy = car.get_physics_control()
        heavy.mass = -1.0
        car.apply_physics_control(heavy)
        no_radius = car.get_physics_control()
        wheels = no_radius.wheels
        wheels[0].radius = 0.0
        no_radius.wheels = wheels
        car.apply_physics_control(no_radius)
        facts["kept"] = car.get_physics_control().mass
        facts["radius"] = car.get_physics_control().wheels[0].radius
        bike = world.spawn_actor(library.find("vehicle.bh.crossbike"), at(110, 310))
        facts["bike"] = [bike.get_physics_control().mass, len(bike.get_physics_control().wheels)]
        car.open_door(carla.VehicleDoor.All)
        car.close_door(carla.VehicleDoor.All)
        car.show_debug_telemetry(True)
        car.set_wheel_steer_direction(where.FL_Wheel, 10.0)
        facts["alive"] = world.tick() > 0
        """,
        server,
    )
    assert facts["first"] == [1500.0, 4, [35.0, 35.0, 0.0, 0.0]]
    assert facts["wheelbase"] == pytest.approx(0.6 * 4.7, abs=1e-3)
    assert facts["again"] == [3000.0, 70.0]
    assert facts["speed"] == pytest.approx(1.0 - 0.15 * 0.05, abs=1e-4)
    assert facts["angles"] == pytest.approx([35.0, 35.0, 0.0], abs=1e-4)
    assert (facts["kept"], facts["radius"]) == (3000.0, 35.0)  # what is impossible is refused whole
    assert facts["bike"] == [90.0, 2]
    assert facts["alive"]


@pytest.mark.parametrize(
    "control",
    [
        [],
        [[]] * 17,
        ["x"] * 17,
        [
            [[0, 1]],
            5000,
            1,
            1,
            1,
            1,
            True,
            0,
            10,
            4,
            [],
            1500,
            0.3,
            [0, 0, 0],
            [[0, 1]],
            [[3.5] * 9 + [[0, 0, 0]]],
            True,
        ],
        [[[0, 1]], 5000, 1, 1, 1, 1, True, 0, 10, 4, [], 1500, 0.3, [0, 0, 0], [[0, 1]], [[3.5] * 8] * 4, True],
        [[[0, 1]], 5000, 1, 1, 1, 1, True, 0, 10, 4, [1], 1500, 0.3, [0, 0, 0], [], [[3.5] * 9 + [[0, 0, 0]]] * 4, 1],
        [[[0, 1]], 1e39, 1, 1, 1, 1, True, 0, 10, 4, [], 1500, 0.3, [0, 0, 0], [], [[3.5] * 9 + [[0, 0, 0]]] * 4, 1],
    ],
    ids=["empty", "lists", "texts", "one wheel", "short wheels", "gear", "too large"],
)
def test_a_malformed_physics_control_changes_nothing(server, control):
    facts = client(
        """
        facts["id"] = car.id
        """,
        server,
    )
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        before = ask(peer, "get_physics_control", facts["id"])
        (answer,) = ask(peer, "apply_physics_control", facts["id"], control)
        assert answer[0] is True
        assert ask(peer, "get_physics_control", facts["id"]) == before
        sound = before[0][1]
        assert ask(peer, "apply_physics_control", facts["id"], sound) == [[False]]


def test_telemetry_says_what_a_kinematic_vehicle_does(server):
    facts = client(
        """
        car.enable_constant_velocity(carla.Vector3D(7, 0, 0))
        car.apply_control(carla.VehicleControl(throttle=0.5, steer=-0.25, brake=0.125))
        world.tick()
        data = car.get_telemetry_data()
        facts["pedals"] = [data.speed, data.throttle, data.steer, data.brake, data.gear]
        facts["wheels"] = [[wheel.omega, wheel.tire_load] for wheel in data.wheels]
        """,
        server,
    )
    assert facts["pedals"] == pytest.approx([7.0, 0.5, -0.25, 0.125, 1])
    assert facts["wheels"] == [pytest.approx([7.0 / 0.35, 1500 * 9.81 / 4])] * 4


def test_ackermann_control_reaches_speed_and_steering(server):
    facts = client(
        """
        car.apply_ackermann_control(carla.VehicleAckermannControl(steer=0.2, steer_speed=0.5, speed=6.0))
        ticks(1)
        facts["first"] = car.get_control().steer
        ticks(300)
        facts["speed"] = car.get_velocity().length()
        facts["steer"] = car.get_control().steer
        facts["turn"] = car.get_angular_velocity().z
        car.apply_ackermann_control(carla.VehicleAckermannControl(speed=0.0))
        ticks(300)
        facts["stopped"] = car.get_velocity().length()
        car.apply_ackermann_control(carla.VehicleAckermannControl(speed=-2.0))
        ticks(300)
        v, forward = car.get_velocity(), car.get_transform().get_forward_vector()
        facts["back"] = v.x * forward.x + v.y * forward.y
        car.apply_control(carla.VehicleControl(brake=1.0))
        ticks(20)
        facts["pedals"] = [car.get_velocity().length(), car.get_control().brake]
        """,
        server,
    )
    full = math.radians(35.0)
    assert facts["first"] == pytest.approx(0.5 * 0.05 / full, rel=1e-4)  # 0.5 rad/s for one tick
    assert facts["speed"] == pytest.approx(6.0, abs=0.05)
    assert facts["steer"] == pytest.approx(0.2 / full, rel=1e-4)
    # Kinematic bicycle: yaw rate = 2 v sin(atan(tan(0.2) / 2)) / wheelbase.
    rate = 2 * facts["speed"] * math.sin(math.atan(math.tan(0.2) / 2)) / (0.6 * 4.7)
    assert facts["turn"] == pytest.approx(math.degrees(rate), rel=0.01)
    assert facts["stopped"] == pytest.approx(0.0, abs=0.05)
    assert facts["back"] == pytest.approx(-2.0, abs=0.05)
    assert facts["pedals"] == [pytest.approx(0.0, abs=1e-6), 1.0]


def test_ackermann_control_keeps_to_its_acceleration_and_settings(server):
    facts = client(
        """
        def gains():
            s = car.get_ackermann_controller_settings()
            return [s.speed_kp, s.speed_ki, s.speed_kd, s.accel_kp, s.accel_ki, s.accel_kd]
        facts["gains"] = gains()
        car.apply_ackermann_control(carla.VehicleAckermannControl(speed=20.0, acceleration=1.0))
        ticks(100)
        before = car.get_velocity().x
        ticks(100)
        facts["gained"] = car.get_velocity().x - before
        car.set_target_velocity(carla.Vector3D(0, 0, 0))
        car.apply_ackermann_controller_settings(carla.AckermannControllerSettings(0.5, 0.0, 0.75, 0.0, 0.0, 0.0))
        facts["changed"] = gains()
        facts["pedal"] = [car.get_control().throttle]
        ticks(20)
        facts["pedal"].append(car.get_control().throttle)
        car.apply_ackermann_controller_settings(carla.AckermannControllerSettings(speed_kp=float("nan")))
        facts["kept"] = gains()
        """,
        server,
    )
    assert facts["gains"] == pytest.approx([0.15, 0.0, 0.25, 0.01, 0.0, 0.01])
    assert 4.5 < facts["gained"] <= 5.0 + 1e-3  # at most 1 m/s2 for 5 s; the pedal trails the throttle that fades
    assert facts["changed"] == facts["kept"] == [0.5, 0.0, 0.75, 0.0, 0.0, 0.0]
    assert facts["pedal"][0] > 0.1
    assert facts["pedal"][1] == facts["pedal"][0]  # gains of 0 leave the pedal where it is


def test_every_batch_command_is_answered_one_by_one(server):
    facts = client(
        """
        c = carla.command
        walker = world.spawn_actor(library.find("walker.pedestrian.0001"), at(100, 310, 0.92))
        up, one = carla.Vector3D(0, 0, 1), at(101, 300)
        physics = car.get_physics_control()
        commands = [
            c.SpawnActor(library.find("static.prop.box01"), at(120, 310)),
            c.ApplyVehicleControl(car, carla.VehicleControl(throttle=0.5)),
            c.ApplyVehicleAckermannControl(car, carla.VehicleAckermannControl(speed=3.0)),
            c.ApplyWalkerControl(walker, carla.WalkerControl(carla.Vector3D(1, 0, 0), 1.0, False)),
            c.ApplyVehiclePhysicsControl(car, physics),
            c.ApplyTransform(car, one),
            c.ApplyWalkerState(walker, at(100, 311, 0.92), 1.5),
            c.ApplyTargetVelocity(car, carla.Vector3D(1, 0, 0)),
            c.ApplyTargetAngularVelocity(car, up),
            c.ApplyImpulse(car, carla.Vector3D(1500, 0, 0)),
            c.ApplyForce(car, carla.Vector3D(30000, 0, 0)),
            c.ApplyAngularImpulse(car, up),
            c.ApplyTorque(car, up),
            c.SetSimulatePhysics(car, True),
            c.SetEnableGravity(car, True),
            c.SetVehicleLightState(car.id, 8),
        ]
        answers = client.apply_batch_sync(commands, False)
        facts["errors"] = {type(command).__name__: answer.error for command, answer in zip(commands, answers)
                           if answer.error}
        facts["count"] = [len(answers), len(commands)]
        world.tick()
        # 1 m/s wanted, 1 m/s from the impulse and 1 m/s from the force.
        facts["speed"] = car.get_velocity().x
        facts["x"] = car.get_location().x
        facts["lights"] = int(car.get_light_state())
        facts["walked"] = [walker.get_location().x, walker.get_location().y, walker.get_velocity().x]
        gone = client.apply_batch_sync([c.DestroyActor(answers[0].actor_id), c.DestroyActor(walker)], True)
        facts["gone"] = [answer.has_error() for answer in gone]
        client.apply_batch([c.ApplyTransform(car, at(150, 300))])
        world.tick()
        facts["moved"] = car.get_location().x
        """,
        server,
    )
    assert facts["count"] == [16, 16]
    assert facts["errors"] == {}
    assert facts["speed"] == pytest.approx(3.0, abs=0.05)
    assert facts["x"] == pytest.approx(101.0 + 0.05 * facts["speed"], abs=1e-3)
    assert facts["lights"] == 8
    assert facts["walked"] == pytest.approx([100 + 1.5 * 0.05, 311, 1.5], abs=1e-4)
    assert facts["gone"] == [False, False]
    assert 150.0 <= facts["moved"] < 150.5


def test_batch_commands_that_python_cannot_make_are_answered_too(server):
    spawn = [0, [[1, "static.prop.box01", []], [[130, 310, 0], [0, 0, 0]], [False], 128, "", []]]
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        actor_id = ask(peer, "apply_batch", [[spawn]], False)[0][0][1]
        place = [[[19, [actor_id, [131, 310, 0]]]], [[17, [actor_id, True]]], [[20, ["stat fps"]]], [[99, [actor_id]]]]
        answers = ask(peer, "apply_batch", place, False)
    assert answers[:2] == [[[1, actor_id]], [[1, actor_id]]]
    assert "no console" in answers[2][0][1][0]
    assert "99" in answers[3][0][1][0]


def test_a_walker_controller_starts_and_its_walker_is_steered(server):
    facts = client(
        """
        walker = world.spawn_actor(library.find("walker.pedestrian.0002"), at(100, 310, 0.85))
        controller = world.spawn_actor(library.find("controller.ai.walker"), carla.Transform(), attach_to=walker)
        world.tick()
        facts["parent"] = controller.parent.id == walker.id
        controller.start()
        controller.set_max_speed(1.4)
        facts["somewhere"] = world.get_random_location_from_navigation() is None
        world.set_pedestrians_cross_factor(0.1)
        world.set_pedestrians_seed(7)
        world.tick()
        controller.stop()
        walker.set_simulate_physics(True)  # which the controller's start has switched off
        walker.apply_control(carla.WalkerControl(carla.Vector3D(0, 1, 0), 1.0, False))
        ticks(20)
        facts["walked"] = walker.get_location().y - 310
        facts["control"] = walker.get_control().speed
        """,
        server,
    )
    assert facts["parent"]
    assert facts["somewhere"]
    assert facts["walked"] == pytest.approx(1.0, abs=1e-3)
    assert facts["control"] == 1.0


def test_map_layers_hide_what_belongs_to_them(server):
    facts = client(
        """
        label, layer = carla.CityObjectLabel, carla.MapLayer
        house = world.get_environment_objects(label.Buildings)[0].bounding_box.location
        above, below = carla.Location(house.x, house.y, 40), carla.Location(house.x, house.y, -1)
        def labels():
            return [int(p.label) for p in world.cast_ray(above, below)]
        facts["before"] = labels()
        world.unload_map_layer(layer.Foliage)
        facts["other"] = labels()
        world.unload_map_layer(layer.Buildings)
        facts["without"] = labels()
        world.load_map_layer(layer.All)
        facts["again"] = labels()
        world.debug.draw_line(above, below)
        world.debug.draw_box(carla.BoundingBox(above, carla.Vector3D(1, 1, 1)), carla.Rotation())
        world.debug.draw_string(above, "text")
        world.debug.draw_arrow(above, below)
        facts["gravity"] = world.get_imui_sensor_gravity()
        facts["lights"] = len(world.get_lightmanager().get_all_lights())
        """,
        server,
    )
    assert facts["before"] == facts["other"] == facts["again"] == [3, 10]
    assert facts["without"] == [10]
    assert facts["gravity"] == pytest.approx(9.81, rel=1e-6)
    assert facts["lights"] == 0


def test_worlds_are_loaded_with_settings_kept_or_reset_and_with_layers():
    with world_server("--map", "straight") as running:
        facts = run_client(
            """
            settings = world.get_settings()
            settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.02
            world.apply_settings(settings)
            first = world.id
            world = client.reload_world(False)
            kept = world.get_settings()
            facts["kept"] = [kept.synchronous_mode, kept.fixed_delta_seconds, world.id != first]
            world = client.load_world("curve", False, carla.MapLayer.NONE)
            facts["curve"] = world.get_map().name.split("/")[-1]
            house = world.get_environment_objects(carla.CityObjectLabel.Buildings)[0].bounding_box.location
            above, below = carla.Location(house.x, house.y, 40), carla.Location(house.x, house.y, -1)
            facts["layers"] = [int(p.label) for p in world.cast_ray(above, below)]
            same = client.load_world_if_different("curve")
            world = client.reload_world()
            reset = world.get_settings()
            facts["reset"] = [reset.synchronous_mode, reset.fixed_delta_seconds]
            """,
            running.rpc,
        )
    assert facts["kept"] == [True, pytest.approx(0.02), True]
    assert facts["curve"] == "curve"
    assert facts["layers"] == [10]
    assert facts["reset"] == [False, None]


@MAY_HANG
@pytest.mark.timeout(300, func_only=True)
def test_the_clients_traffic_manager_repeats_a_drive_with_its_seed():
    def drive(seed: int) -> list[list[float]]:
        with world_server("--map", "junction", "--synchronous") as running:
            return run_client(
                f"""
                manager = client.get_trafficmanager(0)
                manager.set_synchronous_mode(True)
                manager.set_random_device_seed({seed})
                spots = world.get_map().get_spawn_points()[::8]
                blueprint = world.get_blueprint_library().find("vehicle.tesla.model3")
                autopilot = carla.command.SetAutopilot(carla.command.FutureActor, True, manager.get_port())
                batch = [carla.command.SpawnActor(blueprint, spot).then(autopilot) for spot in spots]
                ids = [answer.actor_id for answer in client.apply_batch_sync(batch, True) if not answer.error]
                places = facts["places"] = []
                for tick in range(300):
                    time.sleep(0.005)  # the manager's thread must fall asleep before it is woken
                    world.tick()
                    snapshot = world.get_snapshot()
                    if tick % 50 == 49:
                        found = [snapshot.find(n).get_transform().location for n in ids if snapshot.has_actor(n)]
                        places.append([[place.x, place.y] for place in found])
                manager.set_synchronous_mode(False)
                manager.shut_down()
                """,
                running.rpc,
            )["places"]

    first = drive(5)
    assert len(first[0]) > 3
    assert first[0] != first[1]
    assert drive(5) == first
    assert any(drive(other) != first for other in (6, 7, 8))
