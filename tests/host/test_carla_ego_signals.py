"""Which lights and signs govern the ego: by their trigger volumes on its lane, each asked for once."""

from __future__ import annotations

from collections import Counter

import carla
import numpy as np
import pytest
from foveal.carla.ego_signals import EgoSignals
from foveal.errors import ServerLost
from foveal.policy import Sight
from foveal.scene.tick import CameraMount
from foveal_sim.maps import map_path
from scene_samples import tick_of

MOUNT = CameraMount(width=640, height=360)
STREET = carla.Map("straight", map_path("straight").read_text())
"""500 m along +x; who drives that way is at y = 1.75."""


class Thing:
    """A light or sign as the package shows it; counts what it is asked for."""

    def __init__(self, number: int, kind: str, volume: tuple[float, float], yaw: float = 90.0, extent=(1.5, 2.0)):
        """volume: its middle in the world. Its pole stands 4 m to the right of that."""
        self.id, self.type_id = number, f"traffic.{kind}"
        self.asked: Counter[str] = Counter()
        turn = carla.Transform(carla.Location(0, 0, 0), carla.Rotation(yaw=yaw))
        self._pose = carla.Transform(carla.Location(volume[0], volume[1] + 4.0, 0.0), carla.Rotation(yaw=yaw))
        local = turn.inverse_transform(carla.Location(0.0, -4.0, 1.0))
        self._volume = carla.BoundingBox(local, carla.Vector3D(*extent, 1.0))

    @property
    def trigger_volume(self) -> carla.BoundingBox:
        self.asked["volume"] += 1
        return self._volume

    def get_transform(self) -> carla.Transform:
        return self._pose

    def get_light_boxes(self) -> list[carla.BoundingBox]:
        self.asked["boxes"] += 1
        place = self._pose.location
        return [carla.BoundingBox(carla.Location(place.x, place.y, z), carla.Vector3D(0.2, 0.2, 0.5)) for z in (3, 5)]


class World:
    """What EgoSignals asks of a world."""

    def __init__(self, *things: Thing, plates: tuple[float, ...] = ()):
        self.things, self.plates = list(things), plates
        self.gone = False

    def get_map(self) -> carla.Map:
        return STREET

    def get_actors(self):
        if self.gone:
            raise RuntimeError("time-out of 10000ms while waiting for the simulator")
        return self

    def filter(self, pattern: str) -> list[Thing]:
        assert pattern == "traffic.*"
        return self.things

    def get_level_bbs(self, label: carla.CityObjectLabel) -> list[carla.BoundingBox]:
        assert label == carla.CityObjectLabel.TrafficSigns
        return [carla.BoundingBox(carla.Location(x, 5.75, 2.6), carla.Vector3D(0.1, 0.4, 0.4)) for x in self.plates]


def sight(x: float, y: float = 1.75, yaw: float = 0.0) -> Sight:
    return Sight.of(tick_of([], ego=(x, y, 0.0, 0.0, yaw, 0.0), camera=(x, y, 1.7, 0.0, yaw, 0.0)), MOUNT)


def test_the_next_light_ahead_has_a_row_for_each_head():
    near, far = Thing(5, "traffic_light", (100.0, 1.75)), Thing(6, "traffic_light", (150.0, 1.75))
    rows = EgoSignals(World(far, near), horizon_m=120.0)(sight(60.0))
    assert rows.shape == (2, 11)
    assert rows[:, :3] == pytest.approx(np.array([(100.0, 5.75, 3.0), (100.0, 5.75, 5.0)]), abs=1e-4)
    # The volume is 4 m long: it begins at 98 m, 38 m ahead; samples lie half a metre apart.
    assert rows[:, 9] == pytest.approx([38.0, 38.0], abs=1.01)
    assert rows[:, 10].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("x", "y", "yaw", "found"),
    [
        (60.0, 1.75, 0.0, True),
        (39.0, 1.75, 0.0, True),
        (30.0, 1.75, 0.0, False),  # farther than 60 m
        (100.0, 1.75, 0.0, True),  # in the volume
        (104.0, 1.75, 0.0, True),  # waits a little past it
        (110.0, 1.75, 0.0, False),
        (140.0, -1.75, 180.0, False),  # comes towards it on the other lane
        (60.0, 30.0, 0.0, False),  # beside the street
    ],
)
def test_only_a_volume_on_the_lane_ahead_governs(x, y, yaw, found):
    assert bool(len(EgoSignals(World(Thing(5, "traffic_light", (100.0, 1.75))))(sight(x, y, yaw)))) == found


def test_a_crossing_roads_light_does_not_govern():
    # Its volume lies across the street's end of a side road, 6 m beside the lane.
    crossing = Thing(5, "traffic_light", (100.0, 7.75), yaw=0.0)
    own = Thing(6, "traffic_light", (110.0, 1.75))
    rows = EgoSignals(World(crossing, own))(sight(70.0))
    assert rows[:, 0] == pytest.approx([110.0, 110.0], abs=1e-4)


def test_lights_of_one_line_govern_together():
    pair = [Thing(5, "traffic_light", (100.0, 1.75)), Thing(6, "traffic_light", (101.0, 1.75))]
    assert len(EgoSignals(World(*pair))(sight(60.0))) == 4


def test_a_sign_takes_the_maps_box_beside_it_else_a_common_one():
    sign = Thing(5, "speed_limit.30", (100.0, 1.75))
    (row,) = EgoSignals(World(sign, plates=(20.0, 100.5)))(sight(60.0))
    assert row[:6] == pytest.approx([100.5, 5.75, 2.6, 0.1, 0.4, 0.4], abs=1e-4)
    assert row[10] == 0.5
    (row,) = EgoSignals(World(sign, plates=(20.0,)))(sight(60.0))
    assert row[:6] == pytest.approx([100.0, 5.75, 2.5, 0.4, 0.4, 0.5], abs=1e-4)


def test_signs_up_to_the_horizon_all_count():
    signs = [Thing(n, "stop", (70.0 + 10 * n, 1.75)) for n in range(3)]
    assert len(EgoSignals(World(*signs))(sight(60.0))) == 3


def test_importance_decides_what_counts():
    things = Thing(5, "traffic_light", (100.0, 1.75)), Thing(6, "stop", (100.0, 1.75)), Thing(7, "yield", (100.0, 1.75))
    rows = EgoSignals(World(*things), importance={"traffic.stop": 3.0, "traffic.y": 2.0})(sight(60.0))
    assert sorted(rows[:, 10].tolist()) == [2.0, 3.0]
    with pytest.raises(ValueError, match="importance"):
        EgoSignals(World(), importance={"traffic.": -1.0})


def test_each_thing_is_asked_for_once():
    light, sign = Thing(5, "traffic_light", (100.0, 1.75)), Thing(6, "traffic_light", (200.0, 1.75))
    signals = EgoSignals(World(light, sign))
    for x in np.arange(50.0, 100.0, 2.0):
        signals(sight(float(x)))
    assert light.asked == {"volume": 1, "boxes": 1}
    assert sign.asked == {"volume": 1}, "no boxes before it governs"


def test_actors_that_come_with_the_first_tick_are_found_then():
    world = World()
    signals = EgoSignals(world)
    assert len(signals(sight(60.0))) == 0
    world.things.append(Thing(5, "traffic_light", (100.0, 1.75)))
    assert len(signals(sight(60.0))) == 2


def test_a_lost_server_is_told():
    world = World()
    signals = EgoSignals(world)
    world.gone = True
    with pytest.raises(ServerLost):
        signals(sight(60.0))
