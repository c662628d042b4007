"""What scripts for the carla client stumble over does not happen to those that go through Foveal."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import carla
import foveal
import foveal_sim
import pytest
from foveal.carla.camera import RoiCamera, _stop
from foveal.carla.reader import TickReader
from foveal.errors import SceneError, ServerLost
from foveal.scene.tick import CameraMount
from foveal.zone import Circle, ZonePlan
from foveal_sim.maps import map_path
from world_client import Server, client_command, run_client, start_client, world_server

ROI_CAMERAS = """
from foveal.carla import RoiCamera
from foveal.policy import Fixed
from foveal.region import Region
library = world.get_blueprint_library()
cars = (world.try_spawn_actor(library.find("vehicle.tesla.model3"), p) for p in world.get_map().get_spawn_points())
car = next(car for car in cars if car is not None)
blueprint = library.find("sensor.camera.rgb")
for name, value in (("image_size_x", "32"), ("image_size_y", "16")):
    blueprint.set_attribute(name, value)
mount = carla.Transform(carla.Location(x=1.5, z=1.7), carla.Rotation(yaw=30.0))
def camera():
    policy = Fixed([Region(0, 0, 8, 8)])
    return RoiCamera(world, blueprint, mount, attach_to=car, device="model", policy=policy)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "curve", "--traffic", "4", "--walkers", "2", "--seed", "3", "--synchronous") as running:
        yield running


# -- the end of the interpreter ----------------------------------------------------------------------------------------


class Callbacks:
    """Plays the world as far as a listener needs it. The client's thread drops what is removed a moment later."""

    id = 1

    def __init__(self) -> None:
        self.held: dict[int, Any] = {}
        self.dropped = threading.Event()

    def on_tick(self, callback: Callable[[Any], None]) -> int:
        self.held[1] = callback
        return 1

    def remove_on_tick(self, number: int) -> None:
        threading.Thread(target=self._drop, args=(number,)).start()

    def get_snapshot(self) -> Any:
        return SimpleNamespace(id=self.id, frame=0)

    def _drop(self, number: int) -> None:
        time.sleep(0.3)
        del self.held[number]
        self.dropped.set()


def listening(world: Any, monkeypatch: pytest.MonkeyPatch) -> RoiCamera:
    """A camera that listens to a scripted world, and has nothing to draw."""
    attributes = {"image_size_x": "8", "image_size_y": "8", "fov": "90"}
    monkeypatch.setattr("foveal.carla.blueprint._text", lambda attribute: attributes[attribute.id])
    monkeypatch.setattr(RoiCamera, "_prepare", lambda self: None)

    class Blueprint(list[Any]):
        id = "sensor.camera.rgb"

    blueprint: Any = Blueprint(SimpleNamespace(id=name) for name in attributes)
    device: Any = SimpleNamespace()
    camera = RoiCamera(world, blueprint, carla.Transform(), device=device)
    camera.listen(lambda image: None)
    return camera


def test_zones_need_something_that_drives_through_them() -> None:
    blueprint: Any = SimpleNamespace(id="sensor.camera.rgb")
    world: Any = Callbacks()
    with pytest.raises(SceneError, match="give attach_to"):
        RoiCamera(world, blueprint, carla.Transform(), zone=ZonePlan([Circle(0.0, 0.0, 9.0)]))


