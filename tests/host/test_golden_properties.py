"""Properties of the golden model over generated scenes."""

import numpy as np
from foveal.drawlist import DrawList
from foveal.golden import records, render
from foveal.golden.geometry import screen_triangles
from foveal.golden.raster import rasterise
from foveal.region import RegionSet
from golden_scenes import SIZE, paint, pixel_scene
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scenes import mesh_set, pixel_grid_matrix, random_regions, random_scene

sub_pixel = st.integers(-3 * 256, (SIZE + 3) * 256).map(lambda v: v / 256)
seeds = st.integers(0, 2**32 - 1)


def layers(corners):
    """Each triangle's coverage alone, (n, 16, 16) bool; facing is fixed up so that all are drawn."""
    out = []
    for a, b, c in corners:
        if (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]) > 0:
            b, c = c, b
        out.append(paint(pixel_scene([[(*a, 0.5), (*b, 0.5), (*c, 0.5)]])).depth != (1 << 24) - 1)
    return np.array(out)


@settings(max_examples=60)
@given(seeds, st.integers(2, 5))
def test_a_mesh_partition_of_the_frame_draws_each_pixel_once(seed, cells):
    """Inner grid points move on the 1/256 grid; all triangles together cover each pixel exactly once."""
    rng = np.random.default_rng(seed)
    step = SIZE / cells
    points = np.stack(np.meshgrid(np.arange(cells + 1) * step, np.arange(cells + 1) * step), axis=-1)
    inner = (slice(1, -1), slice(1, -1))
    points[inner] += rng.uniform(-0.24, 0.24, size=points[inner].shape) * step
    points = np.floor(points * 256) / 256
    corners = []
    for j in range(cells):
        for i in range(cells):
            a, b, c, d = points[j, i], points[j + 1, i], points[j + 1, i + 1], points[j, i + 1]
            corners += [(a, b, c), (a, c, d)] if rng.random() < 0.5 else [(a, b, d), (b, c, d)]
    assert (layers(corners).sum(axis=0) == 1).all()


@settings(max_examples=60)
@given(st.tuples(sub_pixel, sub_pixel), st.lists(st.tuples(sub_pixel, sub_pixel), min_size=3, max_size=6))
def test_a_fan_seen_from_both_sides_of_an_edge_never_draws_a_shared_edge_twice(hub, ring):
    """Triangles on opposite sides of the edge hub-ring[k] share no pixel."""
    for k in range(len(ring) - 2):
        a, b, c = ring[k : k + 3]
        side = [(b[0] - hub[0]) * (p[1] - hub[1]) - (b[1] - hub[1]) * (p[0] - hub[0]) for p in (a, c)]
        if side[0] * side[1] < 0:
            one, other = layers([(hub, a, b), (hub, b, c)])
            assert not (one & other).any()


@settings(max_examples=60)
@given(st.lists(st.tuples(sub_pixel, sub_pixel), min_size=3, max_size=3))
def test_coverage_follows_the_definition(corners):
    """A pixel strictly inside is drawn, one strictly outside is not (64-bit integers, no shared code)."""
    (ax, ay), (bx, by), (cx, cy) = [(round(x * 256), round(y * 256)) for x, y in corners]
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    drawn = layers([corners])[0]
    if area == 0:
        assert not drawn.any()
        return
    px, py = np.meshgrid(np.arange(SIZE) * 256 + 128, np.arange(SIZE) * 256 + 128)
    sign = 1 if area > 0 else -1
    value = [
        sign * ((qx - x) * (py - y) - (qy - y) * (px - x))
        for (x, y), (qx, qy) in (((ax, ay), (bx, by)), ((bx, by), (cx, cy)), ((cx, cy), (ax, ay)))
    ]
    strictly_in = np.logical_and.reduce([v > 0 for v in value])
    strictly_out = np.logical_or.reduce([v < 0 for v in value])
    assert drawn[strictly_in].all()
    assert not drawn[strictly_out].any()


@settings(max_examples=40)
@given(seeds)
def test_a_region_frame_equals_the_full_frame_inside_its_regions(seed):
    scene = random_scene(seed)
    regions = random_regions(np.random.default_rng(seed + 1), scene.draw.width, scene.draw.height, count=5)
    full = render(scene.meshes, scene.draw, RegionSet.full(scene.draw.width, scene.draw.height), resident=True)
    part = render(scene.meshes, scene.draw, regions, resident=True)
    mask = regions.mask()
    for name in ("pixels", "depth", "material"):
        whole, cut = getattr(full, name), getattr(part, name)
        np.testing.assert_array_equal(cut[mask], whole[mask])
        assert not cut[~mask].any()


