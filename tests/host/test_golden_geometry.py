"""Transform, clip, cull and facing, worked by hand. The frame is 16 x 16, so ndc 1/8 is one pixel."""

import numpy as np
import pytest
from foveal.drawlist import DrawList
from foveal.golden.clip import clip_polygons, trivially_outside
from foveal.golden.geometry import screen_triangles
from foveal.region import Region, RegionSet
from golden_scenes import SIZE, clip_space_scene, covered, paint, pixel_scene
from random_scenes import mesh_set, perspective

FULL = RegionSet.full(SIZE, SIZE)


def test_screen_coordinates_are_pixels_times_256():
    meshes, draw = clip_space_scene([[(-0.5, 0.25, 0.0), (-0.5, -0.5, 0.0), (0.125, 0.25, 0.0)]])
    triangles = screen_triangles(meshes, draw, FULL)
    # x: (ndc + 1) * 8 px; y: (1 - ndc) * 8 px; corners 1 and 2 swapped.
    assert triangles.x.tolist() == [[4 * 256, 9 * 256, 4 * 256]]
    assert triangles.y.tolist() == [[6 * 256, 6 * 256, 12 * 256]]
    assert triangles.z.tolist() == [[8388608] * 3]
    assert triangles.bounds.tolist() == [[4, 6, 9, 12]]


def test_coordinates_round_half_up_to_sub_pixels():
    half = 0.5 / 256
    meshes, draw = pixel_scene([[(2 + half, 3 - half, 0.5), (2 + half, 9, 0.5), (9, 3 - half, 0.5)]])
    triangles = screen_triangles(meshes, draw, FULL)
    assert triangles.x[0, 0] == 2 * 256 + 1
    assert triangles.y[0, 0] == 3 * 256


@pytest.mark.parametrize(
    ("x0", "x1", "expected"),
    [
        (2.5, 5.5, (2, 6)),  # both ends on centres: included
        (2.5 + 1 / 256, 5.5 - 1 / 256, (3, 5)),
        (-7.0, 3.0, (0, 3)),
        (9.0, 40.0, (9, 16)),
    ],
)
def test_bounds_hold_the_centres_between_the_extremes(x0, x1, expected):
    meshes, draw = pixel_scene([[(x0, 0, 0.5), (x0, 8, 0.5), (x1, 0, 0.5)]])
    bounds = screen_triangles(meshes, draw, FULL).bounds[0]
    assert (int(bounds[0]), int(bounds[2])) == expected


def test_the_near_plane_cuts_and_depth_starts_at_zero_there():
    scene = clip_space_scene([[(-1, 1, -3), (-1, -1, 1), (1, 1, 1)]])
    assert covered(scene) == {(i, j) for i in range(16) for j in range(16) if 7 <= i + j <= 14}
    depth = paint(scene).depth
    for i, j in ((7, 0), (0, 7), (4, 4), (10, 3), (0, 14)):
        assert depth[j, i] == 16777215 * (i + j - 7) // 8


def test_the_guard_band_cuts_without_changing_a_pixel():
    meshes, draw = clip_space_scene([[(-1, 1, 0), (-1, -1, 0), (7, 1, 0)]])
    triangles = screen_triangles(meshes, draw, FULL)
    assert len(triangles) == 2
    assert triangles.x.max() == (4 + 1) * 8 * 256
    assert covered((meshes, draw)) == {(i, j) for i in range(16) for j in range(16) if i + 4 * j <= 61}


def test_inside_the_guard_band_nothing_is_cut():
    meshes, draw = clip_space_scene([[(-4, 4, 0), (-4, -4, 0), (4, 4, 0)]])
    assert len(screen_triangles(meshes, draw, FULL)) == 1


def test_clip_order_and_fan_start_with_the_first_edge():
    corner = np.array([[(0, 0, 0, 1), (1, 0, -3, 1), (0, 1, 0, 1)]], dtype=np.float32)
    piece, source = clip_polygons(corner)
    # d = 1, -2, 1. Edges (v2, v0): v0. (v0, v1): R a third of the way. (v1, v2): R seen from v2, then v2.
    third = np.float32(1) / np.float32(3)
    r0 = [third, 0, np.float32(-3) * third, 1]
    r1 = [third, np.float32(1) + third * np.float32(-1), np.float32(-3) * third, 1]
    assert source.tolist() == [0, 0]
    expected = np.array([[corner[0, 0], r0, r1], [corner[0, 0], r1, corner[0, 2]]], dtype=np.float32)
    np.testing.assert_array_equal(piece, expected)


