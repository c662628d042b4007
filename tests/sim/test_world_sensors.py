"""Sensors measure what the geometry and motion of the world say, worked out by hand."""

from __future__ import annotations

import math
import struct
from itertools import pairwise

import msgpack
import numpy as np
import pytest
from foveal_sim.world.actors import Actor
from foveal_sim.world.bicycle import MAX_STEER_DEG
from foveal_sim.world.blueprints import LIBRARY
from foveal_sim.world.contacts import Collision, Obstacle, separation
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.lidar import Lidar, SemanticLidar
from foveal_sim.world.moment import Moment
from foveal_sim.world.navigation import Gnss, Imu
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.radar import Radar
from foveal_sim.world.sensor_wire import LIDAR_POINT, RADAR_DETECTION, SEMANTIC_POINT
from foveal_sim.world.sensors import SENSORS, Sensors
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.solids import SolidWorld
from foveal_sim.world.streams import StreamHub

STEP_S = 0.05
LEVEL = (0.0, 0.0, 0.0)
ROAD = (100.0, 1.75)
FIELD_Z = -0.14
"""Height of the ground beside the roads."""


@pytest.fixture
def world() -> Episode:
    made = Episode(1, load_map("straight"), Population(), first_id=1)
    made.settings = EpisodeSettings(synchronous=True, fixed_delta_s=STEP_S)
    return made


def attributes(blueprint: str, **values: object) -> dict[str, str]:
    return {**LIBRARY[blueprint].defaults, **{name: str(value) for name, value in values.items()}}


def moment(world: Episode, sensor: Actor, interval_s: float = STEP_S) -> Moment:
    return Moment(world, sensor, lambda: SolidWorld().now(world), interval_s)


def mount(world: Episode, blueprint: str, pose: tuple[float, ...], parent: int = 0) -> Actor:
    return world.spawn(blueprint, {}, pose, parent)


# -- lidar -------------------------------------------------------------------------------------------------------------

QUIET = {"dropoff_general_rate": 0, "dropoff_zero_intensity": 0}


def scan(
    world: Episode, sensor: Actor, lidar: Lidar, interval_s: float = STEP_S
) -> tuple[float, list[int], np.ndarray]:
    """Angle, counts and points of one message."""
    (body,) = lidar.measure(moment(world, sensor))
    angle, channels = struct.unpack_from("<fI", body)
    counts = np.frombuffer(body, "<u4", channels, 8)
    return angle, counts.tolist(), np.frombuffer(body, LIDAR_POINT, offset=8 + 4 * channels)


def quiet(**values: object) -> Lidar:
    return Lidar(attributes("sensor.lidar.ray_cast", **values, **QUIET))


def test_a_lidar_2_m_above_the_road_sees_it_4_m_away_at_30_degrees_down(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (*ROAD, 2.0, *LEVEL))
    lidar = quiet(channels=4, upper_fov=-30, lower_fov=-30)
    _, counts, points = scan(world, sensor, lidar)
    assert counts == [700] * 4  # 56000 points a second, 0.05 s, 4 channels
    # The road is wide enough only along its axis: look at points within 10 degrees of it.
    ahead = np.abs(points["xyz"][:, 1]) < 0.17 * np.abs(points["xyz"][:, 0])
    assert ahead.sum() > 100
    assert np.linalg.norm(points["xyz"][ahead], axis=1) == pytest.approx(np.full(ahead.sum(), 4.0), abs=1e-4)
    assert points["xyz"][ahead, 2] == pytest.approx(np.full(ahead.sum(), -2.0), abs=1e-4)
    assert points["intensity"][ahead] == pytest.approx(np.full(ahead.sum(), math.exp(-0.004 * 4.0)), rel=1e-5)


