"""The drive against a scripted world and against a world server that is killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import carla
import numpy as np
import pytest
from foveal.carla.client import Drive, connect
from foveal.carla.failure import ForeignTick
from foveal.carla.world_scene import static_scene
from foveal.errors import MapError, SceneError, ServerLost
from foveal.scene.axes import carla_matrix
from foveal.scene.tick import CameraMount


@dataclass
class State:
    """An actor in a snapshot."""

    id: int
    pose: tuple[float, ...] = (0.0,) * 6

    def get_transform(self) -> carla.Transform:
        x, y, z, pitch, yaw, roll = self.pose
        return carla.Transform(carla.Location(x, y, z), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))

    def get_velocity(self) -> carla.Vector3D:
        return carla.Vector3D(3.0, 0.0, 0.0)


@dataclass
class Stamp:
    elapsed_seconds: float


class Snapshot(list):
    """The states of one frame."""

    def __init__(self, frame: int, states: list[State]) -> None:
        super().__init__(states)
        self.frame, self.timestamp = frame, Stamp(frame * 0.05)

    def find(self, number: int) -> State | None:
        return next((state for state in self if state.id == number), None)

    def has_actor(self, number: int) -> bool:
        return self.find(number) is not None


@dataclass
class Actor:
    """A known actor; a box of None means that the server has lost it."""

    id: int
    type_id: str
    box: carla.BoundingBox | None = None
    asked: int = 0

    @property
    def bounding_box(self) -> carla.BoundingBox:
        self.asked += 1
        if self.box is None:
            raise RuntimeError("trying to operate on a destroyed actor")
        return self.box


@dataclass
class World:
    """Ticks through `frames`; an exception in the list is raised. Also plays the client."""

    frames: list[int | RuntimeError]
    states: list[State] = field(default_factory=list)
    actors: dict[int, Actor] = field(default_factory=dict)
    shown: int | None = None
    settings: list[tuple[bool, float | None]] = field(default_factory=lambda: [(False, None)])

    def get_world(self) -> World:
        return self

    def set_timeout(self, seconds: float) -> None:
        assert seconds > 0

    def get_settings(self) -> carla.WorldSettings:
        synchronous, step = self.settings[-1]
        settings = carla.WorldSettings()
        settings.synchronous_mode, settings.fixed_delta_seconds = synchronous, step
        return settings

    def apply_settings(self, settings: carla.WorldSettings) -> int:
        self.settings.append((settings.synchronous_mode, settings.fixed_delta_seconds))
        return 0

    def tick(self, seconds: float) -> int:
        frame = self.frames.pop(0)
        if isinstance(frame, RuntimeError):
            raise frame
        self.frame = frame
        return frame

    def get_snapshot(self) -> Snapshot:
        return Snapshot(self.shown or self.frame, self.states)

    def get_actors(self, numbers: list[int]) -> list[Actor]:
        return [self.actors[number] for number in numbers if number in self.actors]

    def get_map(self) -> carla.Map:
        raise RuntimeError("failed to generate map")


def box(*half: float) -> carla.BoundingBox:
    return carla.BoundingBox(carla.Location(0.0, 0.0, 0.5), carla.Vector3D(*half))


def test_the_clock_is_taken_and_given_back() -> None:
    world = World([10, 11])
    with Drive(world, step_s=0.1) as drive:
        assert world.settings[-1] == (True, 0.1)
        assert [drive.tick().frame, drive.tick().frame] == [10, 11]
    assert world.settings[-1] == (False, None)


def test_a_time_out_is_a_lost_server_and_still_gives_the_clock_back() -> None:
    world = World([10, 11, RuntimeError("time-out of 10000ms while waiting for the simulator")])
    done = []

    def run() -> None:
        with Drive(world) as drive:
            while True:
                done.append(drive.tick().frame)

    with pytest.raises(ServerLost, match="time-out of 10000ms"):
        run()
    assert done == [10, 11]
    assert world.settings[-1] == (False, None)


def test_a_jump_of_the_frame_number_is_a_foreign_tick() -> None:
    with Drive(World([100, 102, 104, 106])) as drive:
        drive.tick()
        with pytest.raises(ForeignTick, match="frame 100 was followed by 102"):
            drive.tick()


def test_a_snapshot_of_another_frame_is_refused() -> None:
    with Drive(World([1000], shown=1001)) as drive, pytest.raises(ForeignTick, match=r"frame 1000.*1001"):
        drive.tick()


def test_a_vanished_actor_or_an_empty_box_does_not_lose_the_frame() -> None:
    world = World(
        [5, 6],
        [State(1, (1, 2, 3, 4, 5, 6)), State(2), State(3), State(4), State(5)],
        {
            1: Actor(1, "vehicle.tesla.model3", box(2, 1, 0.7)),
            2: Actor(2, "vehicle.tesla.model3"),
            3: Actor(3, "walker.pedestrian.0001", box(0, 0, 0)),
            5: Actor(5, "sensor.camera.rgb"),
        },
    )
    with Drive(world) as drive:
        tick = drive.tick()
        assert tick.actor_id.tolist() == [1]
        assert dict(tick.skipped) == {2: "destroyed", 3: "empty_extent", 4: "destroyed"}
        np.testing.assert_allclose(tick.transform, [(1, 2, 3, 4, 5, 6)])
        np.testing.assert_allclose(tick.velocity, [(3, 0, 0)])
        np.testing.assert_allclose(tick.box[0], (0, 0, 0.5, 2, 1, 0.7, 0, 0, 0), atol=1e-6)
        assert tick.types[tick.actor_type[0]] == "vehicle.tesla.model3"
        drive.tick()
    assert world.actors[1].asked == 1


def test_a_bicycle_without_width_is_kept() -> None:
    world = World([1], [State(1)], {1: Actor(1, "vehicle.bh.crossbike", box(0.9, 0, 0.8))})
    with Drive(world) as drive:
        assert drive.tick().actor_id.tolist() == [1]


def test_a_transform_that_is_not_finite_is_a_scene_error() -> None:
    world = World([1], [State(8, (float("nan"), 0, 0, 0, 0, 0))], {8: Actor(8, "vehicle.audi.tt", box(2, 1, 1))})
    with Drive(world) as drive, pytest.raises(SceneError, match="actor 8"):
        drive.tick()


def test_the_camera_rides_on_the_ego() -> None:
    pose = (10.0, 5.0, 0.5, 3.0, 90.0, -2.0)
    world = World([1], [State(4, pose)], {4: Actor(4, "vehicle.audi.tt", box(2, 1, 1))})
    mount = CameraMount(x=2.0, y=0.5, z=1.5, yaw=10.0)
    with Drive(world, mount=mount, ego_id=4) as drive:
        tick = drive.tick()
    expected = carla_matrix(np.array(pose)) @ carla_matrix(mount.pose())
    np.testing.assert_allclose(carla_matrix(tick.camera), expected, atol=1e-6)


def test_an_ego_that_is_gone_is_named() -> None:
    with Drive(World([1]), ego_id=9) as drive, pytest.raises(SceneError, match="actor 9, is gone"):
        drive.tick()


def test_a_map_that_is_not_opendrive_is_named() -> None:
    with pytest.raises(MapError, match="OpenDRIVE"):
        static_scene(World([]))


def test_a_closed_port_is_named() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(ServerLost, match=f"no CARLA server at 127.0.0.1:{port}"):
        connect(port=port, timeout_s=2.0)


def test_a_port_where_nobody_answers_is_a_lost_server() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ServerLost, match="did not answer"):
            connect(port=silent.getsockname()[1], timeout_s=1.0)


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A world server in its own process, and its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "foveal_sim.world", "--map", "straight", "--port", "0", "--traffic", "3"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        line = process.stdout.readline()
        assert "ready" in line, line
        yield process, int(line.split("rpc 127.0.0.1:")[1].split(",")[0])
    finally:
        process.kill()
        process.wait(timeout=10)
        process.stdout.close()


def test_a_killed_server_is_lost_after_the_frames_before_it(server: tuple[subprocess.Popen[str], int]) -> None:
    process, port = server
    frames = []

    def run() -> None:
        with Drive(connect(port=port, timeout_s=3.0), timeout_s=3.0) as drive:
            static = static_scene(drive.world)
            assert len(static.lane_s) > 0
            while True:
                frames.append(drive.tick())
                if len(frames) == 3:
                    process.kill()
                    process.wait(timeout=10)

    with pytest.raises(ServerLost, match="did not answer"):
        run()
    assert len(frames) == 3
    assert [tick.frame - frames[0].frame for tick in frames] == [0, 1, 2]
    assert all(len(tick.actor_id) == 3 for tick in frames)
