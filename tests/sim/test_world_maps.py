"""Packaged maps are fresh and closed; files that the client would misread are refused or warned about."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import carla
import numpy as np
import pytest
from foveal.errors import MapError
from foveal_sim.maps import map_names, map_path
from foveal_sim.maps.generate import opendrive
from foveal_sim.maps.plan import Arm, Crossing, Lane, Plan, plans
from foveal_sim.world.geometry import footprint, overlaps
from foveal_sim.world.lanes import LaneGraph, lane_strips
from foveal_sim.world.opendrive import load_map, parse_map, uploaded_map
from foveal_sim.world.roadside import Roadside
from foveal_sim.world.scenery import (
    BUILDINGS,
    CAR,
    POLES,
    TRAFFIC_LIGHT,
    TRAFFIC_SIGN,
    VEGETATION,
    place_scenery,
)
from world_client import run_client, run_server, world_server

ROAD = """<?xml version="1.0"?>
<OpenDRIVE>
  <header revMajor="1" revMinor="4"/>
  <road name="" length="50" id="{id}" junction="-1">
    <planView><geometry s="0" x="0" y="0" hdg="0" length="{length}">{shape}</geometry></planView>
    <lanes><laneSection s="0">
      <left><lane id="1" type="driving" level="false">{width}</lane></left>
      <center><lane id="0" type="none" level="false"/></center>
      <right><lane id="-1" type="driving" level="false">{width}</lane></right>
    </laneSection></lanes>
  </road>