def test_at_exit_the_camera_waits_until_the_client_has_let_go_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of the client that drops a callable of an interpreter that has ended ends the process by a signal."""
    import weakref

    world = Callbacks()
    camera = listening(world, monkeypatch)
    _stop(weakref.ref(camera))
    assert world.dropped.is_set()
    assert not camera.is_listening()


@pytest.mark.parametrize("ending", ["", "for one in cameras: one.stop()", "raise SystemExit(0)"])
def test_a_script_with_many_cameras_ends_with_its_own_status(ending: str) -> None:
    """The world runs by itself, so that snapshots arrive while the interpreter ends; no object is dropped before.

    Nothing is drawn: what may end the process are the client's threads, which call into each camera.
    """
    body = ROI_CAMERAS + (
        "import builtins\nimages = queue.Queue()\n"
        "RoiCamera._prepare, RoiCamera._image = lambda self: None, lambda self, snapshot: snapshot\n"
        "cameras = [camera() for _ in range(8)]\n"
        "for one in cameras:\n    one.listen(images.put)\n"
        "for _ in range(24):\n    images.get(timeout=60)\n"
        f"builtins.keep = cameras, car, world, images\n{ending}\n"
    )
    with world_server("--map", "curve", "--traffic", "2") as running:
        command = client_command(body, running.rpc)
        command[2] = command[2].replace("gc.collect()\ntime.sleep(0.3)\n", "")
        for _ in range(6):
            done = subprocess.run(command, capture_output=True, text=True, timeout=240)
            assert (done.returncode, "terminate" in done.stderr) == (0, False), done.stderr


# -- servers that end --------------------------------------------------------------------------------------------------


class Silent(Callbacks):
    """A world whose snapshots have ceased. answer: what asking it does."""

    def __init__(self, answer: Exception | None) -> None:
        super().__init__()
        self.answer, self.asked = answer, threading.Event()

    def get_settings(self) -> None:
        self.asked.set()
        if self.answer is not None:
            raise self.answer


def test_a_listener_that_hears_nothing_notices_a_dead_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.carla.camera._SILENCE_S", 0.05)
    world = Silent(RuntimeError("time-out of 3000ms while waiting for the simulator"))
    camera = listening(world, monkeypatch)
    assert world.asked.wait(30)
    camera._thread.join(30)
    assert isinstance(camera.failure, ServerLost)
    assert "start it again" in str(camera.failure)
    with pytest.raises(ServerLost):
        camera.listen(lambda image: None)


def test_a_world_that_nobody_ticks_for_a_while_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.carla.camera._SILENCE_S", 0.05)
    world = Silent(None)
    camera = listening(world, monkeypatch)
    assert world.asked.wait(30)
    assert camera.is_listening()
    assert camera.failure is None
    camera.stop()


def test_a_camera_of_a_killed_server_ends_with_its_reason() -> None:
    body = (
        ROI_CAMERAS
        + """
import os, signal
client.set_timeout(2.0)
one, images = camera(), queue.Queue()
one.listen(images.put)
world.tick()
facts["first"] = images.get(timeout=60).frame == world.get_snapshot().frame
os.kill(SERVER, signal.SIGKILL)
one._thread.join(60)
facts["failure"] = type(one.failure).__name__, str(one.failure)
facts["listening"] = one.is_listening()
one.destroy()
"""
    )
    with world_server("--map", "curve", "--synchronous") as running:
        facts = run_client(body.replace("SERVER", str(running.process.pid)), running.rpc)
    assert facts["first"]
    assert facts["failure"][0] == "ServerLost"
    assert facts["listening"] is False


# -- the first image ---------------------------------------------------------------------------------------------------


def test_a_client_of_a_server_that_dies_after_the_first_tick_lives_to_tell() -> None:
    """The package's own threads ask about a map that a snapshot calls new; without an answer they end the process."""
    body = """
        import os, signal
        client.set_timeout(1.0)
        world.tick()
        os.kill(int(sys.argv[2]), signal.SIGKILL)
        try:
            world.get_map()
        except RuntimeError as error:
            facts["says"] = str(error)
        time.sleep(1.0)
    """
    with world_server("--map", "straight", "--synchronous") as server:
        client = start_client(body, server.rpc, str(server.process.pid))
        out, errors = client.communicate(timeout=60)
    assert client.returncode == 0, errors
    assert "time-out" in json.loads(out)["says"]


