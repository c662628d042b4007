"""The HLS geometry kernel in C simulation: each rule of hw/SPEC.md, section 3, with vectors worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from foveal import DrawList, MeshSet, Region, RegionSet
from foveal import geometry as face
from foveal.geometry import Geometry, Records, setup

SIZE = 64
PERSPECTIVE = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -2], [0, 0, 1, 0]], np.float32)
"""clip = (x, y, d - 2, d) for a point at distance d: near plane at d = 1, far plane at infinity."""


def pixels(*points: tuple[float, ...], width: int = SIZE, height: int = SIZE) -> np.ndarray:
    """Clip-space positions (w = 1) of points given as x, y in pixels and z in ndc (0 if left out)."""
    full = np.array([(*p, 0.0)[:3] for p in points], np.float64)
    return np.column_stack(
        [full[:, 0] * 2 / width - 1, 1 - full[:, 1] * 2 / height, full[:, 2]],
    ).astype(np.float32)


def mesh_of(positions: np.ndarray, triangles: np.ndarray | None = None, bounds: np.ndarray | None = None) -> MeshSet:
    """One mesh; triangles default to consecutive vertices. Albedo (100, 200, 255), material 7, normals +Z."""
    count = len(positions) // 3 if triangles is None else len(triangles)
    triangle = np.arange(count * 3).reshape(-1, 3) if triangles is None else triangles
    box = np.stack([positions.min(axis=0), positions.max(axis=0)]) if bounds is None else bounds
    return MeshSet(
        position=np.ascontiguousarray(positions, np.float32),
        triangle=triangle.astype(np.uint32),
        normal=np.tile(np.array([0, 0, 1], np.float32), (count, 1)),
        surface=np.tile(np.array([100, 200, 255, 7], np.uint8), (count, 1)),
        vertex_range=np.array([[0, len(positions)]], np.uint32),
        triangle_range=np.array([[0, count]], np.uint32),
        bounds=box[None].astype(np.float32),
        material=np.full((256, 4), 128, np.uint8),
    )


def draw_of(mvp: np.ndarray | None = None, width: int = SIZE, height: int = SIZE, mesh: int = 0) -> DrawList:
    matrix = np.eye(4, dtype=np.float32) if mvp is None else mvp
    sun = np.array([[0, 0, 1]], np.float32)
    return DrawList(0, width, height, np.array([mesh], np.uint32), matrix[None], sun, ambient=0.25, diffuse=0.5)


def run(positions: np.ndarray, mvp: np.ndarray | None = None, regions: list[Region] | None = None) -> Records:
    chosen = RegionSet.full(SIZE, SIZE) if regions is None else RegionSet.of(regions, SIZE, SIZE)
    return setup(mesh_of(positions), draw_of(mvp), chosen)


def signed(raw: np.ndarray) -> np.ndarray:
    """Little-endian signed integers from (n, bytes) rows."""
    weights = 1 << (8 * np.arange(raw.shape[1], dtype=np.int64))
    value = (raw.astype(np.int64) * weights).sum(axis=1)
    return value - ((raw[:, -1] >= 128).astype(np.int64) << (8 * raw.shape[1]))


def fields(records: np.ndarray) -> dict[str, np.ndarray]:
    """The table of SPEC section 4, read back; unsigned fields as int64 too."""
    table = {"a0": (12, 3), "b0": (15, 3), "a1": (18, 3), "b1": (21, 3), "a2": (24, 3), "b2": (27, 3)}
    table |= {"c0": (30, 5), "c1": (35, 5), "c2": (40, 5), "dzdx": (45, 5), "dzdy": (50, 5), "z0": (55, 6)}
    out = {name: signed(records[:, at : at + size]) for name, (at, size) in table.items()}
    for name, (at, size) in {"bx0": (0, 2), "by0": (2, 2), "bx1": (4, 2), "by1": (6, 2), "number": (61, 3)}.items():
        out[name] = signed(np.column_stack([records[:, at : at + size], np.zeros(len(records), np.uint8)]))
    return out


def coverage(result: Records, width: int = SIZE, height: int = SIZE) -> np.ndarray:
    """How many triangles cover each pixel, from bounds and edge functions; each triangle once."""
    count = np.zeros((height, width), int)
    f = fields(result.records)
    _, once = np.unique(f["number"], return_index=True)
    for n in once:
        i = np.arange(f["bx0"][n], f["bx1"][n])[None, :] - f["bx0"][n]
        j = np.arange(f["by0"][n], f["by1"][n])[:, None] - f["by0"][n]
        inside = np.ones((j.size, i.size), bool)
        for k in "012":
            inside &= f["a" + k][n] * i + f["b" + k][n] * j + f["c" + k][n] >= 0
        count[f["by0"][n] : f["by1"][n], f["bx0"][n] : f["bx1"][n]] += inside
    return count


def test_every_field_of_a_hand_worked_triangle() -> None:
    result = run(pixels((8, 8, 0.0), (8, 24, 0.0), (24, 8, 0.5)))
    assert result.records.shape == (1, 64)
    f = {name: int(value[0]) for name, value in fields(result.records).items()}
    # Front face (counter-clockwise with y up), so vertices 1 and 2 swap: (8, 8), (24, 8), (8, 24) in 256ths.
    assert (f["bx0"], f["by0"], f["bx1"], f["by1"]) == (8, 8, 24, 24)
    assert (f["a0"], f["b0"], f["c0"]) == (0, 4096, 4096 * 128 // 256)  # top edge: inclusive
    assert (f["a1"], f["b1"], f["c1"]) == (-4096, -4096, 4096 * 3840 // 256 - 1)  # the diagonal: exclusive
    assert (f["a2"], f["b2"], f["c2"]) == (4096, 0, 4096 * 128 // 256)  # left edge: inclusive
    # Z = 8,388,608 (zs 0.5) and 12,582,911 (zs 0.75) 16 px to the right: (4,194,303 / 16) * 2^16 a pixel.
    assert (f["dzdx"], f["dzdy"]) == (4194303 * 4096, 0)
    assert f["z0"] == 8388608 * 65536 + 4194303 * 4096 // 2
    # L = 0.25 + 0.5; 75.5, 150.5 and 191.75 floored.
    assert result.records[0, 8:12].tolist() == [75, 150, 191, 7]
    assert f["number"] == 0


def test_depth_slope_down_the_screen() -> None:
    f = fields(run(pixels((8, 8, 0.0), (8, 24, 0.5), (24, 8, 0.0))).records)
    assert (int(f["dzdx"][0]), int(f["dzdy"][0])) == (0, 4194303 * 4096)


def test_top_left_rule_gives_each_centre_on_an_edge_to_one_triangle() -> None:
    a, b, c, d = (8.5, 8.5), (8.5, 12.5), (12.5, 12.5), (12.5, 8.5)
    expected = np.zeros((SIZE, SIZE), int)
    expected[8:12, 8:12] = 1
    np.testing.assert_array_equal(coverage(run(pixels(a, b, c, a, c, d))), expected)
    np.testing.assert_array_equal(coverage(run(pixels(b, d, a, b, c, d))), expected)


def test_shared_edges_of_a_fan_leave_no_gap_and_no_overlap() -> None:
    rng = np.random.default_rng(7)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 24))[::-1]
    rim = np.column_stack([32 + 90 * np.cos(angle), 32 + 90 * np.sin(angle)])
    centre = rng.uniform(20, 44, 2)
    fan = [p for n in range(24) for p in (tuple(centre), tuple(rim[n]), tuple(rim[(n + 1) % 24]))]
    np.testing.assert_array_equal(coverage(run(pixels(*fan))), 1)


def test_near_clip_cuts_a_triangle_that_passes_the_camera() -> None:
    # Corners at distance 3, -1 (behind) and 3; the near plane at 1 meets both long edges half way, at y = -0.5.
    result = run(np.array([[-3, 0, 3], [0, -1, -1], [3, 0, 3]], np.float32), PERSPECTIVE)
    assert result.stats["triangles_clipped"] == 1
    assert result.stats["triangles_out"] == 2
    expected = np.zeros((SIZE, SIZE), int)
    expected[32:48] = 1  # ndc y 0 .. -0.5, wider than the screen at both ends
    np.testing.assert_array_equal(coverage(result), expected)
    f = fields(result.records)
    for n in range(len(result.records)):  # the near edge is at depth 0
        bottom = f["z0"][n] + f["dzdx"][n] * (32 - f["bx0"][n]) + f["dzdy"][n] * (48 - f["by0"][n])
        assert bottom <= abs(f["dzdy"][n])


@pytest.mark.parametrize("reach", [5.0, 100.0, 1e3])
def test_guard_band_clip_keeps_the_picture_whole(reach: float) -> None:
    big = np.array([[-reach, -reach, 0], [reach, -reach, 0], [0, 3 * reach, 0]], np.float32)
    result = run(big)
    assert result.stats["triangles_clipped"] == 1
    np.testing.assert_array_equal(coverage(result), 1)


@pytest.mark.parametrize("reach", [1e8, 1e20, 1e38])
def test_extreme_triangles_stay_inside_the_number_formats(reach: float) -> None:
    # Rounding leaves such a clip no precision; what must hold is that no coefficient wraps.
    rng = np.random.default_rng(11)
    wild = np.concatenate([rng.uniform(-1, 1, (300, 3)) * reach, pixels((8, 8), (8, 24), (24, 8))]).astype(np.float32)
    result = run(wild)
    f = fields(result.records)
    assert (f["a0"] + f["a1"] + f["a2"] == 0).all()  # a closed polygon; fails if one wrapped
    assert (f["b0"] + f["b1"] + f["b2"] == 0).all()
    assert (f["bx1"] <= SIZE).all()
    assert (f["bx0"] < f["bx1"]).all()


def test_a_triangle_inside_the_guard_band_is_not_clipped() -> None:
    assert run(np.array([[-4, -4, 0], [4, -4, 0], [0, 4, 0]], np.float32)).stats["triangles_clipped"] == 0


@pytest.mark.parametrize(
    ("points", "counter"),
    [
        (((8, 8), (24, 8), (8, 24)), "dropped_facing"),  # back face
        (((8, 8), (16, 16), (24, 24)), "dropped_facing"),  # a line
        (((8, 8), (8, 8), (8, 8)), "dropped_facing"),  # a point
        (((8.6, 8.6), (8.6, 9.4), (9.4, 8.6)), "dropped_empty"),  # between pixel centres
        (((-40, 8), (-40, 24), (-2, 8)), "triangles_outside"),  # left of the frame
        (((8, 8, 1.5), (8, 24, 1.5), (24, 8, 1.5)), "triangles_outside"),  # beyond the far plane
    ],
)
def test_what_is_dropped_and_where_it_is_counted(points: tuple[tuple[float, ...], ...], counter: str) -> None:
    # A second triangle in view keeps the instance from being culled as a whole.
    result = run(np.concatenate([pixels(*points), pixels((40, 40), (40, 50), (50, 40), width=SIZE)]))
    assert result.stats[counter] == 1
    assert result.stats["triangles_out"] == 1


def test_depth_beyond_the_far_plane_saturates() -> None:
    f = fields(run(pixels((8, 8, 3.0), (8, 24, 3.0), (24, 8, 0.0))).records)
    # Corner (8, 8) counts as 2^24 - 1, not as 2 * 2^24.
    near_corner = f["z0"][0] - (f["dzdx"][0] + f["dzdy"][0]) // 2
    assert abs(int(near_corner) - (2**24 - 1) * 2**16) < 2**20


@pytest.mark.parametrize(
    ("region", "kept"),
    [
        (Region(24, 0, 64, 64), 0),
        (Region(23, 0, 64, 64), 1),
        (Region(0, 0, 8, 64), 0),
        (Region(0, 0, 9, 64), 1),
        (Region(0, 24, 64, 64), 0),
        (Region(0, 23, 64, 64), 1),
        (Region(0, 0, 64, 8), 0),
        (Region(8, 8, 9, 9), 1),
    ],
)
def test_region_cull_is_exact_to_the_pixel(region: Region, kept: int) -> None:
    far = pixels((0, 0), (0, 1), (1, 0), (63, 63), (63, 64), (64, 63))  # keeps the instance's box wide
    shape = pixels((8, 8), (8, 24), (24, 8))
    result = run(np.concatenate([far, shape]), regions=[region])
    f = fields(result.records)
    assert int((f["bx0"] == 8).sum()) == kept


def test_no_region_draws_nothing() -> None:
    result = run(pixels((8, 8), (8, 24), (24, 8)), regions=[])
    assert len(result.records) == 0
    assert not result.bands.any()


def test_bands_list_only_rows_with_regions_in_draw_order() -> None:
    height = 128
    tall = ((4, 2), (4, 126), (60, 2))
    low = ((4, 100), (4, 120), (24, 100))
    shape = pixels(*tall, *low, *tall, height=height)
    regions = RegionSet.of([Region(0, 40, 64, 50), Region(0, 100, 64, 101)], SIZE, height)
    result = setup(mesh_of(shape), draw_of(height=height), regions)
    assert result.bands.tolist() == [[0, 0], [0, 2], [2, 0], [2, 3]]
    assert fields(result.records)["number"].tolist() == [0, 2, 0, 1, 2]
    assert result.stats["triangles_out"] == 3
    assert result.stats["records_written"] == result.stats["records_needed"] == 5
    assert result.stats["bands_active"] == 2


def test_kernel_clips_regions_itself_and_ignores_empty_and_inverted_ones() -> None:
    kernel = Geometry(mesh_of(pixels((8, 8), (8, 24), (24, 8))))
    for region, count in [((20, 20, 10, 10), 0), ((8, 8, 8, 30), 0), ((100, 0, 200, 64), 0), ((0, 0, 8191, 8191), 1)]:
        bands, stats = kernel.run(draw_of(), np.array([region]))
        assert (int(bands[:, 1].sum()), stats["flags"]) == (count, 0)


def stack(count: int) -> np.ndarray:
    return np.concatenate([pixels((8, 8), (8, 40), (24, 8))] * count)  # rows 8..39: two bands each


def test_overflow_is_flagged_and_what_fits_is_a_prefix() -> None:
    whole = setup(mesh_of(stack(5)), draw_of(), RegionSet.full(SIZE, SIZE))
    kernel = Geometry(mesh_of(stack(5)), capacity=7)
    bands, stats = kernel.run(draw_of(), np.array([[0, 0, 64, 64]]))
    assert stats["flags"] == face.RECORD_OVERFLOW
    assert (stats["triangles_out"], stats["records_needed"], stats["records_written"]) == (5, 10, 7)
    assert bands.tolist() == [[0, 5], [5, 2]]
    kernel = Geometry(mesh_of(stack(5)), capacity=3)
    bands, stats = kernel.run(draw_of(), np.array([[0, 0, 64, 64]]))
    assert stats["flags"] == face.STAGING_OVERFLOW | face.RECORD_OVERFLOW
    assert (stats["triangles_out"], stats["records_needed"], stats["records_written"]) == (5, 10, 3)
    grown = kernel.setup(draw_of(), RegionSet.full(SIZE, SIZE))
    np.testing.assert_array_equal(grown.records, whole.records)


def test_nothing_is_written_beyond_a_capacity() -> None:
    from foveal import _geometry

    packed = face.pack_meshes(mesh_of(stack(9)))
    guard = np.full((16, 64), 0xA5, np.uint8)
    staging, record = guard.copy(), guard.copy()
    band, statistics = np.zeros((128, 8), np.uint8), np.zeros((1, 80), np.uint8)
    _geometry.geometry(
        packed.position,
        packed.triangle.view(np.uint8).reshape(-1, 32),
        packed.mesh.view(np.uint8).reshape(-1, 40),
        face.pack_instances(draw_of()).view(np.uint8).reshape(-1, 80),
        np.array([[0, 0, 64, 64]], "<u2").view(np.uint8),
        SIZE,
        SIZE,
        0.5,
        0.5,
        False,
        staging[:4],
        record[:6],
        band,
        statistics,
    )
    np.testing.assert_array_equal(staging[4:], guard[4:])
    np.testing.assert_array_equal(record[6:], guard[6:])
    assert (record[:6] != 0xA5).any(axis=1).all()


def test_values_that_overflow_to_infinity_or_nan_are_dropped() -> None:
    huge = np.eye(4, dtype=np.float32)
    huge[0] = [3e38, -3e38, 0, 0]  # x = inf - inf
    result = run(np.array([[10, 10, 0], [10, 20, 0], [20, 10, 0]], np.float32), huge)
    assert len(result.records) == 0
    assert result.stats["flags"] == 0


def test_a_corner_in_the_eye_drops_the_polygon() -> None:
    flat = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]], np.float32)  # clip = (x, y, 0, d)
    result = run(np.array([[0, 0, 0], [-1, -1, 2], [1, -1, 2]], np.float32), flat)
    assert len(result.records) == 0
    assert result.stats["dropped_invalid"] == 1


def test_instance_cull_changes_no_record() -> None:
    rng = np.random.default_rng(3)
    everywhere = np.array([[-1e6, -1e6, -1e6], [1e6, 1e6, 1e6]])
    culled = 0
    for _ in range(40):
        positions = (rng.uniform(-6, 6, 3) + rng.uniform(-1, 1, (60, 3))).astype(np.float32)
        corner = rng.integers(0, 48, 2)
        regions = RegionSet.of([Region(corner[0], corner[1], corner[0] + 16, corner[1] + 16)], SIZE, SIZE)
        tight = setup(mesh_of(positions), draw_of(PERSPECTIVE), regions)
        loose = setup(mesh_of(positions, bounds=everywhere), draw_of(PERSPECTIVE), regions)
        np.testing.assert_array_equal(tight.records, loose.records)
        np.testing.assert_array_equal(tight.bands, loose.bands)
        culled += tight.stats["instances_culled"]
    assert 0 < culled < 40


def test_runs_between_clipped_triangles_keep_draw_order() -> None:
    # Every third triangle crosses the guard band; more than one chunk of 1,024.
    inside, across = pixels((8, 8), (8, 24), (24, 8)), np.array([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], np.float32)
    count = 1500
    shape = np.concatenate([across if n % 3 == 1 else inside for n in range(count)])
    result = setup(mesh_of(shape), draw_of(), RegionSet.of([Region(0, 0, 16, 16)], SIZE, SIZE))
    assert result.stats["triangles_clipped"] == count // 3
    number = fields(result.records)["number"]
    assert number.tolist() == list(range(result.stats["triangles_out"]))
    small = (fields(result.records)["bx1"] == 24).astype(int)
    assert int(small.sum()) == count - count // 3
    order = np.diff(np.flatnonzero(small))
    assert set(order.tolist()) == {1, order.max()}  # the same pattern from end to end
    assert order[0::2].max() != order[1::2].max() or order.max() == 1


def test_each_instance_takes_its_own_matrix_and_sun() -> None:
    shape = mesh_of(pixels((8, 8), (8, 24), (24, 8)))
    shift = np.eye(4, dtype=np.float32)
    shift[0, 3] = 1.0  # half the frame to the right
    draw = DrawList(
        0,
        SIZE,
        SIZE,
        np.zeros(2, np.uint32),
        np.stack([np.eye(4, dtype=np.float32), shift]),
        np.array([[0, 0, -1], [0, 0, 1]], np.float32),
        ambient=0.25,
        diffuse=0.5,
    )
    result = setup(shape, draw, RegionSet.full(SIZE, SIZE))
    assert fields(result.records)["bx0"].tolist() == [8, 40]
    assert result.records[:, 8].tolist() == [25, 75]  # ambient only: 25.5; lit: 75.5


def test_light_saturates_at_255() -> None:
    draw = draw_of()
    bright = DrawList(0, SIZE, SIZE, draw.mesh, draw.mvp, draw.sun, ambient=2.0, diffuse=1.0)
    result = setup(mesh_of(pixels((8, 8), (8, 24), (24, 8))), bright, RegionSet.full(SIZE, SIZE))
    assert result.records[0, 8:12].tolist() == [255, 255, 255, 7]


def test_indices_out_of_range_are_refused_with_a_message() -> None:
    shape = mesh_of(pixels((8, 8), (8, 24), (24, 8)))
    with pytest.raises(ValueError, match="out of range"):
        setup(shape, draw_of(mesh=1), RegionSet.full(SIZE, SIZE))
    with pytest.raises(ValueError, match="regions are for 32x32"):
        setup(shape, draw_of(), RegionSet.full(32, 32))


def test_modelled_cycles_follow_the_stated_formula() -> None:
    stats = run(pixels((8, 8), (8, 24), (24, 8))).stats
    # One instance drawn, three vertices, one run of one triangle, one record in one band of two.
    # Bursts: instance 1, drawn 2, scene 68 bytes 1, staging 2 x 1, table 1. Loops: vertices, run, two of pass 2.
    bursts = 1 + 2 + 1 + 2 + 1
    assert stats["bursts"] == bursts + 1
    assert stats["cycles"] == 96 + 3 + 1 + 1 + 2 * 1 + 2 + 8 * bursts + 120 * 4


def test_labels_double_the_records_written_and_nothing_else_of_the_schedule() -> None:
    shape = mesh_of(pixels((8, 8), (8, 40), (24, 8)))  # rows 8 to 39: two bands
    full = RegionSet.full(SIZE, SIZE)
    plain = Geometry(shape).setup(draw_of(), full).stats
    labelled = Geometry(shape).setup(draw_of(), full, labels=True).stats
    assert plain["records_written"] == labelled["records_written"] == 2
    assert labelled["cycles"] == plain["cycles"] + 2 * 2
    assert labelled["bytes"] == plain["bytes"] + 2 * 64
    assert labelled["bursts"] == plain["bursts"] + 2


def test_a_label_is_tag_in_r_and_on_top_and_instance_between() -> None:
    shape = replace(mesh_of(pixels((8, 8), (8, 24), (24, 8))), label=np.array([0x0C_1234], np.uint32))
    full = RegionSet.full(SIZE, SIZE)
    own = Geometry(shape).setup(draw_of(), full, labels=True)
    given = Geometry(shape).setup(replace(draw_of(), instance=np.array([0xABCD], np.uint16)), full, labels=True)
    assert own.labels is not None
    assert given.labels is not None
    assert own.labels[0, 8:12].tolist() == [0x0C, 0x34, 0x12, 0x0C]
    assert given.labels[0, 8:12].tolist() == [0x0C, 0xCD, 0xAB, 0x0C]
    assert own.records[0, 61:].tolist() == own.labels[0, 61:].tolist() == [0, 0, 0]


def test_nothing_is_written_beyond_either_half_of_the_records() -> None:
    kernel = Geometry(mesh_of(stack(5)), capacity=14)
    bands, stats = kernel.run(draw_of(), np.array([[0, 0, 64, 64]]), labels=True)
    assert stats["flags"] == face.RECORD_OVERFLOW
    assert (stats["records_needed"], stats["records_written"]) == (10, 7)
    assert bands.tolist() == [[0, 5], [5, 2]]
    grown = kernel.setup(draw_of(), RegionSet.full(SIZE, SIZE), labels=True)
    assert grown.labels is not None
    assert len(grown.labels) == len(grown.records) == 10


def test_more_meshes_than_can_be_named_are_refused() -> None:
    shape = mesh_of(pixels((8, 8), (8, 24), (24, 8)))
    many = {
        name: np.repeat(getattr(shape, name), 65537, axis=0) for name in ("vertex_range", "triangle_range", "bounds")
    }
    with pytest.raises(ValueError, match="65537 meshes"):
        face.pack_meshes(replace(shape, **many))