def test_points_lie_in_the_frame_of_a_turned_lidar(world):
    world.spawn("static.prop.streetbarrier", {}, (100.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.lidar.ray_cast", (94.0, 300.0, 0.5, 0.0, -90.0, 0.0))
    lidar = quiet(channels=1, upper_fov=0, lower_fov=0, rotation_frequency=20)
    _, _, points = scan(world, sensor, lidar)
    xyz = points["xyz"]
    # The sensor looks along -y, so what stands at +x is on its right: its +y. The barrier's face is 6 - 0.6 m away.
    assert len(xyz) > 1
    assert xyz[:, 1] == pytest.approx(np.full(len(xyz), 5.4), abs=1e-4)
    assert np.abs(xyz[:, 0]).max() <= 0.175 + 1e-4


def test_one_rotation_takes_the_ticks_that_its_frequency_says(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (*ROAD, 2.0, *LEVEL))
    lidar = quiet(channels=1, upper_fov=-45, lower_fov=-45, rotation_frequency=5)
    quarters, angles = [], []
    for _ in range(4):
        angle, _, points = scan(world, sensor, lidar)
        azimuth = np.degrees(np.arctan2(points["xyz"][:, 1], points["xyz"][:, 0]))
        quarters.append((azimuth.min(), azimuth.max()))
        angles.append(math.degrees(angle))
    # 5 turns a second in steps of 1/20 s: a quarter a tick, from behind over the left.
    expected = [(-180, -90), (-90, 0), (0, 90), (90, 180)]
    assert np.array(quarters) == pytest.approx(np.array(expected), abs=0.1)
    assert angles == pytest.approx([90, 180, 270, 0], abs=1e-3)


def test_channels_spread_evenly_from_the_upper_to_the_lower_angle(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (*ROAD, 1.0, *LEVEL))
    lidar = Lidar(
        attributes(
            "sensor.lidar.ray_cast", channels=3, upper_fov=-20, lower_fov=-60, horizontal_fov=10, range=100, **QUIET
        )
    )
    _, counts, points = scan(world, sensor, lidar)
    elevation = np.degrees(np.arcsin(points["xyz"][:, 2] / np.linalg.norm(points["xyz"], axis=1)))
    edges = np.concatenate([[0], np.cumsum(counts)])
    assert [np.ptp(elevation[a:b]) < 1e-2 for a, b in pairwise(edges)] == [True] * 3
    assert elevation[edges[:-1]] == pytest.approx([-20, -40, -60], abs=1e-2)
    assert np.abs(np.degrees(np.arctan2(points["xyz"][:, 1], points["xyz"][:, 0]))).max() <= 5.0 + 1e-3


def test_what_is_out_of_range_gives_no_point(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (*ROAD, 2.0, *LEVEL))
    lidar = quiet(channels=2, upper_fov=-29, lower_fov=-31, range=3.8)
    _, counts, _ = scan(world, sensor, lidar)
    assert counts == [0, 0]  # 2 / sin 31 degrees = 3.88 m


def test_dropoff_loses_the_stated_shares(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (100.0, 300.0, FIELD_Z + 2.0, *LEVEL))
    options = {"channels": 1, "upper_fov": -30, "lower_fov": -30, "points_per_second": 4_000_000}
    every = 200_000

    def count(**values: object) -> int:
        return scan(world, sensor, Lidar(attributes("sensor.lidar.ray_cast", **options, **values)))[1][0]

    assert count(**QUIET) == every
    assert count(dropoff_general_rate=0.45, dropoff_zero_intensity=0) == pytest.approx(0.55 * every, rel=0.01)
    # Intensity exp(-0.2 * 4) = 0.449 of a limit of 0.8: lost are 0.4 * (1 - 0.449 / 0.8) = 17.5 %.
    values = {"dropoff_general_rate": 0, "dropoff_zero_intensity": 0.4, "dropoff_intensity_limit": 0.8}
    share = 1 - 0.4 * (1 - math.exp(-0.8) / 0.8)
    assert count(**values, atmosphere_attenuation_rate=0.2) == pytest.approx(share * every, rel=0.01)


def test_noise_has_its_deviation_and_repeats_with_its_seed(world):
    sensor = mount(world, "sensor.lidar.ray_cast", (100.0, 300.0, FIELD_Z + 2.0, *LEVEL))
    values = {
        "channels": 1,
        "upper_fov": -30,
        "lower_fov": -30,
        "points_per_second": 400_000,
        "noise_stddev": 0.1,
    }

    def distances(seed: int) -> np.ndarray:
        return np.linalg.norm(scan(world, sensor, quiet(noise_seed=seed, **values))[2]["xyz"], axis=1)

    first = distances(7)
    assert first.mean() == pytest.approx(4.0, abs=0.01)
    assert first.std() == pytest.approx(0.1, rel=0.05)
    assert np.array_equal(distances(7), first)
    assert not np.array_equal(distances(8), first)


def test_a_semantic_lidar_names_actor_label_and_incidence(world):
    car = world.spawn("vehicle.tesla.model3", {}, (*ROAD, 0.0, *LEVEL))
    sensor = mount(world, "sensor.lidar.ray_cast_semantic", (ROAD[0] - 10.0, ROAD[1], 0.7, *LEVEL))
    lidar = SemanticLidar(
        attributes(
            "sensor.lidar.ray_cast_semantic", channels=2, upper_fov=0, lower_fov=-20, range=20, rotation_frequency=20
        )
    )
    (body,) = lidar.measure(moment(world, sensor))
    points = np.frombuffer(body, SEMANTIC_POINT, offset=16)
    hit = points[points["object"] == car.id]
    assert len(hit) > 5
    assert set(hit["tag"].tolist()) == {14}
    assert hit["xyz"][:, 0] == pytest.approx(np.full(len(hit), 10.0 - 2.35), abs=1e-4)
    azimuth = np.arctan2(hit["xyz"][:, 1], hit["xyz"][:, 0])
    assert hit["cos"] == pytest.approx(np.cos(azimuth), abs=1e-5)
    road = points[points["tag"] == 1]
    assert len(road) > 5
    assert set(road["object"].tolist()) == {0}
    assert road["cos"] == pytest.approx(np.full(len(road), math.sin(math.radians(20))), abs=1e-5)


@pytest.mark.parametrize(
    ("blueprint", "name", "value"),
    [
        ("sensor.lidar.ray_cast", "channels", "0"),
        ("sensor.lidar.ray_cast", "channels", "many"),
        ("sensor.lidar.ray_cast", "range", "-1"),
        ("sensor.lidar.ray_cast", "range", "nan"),
        ("sensor.lidar.ray_cast", "points_per_second", "0"),
        ("sensor.lidar.ray_cast", "upper_fov", "91"),
        ("sensor.lidar.ray_cast", "horizontal_fov", "361"),
        ("sensor.lidar.ray_cast", "dropoff_general_rate", "1.5"),
        ("sensor.lidar.ray_cast_semantic", "rotation_frequency", "-1"),
        ("sensor.other.radar", "vertical_fov", "200"),
        ("sensor.other.radar", "range", "inf"),
        ("sensor.other.gnss", "noise_lat_stddev", "-1"),
        ("sensor.other.imu", "noise_gyro_bias_y", "nan"),
        ("sensor.other.imu", "noise_seed", "1.5"),
        ("sensor.other.obstacle", "hit_radius", "-0.5"),
        ("sensor.other.obstacle", "only_dynamics", "perhaps"),
    ],
)
def test_impossible_attributes_are_named(blueprint, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        SENSORS[blueprint](attributes(blueprint, **{name: value}))


def test_every_sensor_works_with_its_defaults(world):
    for blueprint, make in SENSORS.items():
        sensor = mount(world, blueprint, (*ROAD, 2.0, *LEVEL))
        bodies = list(make(attributes(blueprint)).measure(moment(world, sensor)))
        assert len(bodies) == (0 if blueprint.endswith(("collision", "obstacle")) else 1), blueprint


# -- radar -------------------------------------------------------------------------------------------------------------


def test_a_radar_measures_depth_and_closing_speed_of_a_vehicle_ahead(world):
    own = world.spawn("vehicle.tesla.model3", {}, (*ROAD, 0.0, *LEVEL))
    other = world.spawn("vehicle.carlamotors.firetruck", {}, (ROAD[0] + 30.0, ROAD[1], 0.0, *LEVEL))
    world.set_velocity(own, (12.0, 0.0, 0.0))
    world.set_velocity(other, (5.0, 0.0, 0.0))
    sensor = mount(world, "sensor.other.radar", (2.0, 0.0, 1.0, *LEVEL), parent=own.id)
    radar = Radar(attributes("sensor.other.radar", horizontal_fov=6, vertical_fov=2, points_per_second=4000))
    (body,) = radar.measure(moment(world, sensor))
    found = np.frombuffer(body, RADAR_DETECTION)
    assert len(found) == 200  # 4000 a second in 0.05 s; the truck's 2.5 m fill 3 degrees at 23.75 m: all but the ground
    assert np.abs(found["azimuth"]).max() <= math.radians(3)
    assert np.abs(found["altitude"]).max() <= math.radians(1)
    # Its tail is 30 - 4.25 - 2 m ahead of the sensor, and comes nearer with 12 - 5 m/s.
    straight = np.abs(found["azimuth"]) < math.radians(2.9)
    flat = np.cos(found["azimuth"]) * np.cos(found["altitude"])
    assert (found["depth"] * flat)[straight] == pytest.approx(np.full(straight.sum(), 23.75), abs=1e-3)
    assert (found["velocity"] / flat)[straight] == pytest.approx(np.full(straight.sum(), -7.0), abs=1e-3)


# -- position and motion -----------------------------------------------------------------------------------------------


def imu_of(world: Episode, sensor: Actor, **values: object) -> tuple[np.ndarray, np.ndarray, float]:
    (body,) = Imu(attributes("sensor.other.imu", **values)).measure(moment(world, sensor))
    accelerometer, gyroscope, compass = msgpack.unpackb(body)
    return np.array(accelerometer), np.array(gyroscope), compass


def test_an_imu_in_a_constant_turn_feels_v2_over_r_and_gravity(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.imu", (0.0,) * 6, parent=car.id)
    world.set_constant_speed(car.id, 6.0)
    world.table.records["steer"][car.slot] = 0.5
    for _ in range(20):
        world.step()
    # Bicycle: beta = atan(tan(17.5 deg) / 2), r = 0.3 * 4.7 m / sin(beta).
    slip = math.atan(math.tan(math.radians(MAX_STEER_DEG / 2)) / 2)
    radius = 0.3 * 4.7 / math.sin(slip)
    accelerometer, gyroscope, _ = imu_of(world, sensor)
    # To the right, at right angles to the motion, which points `slip` right of the vehicle's nose. The velocities of
    # two ticks, each the one of its middle, differ by the acceleration at the instant between them: one tick ago.
    turned = slip - 6.0 / radius * STEP_S
    assert accelerometer[1] == pytest.approx(36.0 / radius * math.cos(turned), rel=1e-3)
    assert accelerometer[0] == pytest.approx(-36.0 / radius * math.sin(turned), rel=1e-3)
    assert accelerometer[2] == pytest.approx(9.81)
    assert gyroscope == pytest.approx([0.0, 0.0, 6.0 / radius], rel=1e-3, abs=1e-6)


def test_an_imu_off_the_centre_feels_the_turn_about_it(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    world.table.records["angular_velocity"][car.slot] = [0.0, 0.0, math.degrees(2.0)]
    sensor = mount(world, "sensor.other.imu", (1.5, 0.0, 0.0, *LEVEL), parent=car.id)
    accelerometer, gyroscope, _ = imu_of(world, sensor)
    assert accelerometer == pytest.approx([-(2.0**2) * 1.5, 0.0, 9.81], abs=1e-4)  # w^2 r towards the centre
    assert gyroscope == pytest.approx([0.0, 0.0, 2.0], abs=1e-6)


def test_what_carries_a_sensor_in_the_end_moves_it(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    rack = world.spawn("static.prop.box01", {}, (0.0, 0.0, 1.5, *LEVEL), parent=car.id)
    world.table.records["acceleration"][car.slot] = [3.0, 0.0, 0.0]
    sensor = mount(world, "sensor.other.imu", (0.0, 0.0, 0.0, 0.0, 90.0, 0.0), parent=rack.id)
    # Turned to the right by 90 degrees, what pushes forward comes from its left: -y.
    assert imu_of(world, sensor)[0] == pytest.approx([0.0, -3.0, 9.81], abs=1e-5)


def test_a_disabled_object_is_seen_by_no_ray(world):
    house = next(thing for thing in world.scenery if thing.label == 3)
    x, y, _ = house.centre
    sensor = mount(world, "sensor.lidar.ray_cast", (x, y, 40.0, -90.0, 0.0, 0.0))
    values = {"channels": 1, "upper_fov": 0, "lower_fov": 0, "horizontal_fov": 1, "range": 100}
    roof = scan(world, sensor, quiet(**values))[2]["xyz"][0, 0]
    assert roof == pytest.approx(40.0 - 2 * house.half[2], abs=1e-2)
    world.hidden.add(house.id)
    assert scan(world, sensor, quiet(**values))[2]["xyz"][0, 0] == pytest.approx(40.0 - FIELD_Z, abs=1e-2)


def test_gravity_turns_with_the_imu(world):
    sensor = mount(world, "sensor.other.imu", (0.0, 0.0, 0.0, 30.0, 0.0, 0.0))
    assert imu_of(world, sensor)[0] == pytest.approx([9.81 * 0.5, 0.0, 9.81 * math.sqrt(0.75)], abs=1e-5)


@pytest.mark.parametrize(
    ("yaw", "compass"), [(-90.0, 0.0), (0.0, 90.0), (90.0, 180.0), (180.0, 270.0), (-135.0, 315.0)]
)
def test_the_compass_counts_from_minus_y_over_plus_x(world, yaw, compass):
    sensor = mount(world, "sensor.other.imu", (0.0, 0.0, 0.0, 0.0, yaw, 0.0))
    assert math.degrees(imu_of(world, sensor)[2]) % 360.0 == pytest.approx(compass, abs=1e-4)


def test_imu_noise_has_its_deviation_bias_and_seed(world):
    sensor = mount(world, "sensor.other.imu", (0.0,) * 6)
    values = {"noise_accel_stddev_x": 0.5, "noise_gyro_stddev_z": 0.1, "noise_gyro_bias_z": 3.0, "noise_seed": 4}
    runs = []
    for _ in range(2):
        imu = Imu(attributes("sensor.other.imu", **values))
        runs.append([msgpack.unpackb(next(imu.measure(moment(world, sensor)))) for _ in range(1500)])
    assert runs[0] == runs[1]
    accelerometer, gyroscope = np.array([row[0] for row in runs[0]]), np.array([row[1] for row in runs[0]])
    assert accelerometer.std(axis=0) == pytest.approx([0.5, 0, 0], rel=0.1, abs=1e-9)
    assert gyroscope.mean(axis=0) == pytest.approx([0, 0, 3.0], abs=0.02)
    assert gyroscope.std(axis=0) == pytest.approx([0, 0, 0.1], rel=0.1, abs=1e-9)


def test_gnss_noise_has_its_deviation_and_bias(world):
    sensor = mount(world, "sensor.other.gnss", (10.0, 20.0, 3.0, *LEVEL))
    gnss = Gnss(attributes("sensor.other.gnss", noise_alt_bias=100, noise_alt_stddev=2, noise_lon_bias=0.5))
    exact = msgpack.unpackb(next(Gnss(attributes("sensor.other.gnss")).measure(moment(world, sensor))))
    rows = np.array([msgpack.unpackb(next(gnss.measure(moment(world, sensor)))) for _ in range(1000)])
    assert rows[:, 0] == pytest.approx(np.full(1000, exact[0]))
    assert rows[:, 1] == pytest.approx(np.full(1000, exact[1] + 0.5))
    assert rows[:, 2].mean() == pytest.approx(103.0, abs=0.3)
    assert rows[:, 2].std() == pytest.approx(2.0, rel=0.1)


# -- contacts ----------------------------------------------------------------------------------------------------------


def touches(world: Episode, sensor: Actor, collision: Collision) -> list[tuple[int, str, list[float]]]:
    """Other actor's id and type and the impulse of each event."""
    rows = [msgpack.unpackb(body) for body in collision.measure(moment(world, sensor))]
    return [(other[0], other[2][1], impulse) for _, other, impulse in rows]


def test_a_contact_is_reported_once_until_it_ends_and_comes_again(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    truck = world.spawn("vehicle.carlamotors.firetruck", {}, (120.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.collision", (0.0,) * 6, parent=car.id)
    collision = Collision({})
    world.set_velocity(car, (10.0, 0.0, 0.0))
    seen = []
    # Nose to tail at 120 - 4.25 - 2.35 = 113.4.
    for x in (113.3, 113.5, 114.0, 113.3, 113.5):
        world.place(car, (x, 300.0, 0.0, *LEVEL))
        seen.append([event[0] for event in touches(world, sensor, collision)])
    assert seen == [[], [truck.id], [], [], [truck.id]]


def test_the_impulse_takes_the_closing_speed_from_both(world):
    car = world.spawn("vehicle.tesla.model3", {}, (113.5, 300.0, 0.0, *LEVEL))
    world.table.records["velocity"][car.slot] = [10.0, 0.0, 0.0]
    sensor = mount(world, "sensor.other.collision", (0.0,) * 6, parent=car.id)
    world.next_id += 1
    other = world.spawn("vehicle.mini.cooper_s", {}, (140.0, 300.0, 0.0, *LEVEL))
    world.place(other, (117.6, 300.0, 0.0, *LEVEL))  # 113.5 + 2.35 + 1.9 = 117.75: 0.15 m deep
    world.table.records["velocity"][other.slot] = [-6.0, 0.0, 0.0]
    ((number, kind, impulse),) = touches(world, sensor, Collision({}))
    assert (number, kind) == (other.id, "vehicle.mini.cooper_s")
    # Two cars of 1500 kg that close at 16 m/s: 750 kg * 16 m/s against the direction of travel.
    assert impulse == pytest.approx([-12000.0, 0.0, 0.0])


def test_scenery_is_hit_as_a_nameless_actor_with_its_label(world):
    house = next(thing for thing in world.scenery if thing.label == 3)
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.collision", (0.0,) * 6, parent=car.id)
    world.place(car, (*house.centre[:2], 0.0, *LEVEL))
    rows = [msgpack.unpackb(body) for body in Collision({}).measure(moment(world, sensor))]
    hit = [other for _, other, _ in rows if other[2][1] == "static.building"]
    assert len(hit) == 1
    assert hit[0][0] == 0
    assert hit[0][4] == bytes([3])


def test_what_a_vehicle_carries_and_what_flies_over_it_touch_nothing(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    world.spawn("static.prop.box01", {}, (0.0, 0.0, 1.0, *LEVEL), parent=car.id)
    above = world.spawn("static.prop.box01", {}, (100.0, 310.0, 0.0, *LEVEL))
    world.place(above, (100.0, 300.0, 1.5, *LEVEL))
    sensor = mount(world, "sensor.other.collision", (0.0,) * 6, parent=car.id)
    assert touches(world, sensor, Collision({})) == []
    world.place(above, (100.0, 300.0, 1.4, *LEVEL))  # the roof is 1.45 m high
    assert [event[0] for event in touches(world, sensor, Collision({}))] == [above.id]


def test_boxes_that_miss_each_other_across_a_corner_do_not_touch(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    other = world.spawn("vehicle.tesla.model3", {}, (120.0, 300.0, 0.0, *LEVEL))
    # Its corner comes nearest: a box turned by 45 degrees reaches (2.35 + 0.925) / sqrt(2) = 2.316 m along x and y.
    gap = (2.35 + 0.925) / math.sqrt(2)
    for shift, expected in ((0.02, 0), (-0.02, 1)):
        world.place(other, (100.0, 300.0 + 0.925 + gap + shift, 0.0, 0.0, 45.0, 0.0))
        solids = SolidWorld().now(world)
        mine, rest = solids.chosen(solids.actor == car.id), solids.chosen(solids.actor == other.id)
        assert len(separation(mine, rest)) == expected


def obstacle(world: Episode, sensor: Actor, **values: object) -> tuple[int, str, float] | None:
    found = list(Obstacle(attributes("sensor.other.obstacle", **values)).measure(moment(world, sensor)))
    if not found:
        return None
    _, other, distance = msgpack.unpackb(found[0])
    return other[0], other[2][1], distance


def test_an_obstacle_is_met_where_the_ball_touches_it(world):
    car = world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, *LEVEL))
    other = world.spawn("vehicle.audi.tt", {}, (112.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.obstacle", (2.5, 0.0, 0.8, *LEVEL), parent=car.id)
    # From 102.5 to the tail at 112 - 2.1 = 109.9: 7.4 m, 6.9 m for a ball of 0.5 m.
    assert obstacle(world, sensor, distance=10) == (other.id, "vehicle.audi.tt", pytest.approx(6.9, abs=1e-3))
    assert obstacle(world, sensor, distance=10, hit_radius=0)[2] == pytest.approx(7.4, abs=1e-3)
    assert obstacle(world, sensor, distance=6.8) is None


def test_a_ball_beside_a_box_meets_its_edge_round_the_corner(world):
    other = world.spawn("vehicle.audi.tt", {}, (112.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.obstacle", (100.0, 300.0 + 0.925 + 0.3, 0.8, *LEVEL))
    # The edge is 0.3 m beside the ball's middle: it is met sqrt(0.5^2 - 0.3^2) = 0.4 m before 109.9.
    assert obstacle(world, sensor, distance=20) == (other.id, "vehicle.audi.tt", pytest.approx(9.5, abs=1e-3))
    assert obstacle(world, sensor, distance=20, hit_radius=0.29) is None


def test_only_dynamics_leaves_out_props(world):
    prop = world.spawn("static.prop.streetbarrier", {}, (105.0, 300.0, 0.0, *LEVEL))
    sensor = mount(world, "sensor.other.obstacle", (100.0, 300.0, 0.5, *LEVEL))
    assert obstacle(world, sensor)[0] == prop.id
    assert obstacle(world, sensor, only_dynamics="true") is None


# -- when they are due -------------------------------------------------------------------------------------------------


def test_sensor_tick_spaces_measurements_and_a_scan_covers_the_time_between(world):
    hub = StreamHub(2001)
    sensors = Sensors(hub, SolidWorld())
    actor = world.spawn(
        "sensor.lidar.ray_cast", {"sensor_tick": "0.1", "dropoff_general_rate": "0.0"}, (*ROAD, 2.0, *LEVEL)
    )
    stream = hub.open()
    sensors.mount(actor, stream)
    messages = []
    sensors.publish(world, 1, 0.05)
    hub.subscribe(stream, lambda *parts: messages.append(b"".join(parts)))
    for frame in range(2, 10):
        sensors.publish(world, frame, 0.05 * frame)
    frames = [struct.unpack_from("<Q", message, 12)[0] for message in messages]
    assert frames == [2, 4, 6, 8]
    assert all(struct.unpack_from("<I", message)[0] == len(message) - 4 for message in messages)
    sensors.dismount(actor.id)
    assert not sensors
    assert not hub.wanted(stream)