def test_a_cut_edge_has_the_same_end_for_both_neighbours():
    rng = np.random.default_rng(7)
    corner = rng.normal(size=(200, 3, 4)).astype(np.float32)
    corner[:, :, 3] = np.abs(corner[:, :, 3]) + np.float32(0.1)
    mirror = corner[:, ::-1]
    one, _ = clip_polygons(corner)
    other, _ = clip_polygons(np.ascontiguousarray(mirror))
    assert {v.tobytes() for v in one.reshape(-1, 4)} == {v.tobytes() for v in other.reshape(-1, 4)}


def test_a_vertex_without_positive_w_drops_the_polygon():
    corner = np.array([[(0, 0, 0, 0), (1, 0, 2, 1), (0, 1, 2, 1)]], dtype=np.float32)
    assert len(clip_polygons(corner)[0]) == 0


def test_trivial_reject_needs_one_common_plane():
    outside = [(2, 0, 0, 1), (3, 5, 0, 1), (9, -5, 0, 1)]
    around = [(2, 0, 0, 1), (-2, 2, 0, 1), (0, -2, 0, 1)]
    on_plane = [(1, 0, 0, 1), (3, 5, 0, 1), (9, -5, 0, 1)]
    corner = np.array([outside, around, on_plane], dtype=np.float32)
    assert trivially_outside(corner).tolist() == [True, False, False]


def test_the_far_plane_rejects_but_does_not_cut():
    assert covered(clip_space_scene([[(-1, 1, 1.5), (-1, -1, 1.25), (1, 1, 2)]])) == set()
    meshes, draw = clip_space_scene([[(-1, 1, -1), (-1, -1, -1), (1, 1, 3)]])
    triangles = screen_triangles(meshes, draw, FULL)
    assert triangles.z.tolist() == [[0, 16777215, 0]]


@pytest.mark.parametrize(
    "corners",
    [
        [(2, 2, 0.5), (8, 2, 0.5), (2, 8, 0.5)],  # clockwise: a back face
        [(2, 2, 0.5), (2, 2, 0.5), (8, 8, 0.5)],
        [(2, 2, 0.5), (4, 4, 0.5), (8, 8, 0.5)],
        [(2, 2, 0.5), (2, 2 + 1 / 1024, 0.5), (2 + 1 / 1024, 2, 0.5)],  # degenerate after rounding
        [(20, 2, 0.5), (20, 8, 0.5), (30, 2, 0.5)],
        [(2, -9, 0.5), (2, -3, 0.5), (8, -9, 0.5)],
        [(15, 18, 0.5), (19, 17, 0.5), (18, 14, 0.5)],  # its bounds meet the frame, its inside does not
        [(2, 2, -0.5), (2, 8, -0.25), (8, 2, -0.1)],  # in front of the near plane
    ],
)
def test_nothing_is_drawn_and_nothing_breaks(corners):
    assert covered(pixel_scene([corners])) == set()


def perspective_scene(position):
    meshes = mesh_set([(np.array(position, dtype=np.float32), np.array([[0, 1, 2]]))])
    mvp = perspective(SIZE, SIZE).astype(np.float32)[None]
    return meshes, DrawList(1, SIZE, SIZE, np.zeros(1, np.uint32), mvp, np.zeros((1, 3), np.float32))


def test_a_mesh_behind_the_camera_does_not_come_back_mirrored():
    assert covered(perspective_scene([(-5, 4, 4), (-5, 4, -4), (-5, -4, 0)])) == set()
    assert covered(perspective_scene([(-5, 4, 4), (-5, -4, 0), (-5, 4, -4)])) == set()


def test_a_triangle_through_the_camera_plane_covers_the_part_in_front():
    # A wall at y = 1 m to the left, from 10 m behind to 10 m in front, seen with 90 degrees: left half only.
    drawn = covered(perspective_scene([(-10, 1, -50), (10, 1, -50), (10, 1, 50)])) | covered(
        perspective_scene([(-10, 1, -50), (10, 1, 50), (10, 1, -50)])
    )
    assert drawn
    assert max(i for i, _ in drawn) == 6  # x = 10 m is at 8 - 8 / 10 = 7.2 px: the last centre before it is 6.5


def test_a_triangle_is_kept_only_if_its_bounds_meet_a_region():
    meshes, draw = pixel_scene([[(2, 2, 0.5), (2, 6, 0.5), (6, 2, 0.5)], [(9, 9, 0.5), (9, 13, 0.5), (13, 9, 0.5)]])
    touching = RegionSet.of([Region(5, 5, 9, 9)], SIZE, SIZE)
    assert screen_triangles(meshes, draw, touching).bounds.tolist() == [[2, 2, 6, 6]]
    assert len(screen_triangles(meshes, draw, RegionSet.of([Region(6, 6, 9, 9)], SIZE, SIZE))) == 0
    assert len(screen_triangles(meshes, draw, RegionSet.of([], SIZE, SIZE))) == 0


