"""Areas from a map: where its roads and junctions lie, in the axes of the world."""

from __future__ import annotations

import math
import re

import carla
import foveal.carla  # noqa: F401
import pytest
from foveal.carla.areas import junction_areas, road_area
from foveal.errors import MapError
from foveal_sim.maps import map_path


def moved(name: str, dx: float, dy: float) -> carla.Map:
    """A packaged map, moved in OpenDRIVE's axes; its y points the other way."""
    text = map_path(name).read_text(encoding="utf-8")

    def shift(match: re.Match[str]) -> str:
        return f'x="{float(match[1]) + dx:.9f}" y="{float(match[2]) + dy:.9f}" hdg'

    return carla.Map(name, re.sub(r'x="([-\d.e]+)" y="([-\d.e]+)" hdg', shift, text))


def test_the_circle_of_a_junction_holds_its_lanes_at_the_mouths() -> None:
    """Arms begin 16 m from the middle; the outer edge of a lane there is 3.5 m beside the axis."""
    (circle,) = junction_areas(moved("junction", 200.0, 50.0), margin_m=3.0)
    assert (circle.x, circle.y) == pytest.approx((200.0, -50.0), abs=1e-3)
    assert circle.radius_m == pytest.approx(16.0 * math.sqrt(2) + 1.75, abs=0.01)
    assert circle.radius_m > math.hypot(16.0, 3.5)
    assert circle.margin_m == 3.0
    assert circle.name == "junction 100"
    assert junction_areas(moved("junction", 0.0, 0.0), radius_m=20.0)[0].radius_m == 20.0


def test_the_window_of_roads_holds_both_of_their_lanes() -> None:
    """Arm 1 leads from x = 16 m to 166 m, arm 2 from y = 16 m to 136 m in OpenDRIVE; each lane is 3.5 m wide."""
    area = road_area(moved("junction", 200.0, 50.0), [1, 2], margin_m=1.0)
    assert area.x0 == pytest.approx(200.0 - 3.5, abs=0.01)
    assert 366.0 <= area.x1 <= 368.01
    assert 50.0 + 136.0 <= -area.y0 <= 50.0 + 138.01
    assert -area.y1 == pytest.approx(50.0 - 3.5, abs=0.01)
    assert area.holds(300.0, -50.0)
    assert not area.holds(100.0, -50.0), "arm 3 is not in it"


def test_what_the_map_has_not_got_is_refused() -> None:
    world_map = moved("straight", 0.0, 0.0)
    with pytest.raises(MapError, match="no junction"):
        junction_areas(world_map)
    with pytest.raises(MapError, match="no driving lane on road 8, 9"):
        road_area(world_map, [9, 1, 8])
    with pytest.raises(ValueError, match="at least one"):
        road_area(world_map, [])
