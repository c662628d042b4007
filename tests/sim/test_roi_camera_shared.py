"""Cameras of one world make what does not move in it once; another world has its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from world_client import Server, run_client, world_server

_COUNT = """
import numpy as np
from foveal.carla import RoiCamera, shared_scene
from foveal.policy import Fixed
from foveal.region import Region
made = []
parts = shared_scene.static_parts
shared_scene.static_parts = lambda static: made.append(len(static.object_id)) or parts(static)
def camera(world, place=carla.Transform(carla.Location(x=20, y=8, z=2))):
    blueprint = world.get_blueprint_library().find("sensor.camera.rgb")
    for name, value in (("image_size_x", "160"), ("image_size_y", "96")):
        blueprint.set_attribute(name, value)
    whole, images = Fixed([Region(0, 0, 160, 96)]), queue.Queue()
    found = RoiCamera(world, blueprint, place, device="model", policy=whole)
    found.listen(images.put)
    return found, images
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "curve", "--traffic", "2", "--synchronous") as running:
        yield running


def test_the_second_camera_of_a_world_makes_nothing_and_shows_the_same(server: Server) -> None:
    facts = run_client(
        _COUNT
        + """
one, first = camera(world)
facts["made"] = [len(made)]
two, second = camera(client.get_world())
facts["made"].append(len(made))
world.tick()
a, b = first.get(timeout=60), second.get(timeout=60)
facts["same"], facts["colours"] = bytes(a.raw_data) == bytes(b.raw_data), len(np.unique(a.pixels))
one.destroy(), two.destroy()
""",
        server.rpc,
    )
    assert facts["made"] == [1, 1]
    assert facts["same"]
    assert facts["colours"] > 10


def test_a_world_that_is_loaded_anew_has_its_own(server: Server) -> None:
    facts = run_client(
        _COUNT
        + """
one, _ = camera(world)
one.stop()
world = client.reload_world(False)
world.tick()
two, _ = camera(world)
facts["made"] = len(made)
one.destroy(), two.destroy()
""",
        server.rpc,
    )
    assert facts["made"] == 2


def test_a_world_whose_server_lists_other_objects_by_now_is_made_anew(server: Server) -> None:
    """A layer that is unloaded leaves CARLA's list."""
    facts = run_client(
        _COUNT
        + """
listed = shared_scene.objects
one, _ = camera(world)
shared_scene.objects = lambda world: tuple(array[1:] for array in listed(world))
two, _ = camera(world)
three, _ = camera(world)
facts["made"] = made
for each in (one, two, three):
    each.destroy()
""",
        server.rpc,
    )
    assert len(facts["made"]) == 2
    assert facts["made"][1] == facts["made"][0] - 1 > 0


def test_nothing_is_kept_when_the_last_camera_is_gone(server: Server) -> None:
    facts = run_client(
        _COUNT
        + """
one, _ = camera(world)
two, _ = camera(world)
facts["kept"] = [len(shared_scene._living)]
for each in (one, two):
    each.destroy()
del one, two, each
gc.collect()
facts["kept"].append(len(shared_scene._living))
""",
        server.rpc,
    )
    assert facts["kept"] == [1, 0]
