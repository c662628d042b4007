"""Records as bytes: hand-worked fields, and pixels decoded from the bytes alone."""

import numpy as np
import pytest
from foveal.drawlist import DrawList
from foveal.golden import records, render
from foveal.region import Region, RegionSet
from golden_scenes import SIZE, covered, pixel_scene
from random_scenes import random_scene

FAR = (1 << 24) - 1


def field(record, offset, size, signed=True):
    return int.from_bytes(bytes(record[offset : offset + size]), "little", signed=signed)


def decode(record):
    return {
        "bounds": tuple(field(record, 2 * k, 2, signed=False) for k in range(4)),
        "surface": field(record, 8, 4, signed=False),
        "a": [field(record, 12 + 6 * k, 3) for k in range(3)],
        "b": [field(record, 15 + 6 * k, 3) for k in range(3)],
        "c": [field(record, 30 + 5 * k, 5) for k in range(3)],
        "dzdx": field(record, 45, 5),
        "dzdy": field(record, 50, 5),
        "z0": field(record, 55, 6),
        "number": field(record, 61, 3, signed=False),
    }


def test_the_fields_of_a_hand_worked_triangle():
    surface = np.array([[10, 20, 30, 40]], dtype=np.uint8)
    scene = pixel_scene([[(2, 3, 0), (2, 7, 0), (6, 3, 1)]], surface)
    out = records(*scene, RegionSet.full(SIZE, SIZE))
    assert out.record.shape == (1, 64)
    assert out.table.tolist() == [[0, 1]]
    got = decode(out.record[0])
    # Corners after the swap: (2, 3), (6, 3), (2, 7) px = 512, 768 / 1536, 768 / 512, 1792.
    assert got["bounds"] == (2, 3, 6, 7)
    assert got["surface"] == 10 | 20 << 8 | 30 << 16 | 40 << 24
    assert got["a"] == [0, -1024, 1024]
    assert got["b"] == [1024, -1024, 0]
    # First centre (2.5, 3.5): E0 = 1024 * 128; E1 = -1024 * 128 + 1024 * 896 - 1; E2 = 1024 * 128; over 256, floored.
    assert got["c"] == [512, 3071, 512]
    slope = 16777215 * (1 << 16) // 4
    assert (got["dzdx"], got["dzdy"], got["z0"]) == (slope, 0, slope // 2)
    assert got["number"] == 0


def test_bands_list_a_triangle_once_each_and_skip_rows_without_a_region():
    height = 200
    meshes, draw = pixel_scene([[(0, 0, 0.5), (0, 16, 0.5), (16, 0, 0.5)], [(0, 2, 0.5), (0, 3, 0.5), (1, 2, 0.5)]])
    draw = DrawList(1, SIZE, height, draw.mesh, draw.mvp, draw.sun)  # 16 rows become 200: one row is 12.5 pixels
    regions = RegionSet.of([Region(0, 10, 4, 12), Region(0, 70, 4, 96), Region(2, 199, 3, 200)], SIZE, height)
    out = records(meshes, draw, regions)
    # Rows 0-31, 64-95 and 192-199 are active. The first triangle spans 0-199; the second 25-37 meets no region.
    assert out.table[:, 1].tolist() == [1, 0, 1, 0, 0, 0, 1]
    assert out.table[:, 0].tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert bytes(out.band(0)[0]) == bytes(out.band(2)[0]) == bytes(out.band(6)[0])
    assert len(out.table_bytes()) == 64
    assert out.table_bytes()[:8] == bytes([0, 0, 0, 0, 1, 0, 0, 0])


def test_the_band_table_is_padded_to_64_bytes():
    meshes, draw = pixel_scene([[(0, 0, 0.5), (0, 16, 0.5), (16, 0, 0.5)]])
    tall = DrawList(1, SIZE, 9 * 32, draw.mesh, draw.mvp, draw.sun)
    assert len(records(meshes, tall, RegionSet.full(SIZE, 9 * 32)).table_bytes()) == 128


def test_no_triangle_leaves_empty_lists():
    meshes, draw = pixel_scene([[(2, 2, 0.5), (8, 2, 0.5), (2, 8, 0.5)]])
    out = records(meshes, draw, RegionSet.full(SIZE, SIZE))
    assert out.record.shape == (0, 64)
    assert out.table.tolist() == [[0, 0]]


def draw_records(out, regions):
    """The kernel's arithmetic on the bytes: a (i - bx0) + b (j - by0) + c >= 0, then the depth test, band by band."""
    depth = np.full((regions.height, regions.width), FAR, dtype=np.int64)
    surface = np.zeros((regions.height, regions.width), dtype=np.int64)
    for band in range(len(out.table)):
        for record in out.band(band):
            r = decode(record)
            x0, y0, x1, y1 = r["bounds"]
            top, bottom = max(y0, 32 * band), min(y1, 32 * band + 32)
            i, j = np.meshgrid(np.arange(x0, x1), np.arange(top, bottom))
            inside = np.ones(i.shape, dtype=bool)
            for a, b, c in zip(r["a"], r["b"], r["c"], strict=True):
                inside &= a * (i - x0) + b * (j - y0) + c >= 0
            z = np.clip(r["z0"] + r["dzdx"] * (i - x0) + r["dzdy"] * (j - y0) >> 16, 0, FAR)
            window = slice(top, bottom), slice(x0, x1)
            won = inside & (z < depth[window])
            depth[window][won] = z[won]
            surface[window][won] = r["surface"]
    return depth, surface


@pytest.mark.parametrize("seed", range(24))
def test_pixels_decoded_from_records_equal_the_exact_frame(seed):
    scene = random_scene(seed)
    frame = render(scene.meshes, scene.draw, scene.regions, resident=False)
    depth, surface = draw_records(records(scene.meshes, scene.draw, scene.regions), scene.regions)
    mask = scene.regions.mask()
    np.testing.assert_array_equal(depth[mask], frame.depth[mask], err_msg=scene.name)
    np.testing.assert_array_equal(surface[mask] >> 24, frame.material[mask], err_msg=scene.name)


def test_the_random_scenes_do_exercise_the_rules():
    """Guards the generator: over the seeds that tests use, clips, culls, drawn pixels and several bands all happen."""
    scenes = [random_scene(seed) for seed in range(24)]
    outs = [records(s.meshes, s.draw, s.regions) for s in scenes]
    assert sum(len(out.record) for out in outs) > 300
    assert sum((out.table[:, 1] > 0).sum() > 1 for out in outs) >= 5
    assert any(len(s.regions) == 0 for s in scenes)
    assert any(s.regions.share == 1.0 for s in scenes)


def test_record_numbers_count_in_draw_order():
    up = [[(k, k, 0.5), (k, k + 2, 0.5), (k + 2, k, 0.5)] for k in range(5)]
    out = records(*pixel_scene(up), RegionSet.full(SIZE, SIZE))
    assert [decode(r)["number"] for r in out.record] == [0, 1, 2, 3, 4]
    assert covered(pixel_scene(up))
