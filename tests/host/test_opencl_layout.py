"""Arrays of one frame: chunks in draw order, active tiles, instance culling."""

from __future__ import annotations

import numpy as np
import pytest
from foveal import Region, RegionSet
from foveal.golden.record import records
from foveal.opencl import layout
from random_scenes import random_scene


def test_chunks_cover_each_drawn_triangle_once_in_draw_order() -> None:
    scene = random_scene(4)
    drawn = np.arange(len(scene.draw.mesh)) % 3 != 1
    expected = []
    for n in np.flatnonzero(drawn):
        first, count = scene.meshes.triangle_range[scene.draw.mesh[n]]
        expected += [(int(n), t) for t in range(int(first), int(first + count))]
    found = []
    for row in layout.chunks(scene.meshes, scene.draw, drawn):
        assert 0 < row["count"] <= layout.CHUNK
        found += [(int(row["instance"]), t) for t in range(int(row["first"]), int(row["first"] + row["count"]))]
    assert found == expected


def test_nothing_drawn_makes_no_chunk() -> None:
    scene = random_scene(4)
    assert len(layout.chunks(scene.meshes, scene.draw, np.zeros(len(scene.draw.mesh), bool))) == 0


@pytest.mark.parametrize("size", [(1, 1), (31, 33), (64, 64), (426, 360)])
def test_active_tiles_hold_every_region_pixel_once(size: tuple[int, int]) -> None:
    width, height = size
    rng = np.random.default_rng(width)
    for _ in range(30):
        corner = rng.integers(0, max(size), (4, 4))
        regions = RegionSet.of([Region(x, y, x + w, y + h) for x, y, w, h in corner], width, height)
        seen = np.zeros((height, width), int)
        tiles = layout.active_tiles(regions)
        for x0, y0, x1, y1 in tiles:
            assert x0 // layout.TILE_WIDTH == (x1 - 1) // layout.TILE_WIDTH
            assert y0 // layout.TILE_HEIGHT == (y1 - 1) // layout.TILE_HEIGHT
            assert x0 % 8 == 0
            assert regions.mask()[y0:y1, x0:x1].any()
            seen[y0:y1, x0:x1] += 1
        assert (seen[regions.mask()] == 1).all()
        assert seen.max(initial=0) <= 1


def test_a_tile_is_cut_to_what_its_regions_need() -> None:
    regions = RegionSet.of([Region(37, 5, 40, 6), Region(44, 9, 45, 20)], 64, 64)
    assert layout.active_tiles(regions).tolist() == [[32, 5, 45, 20]]


def test_instances_left_out_would_have_given_no_record() -> None:
    left_out = 0
    for seed in range(60):
        scene = random_scene(seed)
        drawn = layout.visible(scene.meshes, scene.draw, scene.regions)
        left_out += int((~drawn).sum())
        few = type(scene.draw)(
            frame=0,
            width=scene.draw.width,
            height=scene.draw.height,
            mesh=scene.draw.mesh[~drawn],
            mvp=scene.draw.mvp[~drawn],
            sun=scene.draw.sun[~drawn],
            instance=scene.draw.instance[~drawn],
        )
        if len(few.mesh) and len(scene.regions):
            assert len(records(scene.meshes, few, scene.regions).record) == 0, scene.name
    assert left_out > 50