def test_the_first_image_after_listen_is_never_lost(server: Server) -> None:
    body = (
        ROI_CAMERAS
        + """
images, pairs, one = queue.Queue(), [], camera()
for _ in range(15):
    one.listen(images.put)
    pairs.append([world.tick(), images.get(timeout=60).frame])
    one.stop()
one.destroy()
facts["pairs"] = pairs
car.destroy()
"""
    )
    facts = run_client(body, server.rpc)
    assert [seen for _, seen in facts["pairs"]] == [asked for asked, _ in facts["pairs"]]


# -- frames of reference -----------------------------------------------------------------------------------------------


def test_boxes_lie_where_the_package_says_and_nothing_is_changed_in_place(server: Server) -> None:
    """Actors' boxes are in the actor's frame, those of the surroundings in the world's; both end up in the world."""
    body = (
        ROI_CAMERAS
        + """
import numpy as np
from foveal.carla.reader import TickReader
from foveal.carla.world_scene import static_scene
from foveal.scene.axes import carla_matrix
from foveal.scene.tick import CameraMount
SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
def corners(pose, box):
    local = np.c_[SIGNS * box[3:6], np.ones(8)]
    own = carla_matrix(np.r_[box[:3], box[6:9]])
    return (carla_matrix(pose) @ own @ local.T).T[:, :3]
def theirs(box, transform):
    return np.array([(v.x, v.y, v.z) for v in box.get_world_vertices(transform)])
place = car.get_transform()
car.set_transform(carla.Transform(place.location, carla.Rotation(pitch=4.0, yaw=73.0, roll=-3.0)))
world.tick()
snapshot = world.get_snapshot()
tick = TickReader(world, CameraMount(), car.id).read(snapshot)
apart = []
for row, number in enumerate(tick.actor_id.tolist()):
    actor = world.get_actor(number)
    want = theirs(actor.bounding_box, actor.get_transform())
    apart.append(float(np.abs(corners(tick.transform[row], tick.box[row]) - want).max()))
there = [a for a in world.get_actors() if a.type_id.startswith(("vehicle.", "walker."))]
facts["actors"], facts["there"], facts["apart"] = len(apart), len(there), max(apart)
static = static_scene(world)
labels = set(static.object_label.tolist())
things = [o for o in world.get_environment_objects(carla.CityObjectLabel.Any) if int(o.type) in labels]
things.sort(key=lambda o: int(o.id))
apart = [np.abs(corners(np.zeros(6), box) - theirs(o.bounding_box, carla.Transform())).max()
         for box, o in zip(static.object_box, things, strict=True)]
facts["objects"], facts["objects_apart"] = len(apart), float(max(apart))
before = str(mount)
one, images = camera(), queue.Queue()
one.listen(images.put)
world.tick()
image = images.get(timeout=60)
facts["mount"] = str(mount) == before
pose = image.transform
pose.location.x += 1000.0
facts["own"] = abs(one.get_transform().location.x - pose.location.x) > 500
one.destroy()
car.destroy()
"""
    )
    facts = run_client(body, server.rpc)
    assert facts["actors"] == facts["there"] >= 7  # 4 vehicles, 2 walkers, the car
    assert facts["apart"] < 1e-3
    assert facts["objects"] > 10
    assert facts["objects_apart"] < 1e-3
    assert facts["mount"], "the transform that the caller gave stays as it was"
    assert facts["own"], "an image's transform is the caller's own"


# -- actors that come and go -------------------------------------------------------------------------------------------


