"""Cameras in threads of their own that draw with one device."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
from foveal.carla.turns import DeviceTurns
from foveal.channel import Channel
from foveal.drawlist import MeshSet
from foveal.region import RegionSet
from random_scenes import mesh_set

WHOLE = RegionSet.full(4, 4)


def meshes(height: float) -> MeshSet:
    corners = np.array([(0.0, 0.0, height), (1.0, 0.0, height), (0.0, 1.0, height)])
    return mesh_set([(corners, np.array([(0, 1, 2)]))])


class Recorder:
    """A device that says what it was told, and whether two threads used it at once."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.shared = False
        self._free = threading.Lock()

    def load(self, meshes: MeshSet) -> None:
        self._work("load", float(meshes.position[0, 2]))

    def render(self, draw: Any, regions: RegionSet, *, channels: Channel) -> Any:
        self._work("draw", draw)
        return draw

    def close(self) -> None:
        self._work("close", None)

    def _work(self, what: str, detail: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.shared = True
            return
        time.sleep(0.001)
        self.told.append((what, detail))
        self._free.release()


def draw(turns: DeviceTurns, own: MeshSet, what: Any) -> Any:
    return turns.render(own, what, WHOLE, Channel.COLOUR)


def test_one_device_has_one_set_of_turns() -> None:
    one: Any = Recorder()
    other: Any = Recorder()
    held = DeviceTurns.of(one)
    assert DeviceTurns.of(one) is held
    assert DeviceTurns.of(other) is not held


def test_each_picture_is_drawn_of_the_meshes_of_its_camera() -> None:
    """Loaded once for as long as nobody else comes, and for equal ones."""
    device: Any = Recorder()
    turns = DeviceTurns.of(device)
    low, high = meshes(0.0), meshes(2.0)
    turns.load(low)
    for own, what in ((low, 1), (meshes(0.0), 2), (high, 3), (high, 4), (low, 5)):
        assert draw(turns, own, what) == what
    want = [
        ("load", 0.0),
        ("draw", 1),
        ("draw", 2),
        ("load", 2.0),
        ("draw", 3),
        ("draw", 4),
        ("load", 0.0),
        ("draw", 5),
    ]
    assert device.told == want


def test_what_could_not_be_loaded_is_loaded_again() -> None:
    device: Any = Recorder()
    turns, own = DeviceTurns.of(device), meshes(1.0)
    load, device.load = device.load, lambda meshes: [][0]
    for _ in range(2):
        try:
            turns.load(own)
        except IndexError:
            device.load = load
    assert device.told == [("load", 1.0)]


def test_threads_wait_for_each_other_and_closing_waits_for_the_picture() -> None:
    device: Any = Recorder()

    def work(number: int) -> None:
        turns, own = DeviceTurns.of(device), meshes(float(number))
        for _ in range(20):
            draw(turns, own, number)

    keep = DeviceTurns.of(device)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    keep.close()
    for thread in threads:
        thread.join()
    assert not device.shared
    loaded = None
    for what, detail in device.told:
        loaded = detail if what == "load" else loaded
        assert what != "draw" or detail == loaded
