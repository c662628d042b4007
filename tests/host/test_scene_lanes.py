"""Lane samples from a map, without a server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import carla
import numpy as np
import pytest
from foveal.carla.shared_scene import shared_scene
from foveal.carla.world_scene import lanes, static_scene
from foveal.errors import MapError
from foveal.scene.assemble import build_scene
from foveal.scene.static import Lane, Mark, StaticScene

LENGTH_M = 50.5
ROAD = f"""<?xml version="1.0"?>
<OpenDRIVE>
  <header revMajor="1" revMinor="4" name="one" north="0" south="0" east="0" west="0"/>
  <road name="a" length="{LENGTH_M}" id="3" junction="-1">
    <type s="0" type="town"/>
    <planView><geometry s="0" x="0" y="0" hdg="0" length="{LENGTH_M}"><line/></geometry></planView>
    <elevationProfile><elevation s="0" a="1" b="0" c="0" d="0"/></elevationProfile>
    <lateralProfile/>
    <lanes>
      <laneSection s="0">
        <left>
          <lane id="1" type="driving" level="false"><link/><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
            <roadMark sOffset="0" type="solid" color="white" width="0.12"/></lane>
        </left>
        <center><lane id="0" type="none" level="false"><roadMark sOffset="0" type="broken" color="yellow" width="0.12"/>
        </lane></center>
        <right>
          <lane id="-1" type="driving" level="false"><link/><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
            <roadMark sOffset="0" type="solid" color="white" width="0.12"/></lane>
          <lane id="-2" type="sidewalk" level="false"><link/><width sOffset="0" a="2" b="0" c="0" d="0"/></lane>
        </right>
      </laneSection>
    </lanes>
  </road>
</OpenDRIVE>"""


def test_lanes_are_sampled_from_start_to_end_with_what_lies_beside_them() -> None:
    found = lanes(carla.Map("one", ROAD), 2.0)
    key, s, pose = found["lane_key"], found["lane_s"], found["lane_pose"]
    assert sorted(set(key[:, 2].tolist())) == [-2, -1, 1]
    for lane, y, use in ((-2, 4.5, Lane.SIDEWALK), (-1, 1.75, Lane.DRIVING), (1, -1.75, Lane.DRIVING)):
        mine = key[:, 2] == lane
        assert s[mine].max() == pytest.approx(LENGTH_M, abs=0.05)
        assert s[mine].min() == pytest.approx(0.0, abs=0.05)
        assert (np.diff(s[mine]) > 0).all()
        assert np.diff(s[mine]).max() == pytest.approx(2.0, abs=0.01)
        np.testing.assert_allclose(pose[mine, 1], y, atol=1e-4)
        np.testing.assert_allclose(pose[mine, 2], 1.0, atol=1e-4)
        assert (found["lane_use"][mine] == use).all()
    assert (key[:, 3] == -1).all()


def test_marks_colours_and_open_sides_are_those_of_the_map() -> None:
    found = lanes(carla.Map("one", ROAD), 5.0)
    right = found["lane_key"][:, 2] == -1
    assert (found["lane_mark"][right] == (Mark.BROKEN, Mark.SOLID)).all()
    assert (found["lane_yellow"][right] == (True, False)).all()
    assert not found["lane_open"][right].any()
    oncoming = found["lane_key"][:, 2] == 1
    assert (found["lane_open"][oncoming] == (False, True)).all()


def test_a_map_without_lanes_is_named() -> None:
    with pytest.raises(MapError, match="'bare' has no driving lane"):
        lanes(carla.Map("bare", "<OpenDRIVE/>"))


def test_a_map_without_lanes_is_ground_and_objects_where_that_will_do() -> None:
    box = carla.BoundingBox(carla.Location(20, 5, 4), carla.Vector3D(5, 5, 4))
    house = SimpleNamespace(id=9, type=carla.CityObjectLabel.Buildings, bounding_box=box)

    class World:
        id = 1

        def get_map(self) -> carla.Map:
            return carla.Map("bare", "<OpenDRIVE/>")

        def get_environment_objects(self, label: carla.CityObjectLabel) -> list[SimpleNamespace]:
            return [house]

    world: Any = World()
    with pytest.raises(MapError, match="no driving lane"):
        static_scene(world)
    static = shared_scene(world).static
    assert (len(static.lane_s), static.object_id.tolist()) == (0, [9])
    empty = build_scene(StaticScene.empty("bare"))
    assert len(build_scene(static).meshes.triangle) > len(empty.meshes.triangle)