def test_actors_are_taken_from_the_snapshot_and_not_from_what_the_package_says_of_them(server: Server) -> None:
    """Between spawn and tick an actor has no pose, and one that was destroyed may call itself alive."""
    body = (
        ROI_CAMERAS
        + """
from foveal.carla.reader import TickReader
from foveal.scene.tick import CameraMount
world.tick()
reader = TickReader(world, CameraMount(), car.id)
old = world.get_snapshot()
place = car.get_transform()
place.location.z += 40.0
late = world.spawn_actor(library.find("vehicle.audi.tt"), place)
facts["before"] = late.id in reader.read(old).actor_id.tolist()
world.tick()
seen = reader.read(world.get_snapshot())
row = seen.actor_id.tolist().index(late.id)
facts["height"] = float(seen.transform[row, 2] - place.location.z)
client.apply_batch_sync([carla.command.DestroyActor(late.id)])
world.tick()
after = reader.read(world.get_snapshot())
facts["after"] = late.id in after.actor_id.tolist()
facts["others"] = len(after.actor_id) == len(seen.actor_id) - 1
new = camera()
twin = world.try_spawn_actor(library.find("vehicle.audi.tt"), place)
mounted = RoiCamera(world, blueprint, mount, attach_to=twin, device="model")
try:
    mounted.get_transform()
except Exception as error:
    facts["untold"] = type(error).__name__, str(error)
images = queue.Queue()
mounted.listen(images.put)
frame = world.tick()
facts["first"] = images.get(timeout=60).frame == frame
for one in (new, mounted, twin, car):
    one.destroy()
"""
    )
    facts = run_client(body, server.rpc)
    assert facts["before"] is False
    assert facts["height"] == pytest.approx(0.0, abs=1e-4)
    assert (facts["after"], facts["others"]) == (False, True)
    assert facts["untold"][0] == "SceneError"
    assert "tick" in facts["untold"][1]
    assert facts["first"]


class Asked:
    """A world of one car that counts round trips."""

    def __init__(self) -> None:
        self.boxes = self.lookups = 0

    def get_actors(self, numbers: list[int]) -> list[Any]:
        self.lookups += 1
        world = self

        class Car:
            id, type_id = 5, "vehicle.audi.tt"

            @property
            def bounding_box(self) -> carla.BoundingBox:
                world.boxes += 1
                return carla.BoundingBox(carla.Location(), carla.Vector3D(2.0, 1.0, 0.7))

        return [Car()]


def test_a_box_is_asked_for_once_an_actor_not_once_a_frame() -> None:
    """In this release each access to `bounding_box` is a round trip."""
    world: Any = Asked()
    state = SimpleNamespace(id=5, get_transform=carla.Transform, get_velocity=carla.Vector3D)

    class Snapshot(list[Any]):
        frame, timestamp = 1, SimpleNamespace(elapsed_seconds=0.05)

    reader = TickReader(world, CameraMount())
    for _ in range(20):
        snapshot: Any = Snapshot([state])
        assert reader.read(snapshot).actor_id.tolist() == [5]
    assert (world.lookups, world.boxes) == (1, 1)


# -- calls that end the process ----------------------------------------------------------------------------------------

DEADLY = {
    "previous_until_lane_start": "ends the process by a signal where a lane has nothing before it",
    "next_until_lane_end": "raises by chance at the end of a lane",
}


def test_nothing_here_calls_what_ends_the_process() -> None:
    found = []
    for package in (foveal, foveal_sim):
        for path in Path(package.__file__).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                name = getattr(node, "attr", None) or getattr(node, "value", None)
                if isinstance(name, str) and name in DEADLY:
                    found.append(f"{path}:{node.lineno}: {name} {DEADLY[name]}")
    assert found == []


def test_the_package_still_has_the_deadly_call() -> None:
    """When this fails, the call above may be used again."""
    text = map_path("straight").read_text(encoding="utf-8")
    body = (
        "import foveal.carla, carla, sys\n"
        "way = carla.Map('m', sys.stdin.read()).get_waypoint_xodr(1, -1, 10.0)\n"
        "way.previous_until_lane_start(5.0)\n"
    )
    done = subprocess.run([sys.executable, "-c", body], input=text, text=True, capture_output=True, timeout=120)
    assert done.returncode < 0


@pytest.mark.parametrize("module", ["foveal.carla", "foveal.carla.client", "foveal_sim.world.opendrive"])
def test_the_client_is_imported_where_no_home_is_set(module: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "CARLA_CACHE_DIR")}
    body = f"import {module}, carla; carla.Transform(); print('here')"
    done = subprocess.run(
        [sys.executable, "-c", body], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "here"), done.stderr
