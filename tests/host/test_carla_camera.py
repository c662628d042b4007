"""RoiCamera against a scripted world: what ends it, what it leaves out, and that it says why."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import carla
import pytest
from foveal.carla.camera import RoiCamera
from foveal.errors import FovealError, SceneError, ServerLost

HOME = 7
"""Number of the world's episode."""


class ScriptedWorld:
    """Plays the world as far as a listener needs it."""

    id = HOME

    def __init__(self) -> None:
        self.listeners: dict[int, Callable[[Any], None]] = {}
        self.now = snapshot(0)
        self.count = 0

    def on_tick(self, callback: Callable[[Any], None]) -> int:
        self.count += 1
        self.listeners[self.count] = callback
        return self.count

    def remove_on_tick(self, number: int) -> None:
        del self.listeners[number]

    def get_snapshot(self) -> Any:
        return self.now

    def get_settings(self) -> None:
        pass

    def show(self, *snapshots: Any) -> None:
        for self.now in snapshots:
            for callback in tuple(self.listeners.values()):
                callback(self.now)


def snapshot(frame: int, episode: int = HOME) -> Any:
    return SimpleNamespace(frame=frame, id=episode, timestamp=SimpleNamespace(elapsed_seconds=0.05 * frame))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Cameras of it have nothing to draw: an image is its snapshot."""
    attributes = {"image_size_x": "8", "image_size_y": "8", "fov": "90"}
    monkeypatch.setattr("foveal.carla.blueprint._text", lambda attribute: attributes[attribute.id])
    monkeypatch.setattr("foveal.carla.camera._LOOK_S", 0.02)
    monkeypatch.setattr(RoiCamera, "_prepare", lambda self: None)

    def image(camera: RoiCamera, shown: Any) -> Any:
        camera._same_world(shown)
        return shown

    monkeypatch.setattr(RoiCamera, "_image", image)
    return ScriptedWorld()


def camera(world: Any, **options: Any) -> RoiCamera:
    class Blueprint(list[Any]):
        id = "sensor.camera.rgb"

    names = ("image_size_x", "image_size_y", "fov")
    blueprint: Any = Blueprint(SimpleNamespace(id=name) for name in names)
    device: Any = SimpleNamespace()
    return RoiCamera(world, blueprint, carla.Transform(), device=device, **options)


def until(condition: Callable[[], object]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("nothing happened within 30 s")


# -- which snapshots give an image -------------------------------------------------------------------------------------


def test_a_snapshot_that_comes_again_gives_no_second_image(world: Any) -> None:
    """A stream that was interrupted begins with the snapshot that it sent last."""
    one, seen = camera(world), []
    one.listen(lambda image: seen.append(image.frame))
    world.show(*map(snapshot, (4, 5, 5, 4, 6)))
    until(lambda: 6 in seen)
    one.stop()
    one.listen(lambda image: seen.append(image.frame))
    world.show(*map(snapshot, (6, 7)))
    until(lambda: 7 in seen)
    one.stop()
    assert seen == [4, 5, 6, 7]
    assert one.dropped == 0


def test_listening_begins_with_the_next_snapshot(world: Any) -> None:
    """tick() returns before the client has told all listeners of its snapshot; one that joins may be told, too."""
    one, seen = camera(world), []
    world.show(snapshot(5))
    one.listen(lambda image: seen.append(image.frame))
    world.show(*map(snapshot, (5, 6)))
    until(lambda: 6 in seen)
    one.destroy()
    assert seen == [6]


@pytest.mark.parametrize("answers", [True, False])
def test_frames_that_go_back_are_late_or_of_a_server_that_was_started_again(world: Any, answers: bool) -> None:
    """The client's streams connect to a new server by themselves, its calls do not."""

    def gone() -> None:
        raise RuntimeError("time-out of 2000ms while waiting for the simulator")

    one, seen = camera(world), []
    one.listen(lambda image: seen.append(image.frame))
    world.show(snapshot(8))
    until(lambda: seen)
    if not answers:
        world.get_settings = gone
    world.show(snapshot(1))
    until(lambda: one.failure is not None or (answers and not one._went_back))
    world.show(snapshot(9))
    until(lambda: one.failure is not None or 9 in seen)
    assert isinstance(one.failure, ServerLost) is not answers
    assert seen == ([8, 9] if answers else [8])
    one.destroy()


def test_a_snapshot_of_another_world_ends_the_camera(world: Any) -> None:
    """However high its frame: a server that was started again counts from 0, load_world goes on counting."""
    for frame in (1, 9):
        one, seen = camera(world), []
        one.listen(lambda image, seen=seen: seen.append(image.frame))
        world.show(snapshot(5))
        until(lambda seen=seen: seen)
        world.show(snapshot(frame, HOME + 1))
        until(lambda one=one: one.failure)
        assert isinstance(one.failure, SceneError)
        assert "load_world" in str(one.failure)
        assert seen == [5]
        assert not one.is_listening()
        with pytest.raises(SceneError, match="make another camera"):
            one.listen(print)
        one.destroy()


