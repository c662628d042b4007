"""The ego's lane from a map of the carla package, without a server."""

from __future__ import annotations

import carla
import numpy as np
import pytest
from foveal.carla.lane_ahead import EgoLane
from foveal.policy import LaneAhead, Sight, choose
from foveal.scene.tick import CameraMount
from foveal_sim.maps import map_path
from scene_samples import tick_of

MOUNT = CameraMount(width=640, height=360)


@pytest.fixture(scope="module")
def straight() -> carla.Map:
    return carla.Map("straight", map_path("straight").read_text())


def seen_from(waypoint: carla.Waypoint, beside: float = 0.0) -> Sight:
    place, turn = waypoint.transform.location, waypoint.transform.rotation
    right = waypoint.transform.get_right_vector()
    ego = (place.x + beside * right.x, place.y + beside * right.y, place.z, turn.pitch, turn.yaw, turn.roll)
    camera = (ego[0], ego[1], ego[2] + 1.7, 0.0, ego[4], 0.0)
    return Sight.of(tick_of([], ego=ego, camera=camera), MOUNT)


def first_lane(world_map: carla.Map) -> carla.Waypoint:
    """The start of a lane that goes on for more than 100 m."""
    return next(way for way, _ in world_map.get_topology() if way.next(100.0))


def test_the_path_follows_the_lane_to_the_horizon(straight: carla.Map) -> None:
    start = first_lane(straight)
    path = EgoLane(straight, horizon_m=40.0, step_m=2.0)(seen_from(start))
    assert path.shape == (21, 7)
    gone = np.hypot(*(path[:, :2] - path[0, :2]).T)
    assert gone == pytest.approx(np.arange(21) * 2.0, abs=0.05)
    ahead = np.array([start.transform.get_forward_vector().x, start.transform.get_forward_vector().y])
    assert (path[-1, :2] - path[0, :2]) @ ahead == pytest.approx(40.0, abs=0.1)
    assert path[:, 6] == pytest.approx(start.lane_width)


def test_an_ego_beside_the_road_is_on_no_lane(straight: carla.Map) -> None:
    lane = EgoLane(straight)
    assert len(lane(seen_from(first_lane(straight), beside=500.0))) == 0
    assert len(choose(LaneAhead(lane), seen_from(first_lane(straight), beside=500.0)).regions) == 0


def test_the_path_ends_where_the_road_ends(straight: carla.Map) -> None:
    here = first_lane(straight)
    while here.next(10.0):
        here = here.next(10.0)[0]
    assert len(EgoLane(straight, horizon_m=60.0)(seen_from(here))) in range(1, 7)


def road(number: int, x: float, curvature: float, junction: int, link: str) -> str:
    """30 m of one lane to the right of its reference line, from (x, 0) along +x."""
    shape = f'<arc curvature="{curvature}"/>' if curvature else "<line/>"
    before = '<predecessor id="-1"/>' if junction > 0 else ""
    lanes = f"""<center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
      <link>{before}</link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>"""
    return f"""<road id="{number}" length="30" junction="{junction}"><link>{link}</link>
      <planView><geometry s="0" x="{x}" y="0" hdg="0" length="30">{shape}</geometry></planView>
      <lanes><laneSection s="0">{lanes}</laneSection></lanes></road>"""


@pytest.mark.parametrize("straight_first", [True, False])
def test_where_the_lane_divides_the_path_goes_straight_on(straight_first: bool) -> None:
    """A road of 30 m, then one that goes straight on and one that turns left, in either order."""
    ways = [0.0, 0.05] if straight_first else [0.05, 0.0]
    before = '<predecessor elementType="road" elementId="1" contactPoint="end"/>'
    roads = road(1, 0.0, 0.0, -1, '<successor elementType="junction" elementId="9"/>')
    roads += "".join(road(2 + n, 30.0, bend, 9, before) for n, bend in enumerate(ways))
    joins = "".join(
        f"""<connection id="{n}" incomingRoad="1" connectingRoad="{2 + n}" contactPoint="start">
        <laneLink from="-1" to="-1"/></connection>"""
        for n in range(2)
    )
    world_map = carla.Map(
        "fork", f'<OpenDRIVE><header/>{roads}<junction id="9" name="fork">{joins}</junction></OpenDRIVE>'
    )
    start = world_map.get_waypoint_xodr(1, -1, 20.0)
    assert len(start.next(15.0)) == 2
    path = EgoLane(world_map, horizon_m=36.0, step_m=2.0)(seen_from(start))
    assert path[-1, :2] == pytest.approx((56.0, 1.75), abs=0.1), "CARLA's y points right"


@pytest.mark.parametrize(("horizon", "step"), [(0.0, 1.0), (10.0, 0.0), (10.0, float("nan"))])
def test_a_horizon_that_is_none_is_refused(straight: carla.Map, horizon: float, step: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        EgoLane(straight, horizon, step)
