"""Traffic lights: their cycle by hand, who may go, who is told, and what a map must not say."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from foveal_sim.maps import map_path
from foveal_sim.maps.plan import Roadsign
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.opendrive import load_map, parse_map
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.signals import Crossroad
from foveal_sim.world.traffic_lights import GREEN, OFF, RED, YELLOW, TrafficLights
from street_map import street, street_text

STEP_S = 0.05
LETTER = {RED: "r", YELLOW: "y", GREEN: "g", OFF: "-"}


def episode(road_map, vehicles: int = 0, seed: int = 1) -> Episode:
    made = Episode(1, road_map, Population(vehicles, 0, seed), first_id=1)
    made.settings = EpisodeSettings(synchronous=True, fixed_delta_s=STEP_S)
    return made


def cross() -> TrafficLights:
    """a and b have green together, then c."""
    return TrafficLights(["a", "b", "c"], [Crossroad((("a", "b"), ("c",)))])


def show(lights: TrafficLights) -> str:
    return "".join(LETTER[state] for state in lights.state)


def run(lights: TrafficLights, seconds: float) -> None:
    for _ in range(round(seconds / STEP_S)):
        lights.step(STEP_S)


def test_a_junction_gives_green_in_turn_with_carlas_times():
    lights = cross()
    # Green 10 s, yellow 3 s, then all red 2 s: 15 s a phase, 30 s a cycle.
    until = [(0, "ggr"), (9.95, "ggr"), (10, "yyr"), (12.95, "yyr"), (13, "rrr"), (14.95, "rrr"), (15, "rrg")]
    until += [(25, "rry"), (28, "rrr"), (30, "ggr"), (40, "yyr"), (60, "ggr"), (3600, "ggr")]
    now = 0.0
    for time_s, expected in until:
        run(lights, time_s - now)
        now = time_s
        assert show(lights) == expected, time_s


def test_elapsed_time_counts_from_the_last_change_of_each_light():
    lights = cross()
    for time_s, expected in [(4, (4, 4, 4)), (10, (0, 0, 10)), (13, (0, 0, 13)), (15, (2, 2, 0)), (26, (13, 13, 1))]:
        lights = cross()
        run(lights, time_s)
        assert lights.elapsed_s == pytest.approx(expected, abs=1e-6), time_s


def test_a_step_longer_than_a_state_ends_where_short_ones_do():
    long, short = cross(), cross()
    for _ in range(20):
        long.step(7.0)
    run(short, 140.0)
    assert show(long) == show(short)
    assert long.elapsed_s[0] == pytest.approx(short.elapsed_s[0], abs=1e-6)


def test_times_belong_to_a_phase():
    lights = cross()
    lights.set_time(1, GREEN, 4.0)
    lights.set_time(2, RED, 6.0)
    assert lights.times_s.tolist() == [[4, 3, 2], [4, 3, 2], [10, 3, 6]]
    # 4 + 3 + 2 = 9 s, then 10 + 3 + 6 = 19 s.
    for time_s, expected in [(4, "yyr"), (9, "rrg"), (22, "rrr"), (27.95, "rrr"), (28, "ggr")]:
        lights.reset()
        run(lights, time_s)
        assert show(lights) == expected, time_s


def test_a_frozen_group_stands_still_and_others_go_on():
    lights = TrafficLights(["a", "b"], [Crossroad((("a",),)), Crossroad((("b",),))])
    lights.freeze(True, 0)
    run(lights, 11.0)
    assert (show(lights), lights.elapsed_s.tolist()) == ("gy", pytest.approx([0.0, 1.0]))
    lights.freeze(False)
    run(lights, 10.0)
    assert show(lights) == "yg", "b: 21 s of a cycle of 15 s"


def test_a_state_that_is_set_holds_until_the_turn_changes_it():
    lights = cross()
    lights.set_state(2, GREEN)
    run(lights, 12.0)
    assert show(lights) == "yyg"
    run(lights, 13.0)
    assert show(lights) == "rry"
    lights.reset()
    assert show(lights) == "ggr"


@pytest.mark.parametrize("seconds", [0.0, 1e-12])
def test_no_time_at_all_is_no_endless_loop(seconds):
    lights = cross()
    for light in (0, 2):
        for stage in (GREEN, YELLOW, RED):
            lights.set_time(light, stage, seconds)
    lights.step(STEP_S)
    assert show(lights) == "ggr"


def test_a_cycle_far_shorter_than_a_step_is_skipped_as_a_whole():
    lights = cross()
    for light in (0, 2):
        for stage in (GREEN, YELLOW, RED):
            lights.set_time(light, stage, 1e-5)
    lights.step(1000.0 * 60e-6 * 1000 + 5e-6)
    assert show(lights) == "ggr"


@pytest.mark.parametrize("seconds", [-1.0, math.nan, math.inf])
def test_what_is_no_time_is_refused(seconds):
    with pytest.raises(ValueError, match="seconds >= 0"):
        cross().set_time(0, GREEN, seconds)


@pytest.mark.parametrize("state", [-1, 5])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(ValueError, match="0 to 4"):
        cross().set_state(0, state)


def test_the_junction_never_lets_crossing_arms_go_together():
    made = episode(load_map("junction"))
    # Arms 1 and 3 lie opposite each other, and so do 2 and 4: lights 0, 2 and 1, 3.
    seen = set()
    for _ in range(6000):
        made.step()
        shown = show(made.control.lights)
        assert shown[0] == shown[2]
        assert shown[1] == shown[3]
        assert "r" in (shown[0], shown[1])
        seen.add(shown[:2])
    assert seen == {"gr", "yr", "rr", "rg", "ry"}


# -- traffic -----------------------------------------------------------------------------------------------------------


def stop_lines(road_map) -> np.ndarray:
    """(L, 5) x, y, heading (cosine, sine), signal's index of each light's line, from the map alone."""
    rows = []
    for number, signal in enumerate(signal for signal in road_map.signals if signal.type_id == "traffic.traffic_light"):
        for road, lane, s in signal.lines:
            place = road_map.geometry.get_waypoint_xodr(road, lane, s).transform
            yaw = math.radians(place.rotation.yaw)
            rows.append((place.location.x, place.location.y, math.cos(yaw), math.sin(yaw), number))
    return np.array(rows)


def fronts(made: Episode) -> np.ndarray:
    slots = [actor.slot for actor in made.table if actor.category == "vehicle"]
    pose = made.table.records["pose"][slots].astype(np.float64)
    yaw = np.radians(pose[:, 4])
    return pose[:, :2] + made.table.half[slots, :1] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("name", "vehicles"), [("junction", 16), ("town_block", 24)])
def test_nobody_crosses_a_stop_line_at_red(name, vehicles, seed):
    road_map = load_map(name)
    lines = stop_lines(road_map)
    made = episode(road_map, vehicles, seed)
    assert len(lines) == 4
    crossed = {state: 0 for state in (RED, YELLOW, GREEN)}
    before = None
    for _ in range(4800):
        made.step()
        offset = fronts(made)[:, None] - lines[:, :2]
        ahead = np.einsum("vlk,lk->vl", offset, lines[:, 2:4])
        beside = np.abs(offset[..., 0] * lines[:, 3] - offset[..., 1] * lines[:, 2])
        if before is not None:
            over = (before <= 0) & (ahead > 0) & (ahead < 2.0) & (beside < 1.0)
            for _, line in np.argwhere(over):
                crossed[int(made.control.lights.state[int(lines[line, 4])])] += 1
        before = ahead
    assert crossed[RED] == 0
    assert crossed[GREEN] > 40
    assert crossed[YELLOW] < crossed[GREEN] / 4


def driver(made: Episode, x: float, speed: float) -> int:
    """A vehicle of the traffic whose front is at x on the street, at this speed; its slot."""
    actor = made.spawn("vehicle.tesla.model3", {"role_name": "traffic"}, (x - 2.35, 1.75, 0.0, 0.0, 0.0, 0.0))
    made._traffic._cars["speed"][-1] = speed  # where a vehicle of the traffic keeps it
    return actor.slot


def front(made: Episode, slot: int) -> float:
    return float(made.table.records["pose"][slot, 0]) + 2.35


@pytest.mark.parametrize(
    ("gap", "goes"),
    # At 10 m/s and 3 m/s2 a vehicle stands after 10^2 / 6 = 16.7 m.
    [(25.0, False), (18.0, False), (15.0, True), (5.0, True)],
)
def test_at_yellow_who_can_stop_comfortably_does(gap, goes):
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    slot = driver(made, 200.0 - gap, 10.0)
    made.control.lights.set_state(0, YELLOW)
    made.control.lights.freeze(True)
    for _ in range(250):
        made.step()
    assert (front(made, slot) > 200.0) == goes
    if not goes:
        assert 198.0 < front(made, slot) <= 200.0
        assert made.table.speed[slot] < 0.1


@pytest.mark.parametrize(("gap", "goes"), [(20.0, False), (7.0, False), (5.0, True)])
def test_at_a_sudden_red_only_who_cannot_stop_at_all_goes_on(gap, goes):
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    slot = driver(made, 200.0 - gap, 10.0)  # 10^2 / (2 * 8) = 6.25 m
    made.control.lights.set_state(0, RED)
    made.control.lights.freeze(True)
    for _ in range(200):
        made.step()
    assert (front(made, slot) > 200.0) == goes


def test_a_queue_waits_at_red_and_leaves_at_green():
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    made.control.lights.set_state(0, RED)
    made.control.lights.freeze(True)
    slots = [driver(made, x, 0.0) for x in (150.0, 120.0, 90.0)]
    for _ in range(600):
        made.step()
    places = [front(made, slot) for slot in slots]
    assert 198.0 < places[0] <= 200.0
    gaps = -np.diff(places) - 4.7
    assert ((gaps > 1.0) & (gaps < 5.0)).all()
    made.control.lights.set_state(0, GREEN)
    for _ in range(300):
        made.step()
    assert min(front(made, slot) for slot in slots) > 210.0


def test_oncoming_traffic_does_not_mind_the_light():
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    made.control.lights.set_state(0, RED)
    made.control.lights.freeze(True)
    actor = made.spawn("vehicle.tesla.model3", {"role_name": "traffic"}, (300.0, -1.75, 0.0, 0.0, 180.0, 0.0))
    for _ in range(400):
        made.step()
    assert made.table.pose(actor)[0] < 180.0


@pytest.mark.parametrize("state", [OFF, 4])
def test_a_light_that_is_off_orders_nothing(state):
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    made.control.lights.set_state(0, state)
    made.control.lights.freeze(True)
    slot = driver(made, 150.0, 10.0)
    for _ in range(300):
        made.step()
    assert front(made, slot) > 210.0


def ticks_until(made: Episode, slot: int, x: float):
    """Steps until a vehicle's front is at x."""
    for _ in range(3000):
        if front(made, slot) >= x:
            return
        made.step()
        yield
    raise AssertionError(f"it never came to {x} m, it is at {front(made, slot)} m")


