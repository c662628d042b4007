"""A plan of zones on the co-simulated card: materials and textures are fetched in them, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from foveal.golden import render
from foveal.region import RegionSet
from foveal.zone import Circle, Rectangle, ZonePlan
from foveal_sim.cosim import open_cosim
from random_scenes import random_scene

TABLE_BYTES, PAGE_BYTES, PAGES = 1024, 4096, 2


def test_the_card_fetches_exactly_where_the_plan_is_inside() -> None:
    """Along a street and through a junction, over both in one tick, and from one into the other."""
    scene = replace(random_scene(3, 96, 64), regions=RegionSet.full(96, 64))
    street = Rectangle(0.0, -4.0, 30.0, 4.0, margin_m=5.0)
    junction = Circle(50.0, 0.0, 12.0, margin_m=4.0)
    plan = ZonePlan([street, junction])
    way = [  # x, y, inside, loads so far
        (-20.0, 0.0, False, 0),
        (-2.0, 0.0, False, 0),  # in the margin, which arms nothing
        (1.0, 0.0, True, 1),
        (29.0, 0.0, True, 1),
        (33.0, 0.0, True, 1),  # out, within the margin
        (36.0, 0.0, False, 1),
        (41.0, 9.0, False, 1),  # in the square around the circle, 12.7 m from its middle
        (45.0, 0.0, True, 2),
        (64.0, 0.0, True, 2),
        (67.0, 0.0, False, 2),
        (-20.0, 0.0, False, 2),  # across both
        (5.0, 0.0, True, 3),
        (50.0, 0.0, True, 3),  # from one into the other: what is on chip stays
        (90.0, 0.0, False, 3),
    ]
    device = open_cosim(memory_bytes=64 << 20)
    device.load(scene.meshes)
    device.load_textures(np.full((PAGES, 32, 32, 4), 7, dtype=np.uint8))
    lit, tinted = (render(scene.meshes, scene.draw, scene.regions, resident=there) for there in (False, True))
    assert not np.array_equal(lit.pixels, tinted.pixels), "the scene tells both apart"
    try:
        for number, (x, y, inside, loads) in enumerate(way):
            tick: Any = SimpleNamespace(frame=number, time_s=float(number), ego=np.array([x, y, 0, 0, 0, 0.0]))
            draw = replace(scene.draw, frame=number, ego=(x, -y), zone=plan(tick))
            frame = device.render(draw, scene.regions)
            assert (plan.inside is not None) == inside, (x, y)
            assert frame.counters["dma_loads"] == loads, (x, y)
            assert frame.counters["dma_bytes"] == loads * (TABLE_BYTES + PAGES * PAGE_BYTES), (x, y)
            np.testing.assert_array_equal(frame.pixels, (tinted if inside else lit).pixels, err_msg=f"at {x}, {y}")
    finally:
        device.close()
    assert (plan.entered, plan.left, plan.teleports) == (4, 4, 0)
    assert plan.crossed == 2, "street and junction, by the tick across both"
