"""Rays meet boxes and the ground where geometry says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from foveal.tag import Tag
from foveal_sim.world.ground import Ground, make_ground
from foveal_sim.world.lanes import lane_strips
from foveal_sim.world.opendrive import load_map, parse_map
from foveal_sim.world.rays import GROUND, NOTHING, cast, crossings
from foveal_sim.world.scenery import BUILDINGS, CAR, EnvironmentObject
from foveal_sim.world.solids import Solids

AHEAD = np.array([[1.0, 0.0, 0.0]])
FLAT = Ground((-1000.0, -1000.0), 2000.0, np.full((1, 1), Tag.ROADS, np.uint8), 2.0, np.zeros((1, 1)))


def box(place: tuple[float, float, float], half: tuple[float, float, float], yaw: float = 0.0, label: int = BUILDINGS):
    return EnvironmentObject(1, label, "Box_1", place, half, yaw)


def solids(*things: EnvironmentObject, ground: Ground = FLAT) -> Solids:
    poses = np.array([(*t.centre, 0.0, t.yaw, 0.0) for t in things]).reshape(-1, 6)
    return Solids.of(things, poses, ground)


def test_a_ray_ends_on_the_face_before_it():
    # Centre 10 m ahead, 1 m deep to each side: 9 m, head on.
    hits = cast(solids(box((10, 0, 1), (1, 2, 1))), np.array([0.0, 0, 1]), AHEAD, 100.0)
    assert hits.distance[0] == pytest.approx(9.0)
    assert hits.cosine[0] == pytest.approx(1.0)
    assert (hits.index[0], hits.label[0]) == (0, BUILDINGS)


def test_a_turned_face_is_met_aslant():
    # |x - 10| + |y| = sqrt(2) is the outline of a square of half size 1 turned by 45 degrees.
    hits = cast(solids(box((10, 0, 1), (1, 1, 1), 45.0)), np.array([0.0, 0.5, 1]), AHEAD, 100.0)
    assert hits.distance[0] == pytest.approx(10 - math.sqrt(2) + 0.5)
    assert hits.cosine[0] == pytest.approx(math.sqrt(0.5))


def test_reach_and_aim_decide_whether_a_box_is_met():
    scene = solids(box((10, 0, 1), (1, 2, 1)))
    assert cast(scene, np.array([0.0, 0, 1]), AHEAD, 8.9).index[0] == NOTHING
    assert cast(scene, np.array([0.0, 2.1, 1]), AHEAD, 50.0).index[0] == NOTHING
    assert cast(scene, np.array([0.0, 0, 1]), -AHEAD, 50.0).index[0] == NOTHING
    assert math.isinf(cast(scene, np.array([0.0, 0, 1]), -AHEAD, 50.0).distance[0])


def test_the_nearest_of_several_counts_and_a_box_round_the_origin_does_not():
    scene = solids(box((20, 0, 1), (1, 2, 1)), box((0, 0, 1), (2, 2, 1)), box((10, 0, 1), (1, 2, 1), label=CAR))
    hits = cast(scene, np.array([0.0, 0, 1]), AHEAD, 100.0)
    assert (hits.index[0], hits.label[0]) == (2, CAR)
    assert hits.distance[0] == pytest.approx(9.0)


@pytest.mark.parametrize("pitch", [-10.0, -30.0, -89.0])
def test_flat_ground_lies_height_over_sine_away(pitch):
    down = math.radians(pitch)
    hits = cast(solids(), np.array([3.0, 4, 2]), np.array([[math.cos(down), 0, math.sin(down)]]), 100.0)
    assert hits.distance[0] == pytest.approx(2.0 / -math.sin(down))
    assert hits.cosine[0] == pytest.approx(-math.sin(down))
    assert (hits.index[0], hits.label[0]) == (GROUND, Tag.ROADS)


def test_level_and_rising_rays_and_those_from_below_never_meet_the_ground():
    ways = np.array([[1.0, 0, 0], [0.6, 0, 0.8]])
    assert cast(solids(), np.array([0.0, 0, 2]), ways, 1e4).index.tolist() == [NOTHING, NOTHING]
    assert cast(solids(), np.array([0.0, 0, -2]), np.array([[0.0, 0, -1], [0, 0, 1]]), 1e4).index.tolist() == [-2, -2]


def test_sectors_change_nothing():
    """Every ray of a crowded scene against the plain slab formula for one ray and all boxes."""
    random = np.random.default_rng(3)
    poses = np.column_stack([random.uniform(-30, 30, (80, 3)), random.uniform(-180, 180, (80, 3))])
    things = [box((0, 0, 0), tuple(half)) for half in random.uniform(0.2, 5.0, (80, 3))]
    scene = Solids.of(things, poses, FLAT)
    ways = random.normal(size=(3000, 3))
    ways[:6] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    origin = np.array([1.0, 2.0, 12.0])
    hits = cast(scene, origin, ways, 35.0)
    nearest = [next(iter(crossings(scene, origin, way, 35.0)), (math.inf, NOTHING)) for way in ways]
    assert hits.index.tolist() == [index for _, index in nearest]
    assert hits.distance == pytest.approx(np.array([distance for distance, _ in nearest]))
    assert len(set(hits.index.tolist())) > 30


def test_all_that_a_ray_crosses_comes_in_order():
    scene = solids(box((20, 0, 1), (1, 2, 5)), box((10, 0, 1), (1, 2, 5)))
    down = math.atan2(3.0, 30.0)
    way = np.array([math.cos(down), 0.0, -math.sin(down)])
    met = crossings(scene, np.array([0.0, 0, 3]), way, 100.0)
    assert [index for _, index in met] == [1, 0, GROUND]
    assert [distance * math.cos(down) for distance, _ in met] == pytest.approx([9.0, 19.0, 30.0])


def test_the_ground_of_a_street_has_roads_sidewalks_and_terrain_at_the_heights_that_cameras_see():
    road_map = load_map("straight")
    strips = lane_strips(road_map)
    ground = make_ground(strips)
    scene = solids(ground=ground)
    walk = next(strip for strip in strips if strip.span.kind == "sidewalk")
    drive = next(strip for strip in strips if strip.span.kind == "driving")
    for strip, label, height in ((walk, Tag.SIDEWALKS, 0.12), (drive, Tag.ROADS, 0.0)):
        x, y, z, _ = strip.at(strip.length / 2)
        hits = cast(scene, np.array([x, y, z + 5.0]), np.array([[0.0, 0, -1]]), 10.0)
        assert (hits.label[0], hits.index[0]) == (label, GROUND)
        assert hits.distance[0] == pytest.approx(5.0 - height)
    # The lane's edge, to half a cell.
    x, y, z, yaw = drive.at(drive.length / 2)
    right = -math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
    labels = []
    for beside in np.arange(0.0, 8.0, 0.01):
        place = np.array([x + right[0] * beside, y + right[1] * beside, z + 5.0])
        labels.append(int(cast(scene, place, np.array([[0.0, 0, -1]]), 10.0).label[0]))
    assert labels.index(Tag.SIDEWALKS) / 100 == pytest.approx(drive.width / 2, abs=0.07)
    assert labels.index(Tag.TERRAIN) / 100 == pytest.approx(drive.width / 2 + walk.width, abs=0.07)
    hits = cast(scene, np.array([100.0, 300.0, 5.0]), np.array([[0.0, 0, -1]]), 10.0)
    assert hits.label[0] == Tag.TERRAIN
    assert hits.distance[0] == pytest.approx(5.14)


def test_rays_meet_a_hill_where_it_rises():
    road = (
        '<OpenDRIVE><header revMajor="1" revMinor="4"><geoReference>+proj=tmerc</geoReference></header>'
        '<road name="" length="100" id="7" junction="-1"><planView><geometry s="0" x="0" y="0" hdg="0" length="100">'
        '<line/></geometry></planView><elevationProfile><elevation s="0" a="2" b="0.1" c="0" d="0"/></elevationProfile>'
        '<lanes><laneSection s="0"><center><lane id="0" type="none"/></center>'
        '<right><lane id="-1" type="driving"><width sOffset="0" a="6" b="0" c="0" d="0"/></lane></right>'
        "</laneSection></lanes></road></OpenDRIVE>"
    )
    ground = make_ground(lane_strips(parse_map(road, "hill", "hill.xodr")))
    assert not ground.flat
    # The road is at z = 2 + 0.1 x; a level ray 3 m over x = 20 meets it where 0.1 x = 5: 30 m on.
    hits = cast(solids(ground=ground), np.array([20.0, 3.0, 7.0]), AHEAD, 60.0)
    assert hits.distance[0] == pytest.approx(30.0, abs=0.1)
    assert hits.label[0] == Tag.ROADS
    assert hits.cosine[0] == pytest.approx(math.sin(math.atan(0.1)), rel=0.01)
    assert cast(solids(ground=ground), np.array([20.0, 3.0, 7.0]), AHEAD, 29.0).index[0] == NOTHING
    hits = cast(solids(ground=ground), np.array([60.0, 3.0, 20.0]), np.array([[0.0, 0, -1]]), 60.0)
    assert hits.distance[0] == pytest.approx(12.0, abs=0.05)