def test_a_stop_sign_wants_a_second_at_rest_before_its_line():
    made = episode(street(Roadsign("stop", 200.0, forward=True)))
    slot = driver(made, 130.0, 10.0)
    stood = 0
    for _ in ticks_until(made, slot, 230.0):
        if made.table.speed[slot] < 0.2:
            stood += 1
            assert 198.0 <= front(made, slot) <= 200.0
    assert 1.0 < stood * STEP_S < 3.0


def test_a_yield_sign_is_passed_slowly():
    made = episode(street(Roadsign("yield", 200.0, forward=True)))
    slot = driver(made, 130.0, 10.0)
    slowest, at_line = math.inf, None
    for _ in ticks_until(made, slot, 300.0):
        slowest = min(slowest, float(made.table.speed[slot]))
        if at_line is None and front(made, slot) >= 200.0:
            at_line = float(made.table.speed[slot])
    assert at_line < 15.0 / 3.6 + 0.2
    assert slowest > 3.0
    assert made.table.speed[slot] > 6.0, "and on again"


def test_traffic_and_its_records_keep_to_the_limit_of_each_stretch():
    signs = (Roadsign("limit", 100.0, True, 30.0), Roadsign("limit", 200.0, True, 70.0))
    made = episode(street(*signs))
    slot = driver(made, 20.0, 5.0)
    fastest = [0.0, 0.0, 0.0]
    for _ in ticks_until(made, slot, 350.0):
        x = float(made.table.records["pose"][slot, 0])
        stretch = int(x >= 100.0) + int(x >= 200.0)
        fastest[stretch] = max(fastest[stretch], float(made.table.speed[slot]))
        if min(abs(x - 100.0), abs(x - 200.0)) > 1.0:
            assert made.table.records["speed_limit"][slot] == pytest.approx((50.04, 30.0, 70.0)[stretch], abs=1e-3)
    assert 30 / 3.6 < fastest[0] <= 13.9
    assert 0.6 * 30 / 3.6 < fastest[1] <= 30 / 3.6
    assert 0.6 * 70 / 3.6 < fastest[2] <= 70 / 3.6


