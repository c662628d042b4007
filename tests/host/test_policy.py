"""Which actors get a region."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.policy import camera_of, track, zone_of
from foveal.projection import project_many
from foveal.region import Region
from foveal.scene.tick import Tick
from scene_samples import CAR_BOX, MOUNT, WALKER_BOX, tick_of


def test_the_region_is_the_projected_box_with_its_margin() -> None:
    tick = tick_of([(5, 0, (20.0, 2.0, 0, 0, 0, 0), CAR_BOX)])
    camera = camera_of(tick, MOUNT)
    x0, y0, x1, y1 = project_many(camera, tick.transform, tick.box).region[0].tolist()
    bare = track(tick, camera, margin_px=0, margin_share=0).regions
    assert bare.regions == (Region(x0, y0, x1, y1),)
    grown = track(tick, camera, margin_px=3, margin_share=0.5).regions
    dx, dy = int(np.ceil(3 + 0.5 * (x1 - x0))), int(np.ceil(3 + 0.5 * (y1 - y0)))
    assert grown.regions == (Region(x0 - dx, y0 - dy, x1 + dx, y1 + dy).clipped(640, 360),)


def test_only_vehicles_and_walkers_other_than_the_ego_are_tracked_nearest_first() -> None:
    tick = tick_of(
        [
            (1, 0, (0, 0, 0, 0, 0, 0), CAR_BOX),
            (5, 0, (30.0, 2.0, 0, 0, 0, 0), CAR_BOX),
            (6, 1, (12.0, -3.0, 0.93, 0, 0, 0), WALKER_BOX),
            (7, 3, (10.0, 0.0, 1.0, 0, 0, 0), WALKER_BOX),
        ],
        ego_id=1,
    )
    assert track(tick, camera_of(tick, MOUNT)).actors == (6, 5)


def test_what_gets_no_region_is_counted_by_reason() -> None:
    tick = tick_of(
        [
            (2, 0, (200.0, 0.0, 0, 0, 0, 0), CAR_BOX),
            (3, 0, (-20.0, 0.0, 0, 0, 0, 0), CAR_BOX),
            (4, 0, (10.0, 60.0, 0, 0, 0, 0), CAR_BOX),
            (5, 1, (70.0, 0.05, 1.6, 0, 0, 0), (0, 0, 0, 0.001, 0.001, 0.001, 0, 0, 0)),
            (6, 0, (12.0, 0.0, 1.7, 0, 0, 0), (0, 0, 0, 0.9, 0.0, 0.8, 0, 0, 0)),
            (7, 0, (15.0, 0.0, 0, 0, 0, 0), CAR_BOX),
        ]
    )
    found = track(tick, camera_of(tick, MOUNT))
    assert found.actors == (7,)
    assert found.dropped == {
        "too_far": 1,
        "behind": 1,
        "outside_frame": 1,
        "degenerate_extent": 1,
        "too_small": 1,
    }


def test_more_than_16_actors_are_merged_and_all_stay_covered() -> None:
    rng = np.random.default_rng(2)
    tick = tick_of([(k, 0, (rng.uniform(8, 70), rng.uniform(-20, 20), 0, 0, 0, 0), CAR_BOX) for k in range(2, 62)])
    camera = camera_of(tick, MOUNT)
    found = track(tick, camera)
    assert len(found.actors) > 16
    assert len(found.regions) == 16
    mask = found.regions.mask()
    boxes = project_many(camera, tick.transform, tick.box)
    shown = {number: box for number, box in zip(tick.actor_id.tolist(), boxes.region.tolist(), strict=True)}
    for number in found.actors:
        x0, y0, x1, y1 = shown[number]
        assert mask[y0:y1, x0:x1].all()


@pytest.mark.parametrize("actors", [[], [(4, 3, (10.0, 0, 0, 0, 0, 0), WALKER_BOX)]])
def test_no_road_user_gives_no_region(actors: list) -> None:
    tick: Tick = tick_of(actors)
    found = track(tick, camera_of(tick, MOUNT))
    assert len(found.regions) == 0
    assert sum(found.dropped.values()) == 0


def test_a_zone_is_mirrored_into_the_scene() -> None:
    zone = zone_of(100.0, 20.0, 60.0, 10.0, 4.0)
    assert (zone.x0, zone.y0, zone.x1, zone.y1, zone.margin) == (70.0, -25.0, 130.0, -15.0, 4.0)
    with pytest.raises(ValueError, match="positive"):
        zone_of(0, 0, 0, 1)