def test_a_world_that_changes_without_a_word_is_noticed(world: Any) -> None:
    """Loading a world takes its listeners away: no snapshot comes any more, and the server answers as before."""
    one = camera(world)
    one.listen(print)
    callbacks, world.listeners = world.listeners, {}
    world.now = snapshot(3, HOME + 1)
    until(lambda: one.failure)
    assert "load_world" in str(one.failure)
    world.listeners = callbacks
    one.destroy()


# -- what a callback may do --------------------------------------------------------------------------------------------


def test_a_callback_that_exits_ends_the_camera_and_says_so(world: Any) -> None:
    """SystemExit in a thread ends that thread without a word."""
    one = camera(world)

    def leave(image: Any) -> None:
        raise SystemExit(3)

    one.listen(leave)
    world.show(snapshot(1))
    until(lambda: one.failure)
    assert isinstance(one.failure, FovealError)
    assert "SystemExit(3)" in str(one.failure)
    assert not one.is_listening()
    one.destroy()


def test_a_callback_that_raises_costs_its_image_alone(world: Any) -> None:
    one, seen = camera(world), []

    def fail(image: Any) -> None:
        seen.append(image.frame)
        raise ValueError("the user's")

    one.listen(fail)
    for frame in (1, 2, 3):
        world.show(snapshot(frame))
        until(lambda frame=frame: frame in seen)
    assert one.failure is None
    assert one.is_listening()
    one.destroy()


@pytest.mark.parametrize("order", ["stop", "destroy"])
def test_a_callback_may_end_its_own_camera(world: Any, order: str) -> None:
    one, seen = camera(world, queue=4), []

    def end(image: Any) -> None:
        seen.append(image.frame)
        getattr(one, order)()

    one.listen(end)
    world.show(*map(snapshot, (1, 2, 3)))
    until(lambda: not one.is_listening())
    until(lambda: not world.listeners)
    assert seen == [1]
    assert one.failure is None


def test_what_cannot_be_called_is_refused_at_once(world: Any) -> None:
    one = camera(world)
    with pytest.raises(TypeError, match="called with each image"):
        one.listen(None)  # type: ignore[arg-type]
    assert not one.is_listening()


# -- threads and processes ---------------------------------------------------------------------------------------------


def test_threads_that_start_and_stop_it_leave_one_listener_or_none(world: Any) -> None:
    one = camera(world)
    others = [thread.name for thread in threading.enumerate()].count("foveal-camera")

    def flip() -> None:
        for _ in range(50):
            one.listen(lambda image: None)
            one.stop()

    threads = [threading.Thread(target=flip) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one.listen(lambda image: None)
    assert len(world.listeners) == 1
    until(lambda: [thread.name for thread in threading.enumerate()].count("foveal-camera") == others + 1)
    one.stop()
    assert not world.listeners
    until(lambda: [thread.name for thread in threading.enumerate()].count("foveal-camera") == others)


def test_after_destroy_a_waiting_listen_does_not_begin(world: Any) -> None:
    one = camera(world)
    assert one.destroy()
    assert not one.destroy()
    with pytest.raises(FovealError, match="was destroyed"):
        one.listen(print)
    assert not world.listeners


def test_another_process_has_no_say(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forked child has neither the client's threads nor the camera's, and must not wait for them."""
    one, seen = camera(world), []
    one.listen(lambda image: seen.append(image.frame))
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    one._at_exit()
    with pytest.raises(FovealError, match="forked"):
        one.listen(print)
    monkeypatch.setattr(os, "getpid", lambda: here)
    world.show(snapshot(1))
    until(lambda: seen)
    one.destroy()


# -- servers that end --------------------------------------------------------------------------------------------------


def test_a_server_that_ends_while_a_picture_is_made_is_called_lost(world: Any) -> None:
    def gone() -> None:
        raise RuntimeError("time-out of 2000ms while waiting for the simulator")

    world.get_weather = gone
    one = camera(world)
    with pytest.raises(ServerLost, match="start it again"):
        one._sun(0.0)


def test_a_camera_is_named_by_its_kind_its_carrier_and_its_mount(world: Any) -> None:
    class Blueprint(list[Any]):
        id = "sensor.camera.depth"

    blueprint: Any = Blueprint(SimpleNamespace(id=name) for name in ("image_size_x", "image_size_y", "fov"))
    mount = carla.Transform(carla.Location(x=1.5, y=-0.25, z=1.7), carla.Rotation(yaw=-90.0))
    device: Any = SimpleNamespace()
    car: Any = SimpleNamespace(id=23)
    carried = RoiCamera(world, blueprint, mount, attach_to=car, device=device)
    assert carried._name() == "sensor.camera.depth on actor 23 at (1.5, -0.25, 1.7), yaw -90"
    alone = RoiCamera(world, blueprint, mount, device=device)
    assert alone._name() == "sensor.camera.depth in the world at (1.5, -0.25, 1.7), yaw -90"
    carried.destroy()
    alone.destroy()