def test_a_limit_holds_on_the_roads_that_follow():
    road_map = load_map("town_block")
    made = episode(road_map)
    # Forward (road 3, lane -1): 30 from 5 m to 75 m, else 50; the way back is the other way round.
    graph = made.driving
    for lane, strip in enumerate(graph.strips):
        road, _, number = strip.key
        along = graph.step[lane] * np.arange(graph.count[lane])
        s = along if number < 0 else strip.length - along
        limit = made.control.limit_mps[graph.first[lane] : graph.first[lane] + graph.count[lane]] * 3.6
        inside = (road == 3) & (s > 5.5) & (s < 74.5)
        outside = (road != 3) | (s < 4.5) | (s > 75.5)
        assert limit[inside] == pytest.approx(30.0)
        assert limit[outside] == pytest.approx(50.0)


def test_a_seed_repeats_with_lights():
    def drive(seed: int) -> bytes:
        made = episode(load_map("junction"), 12, seed)
        for _ in range(900):
            made.step()
        return made.table.snapshot()

    assert drive(5) == drive(5)
    assert drive(5) != drive(6)


# -- who is told -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "yaw", "there"),
    [
        # The volume reaches from 195 m to 200 m, 0.9 lanes wide; a Tesla is 4.7 m by 1.85 m.
        (197.5, 1.75, 0.0, True),
        (192.7, 1.75, 0.0, True),  # its front is at 195.05
        (192.6, 1.75, 0.0, False),
        (199.9, 1.75, 0.0, True),
        (200.1, 1.75, 0.0, False),  # its middle is past the line
        (197.5, 1.75, 180.0, False),  # it drives the wrong way
        (197.5, -1.75, 180.0, False),  # the lane beside
        (197.5, -1.75, 0.0, False),
        (197.5, -0.7, 0.0, True),  # it straddles the lanes: from -1.625 to 0.225, the volume begins at 0.175
        (197.5, -0.8, 0.0, False),
        (193.0, 1.75, 30.0, True),
        (197.5, 10.0, 0.0, False),
    ],
)
def test_a_vehicle_is_at_a_light_in_its_trigger_volume_only(x, y, yaw, there):
    made = episode(street(Roadsign("light", 200.0, forward=True)))
    car = made.spawn("vehicle.tesla.model3", {}, (50.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    (light,) = [actor for actor in made.table if actor.category == "traffic"]
    for state in (RED, YELLOW):
        made.control.lights.set_state(0, state)
        made.place(car, (x, y, 0.0, 0.0, yaw, 0.0))
        made.step()
        record = made.table.records[car.slot]
        assert bool(record["at_light"]) == there
        assert record["light_id"] == (light.id if there else 0)
        assert record["light_state"] == (state if there else GREEN), "green where there is no light, as CARLA says"


def test_a_vehicle_learns_the_limit_when_it_passes_the_sign_and_where_it_is_put():
    made = episode(street(Roadsign("limit", 200.0, True, 30.0)))
    car = made.spawn("vehicle.tesla.model3", {}, (190.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    made.set_constant_speed(car.id, 10.0)
    limits = []
    for _ in range(40):
        made.step()
        limits.append(float(made.table.records["speed_limit"][car.slot]))
    assert limits[0] == pytest.approx(50.04, abs=1e-3)
    assert limits[-1] == 30.0
    made.place(car, (100.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    made.step()
    assert made.table.records["speed_limit"][car.slot] == pytest.approx(50.04, abs=1e-3)
    made.place(car, (300.0, 1.75, 0.0, 0.0, 0.0, 0.0))
    assert made.table.records["speed_limit"][car.slot] == pytest.approx(30.0)


def test_lights_and_signs_stay():
    made = episode(load_map("junction"))
    lights = [actor.id for actor in made.table if actor.category == "traffic"]
    assert len(lights) == 4
    assert [made.destroy(light) for light in lights] == [[]] * 4
    assert [actor.id for actor in made.table if actor.category == "traffic"] == lights


# -- maps --------------------------------------------------------------------------------------------------------------


def changed(text: str, change) -> tuple[str, ...]:
    root = ET.fromstring(text)
    change(root)
    return parse_map(ET.tostring(root, encoding="unicode"), "m", "m.xodr", trusted=True).warnings


def test_an_id_that_no_snapshot_can_carry_is_left_out_with_a_warning():
    def change(root: ET.Element) -> None:
        root.find("road/signals/signal").set("id", "x" * 32)
        root.remove(root.find("controller"))

    text = street_text(Roadsign("light", 200.0, True))
    assert parse_map(text, "m", "m.xodr", trusted=True).warnings == ()
    (warning,) = changed(text, change)
    assert re.search("m.xodr: signal 'x+' .* at most 31 bytes; rename it", warning)


def test_a_controller_of_what_is_no_light_is_warned_of():
    def change(root: ET.Element) -> None:
        root.find("controller/control").set("signalId", "2")

    (warning,) = changed(street_text(Roadsign("light", 200.0, True), Roadsign("stop", 300.0, True)), change)
    assert warning == "m.xodr: controller '1' switches signal '2', which is no traffic light of the map"


def test_a_limit_without_a_value_is_left_out_with_a_warning():
    def change(root: ET.Element) -> None:
        root.find("road/signals/signal").set("value", "-1")

    (warning,) = changed(street_text(Roadsign("limit", 200.0, True, 30.0)), change)
    assert "a speed limit (type 274) needs a value" in warning


@pytest.mark.parametrize(("value", "unit", "kmh"), [("30", "km/h", 30.0), ("20", "mph", 32.18688), ("10", "m/s", 36.0)])
def test_limits_are_read_in_their_unit(value, unit, kmh):
    root = ET.fromstring(street_text(Roadsign("limit", 200.0, True, 30.0)))
    root.find("road/signals/signal").set("value", value)
    root.find("road/signals/signal").set("unit", unit)
    (signal,) = parse_map(ET.tostring(root, encoding="unicode"), "m", "m.xodr", trusted=True).signals
    assert signal.limit_kmh == pytest.approx(kmh)
    assert signal.type_id == f"traffic.speed_limit.{kmh:.0f}"


def test_lights_that_no_controller_names_have_a_cycle_of_their_own():
    root = ET.fromstring(street_text(Roadsign("light", 100.0, True), Roadsign("light", 110.0, False)))
    root.remove(root.find("controller"))
    road_map = parse_map(ET.tostring(root, encoding="unicode"), "m", "m.xodr", trusted=True)
    assert [crossroad.phases for crossroad in road_map.crossroads] == [(("1",),), (("2",),)]


def test_phases_follow_the_controllers_sequence():
    root = ET.parse(map_path("junction")).getroot()
    first, second = root.findall("controller")
    first.set("sequence", "5")
    second.set("sequence", "2")
    road_map = parse_map(ET.tostring(root, encoding="unicode"), "m", "m.xodr", trusted=True)
    assert road_map.crossroads[0].phases == (("2", "4"), ("1", "3"))
