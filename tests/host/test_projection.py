"""Boxes to regions: recorded cases, an independent polygon clipper, and the carla package's own vertices."""

from pathlib import Path

import carla
import numpy as np
import pytest
import yaml
from foveal.errors import SceneError
from foveal.projection import NEAR_M, Box, BoxFlag, Camera, project, project_many
from foveal.region import Region, RegionSet
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = yaml.safe_load((Path(__file__).parents[1] / "data" / "projection_cases.yaml").read_text())
ORIGIN = [0.0] * 6
ZERO = [0.0] * 3
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


def camera_of(case):
    return Camera(case["camera"]["pose"], *case["camera"]["size"], case["camera"]["fov"])


def box_of(case):
    b = case["box"]
    return Box(b["pose"], b.get("location", ZERO), b.get("rotation", ZERO), b["extent"], 7, b.get("ground_z"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_recorded_case(case):
    got = project(camera_of(case), box_of(case))
    assert got.region == (Region(*case["region"]) if case["region"] else None)
    assert got.flags == sum((BoxFlag[name] for name in case["flags"]), BoxFlag(0))
    if "bounds" in case:
        assert got.bounds == pytest.approx(case["bounds"], abs=1e-4)


def test_articulated_trucks_join_by_union():
    by_name = {case["name"]: project(camera_of(case), box_of(case)).region for case in CASES}
    assert by_name["tractor"].union(by_name["trailer"]) == Region(370, 252, 497, 336)


@pytest.mark.parametrize("near", [0.001, 0.01])
def test_the_cases_do_not_depend_on_the_near_distance(near, monkeypatch):
    monkeypatch.setattr("foveal.projection.NEAR_M", near)
    for case in CASES:
        if case["origin"]:
            got = project(camera_of(case), box_of(case)).region
            assert got == (Region(*case["region"]) if case["region"] else None), case["name"]


@pytest.mark.parametrize(
    ("size", "fov", "focal", "centre"),
    [
        ((1616, 1240), 60, 1399.4970525, (808.0, 620.0)),  # degrees, not radians
        ((1920, 1080), 90, 960.0, (960.0, 540.0)),
        ((1280, 720), 75.7, 823.5979, (640.0, 360.0)),  # a fractional angle is not cut off
        ((1, 1), 90, 0.5, (0.5, 0.5)),
        ((4096, 2160), 90, 2048.0, (2048.0, 1080.0)),
    ],
)
def test_intrinsics(size, fov, focal, centre):
    camera = Camera(ORIGIN, *size, fov)
    assert camera.focal_px == pytest.approx(focal, abs=1e-4)
    assert camera.centre_px == centre


@pytest.mark.parametrize(
    ("size", "fov", "point", "uv"),
    [
        ((1280, 720), 90, (10, -1.40625, 0), (550.0, 360.0)),  # cx is 640, not 639.5
        ((1280, 720), 90, (10, 1.40625, 0.78125), (730.0, 310.0)),
        ((1920, 1080), 90, (10, 0, 3), (960.0, 252.0)),  # fy = fx
        ((1280, 720), 75.7, (10, 8, 0), (1298.8784, 360.0)),
    ],
)
def test_points(size, fov, point, uv):
    assert Camera(ORIGIN, *size, fov).uv(np.array(point)) == pytest.approx(uv, abs=1e-4)


def test_a_plate_on_pixel_edges_has_half_open_bounds_and_no_extra_pixel():
    camera = Camera(ORIGIN, 1280, 720, 90)
    box = Box([10, 0, 0.390625, 0, 0, 0], ZERO, ZERO, [0, 1.40625, 0.390625])
    region = project(camera, box).region
    assert region == Region(550, 310, 730, 360)
    assert (region.width, region.height) == (180, 50)


@pytest.mark.parametrize(("shift", "x0"), [(0.0009, 550), (-0.0009, 550), (0.0011, 550), (-0.0011, 549)])
def test_bounds_within_a_thousandth_of_a_pixel_edge_snap_to_it(shift, x0):
    camera = Camera(ORIGIN, 1280, 720, 90)
    half = 90 / 640 * 10
    box = Box([10, shift / 64, 0.39, 0, 0, 0], ZERO, ZERO, [0, half, 0.39])
    region = project(camera, box).region
    assert region.x0 == x0
    assert region.x1 == (731 if shift > 0.001 else 730)


def test_a_region_request_beyond_the_image_is_empty_on_both_edges():
    request = Region(650, 100, 700, 150)
    clipped = request.clipped(640, 480)
    assert clipped.empty
    assert (clipped.x0, clipped.x1, clipped.width) == (640, 640, 0)
    assert len(RegionSet.of([request], 640, 480)) == 0


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *[(place, v) for place in ("transform", "location", "extent") for v in (np.nan, np.inf, -np.inf, 1e308, 2e9)],
        *[("rotation", v) for v in (np.nan, np.inf, -np.inf)],  # a huge angle is still an angle
    ],
)
def test_values_that_are_not_sound_name_the_actor(place, value):
    parts = {"transform": [1.0] * 6, "location": [0.0] * 3, "rotation": [0.0] * 3, "extent": [1.0] * 3}
    parts[place][0] = value
    with pytest.raises(SceneError, match="actor 4711"):
        project(Camera(ORIGIN, 800, 600, 90), Box(**parts, actor=4711))


