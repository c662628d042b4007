"""Coverage and depth, worked by hand."""

import numpy as np
import pytest
from golden_scenes import SIZE, covered, paint, pixel_scene

FAR = (1 << 24) - 1


def square(x0, y0, x1, y1, depth=0.5, flip=False):
    """Two front faces that share a diagonal."""
    a, b, c, d = (x0, y0, depth), (x0, y1, depth), (x1, y1, depth), (x1, y0, depth)
    return [[a, b, d], [b, c, d]] if flip else [[a, b, c], [a, c, d]]


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("shift", [0.0, 0.5, 1 / 256, 0.25])
def test_a_quad_of_two_triangles_covers_each_pixel_exactly_once(shift, flip):
    first, second = square(2 + shift, 3 + shift, 10 + shift, 9 + shift, flip=flip)
    one, other = covered(pixel_scene([first])), covered(pixel_scene([second]))
    assert not one & other
    offset = 1 if shift > 0.5 else 0
    assert one | other == {(i + offset, j + offset) for i in range(2, 10) for j in range(3, 9)}


def test_centres_on_left_and_top_edges_are_in_and_on_others_out():
    corners = [(2.5, 2.5, 0.5), (2.5, 6.5, 0.5), (6.5, 2.5, 0.5)]
    expected = {(2, 2), (3, 2), (4, 2), (5, 2), (2, 3), (3, 3), (4, 3), (2, 4), (3, 4), (2, 5)}
    assert covered(pixel_scene([corners])) == expected


def test_centres_on_right_and_bottom_edges_are_out():
    corners = [(6.5, 2.5, 0.5), (2.5, 6.5, 0.5), (6.5, 6.5, 0.5)]
    assert covered(pixel_scene([corners])) == {(i, j) for i in range(2, 6) for j in range(2, 6) if i + j >= 8}


def test_a_top_edge_through_centres_belongs_to_the_triangle_below_it():
    below = covered(pixel_scene([[(1, 4.5, 0.5), (1, 8, 0.5), (8, 4.5, 0.5)]]))
    above = covered(pixel_scene([[(1, 4.5, 0.5), (8, 4.5, 0.5), (1, 1, 0.5)]]))
    assert {i for i, j in below if j == 4} == set(range(1, 8))
    assert 4 not in {j for _, j in above}


def test_triangles_around_a_common_centre_draw_it_once():
    hub, ring = (8.5, 8.5, 0.5), [(4, 3, 0.5), (3, 12, 0.5), (9, 14, 0.5), (13, 10, 0.5), (12, 2, 0.5)]
    fan = [[hub, ring[k], ring[(k + 1) % 5]] for k in range(5)]
    assert sum((8, 8) in covered(pixel_scene([t])) for t in fan) == 1


def test_a_triangle_between_centres_draws_nothing():
    assert covered(pixel_scene([[(3.6, 3.6, 0.5), (3.6, 4.4, 0.5), (4.4, 3.6, 0.5)]])) == set()


def test_one_sub_pixel_step_decides():
    step = 1 / 256
    inside = [(3.5, 3.5, 0.5), (3.5, 3.5 + step, 0.5), (3.5 + step, 3.5, 0.5)]
    beside = [(3.5 + step, 3.5, 0.5), (3.5 + step, 3.5 + step, 0.5), (3.5 + 2 * step, 3.5, 0.5)]
    assert covered(pixel_scene([inside])) == {(3, 3)}
    assert covered(pixel_scene([beside])) == set()


def test_a_sliver_draws_only_centres_between_its_edges():
    sliver = [(0.5, 0.5, 0.5), (15.5, 15.5 + 1 / 256, 0.5), (15.5, 15.5, 0.5)]
    # The diagonal is the upper right edge: not inclusive. Below it no centre lies within 1/256 px but at x = 15.5.
    assert covered(pixel_scene([sliver])) == set()
    mirrored = [(0.5, 0.5, 0.5), (15.5, 15.5, 0.5), (15.5, 15.5 - 1 / 256, 0.5)]
    # The diagonal is now the lower left edge, which runs upwards: inclusive. Its two ends also lie on exclusive edges.
    assert covered(pixel_scene([mirrored])) == {(k, k) for k in range(1, 15)}


def test_a_constant_depth_is_the_rounded_24_bit_value():
    frame = paint(pixel_scene(square(0, 0, SIZE, SIZE, depth=0.5)))
    assert set(frame.depth.ravel().tolist()) == {8388608}  # 0.5 * 16777215 = 8388607.5, half rounds up


def test_a_slope_from_centre_to_centre():
    frame = paint(pixel_scene([[(0.5, 0.5, 0), (0.5, 8.5, 0), (8.5, 0.5, 1)]]))
    assert frame.depth[0, :8].tolist() == [16777215 * i // 8 for i in range(8)]
    assert frame.depth[5, 2] == 16777215 * 2 // 8
    assert frame.depth[0, 8] == FAR


def test_a_slope_is_sampled_at_centres_not_at_corners():
    frame = paint(pixel_scene([[(0, 0, 0), (0, 8, 0), (8, 0, 1)]]))
    assert frame.depth[0, :7].tolist() == [16777215 * (2 * i + 1) // 16 for i in range(7)]


def test_a_downward_slope_in_y():
    frame = paint(pixel_scene([[(0.5, 0.5, 1), (0.5, 8.5, 0), (8.5, 0.5, 1)]]))
    assert frame.depth[1:8, 0].tolist() == [16777215 - -(-16777215 * j // 8) for j in range(1, 8)]


def test_the_nearer_triangle_wins_whatever_the_order():
    near, far = square(0, 0, 8, 8, depth=0.25), square(0, 0, 8, 8, depth=0.75)
    for order in (near + far, far + near):
        assert paint(pixel_scene(order)).depth[4, 4] == 4194304  # 0.25 * 16777215 = 4194303.75


def test_the_first_of_equal_depths_stays():
    surface = np.array([[10, 0, 0, 3], [10, 0, 0, 3], [0, 20, 0, 4], [0, 20, 0, 4]], dtype=np.uint8)
    frame = paint(pixel_scene(square(0, 0, 8, 8) + square(0, 0, 8, 8, flip=True), surface))
    assert set(frame.material[:8, :8].ravel().tolist()) == {3}
    assert frame.pixels[4, 4].tolist() == [0, 0, 10, 255]


def test_the_far_value_draws_nothing():
    assert covered(pixel_scene(square(0, 0, 8, 8, depth=1.0))) == set()
