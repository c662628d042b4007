"""A vehicle under control follows the bicycle model; attached actors follow their parent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from foveal_sim.world.bicycle import MAX_STEER_DEG
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.geometry import compose, footprint, overlaps, rotation, rotation_angles
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.settings import EpisodeSettings

STEP_S = 0.05


@pytest.fixture
def world() -> Episode:
    made = Episode(1, load_map("straight"), Population(), first_id=1)
    made.settings = EpisodeSettings(synchronous=True, fixed_delta_s=STEP_S)
    return made


def spawn(world: Episode, yaw: float = 0.0):
    return world.spawn("vehicle.tesla.model3", {}, (100.0, 300.0, 0.0, 0.0, yaw, 0.0))


def control(world: Episode, actor, **values: float) -> None:
    for name, value in values.items():
        world.table.records[name][actor.slot] = value


def test_full_throttle_from_rest_is_4_mps2(world):
    car = spawn(world)
    control(world, car, throttle=1.0)
    world.step()
    assert world.table.records["velocity"][car.slot].tolist() == pytest.approx([4.0 * STEP_S, 0, 0])
    assert world.table.records["acceleration"][car.slot].tolist() == pytest.approx([4.0, 0, 0], abs=1e-5)
    assert world.table.pose(car)[0] == pytest.approx(100.0 + 4.0 * STEP_S**2)


def test_brakes_stop_without_rolling_back(world):
    car = spawn(world)
    world.set_velocity(car, (8.0, 0.0, 0.0))
    control(world, car, brake=1.0)
    for _ in range(40):
        world.step()
    # 8 m/s with 8 m/s2 and 0.15 m/s2 of rolling resistance: 8^2 / (2 * 8.15) = 3.93 m; whole steps shorten it.
    assert world.table.pose(car)[0] - 100.0 == pytest.approx(3.93, abs=0.25)
    assert world.table.records["velocity"][car.slot].tolist() == [0, 0, 0]


def test_reverse_drives_backwards(world):
    car = spawn(world)
    control(world, car, throttle=1.0, reverse=True)
    for _ in range(20):
        world.step()
    assert world.table.pose(car)[0] < 99.0
    assert world.table.records["gear"][car.slot] == -1


def test_full_steer_drives_the_bicycle_models_circle_to_the_right(world):
    car = spawn(world)
    world.set_constant_speed(car.id, 5.0)
    control(world, car, steer=1.0)
    places = []
    for _ in range(400):
        world.step()
        places.append(world.table.pose(car)[:2])
    x, y = np.array(places).T
    # Kinematic bicycle: R = lr / sin(beta), beta = atan(tan(delta) / 2), lr = half of 0.6 x 4.7 m.
    radius = 0.5 * 0.6 * 4.7 / math.sin(math.atan(math.tan(math.radians(MAX_STEER_DEG)) / 2))
    assert (x.max() - x.min()) / 2 == pytest.approx(radius, rel=0.01)
    assert (y.max() - y.min()) / 2 == pytest.approx(radius, rel=0.01)
    assert y.mean() > 300.0  # right of a vehicle that looks along +x


def test_without_physics_controls_do_nothing_and_a_transform_stays_verbatim(world):
    car = spawn(world)
    world.simulate_physics(car.id, False)
    control(world, car, throttle=1.0)
    world.place(car, (1.0, 2.0, 3.0, 4.0, 410.0, 5.0))
    world.step()
    assert world.table.pose(car) == (1.0, 2.0, 3.0, 4.0, 410.0, 5.0)


def test_a_camera_turns_with_its_vehicle(world):
    car = spawn(world, yaw=90.0)
    camera = world.spawn("sensor.camera.rgb", {}, (1.5, 0.5, 1.7, -10.0, 0.0, 0.0), parent=car.id)
    world.step()
    # Facing +y, forward is +y and right is -x.
    assert world.table.pose(camera) == pytest.approx((99.5, 301.5, 1.7, -10.0, 90.0, 0.0), abs=1e-4)
    world.place(car, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    world.step()
    assert world.table.pose(camera) == pytest.approx((1.5, 0.5, 1.7, -10.0, 0.0, 0.0), abs=1e-4)


def test_a_vehicle_is_set_on_its_lane_when_spawned_a_little_above(world):
    car = world.spawn("vehicle.audi.tt", {}, (100.0, 1.75, 0.5, 0.0, 0.0, 0.0))
    assert world.table.pose(car)[2] == pytest.approx(0.0, abs=1e-6)


def test_destroying_a_vehicle_takes_its_camera_with_it(world):
    car = spawn(world)
    camera = world.spawn("sensor.camera.rgb", {}, (0.0,) * 6, parent=car.id)
    assert {actor.id for actor in world.destroy(car.id)} == {car.id, camera.id}
    world.step()
    assert len(world.table.snapshot()) == 119  # the spectator stays


def test_rotation_is_the_one_the_client_reports():
    # carla.Transform(rotation=Rotation(pitch, yaw, roll)).get_matrix() of the 0.9.16 client is the reference.
    import carla

    for pitch, yaw, roll in [(10, 20, 30), (-45, 200, 5), (80, -90, -170)]:
        turn = carla.Transform(carla.Location(), carla.Rotation(pitch, yaw, roll))
        assert np.allclose(rotation(pitch, yaw, roll), np.array(turn.get_matrix())[:3, :3], atol=1e-6)


def test_angles_come_back_from_their_matrix():
    assert rotation_angles(rotation(10, 20, 30)) == pytest.approx((10, 20, 30))
    assert compose((1, 2, 3, 0, 90, 0), (1, 0, 0, 0, 45, 0)) == pytest.approx((1, 3, 3, 0, 135, 0))


def test_boxes_overlap_only_where_they_share_ground():
    x, y, yaw = np.array([0.0, 3.0, 2.5]), np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 45.0])
    corners = footprint(x, y, yaw, np.full(3, 1.0), np.full(3, 1.0))
    # 3 m apart leaves 1 m; a square turned by 45 degrees reaches 1.41 m towards the first, which reaches 1 m.
    assert overlaps(corners[0], corners).tolist() == [True, False, False]
    assert overlaps(corners[0], corners - (0.2, 0.0)).tolist() == [True, False, True]


def test_a_long_chain_of_attached_actors_goes_with_its_first(world):
    before = {actor.id for actor in world.table}
    first = last = spawn(world)
    for _ in range(1100):  # more than Python calls deep
        last = world.spawn("static.prop.box01", {}, (0.0, 0.0, 0.1, 0.0, 0.0, 0.0), last.id)
    gone = [actor.id for actor in world.destroy(first.id)]
    assert gone == sorted(gone, reverse=True)
    assert len(gone) == 1101
    assert {actor.id for actor in world.table} == before