</OpenDRIVE>
"""
WIDTH = '<width sOffset="0" a="3.5" b="0" c="0" d="0"/>'


def road(**changes: str) -> str:
    return ROAD.format(**{"id": "1", "length": "50", "shape": "<line/>", "width": WIDTH, **changes})


def test_packaged_maps_are_what_the_generator_writes():
    assert map_names() == sorted(plans())
    for name, plan in plans().items():
        assert map_path(name).read_text(encoding="utf-8") == opendrive(plan)


@pytest.mark.parametrize("name", map_names())
def test_lanes_of_a_packaged_map_join_without_gap_or_kink(name):
    road_map = load_map(name)
    assert road_map.warnings == ()
    graph = LaneGraph.of(lane_strips(road_map), "driving")
    joints = [(lane, after) for lane, following in enumerate(graph.successors) for after in following]
    assert bool(joints) == (name != "straight")
    for lane, after in joints:
        end, start = graph.strips[lane], graph.strips[after]
        assert np.linalg.norm(end.xyz[-1] - start.xyz[0]) < 0.05, (end.key, start.key)
        assert abs((end.yaw[-1] - start.yaw[0] + 180) % 360 - 180) < 0.5, (end.key, start.key)


def test_the_curve_bends_both_ways():
    (forward, *_) = [strip for strip in lane_strips(load_map("curve")) if strip.key == (2, 0, -1)]
    (back, *_) = [strip for strip in lane_strips(load_map("curve")) if strip.key == (4, 0, -1)]
    assert forward.yaw[-1] - forward.yaw[0] == pytest.approx(-90, abs=0.5), "CARLA counts yaw to the right"
    assert back.yaw[-1] - back.yaw[0] == pytest.approx(60, abs=0.5)


def test_each_arm_of_the_junction_leads_to_the_three_others():
    graph = LaneGraph.of(lane_strips(load_map("junction")), "driving")
    roads = {strip.key[0]: lane for lane, strip in enumerate(graph.strips) if strip.key[2] == 1}
    assert sorted(roads) == [1, 2, 3, 4]
    for arm, lane in roads.items():
        ways = graph.successors[lane]
        ends = {graph.strips[out].key for way in ways for out in graph.successors[way]}
        assert len(ways) == 3
        assert ends == {(other, 0, -1) for other in roads if other != arm}


def test_each_arm_has_a_light_that_the_client_finds_ahead():
    world_map = load_map("junction").geometry
    for arm in (1, 2, 3, 4):
        lane = world_map.get_waypoint_xodr(arm, 1, 41.0)
        (light,) = lane.get_landmarks(60.0, False)
        assert (light.id, light.type, light.distance) == (str(arm), "1000001", pytest.approx(40.0))
        beside = lane.transform.get_right_vector()
        offset = light.transform.location - lane.transform.location
        assert offset.x * beside.x + offset.y * beside.y > lane.lane_width / 2, "on the right of who comes"
        assert world_map.get_waypoint_xodr(arm, -1, 0.5).get_landmarks(60.0, False) == []


def test_the_town_block_has_lights_and_signs_that_the_client_finds_ahead():
    road_map = load_map("town_block")
    kinds = [signal.type_id.removeprefix("traffic.") for signal in road_map.signals]
    assert sorted(kinds) == sorted(["traffic_light"] * 4 + ["stop", "yield"] + ["speed_limit.30", "speed_limit.50"] * 2)
    assert [crossroad.phases for crossroad in road_map.crossroads] == [(("1", "2"),), (("7", "8"),)]
    for road, lane, s, found in [(1, -1, 50.0, "1"), (1, 1, 100.0, "2"), (5, -1, 30.0, "7"), (7, -1, 10.0, "9")]:
        (landmark,) = road_map.geometry.get_waypoint_xodr(road, lane, s).get_landmarks(35.0, False)
        assert landmark.id == found
    for signal in road_map.signals:
        x, y, _, _ = signal.pose
        place = carla.Location(x, y, 0.0)
        assert road_map.geometry.get_waypoint(place, False, carla.LaneType.Driving) is None
        assert road_map.geometry.get_waypoint(place, False, carla.LaneType.Parking) is None


@pytest.mark.parametrize("sign", ["{kind: lamp, for: back, at: 1}", "{kind: stop, for: all, at: 1}"])
def test_signs_of_another_kind_or_side_are_refused(sign):
    text = "streets: {s: [[driving, 3]]}\nmaps: {m: {street: s, speed_mps: 9, chain: [{length: 9, signs: [SIGN]}]}}"
    with pytest.raises(ValueError, match="forward or back"):
        plans(text.replace("SIGN", sign))


def test_faces_of_lights_and_signs_stand_on_poles_and_look_at_who_comes():
    road_map = load_map("town_block")
    strips = lane_strips(road_map)
    graph = LaneGraph.of(strips, "driving")
    roadside = Roadside(road_map.signals, graph)
    bare, things = place_scenery(strips), place_scenery(strips, roadside.faces)
    assert things[: len(bare)] == bare
    faces, poles = things[len(bare) :: 2], things[len(bare) + 1 :: 2]
    assert [thing.label for thing in faces] == [
        TRAFFIC_LIGHT if s.type_id == "traffic.traffic_light" else TRAFFIC_SIGN for s in road_map.signals
    ]
    for signal, face, pole in zip(road_map.signals, faces, poles, strict=True):
        assert pole.label == POLES
        assert pole.centre[:2] == face.centre[:2]
        assert pole.centre[2] + pole.half[2] == pytest.approx(face.centre[2] - face.half[2])
        assert pole.centre[2] == pytest.approx(pole.half[2])
        (road, lane, s) = signal.lines[0]
        yaw = road_map.geometry.get_waypoint_xodr(road, lane, s).transform.rotation.yaw
        assert abs((face.yaw - yaw + 360.0) % 360.0 - 180.0) < 0.01


def test_arms_that_meet_at_odd_angles_are_refused():
    text = "streets: {s: [[driving, 3]]}\nmaps: {m: {street: s, speed_mps: 9, setback: 9, phases: [], arms: ARMS}}"
    for arms in ("[{heading: 45, length: 9}]", "[{heading: 90, length: 9}, {heading: 90, length: 9}]"):
        with pytest.raises(ValueError, match="quarter turns"):
            plans(text.replace("ARMS", arms))


def test_a_crossing_may_have_three_arms():
    crossing = Crossing((Arm(0, 60.0), Arm(1, 60.0), Arm(2, 60.0)), 12.0, ((0, 2), (1,)))
    road_map = parse_map(opendrive(Plan("tee", (Lane("driving", 3.0),), 10.0, crossing)), "tee", "tee.xodr")
    graph = LaneGraph.of(lane_strips(road_map), "driving")
    assert sorted(len(following) for following in graph.successors) == [0] * 3 + [1] * 6 + [2] * 3


def test_town_block_closes_lane_by_lane():
    graph = LaneGraph.of(lane_strips(load_map("town_block")), "driving")
    assert len(graph) == 16
    for lane, following in enumerate(graph.successors):
        assert len(following) == 1
        end = graph.strips[lane]
        start = graph.strips[following[0]]
        assert np.linalg.norm(end.xyz[-1] - start.xyz[0]) < 0.05
        assert abs((end.yaw[-1] - start.yaw[0] + 180) % 360 - 180) < 0.5


def test_straight_has_lanes_of_500_m_3_5_m_wide():
    strips = lane_strips(load_map("straight"))
    driving = [strip for strip in strips if strip.span.kind == "driving"]
    assert [(round(s.length), s.width) for s in driving] == [(500, 3.5)] * 2
    assert sum(strip.span.kind == "sidewalk" for strip in strips) == 2


@pytest.mark.parametrize(
    ("name", "labels"),
    [("straight", {3, 6, 9}), ("curve", {3, 6, 9}), ("junction", {3, 6, 9}), ("town_block", {3, 6, 9, 14})],
)
def test_scenery_stands_beside_the_road_and_apart(name, labels):
    road_map = load_map(name)
    strips = lane_strips(road_map)
    things = place_scenery(strips)
    assert {thing.label for thing in things} == labels == labels & {BUILDINGS, POLES, VEGETATION, CAR}
    boxes = np.array([(*t.centre[:2], t.yaw, *t.half[:2]) for t in things])
    corners = footprint(*boxes.T)
    for index in range(len(things)):
        assert not overlaps(corners[index], np.delete(corners, index, axis=0)).any(), things[index].name
    for thing, box in zip(things, corners, strict=True):
        if thing.label == BUILDINGS:
            assert 6.0 <= 2 * thing.half[2] <= 20.0
        for x, y in box:
            where = road_map.geometry.get_waypoint(carla.Location(float(x), float(y), 0.0), project_to_road=False)
            assert where is None, f"{thing.name} stands on a driving lane"


def test_the_same_map_gets_the_same_scenery():
    assert place_scenery(lane_strips(load_map("straight"))) == place_scenery(lane_strips(load_map("straight")))


def test_a_sound_road_is_accepted_without_a_warning():
    road_map = parse_map(road(), "user", "user.xodr")
    assert road_map.warnings == ()
    assert [span.lane for span in road_map.lanes] == [1, -1]


@pytest.mark.parametrize("number", ["road_A", "-7", "1.0", "", "4294967296", "\u0661"])
def test_road_ids_that_are_not_decimal_integers_are_refused(number):
    with pytest.raises(MapError, match=r"user\.xodr, line 4: road id .* decimal integer"):
        parse_map(road(id=number), "user", "user.xodr")


def test_a_road_id_used_twice_is_refused_with_both_lines():
    once = road()
    body = once[once.index("  <road") : once.index("</OpenDRIVE>")]
    with pytest.raises(MapError, match="line 12: road id 1 is already used on line 4"):
        parse_map(once.replace("</OpenDRIVE>", body + "</OpenDRIVE>"), "user", "user.xodr")


def test_lanes_without_width_warn_and_cannot_be_driven():
    road_map = parse_map(road(width=""), "user", "user.xodr")
    assert len(road_map.warnings) == 2
    assert all("no width" in warning and "road 1" in warning for warning in road_map.warnings)
    assert lane_strips(road_map) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<OpenDRIVE>\n<road id='1'>\n</OpenDRIVE>", "f.xodr, line 3: not OpenDRIVE, XML error: mismatched tag"),
        ("not xml at all", "f.xodr, line 1: not OpenDRIVE, XML error"),
        ("", "f.xodr, line 1: not OpenDRIVE, XML error: no element found"),
        ("<osm/>", "f.xodr, line 1: root element is <osm>"),
        ("<OpenDRIVE/>", "f.xodr: holds no <road>"),
        (road(length="nan"), "line 5: <geometry length='nan'> is not a finite number"),
        (road(shape=""), "line 5: <geometry> of road 1 has no shape"),
    ],
)
def test_what_is_not_opendrive_is_refused_with_file_and_line(text, message):
    with pytest.raises(MapError) as caught:
        parse_map(text, "f", "f.xodr")
    assert message in str(caught.value)


CROSSING = map_path("junction").read_text(encoding="utf-8")


def changed(old: str, new: str) -> tuple[str, int]:
    """The junction with the first `old` replaced, and the line where that is."""
    at = CROSSING.index(old)
    return CROSSING[:at] + new + CROSSING[at + len(old) :], CROSSING.count("\n", 0, at) + 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('length="150" id="1"', 'length="0" id="1"', "road 1 is 0 m long"),
        ('length="150" id="1"', 'length="-150" id="1"', "road 1 is -150 m long"),
        ('length="150" id="1"', 'length="1e9" id="1"', "road 1 is 1e+09 m long"),
        ('hdg="0" length="150"', 'hdg="0" length="0"', "<geometry> of road 1 is 0 m long"),
        ('hdg="0" length="150"', 'hdg="0" length="-5"', "<geometry> of road 1 is -5 m long"),
        ('<geometry s="0" x="16"', '<geometry s="0" x="inf"', "<geometry x='inf'> is not a finite number"),
        ('<geometry s="0" x="16"', '<geometry s="0" x="1e300"', "more than 10,000 km away"),
        ('<geometry s="0"', '<geometry s="20"', "starts at s=20, expected 0"),
        ('junction="100"', 'junction="77"', "belongs to junction '77', which is not in the map"),
        (
            'elementType="junction" elementId="100"',
            'elementType="junction" elementId="9"',
            "junction '9', which is not",
        ),
        (
            'elementType="road" elementId="1"',
            'elementType="road" elementId="99"',
            "is road '99', which is not in the map",
        ),
        ('contactPoint="start"', 'contactPoint="middle"', "contactPoint 'middle'"),
        ('<laneSection s="0"', '<laneSection s="-5"', "starts at s=-5, expected 0"),
        ('<lane id="1"', '<lane id="one"', "<lane id='one'> is not a whole number"),
        ('<lane id="1"', '<lane id="2"', "lane 2 of road 1 is there twice"),
        ('<lane id="2"', '<lane id="-2"', "lane -2 of road 1 is on the wrong side, <left>"),
        ('a="3.5"', 'a="nan"', "<width a='nan'> is not a finite number"),
        ('a="3.5"', 'a="1e30"', "lane 1 of road 1 is 1e+30 m wide"),
        ('sOffset="0" a="3.5"', 'sOffset="50" a="3.5"', "has no width before its first sOffset"),
        ('<predecessor id="1"', '<predecessor id="9"', "is lane 9, which is not there"),
        ('connectingRoad="5"', 'connectingRoad="999"', "connectingRoad '999' of junction 100 is no road"),
        ('incomingRoad="1"', 'incomingRoad="x"', "incomingRoad 'x' of junction 100 is no road"),
        ('from="1" to="-1"', 'from="1" to="-9"', "joins lanes 1 and -9, of which one is not there"),
        ('<junction id="100"', '<junction id="J"', "junction id 'J' is not a decimal integer"),
        ('<arc curvature="', '<arc curvature="0" was="', "has no curvature; write <line/>"),
        ('signalId="1"', 'signalId="44"', "<control> names signal '44'"),
        ("+lat_0=0", "+lat_0=north", "+lat_0=north, which is no number"),
    ],
)
def test_what_the_client_would_misread_or_end_for_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    text, line = changed(old, new)
    with pytest.raises(MapError, match=r"user\.xodr, line (\d+): ") as caught:
        parse_map(text, "user", "user.xodr")
    assert message in str(caught.value)
    assert f"line {line}: " in str(caught.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("road/planView/geometry/line", "has no shape that the client knows"),
        ("road/lanes/laneSection/center/lane", "no centre lane"),
        ("road/lanes/laneSection", "has no <laneSection>"),
        ("road/planView", "has no <planView><geometry>"),
        ("road/signals/signal", "names signal '1', which is not in the map"),
    ],
)
def test_what_is_missing_is_refused(path: str, message: str) -> None:
    root = ET.fromstring(CROSSING)
    gone = root.find(path)
    parents = {child: parent for parent in root.iter() for child in parent}
    parents[gone].remove(gone)
    with pytest.raises(MapError, match=r"user\.xodr, line \d+: ") as caught:
        parse_map(ET.tostring(root, encoding="unicode"), "user", "user.xodr")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ('<elevationProfile><elevation s="0" a="nan" b="0" c="0" d="0"/></elevationProfile>', "a='nan'"),
        ('<elevationProfile><elevation s="0" a="0" b="0" c="0" d="1e38"/></elevationProfile>', "goes beyond"),
        ('<lateralProfile><superelevation s="x" a="0" b="0" c="0" d="0"/></lateralProfile>', "s='x'"),
    ],
)
def test_heights_that_are_not_finite_are_refused(element: str, message: str) -> None:
    text = road().replace("</planView>", "</planView>\n" + element)
    with pytest.raises(MapError, match=r"line 6: .*") as caught:
        parse_map(text, "user", "user.xodr")
    assert message in str(caught.value)


def test_a_lane_section_that_is_there_twice_is_refused() -> None:
    section = road()[road().index("<laneSection") : road().index("</lanes>")]
    with pytest.raises(MapError, match=r"line 10: <laneSection> of road 1 starts at s=0, not after"):
        parse_map(road().replace("</lanes>", section + "</lanes>"), "user", "user.xodr")


def test_a_map_where_nothing_can_drive_is_refused() -> None:
    with pytest.raises(MapError, match="no lane has the type driving"):
        parse_map(road().replace('type="driving"', 'type="sidewalk"'), "user", "user.xodr")


def test_lane_numbers_with_a_gap_are_refused() -> None:
    with pytest.raises(MapError, match=r"line 6: lanes \[-2, 0, 1\] of road 1 leave a number out"):
        parse_map(road().replace('lane id="-1"', 'lane id="-2"'), "user", "user.xodr")


def test_what_is_legal_but_odd_is_warned_about() -> None:
    warnings = parse_map(road(length="30").replace('a="3.5"', 'a="-3.5"', 1), "user", "user.xodr").warnings
    assert [warning.partition(": ")[0] for warning in warnings] == ["user.xodr, line 4", "user.xodr, line 7"]
    for warning, reason in zip(warnings, ("ends at 30 m", "negative width"), strict=True):
        assert reason in warning


def test_entities_and_endless_nesting_are_refused_before_they_grow() -> None:
    bomb = '<!DOCTYPE OpenDRIVE [\n<!ENTITY a "aaaaaaaaaa">\n<!ENTITY b "&a;&a;&a;&a;">\n]>\n<OpenDRIVE>&b;</OpenDRIVE>'
    with pytest.raises(MapError, match="line 2: declares the entity 'a'"):
        parse_map(bomb, "bomb", "bomb.xodr")
    with pytest.raises(MapError, match="line 1: elements nest deeper than"):
        parse_map("<OpenDRIVE>" + "<road>" * 200_000, "deep", "deep.xodr")


def test_what_is_no_file_or_too_large_is_refused_unread(tmp_path) -> None:
    with pytest.raises(MapError, match="not a file"):
        load_map("/dev/zero")
    with pytest.raises(MapError, match="not a file"):
        load_map(str(tmp_path))
    vast = tmp_path / "vast.xodr"
    with vast.open("wb") as file:
        file.truncate(257 << 20)
    with pytest.raises(MapError, match="larger than 256 MiB"):
        load_map(str(vast))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('<signal name="light 0" id="1"', '<signal name="light 0" id="2"', "ends by signal 11"),
        ('length="150" id="1"', 'length="0" id="1"', "s <= road->GetLength()"),
        ("+lat_0=0", "+lat_0=x", "stod"),
    ],
)
def test_what_slips_through_ends_a_process_of_its_own(monkeypatch, old: str, new: str, reason: str) -> None:
    """The last guard, without the checks before it: the client itself, on files that end it."""
    monkeypatch.setattr("foveal_sim.world.opendrive.check_map", lambda document: [])
    with pytest.raises(MapError, match="carla client") as caught:
        parse_map(changed(old, new)[0], "user", "user.xodr")
    assert reason in str(caught.value)


def test_an_uploaded_map_is_refused_with_the_text_for_the_client() -> None:
    body = """