@settings(max_examples=40)
@given(seeds)
def test_a_guard_band_clip_changes_no_coverage_of_axis_aligned_cuts(seed):
    """A triangle far larger than the guard band covers what its exact edges say, up to the rounding of cut corners."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(-200, 216, size=(3, 2)).astype(np.float64)
    area = np.linalg.det(np.stack((corners[1] - corners[0], corners[2] - corners[0])))
    if abs(area) < 1:
        return
    drawn = layers([[tuple(c) for c in corners]])[0]
    px, py = np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5)
    distance = []
    for k in range(3):
        (x, y), (qx, qy) = corners[k], corners[(k + 1) % 3]
        edge = (qx - x) * (py - y) - (qy - y) * (px - x)
        distance.append(np.sign(area) * edge / np.hypot(qx - x, qy - y))
    nearest = np.minimum.reduce(distance)
    assert drawn[nearest > 1 / 16].all()
    assert not drawn[nearest < -1 / 16].any()


@settings(max_examples=25)
@given(seeds)
def test_record_fields_fit_their_widths(seed):
    scene = random_scene(seed, width=4096, height=2160, full=True)
    t = screen_triangles(scene.meshes, scene.draw, scene.regions)
    across = t.x[:, [1, 2, 0]] - t.x
    down = t.y[:, [1, 2, 0]] - t.y
    assert np.abs(across).max(initial=0) < 1 << 23
    assert np.abs(down).max(initial=0) < 1 << 23
    first = t.bounds[:, :2] * 256 + 128
    edge = across * (first[:, 1:2] - t.y) - down * (first[:, 0:1] - t.x)
    assert np.abs(edge).max(initial=0) // 256 < 1 << 39
    assert (t.z0 >= -(1 << 47)).all()
    assert (t.z0 < 1 << 47).all()


@settings(max_examples=25)
@given(seeds)
def test_depth_stays_within_a_sixteenth_of_a_step_of_the_exact_plane(seed):
    """The 16 guard bits promise it over 4,096 pixels; here against exact integers at each drawn pixel."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-4, SIZE + 4, size=(3, 2))
    z = rng.uniform(0.2, 0.8, size=3)
    corners = np.floor(corners * 256) / 256
    area = np.linalg.det(np.stack((corners[1] - corners[0], corners[2] - corners[0])))
    if abs(area) < 4:
        return
    order = [0, 1, 2] if area < 0 else [0, 2, 1]
    scene = pixel_scene([[(*corners[k], z[k]) for k in order]])
    t = screen_triangles(*scene, RegionSet.full(SIZE, SIZE))
    if max(np.abs(t.dzdx).max(initial=0), np.abs(t.dzdy).max(initial=0)) >= (1 << 39) - 1:
        return  # nearly edge-on: the slope saturates and promises nothing
    depth, _ = rasterise(t, RegionSet.full(SIZE, SIZE))
    jj, ii = np.nonzero(depth != (1 << 24) - 1)
    if not len(ii):
        return
    x, y, zz = (v[0].astype(object) for v in (t.x, t.y, t.z))
    area2 = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    nx = (zz[1] - zz[0]) * (y[2] - y[0]) - (zz[2] - zz[0]) * (y[1] - y[0])
    ny = (zz[2] - zz[0]) * (x[1] - x[0]) - (zz[1] - zz[0]) * (x[2] - x[0])
    for i, j in zip(ii.tolist(), jj.tolist(), strict=True):
        scaled = zz[0] * area2 + nx * (i * 256 + 128 - x[0]) + ny * (j * 256 + 128 - y[0])
        low, high = (scaled * 16 - area2) // (area2 * 16), (scaled * 16 + area2) // (area2 * 16)
        assert low <= depth[j, i] <= high


@settings(max_examples=20)
@given(seeds)
def test_records_of_a_region_set_are_those_of_the_full_frame_that_meet_it(seed):
    scene = random_scene(seed, width=96, height=96)
    full = records(scene.meshes, scene.draw, RegionSet.full(96, 96))
    part = records(scene.meshes, scene.draw, scene.regions)
    for band in range(len(part.table)):
        known = {bytes(r)[:61] for r in full.band(band)}
        assert {bytes(r)[:61] for r in part.band(band)} <= known


def test_a_mesh_drawn_by_many_instances_matches_one_by_one():
    corners = np.array([(1, 1, 0.5), (1, 3, 0.5), (3, 1, 0.5)], dtype=np.float32)
    meshes = mesh_set([(corners, np.array([[0, 1, 2]]))])
    base = pixel_grid_matrix(SIZE, SIZE)
    shift = np.repeat(np.eye(4, dtype=np.float32)[None], 3, axis=0)
    shift[:, 0, 3] = [0, 4, 8]
    mvp = (base @ shift).astype(np.float32)
    draw = DrawList(1, SIZE, SIZE, np.zeros(3, np.uint32), mvp, np.zeros((3, 3), np.float32))
    drawn = paint((meshes, draw)).depth != (1 << 24) - 1
    # Centres (1.5, 1.5), (2.5, 1.5) and (1.5, 2.5): the last two lie on the exclusive hypotenuse.
    assert np.argwhere(drawn).tolist() == [[1, 1], [1, 5], [1, 9]]
