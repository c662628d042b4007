"""Light, tint, background and the depth output, worked by hand."""

import numpy as np
import pytest
from foveal.drawlist import DrawList
from foveal.golden import render
from foveal.golden.geometry import screen_triangles
from foveal.region import Region, RegionSet
from golden_scenes import SIZE, paint, pixel_scene
from random_scenes import mesh_set, pixel_grid_matrix

FULL = RegionSet.full(SIZE, SIZE)
LEFT_TOP = [(0, 0, 0.5), (0, 16, 0.5), (16, 0, 0.5)]


def lit(albedo, ambient, diffuse, sun):
    """R, G, B and material of one triangle whose normal is (0, 0, -1) in mesh coordinates."""
    corners = np.array(LEFT_TOP, dtype=np.float32)
    meshes = mesh_set([(corners, np.array([[0, 1, 2]]))], np.array([albedo], dtype=np.uint8))
    assert meshes.normal.tolist() == [[0, 0, -1]]
    matrix = pixel_grid_matrix(SIZE, SIZE)[None]
    sun = np.array([sun], dtype=np.float32)
    draw = DrawList(1, SIZE, SIZE, np.zeros(1, np.uint32), matrix, sun, ambient, diffuse)
    word = int(screen_triangles(meshes, draw, FULL).surface[0])
    return [word >> shift & 255 for shift in (0, 8, 16, 24)]


@pytest.mark.parametrize(
    ("ambient", "diffuse", "sun", "expected"),
    [
        (0.5, 0.0, (0, 0, 0), [128, 2, 1, 77]),  # 127.5, 1.5, 0.5: halves go up
        (1.0, 0.0, (0, 0, 0), [255, 3, 1, 77]),
        (4.0, 0.0, (0, 0, 0), [255, 12, 4, 77]),  # saturates
        (0.25, 0.5, (0, 0, -1), [191, 2, 1, 77]),  # L = 0.75: 191.25, 2.25, 0.75
        (0.25, 0.5, (0, 0, 1), [64, 1, 0, 77]),  # sun from behind: L = 0.25: 63.75, 0.75, 0.25
        (0.25, 0.5, (0, -0.6, -0.5), [128, 2, 1, 77]),  # d = 0.5: L = 0.5
        (0.0, 0.0, (0, 0, -1), [0, 0, 0, 77]),
    ],
)
def test_lit_colours_round_half_up_and_saturate(ambient, diffuse, sun, expected):
    assert lit([255, 3, 1, 77], ambient, diffuse, sun) == expected


def tinted(surface, tint, resident):
    material = np.full((256, 4), 128, dtype=np.uint8)
    material[surface[3]] = [*tint, 0]
    scene = pixel_scene([LEFT_TOP], np.array([surface], dtype=np.uint8), material)
    return paint(scene, resident).pixels[2, 3].tolist()


@pytest.mark.parametrize(
    ("rgb", "tint", "expected_bgra"),
    [
        ((200, 100, 50), (128, 128, 128), [50, 100, 200, 255]),
        ((200, 100, 50), (64, 127, 255), [99, 99, 100, 255]),  # 12700 >> 7 = 99, 12750 >> 7 = 99
        ((255, 129, 1), (255, 254, 127), [0, 255, 255, 255]),  # 127 >> 7 = 0, 32766 >> 7 = 255, 508 saturates
        ((9, 9, 9), (0, 0, 0), [0, 0, 0, 255]),
    ],
)
def test_tints_multiply_shift_and_saturate(rgb, tint, expected_bgra):
    assert tinted((*rgb, 5), tint, resident=True) == expected_bgra


def test_without_the_table_the_lit_colour_comes_out():
    assert tinted((200, 100, 50, 5), (0, 1, 2), resident=False) == [50, 100, 200, 255]


def test_background_is_never_tinted_and_has_no_material():
    scene = pixel_scene([LEFT_TOP], material=np.zeros((256, 4), dtype=np.uint8))
    frame = paint(scene, resident=True)
    assert frame.pixels[15, 15].tolist() == [7, 8, 9, 255]
    assert frame.material[15, 15] == 0
    assert frame.depth[15, 15] == (1 << 24) - 1
    assert frame.pixels[0, 0].tolist() == [0, 0, 0, 255]


def test_outside_the_regions_everything_is_zero():
    regions = RegionSet.of([Region(0, 0, 2, 1), Region(14, 15, 16, 16)], SIZE, SIZE)
    frame = paint(pixel_scene([LEFT_TOP]), regions=regions)
    mask = regions.mask()
    assert mask.sum() == 4
    assert (frame.pixels[mask][:, 3] == 255).all()
    assert not frame.pixels[~mask].any()
    assert not frame.depth[~mask].any()
    assert not frame.material[~mask].any()


def test_an_empty_region_set_gives_an_empty_frame():
    frame = paint(pixel_scene([LEFT_TOP]), regions=RegionSet.of([], SIZE, SIZE))
    assert not frame.pixels.any()
    assert not frame.depth.any()


def test_depth_words_carry_the_material_in_the_top_byte():
    frame = paint(pixel_scene([LEFT_TOP], np.array([[1, 2, 3, 200]], dtype=np.uint8)))
    words = frame.depth_words()
    assert int(words[0, 0]) == 200 << 24 | 8388608
    assert int(words[15, 15]) == (1 << 24) - 1
    assert words.dtype == np.uint32


def test_an_empty_draw_list_shows_the_background():
    meshes, draw = pixel_scene([LEFT_TOP])
    empty = DrawList(1, SIZE, SIZE, draw.mesh[:0], draw.mvp[:0], draw.sun[:0], background=(1, 2, 3))
    frame = render(meshes, empty, FULL, resident=False)
    assert (frame.pixels == [3, 2, 1, 255]).all()