def test_many_boxes_name_the_broken_one():
    transform = np.zeros((3, 6))
    transform[1, 4] = np.nan
    with pytest.raises(SceneError, match="actor 21"):
        project_many(Camera(ORIGIN, 800, 600, 90), transform, np.ones((3, 9)), np.array([20, 21, 22]))


@pytest.mark.parametrize(("width", "height", "fov"), [(0, 600, 90), (800, -1, 90), (800, 600, 0), (800, 600, 180)])
def test_what_is_no_camera_is_refused(width, height, fov):
    with pytest.raises(ValueError, match=r"camera must|field of view"):
        Camera(ORIGIN, width, height, fov)


def test_a_camera_pose_that_is_not_finite_is_refused():
    with pytest.raises(SceneError, match="camera pose"):
        Camera([np.nan, 0, 0, 0, 0, 0], 800, 600, 90)


def test_no_boxes_give_no_projections():
    assert len(project_many(Camera(ORIGIN, 800, 600, 90), np.zeros((0, 6)), np.zeros((0, 9)))) == 0


def rotation(pitch, yaw, roll):
    """Roll, then pitch, then yaw; in a left-handed frame positive pitch lifts the nose."""
    p, y, r = np.radians((pitch, yaw, roll))
    turn_z = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    turn_y = np.array([[np.cos(p), 0, -np.sin(p)], [0, 1, 0], [np.sin(p), 0, np.cos(p)]])
    turn_x = np.array([[1, 0, 0], [0, np.cos(r), np.sin(r)], [0, -np.sin(r), np.cos(r)]])
    return turn_z @ turn_y @ turn_x


