"""RoiCamera and the real client where worlds change and cameras share: the frame's image, or a reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from world_client import Server, run_client, world_server

CAMERAS = """
import os
import numpy as np
from foveal.carla import RoiCamera
from foveal.policy import Fixed
from foveal.region import Region
library = world.get_blueprint_library()
mount = carla.Transform(carla.Location(x=1.5, z=1.7))
def blueprint(width=32, height=16):
    found = library.find("sensor.camera.rgb")
    found.set_attribute("image_size_x", str(width)), found.set_attribute("image_size_y", str(height))
    return found
def camera(carrier=None, width=32, height=16, device="model"):
    policy = Fixed([Region(0, 0, width, height)])
    return RoiCamera(world, blueprint(width, height), mount, carrier, device=device, policy=policy)
def until(condition):
    for _ in range(9000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("nothing happened within 90 s")
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight", "--traffic", "2", "--synchronous") as running:
        yield running


# -- another world -----------------------------------------------------------------------------------------------------

LOADS = (
    "client.load_world('straight', False)",
    "client.reload_world(False)",
    "client.generate_opendrive_world(world.get_map().to_opendrive(), carla.OpendriveGenerationParameters(), False)",
)


@pytest.mark.parametrize("load", LOADS)
def test_loading_a_world_ends_the_cameras_of_the_old_one(server: Server, load: str) -> None:
    body = f"""
        images, one, late = queue.Queue(), camera(), camera()
        one.listen(images.put)
        facts["asked"], facts["seen"] = world.tick(), images.get(timeout=60).frame
        fresh = {load}
        fresh.tick()
        until(lambda: one.failure)
        fresh.tick()
        facts["failure"], facts["more"], facts["listening"] = str(one.failure), images.qsize(), one.is_listening()
        try:
            late.listen(images.put)
        except Exception as error:
            facts["late"] = str(error)
        again = RoiCamera(fresh, blueprint(), mount, device="model", policy=Fixed([Region(0, 0, 8, 8)]))
        again.listen(images.put)
        facts["fresh"] = fresh.tick() == images.get(timeout=60).frame
        for old in (one, late, again):
            old.destroy()
    """
    facts = run_client(CAMERAS + _dedented(body), server.rpc)
    assert facts["seen"] == facts["asked"]
    assert "make another camera" in facts["failure"]
    assert (facts["more"], facts["listening"]) == (0, False)
    assert "make another camera" in facts["late"]
    assert facts["fresh"]


# -- one device --------------------------------------------------------------------------------------------------------


def test_cameras_that_share_a_device_show_what_they_show_with_their_own(server: Server) -> None:
    """Each is drawn of its own meshes, though another's are loaded in between."""
    body = """
        from foveal.device import open_device
        cars = [world.try_spawn_actor(library.find(name), place) for name, place in
                zip(("vehicle.audi.tt", "vehicle.mitsubishi.fusorosa"), world.get_map().get_spawn_points()[2:8:5])]
        world.tick()
        shared, sizes = open_device("model"), ((48, 24), (40, 32))
        cameras = [camera(car, *size, device) for device in (shared, "model") for car, size in zip(cars, sizes)]
        queues = [queue.Queue() for _ in cameras]
        for one, images in zip(cameras, queues):
            one.listen(images.put)
        facts["same"], facts["drawn"] = [], []
        for _ in range(4):
            frame = world.tick()
            a, b, c, d = (images.get(timeout=60) for images in queues)
            facts["same"] += [one.frame == frame == two.frame and bool((one.pixels == two.pixels).all())
                              for one, two in ((a, c), (b, d))]
            facts["drawn"] += [len(np.unique(one.pixels)) for one in (a, b)]
        facts["failures"] = [str(one.failure) for one in cameras]
        for one in (*cameras, *cars):
            one.destroy()
        shared.close()
    """
    facts = run_client(CAMERAS + _dedented(body), server.rpc)
    assert facts["failures"] == ["None"] * 4
    assert facts["same"] == [True] * 8
    assert min(facts["drawn"]) > 3


def _dedented(body: str) -> str:
    return "\n".join(line.removeprefix(" " * 8) for line in body.splitlines()) + "\n"