def test_coordinates_beyond_the_range_and_infinities_drop_the_triangle():
    meshes, draw = pixel_scene([[(2, 2, 0.5), (2, 6, 0.5), (6, 2, 0.5)]])
    for entry in (np.float32(3e38), np.float32(-3e38)):
        mvp = draw.mvp.copy()
        mvp[0, 0, 0] = entry
        broken = DrawList(1, SIZE, SIZE, draw.mesh, mvp, draw.sun)
        assert len(screen_triangles(meshes, broken, FULL)) == 0


def test_sizes_and_mesh_indices_are_checked():
    meshes, draw = pixel_scene([[(2, 2, 0.5), (2, 6, 0.5), (6, 2, 0.5)]])
    with pytest.raises(ValueError, match="regions are for 8x8"):
        screen_triangles(meshes, draw, RegionSet.full(8, 8))
    unknown = DrawList(5, SIZE, SIZE, np.ones(1, np.uint32), draw.mvp, draw.sun)
    with pytest.raises(ValueError, match="frame 5 draws mesh 1 of 1"):
        screen_triangles(meshes, unknown, FULL)


def test_slopes_saturate_at_40_bits():
    meshes, draw = pixel_scene([[(0.5, 0.5, 0), (0.5, 2.5, 0), (0.5 + 1 / 256, 0.5, 1)]])
    triangles = screen_triangles(meshes, draw, FULL)
    assert triangles.dzdx.tolist() == [(1 << 39) - 1]
    assert triangles.dzdy.tolist() == [0]
    assert triangles.z0.tolist() == [0]


def test_draw_order_is_instances_then_triangles_with_clipped_pieces_in_place():
    tall = np.array([(-1, 1, -3), (-1, -1, 1), (1, 1, 1)], dtype=np.float32)
    small = np.array([(-0.5, 0.5, 0), (-0.5, -0.5, 0), (0.5, 0.5, 0)], dtype=np.float32)
    surface = np.array([[1, 0, 0, 1], [2, 0, 0, 2]], dtype=np.uint8)
    meshes = mesh_set([(tall, np.array([[0, 1, 2]])), (small, np.array([[0, 1, 2]]))], surface)
    mvp = np.repeat(np.eye(4, dtype=np.float32)[None], 3, axis=0)
    draw = DrawList(1, SIZE, SIZE, np.array([1, 0, 1], np.uint32), mvp, np.zeros((3, 3), np.float32))
    assert (screen_triangles(meshes, draw, FULL).surface >> 24).tolist() == [2, 1, 1, 2]


def clip_corners(*rows):
    """(3, 4) float32 from hexadecimal floats."""
    return np.array([[float.fromhex(v) for v in row.split()] for row in rows], dtype=np.float32)


def test_a_cut_corner_that_rounds_far_off_the_guard_band_drops_the_triangle():
    """Found by search: w nearly cancels in a cut, so a piece's x is at -1.7e7 px although it was cut at 4 w."""
    corner = clip_corners(
        "0x1.c39f5ap+34 0x1.243312p+36 -0x1.b5d07ep+33 0x1.b5d07ep+33",
        "0x1.fa025cp+7 -0x1.06dda8p+7 0x1.0b2ea0p+9 -0x1.0b2e9ap+9",
        "-0x1.94de26p+26 0x1.32593ap+22 -0x1.010a52p+27 0x1.010a56p+27",
    )
    piece, _ = clip_polygons(corner[None])
    pixel_x = piece[..., 0] / piece[..., 3] * 8 + 8
    assert np.isfinite(pixel_x).all()
    assert (np.abs(pixel_x) * 256 >= 1 << 22).any()
    meshes = mesh_set([(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]]))])
    mvp = np.zeros((1, 4, 4), dtype=np.float32)
    mvp[0, :, :3] = corner.T  # the unit vectors' images are the three corners, exactly
    triangles = screen_triangles(
        meshes, DrawList(1, SIZE, SIZE, np.zeros(1, np.uint32), mvp, np.zeros((1, 3), np.float32)), FULL
    )
    assert np.abs(triangles.x).max(initial=0) < 1 << 22


def test_a_ninth_vertex_drops_the_polygon():
    """Found by search: rounding makes this polygon cross a guard plane four times."""
    corner = clip_corners(
        "0x1.3d17eap+2 0x1.e96d5ep+0 0x1.318ff0p+1 0x1.c9c716p+2",
        "0x1.3eaf1ep-13 -0x1.3318a4p-14 0x1.5486bep-15 -0x1.3d0fe6p-13",
        "-0x1.1ef34cp+22 -0x1.117148p+23 0x1.8e0b62p+23 -0x1.d0118ep+22",
    )
    assert len(clip_polygons(corner[None])[0]) == 0