def clipped_bounds(camera, box):
    """Bounds by Sutherland-Hodgman over the six faces, one polygon at a time."""
    sign = [np.array((x, y, z)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    eye = np.array(camera.transform[:3]), rotation(*camera.transform[3:])
    corner = []
    for s in sign:
        local = np.array(box.location) + rotation(*box.rotation) @ (s * np.abs(box.extent))
        world = np.array(box.transform[:3]) + rotation(*box.transform[3:]) @ local
        corner.append(eye[1].T @ (world - eye[0]))
    f, (cx, cy) = camera.focal_px, camera.centre_px
    planes = [(1, 0, 0, -NEAR_M), (cx, f, 0, 0), (cx, -f, 0, 0), (cy, 0, -f, 0), (cy, 0, f, 0)]
    points = []
    for face in FACES:
        polygon = [corner[k] for k in face]
        for a, b, c, d in planes:
            out = []
            for k, p in enumerate(polygon):
                q = polygon[(k + 1) % len(polygon)]
                dp, dq = (a * v[0] + b * v[1] + c * v[2] + d for v in (p, q))
                if dp >= 0:
                    out.append(p)
                if (dp >= 0) != (dq >= 0):
                    out.append(p + dp / (dp - dq) * (q - p))
            polygon = out
        points += polygon
    if not points:
        return None
    u = [cx + f * p[1] / p[0] for p in points]
    v = [cy - f * p[2] / p[0] for p in points]
    return min(u), min(v), max(u), max(v)


def random_boxes(seed, count):
    rng = np.random.default_rng(seed)
    transform = np.concatenate((rng.normal(scale=6, size=(count, 3)), rng.uniform(-180, 180, (count, 3))), axis=1)
    extent = 10 ** rng.uniform(-1, 1, (count, 3)) * np.where(rng.random((count, 3)) < 0.1, 0, 1)
    box = np.concatenate((rng.normal(size=(count, 3)), extent, rng.uniform(-180, 180, (count, 3))), axis=1)
    pose = np.concatenate((rng.normal(size=3), rng.uniform(-180, 180, 3)))
    camera = Camera(pose, int(rng.integers(1, 2000)), int(rng.integers(1, 1200)), float(rng.uniform(20, 140)))
    return camera, transform, box


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_bounds_equal_those_of_clipped_faces(seed):
    camera, transform, box = random_boxes(seed, 12)
    many = project_many(camera, transform, box)
    for k in range(12):
        expected = clipped_bounds(camera, Box(transform[k], box[k, :3], box[k, 6:], box[k, 3:6]))
        got = many[k].bounds
        if expected is None or got is None:
            # A box that touches the view within rounding may be seen by one and not by the other: then it has no area.
            seen = expected or got
            assert seen is None or min(seen[2] - seen[0], seen[3] - seen[1]) < 1e-6
        else:
            assert got == pytest.approx(expected, abs=1e-6)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_one_and_many_agree_and_regions_hold_their_bounds(seed):
    camera, transform, box = random_boxes(seed, 12)
    ground = np.where(np.arange(12) % 2, np.nan, transform[:, 2])
    many = project_many(camera, transform, box, np.arange(12), ground)
    for k in range(12):
        height = None if np.isnan(ground[k]) else float(ground[k])
        one = project(camera, Box(transform[k], box[k, :3], box[k, 6:], box[k, 3:6], k, height))
        assert one.region == many[k].region
        assert one.flags == many[k].flags
        assert (one.bounds is None) == (many[k].bounds is None)
        if one.region is not None:
            assert one.bounds == pytest.approx(many[k].bounds, abs=1e-9)
            assert one.region == one.region.clipped(camera.width, camera.height)
            u0, v0, u1, v1 = one.bounds
            assert 0 <= u0 - one.region.x0 + 1e-3 < 1 + 2e-3
            assert 0 <= v0 - one.region.y0 + 1e-3 < 1 + 2e-3
            assert 0 <= one.region.x1 - u1 + 1e-3 < 1 + 2e-3
            assert 0 <= one.region.y1 - v1 + 1e-3 < 1 + 2e-3
        assert bool(one.flags & BoxFlag.BEHIND) + bool(one.flags & BoxFlag.OUTSIDE_FRAME) <= (one.region is None)


def test_corners_equal_those_of_the_carla_package():
    """Extremes of wholly visible boxes against carla.BoundingBox.get_world_vertices and get_inverse_matrix."""

    def pose(values):
        x, y, z, pitch, yaw, roll = (float(v) for v in values)
        return carla.Transform(carla.Location(x, y, z), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))

    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(60):
        eye = np.concatenate((rng.uniform(-5, 5, 3), rng.uniform(-30, 30, 3)))
        actor = np.concatenate((rng.uniform((25, -5, -5), (35, 5, 5)), rng.uniform(-180, 180, 3)))
        location, extent, turn = rng.uniform(-1, 1, 3), rng.uniform(0.3, 3, 3), rng.uniform(-180, 180, 3)
        # CARLA calls may change their arguments in place: every call gets objects of its own.
        box = carla.BoundingBox(carla.Location(*map(float, location)), carla.Vector3D(*map(float, extent)))
        box.rotation = carla.Rotation(pitch=float(turn[0]), yaw=float(turn[1]), roll=float(turn[2]))
        world = np.array([(v.x, v.y, v.z, 1.0) for v in box.get_world_vertices(pose(actor))])
        local = world @ np.array(pose(eye).get_inverse_matrix()).T
        camera = Camera(eye, 800, 600, 120)
        u, v = camera.uv(local[:, :3]).T
        if local[:, 0].min() < NEAR_M or not (u.min() > 0 and u.max() < 800 and v.min() > 0 and v.max() < 600):
            continue
        got = project(camera, Box(actor, location, turn, extent)).bounds
        assert got == pytest.approx((u.min(), v.min(), u.max(), v.max()), abs=1e-3)
        compared += 1
    assert compared > 20