try:
    client.generate_opendrive_world(TEXT)
except RuntimeError as error:
    facts["error"] = str(error)
facts["map"] = world.get_map().name
"""
    text, line = changed('length="150" id="1"', 'length="-150" id="1"')
    with world_server("--map", "straight") as running:
        facts = run_client(body.replace("TEXT", repr(text)), running.rpc)
    assert f"uploaded map, line {line}: road 1 is -150 m long" in facts["error"]
    assert facts["map"].endswith("straight"), "the world goes on"


def test_an_uploaded_map_that_takes_long_is_refused_because_others_wait(monkeypatch) -> None:
    monkeypatch.setattr("foveal_sim.world.opendrive.UPLOAD_TRIAL_S", 0.01)
    with pytest.raises(MapError, match=r"uploaded map: .* more than 0.01 s .* start a server with it \(--map FILE\)"):
        uploaded_map(road(), "mine")
    size = len(road().encode())
    monkeypatch.setattr("foveal_sim.world.opendrive.UPLOAD_BYTES", size - 1)
    with pytest.raises(MapError, match=r"at most; split it, or start a server with it \(--map FILE\)"):
        uploaded_map(road(), "mine")
    monkeypatch.undo()
    assert uploaded_map(road(), "mine").name == "mine"


def test_scenery_ends_where_enough_stands(monkeypatch) -> None:
    strips = lane_strips(load_map("town_block"))
    whole = place_scenery(strips)
    monkeypatch.setattr("foveal_sim.world.scenery._MOST_OBJECTS", 50)
    assert place_scenery(strips) == whole[:50]


def test_the_server_says_whether_a_map_can_be_used(tmp_path) -> None:
    file = tmp_path / "mine.xodr"
    file.write_text(road(width=""), encoding="utf-8")
    done = run_server("--map", str(file), "--check")
    assert done.returncode == 0
    assert done.stdout.count("warning: ") == 2
    assert "map mine can be used" in done.stdout
    file.write_text(road(length="0"), encoding="utf-8")
    done = run_server("--map", str(file), "--check")
    assert (done.returncode, done.stdout) == (1, "")
    assert "mine.xodr, line 5: <geometry> of road 1 is 0 m long" in done.stderr


@pytest.mark.parametrize("sides", [("left",), ("right",), ("left", "right")], ids="+".join)
def test_a_check_counts_what_the_file_holds_in_the_right_number(tmp_path, sides: tuple[str, ...]) -> None:
    file, root = tmp_path / "mine.xodr", ET.fromstring(road())
    section = root.find(".//laneSection")
    for side in {"left", "right"} - set(sides):
        section.remove(section.find(side))
    file.write_text(ET.tostring(root, encoding="unicode"), encoding="utf-8")
    said = re.search(
        r"can be used: (\d+) (roads?), (\d+) (lanes?), (\d+) (warnings?)",
        run_server("--map", str(file), "--check").stdout,
    )
    assert said
    lanes = sum(lane.find("width") is not None for lane in root.iterfind(".//lane"))  # the middle has none
    roads = sum(road.find(".//lane/width") is not None for road in root.iterfind("road"))
    assert (int(said[1]), int(said[3])) == (roads, lanes)
    for count, noun in zip(said.groups()[::2], said.groups()[1::2], strict=True):
        assert noun.endswith("s") == (count != "1")


def test_a_link_to_a_missing_road_is_refused():
    linked = road().replace("<planView>", '<link><successor elementType="road" elementId="9"/></link><planView>')
    with pytest.raises(MapError, match=r"line 5: successor of road 1 is road '9'"):
        parse_map(linked, "f", "f.xodr")


def test_a_missing_file_names_the_packaged_maps():
    with pytest.raises(MapError, match="straight, town_block"):
        load_map("no_such_map")


def test_a_binary_file_is_refused(tmp_path):
    file = tmp_path / "picture.xodr"
    file.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(MapError, match=r"picture\.xodr: not a text file"):
        load_map(str(file))
