"""Camera pixels follow the episode: its actors, its hidden objects, its sun."""

from __future__ import annotations

import numpy as np
import pytest
from foveal_sim.world.camera import Camera
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.renderer import GoldenPainter, SceneRenderer
from foveal_sim.world.scenery import BUILDINGS

VIEW = (10.0, 1.75, 1.7, 0.0, 0.0, 0.0)


@pytest.fixture
def world() -> Episode:
    return Episode(1, load_map("straight"), Population(), first_id=1)


@pytest.fixture
def picture(world):
    actor = world.spawn("sensor.camera.rgb", {"image_size_x": "96", "image_size_y": "54"}, VIEW)
    camera = Camera.of(actor.blueprint.id, actor.id, 1, actor.attributes)
    renderer = SceneRenderer(GoldenPainter())
    return lambda: next(renderer.render(world, [camera], 1, 0.05))[1]


def test_a_vehicle_in_view_is_drawn_where_it_stands(world, picture):
    empty = picture()
    assert empty.shape == (54, 96, 4)
    world.spawn("vehicle.carlamotors.firetruck", {}, (30.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    changed = np.argwhere((picture() != empty).any(axis=2))
    # f = 96 / (2 tan 45 deg) = 48 px; the truck's near face is 20 - 4.25 m away, 2.5 m wide and 3.45 m high:
    # columns 48 -+ 48 * 1.25 / 15.75 = 44.2 .. 51.8, rows 27 - 48 * 1.75 / 15.75 = 21.7 to 27 + 5.2 = 32.2.
    assert len(changed) > 40
    assert changed[:, 1].min() >= 44
    assert changed[:, 1].max() <= 51
    assert changed[:, 0].min() >= 21
    assert changed[:, 0].max() <= 32


def test_a_vehicle_behind_the_camera_is_not_drawn(world, picture):
    empty = picture()
    world.spawn("vehicle.carlamotors.firetruck", {}, (0.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    assert np.array_equal(picture(), empty)


def test_hidden_objects_vanish_and_come_back(world, picture):
    before = picture()
    world.hidden.update(thing.id for thing in world.scenery if thing.label == BUILDINGS)
    without = picture()
    sky = without[2, 5, :3].astype(int)
    assert sky[0] > sky[2] + 40  # B, G, R: sky where a house front was
    assert not np.array_equal(before, without)
    world.hidden.clear()
    assert np.array_equal(picture(), before)


def test_the_sun_moves_the_light(world, picture):
    noon = picture()
    world.weather[4] = 225.0
    assert not np.array_equal(picture(), noon)


@pytest.mark.parametrize(("period", "taken"), [(0.0, 10), (0.1, 5), (0.125, 4), (10.0, 1)])
def test_sensor_tick_decides_how_many_of_ten_ticks_are_captured(period, taken):
    attributes = {"image_size_x": "8", "image_size_y": "8", "fov": "90", "sensor_tick": str(period)}
    camera = Camera.of("sensor.camera.rgb", 1, 1, attributes)
    assert sum(camera.period.take(3.0 + 0.05 * tick) for tick in range(10)) == taken


@pytest.mark.parametrize(
    ("name", "value"), [("image_size_x", "0"), ("image_size_y", "4097"), ("fov", "nan"), ("sensor_tick", "-1")]
)
def test_impossible_camera_attributes_are_refused(name, value):
    attributes = {"image_size_x": "8", "image_size_y": "8", "fov": "90", "sensor_tick": "0", name: value}
    with pytest.raises(ValueError, match="must be"):
        Camera.of("sensor.camera.rgb", 1, 1, attributes)
