"""Worlds become meshes, ticks become draw lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from foveal.drawlist import Zone
from foveal.errors import SceneError
from foveal.projection import Camera, project_many
from foveal.scene.assemble import build_scene, draw_list, projection, view
from foveal.scene.materials import Material
from foveal.scene.part import Part
from foveal.scene.roads import KERB_M, ground, roads
from foveal.scene.static import StaticScene
from foveal.scene.tick import CameraMount
from scene_samples import CAR_BOX, MOUNT, TYPES, WALKER_BOX, drive, straight_road, tick_of


def test_road_surfaces_and_markings_look_up() -> None:
    for part in roads(straight_road()):
        flat = np.isin(part.material, (Material.ASPHALT, Material.MARKING))
        assert (part.normals()[flat, 2] > 0.99).all()
    assert (ground(straight_road()).normals()[:, 2] > 0.99).all()


def test_asphalt_covers_exactly_the_lanes() -> None:
    whole = Part.joined(roads(straight_road(120)))
    asphalt = whole.triangle[whole.material == Material.ASPHALT]
    a, b, c = (whole.position[asphalt[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert area == pytest.approx(2 * 3.5 * (120 + 0.06))
    assert whole.position[asphalt][..., 1].max() == pytest.approx(3.5)


def test_the_sidewalk_of_the_right_side_is_raised_and_on_negative_y() -> None:
    whole = Part.joined(roads(straight_road()))
    top = whole.normals()[:, 2] > 0.99
    walk = whole.position[whole.triangle[(whole.material == Material.PAVEMENT) & top]]
    assert set(np.round(walk[..., 2].ravel(), 6)) == {KERB_M}
    right = walk[walk[..., 1].mean(axis=1) < 0]
    assert (right[..., 1].min(), right[..., 1].max()) == (pytest.approx(-6.5), pytest.approx(-3.5))


def test_a_side_without_further_lane_gets_a_sidewalk() -> None:
    whole = Part.joined(roads(straight_road()))
    walk = whole.position[whole.triangle[whole.material == Material.PAVEMENT]]
    assert walk[..., 1].max() == pytest.approx(3.5 + 2.5)


def test_dashes_cover_half_of_a_broken_line_once() -> None:
    static = straight_road(120)
    whole = Part.joined(roads(static))
    paint = whole.position[whole.triangle[whole.material == Material.MARKING]]
    centre = paint[np.abs(paint[..., 1]).max(axis=1) < 0.5]
    a, b, c = centre[:, 0], centre[:, 1], centre[:, 2]
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert area / 0.15 == pytest.approx(60, abs=2.1)


def test_the_ground_stays_below_a_hilly_road() -> None:
    static = straight_road(120)
    pose = static.lane_pose.copy()
    pose[:, 2] = 3.0 * np.sin(pose[:, 0] / 25.0) + 8.0
    hilly = replace(static, lane_pose=pose)
    part = ground(hilly)
    for x, y, z in pose[::5, :3]:
        near = np.linalg.norm(part.position[:, :2] - (x, -y), axis=1) < 20.0
        assert (part.position[near, 2] < z).all()


def test_the_ground_reaches_300_m_around_everything() -> None:
    part = ground(straight_road(120))
    assert (part.position.min(axis=0)[:2] <= (-300, -300)).all()
    assert (part.position.max(axis=0)[:2] >= (420, 300)).all()


def test_an_empty_world_is_ground_and_sky() -> None:
    scene = build_scene(StaticScene.empty())
    draw = draw_list(scene, tick_of([]), MOUNT)
    assert len(draw.mesh) == len(scene.static_origin) > 0


def test_zero_actors_draw_the_static_world() -> None:
    scene = build_scene(straight_road(), tick_of([]))
    draw = draw_list(scene, tick_of([]), MOUNT)
    assert len(draw.mesh) == len(scene.static_origin)


def test_the_ego_and_sensors_are_not_drawn_and_late_actors_are() -> None:
    ticks = drive()
    scene = build_scene(straight_road(), ticks[0])
    count = len(scene.static_origin)
    assert len(draw_list(scene, ticks[0], MOUNT).mesh) == count + 2
    assert len(draw_list(scene, ticks[1], MOUNT).mesh) == count + 3
    assert set(scene.actor_mesh) == {2, 3}


def test_drawn_actors_land_where_their_boxes_project() -> None:
    pose, late = (14.0, 2.0, 0.3, 4.0, 33.0, -2.0), (22.0, -4.0, 0.0, 0.0, -20.0, 0.0)
    tilted = (0.1, 0.0, 0.9, 2.2, 1.0, 0.8, 0.0, 5.0, 0.0)
    first = tick_of([(5, 0, pose, tilted)])
    both = tick_of([(5, 0, pose, tilted), (6, 0, late, (0, 0, 1.0, 3.0, 1.1, 1.0, 0, 0, 0))])
    scene = build_scene(StaticScene.empty(), first)
    draw = draw_list(scene, both, MOUNT)
    boxes = project_many(Camera(both.camera, MOUNT.width, MOUNT.height, MOUNT.fov_deg), both.transform, both.box)
    for k in range(2):
        index = len(scene.static_origin) + k
        low, high = scene.meshes.bounds[draw.mesh[index]].astype(np.float64)
        corner = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
        clip = np.column_stack([corner, np.ones(8)]) @ draw.mvp[index].astype(np.float64).T
        u = (clip[:, 0] / clip[:, 3] + 1) * MOUNT.width / 2
        v = (1 - clip[:, 1] / clip[:, 3]) * MOUNT.height / 2
        np.testing.assert_allclose((u.min(), v.min(), u.max(), v.max()), boxes.bounds[k], atol=1e-3)


def test_the_sun_is_turned_into_each_mesh() -> None:
    scene = build_scene(StaticScene.empty(), tick_of([(5, 0, (10, 0, 0, 0, 90.0, 0), CAR_BOX)]))
    draw = draw_list(scene, tick_of([(5, 0, (10, 0, 0, 0, 90.0, 0), CAR_BOX)]), MOUNT, sun=(2.0, 0.0, 0.0))
    np.testing.assert_allclose(draw.sun[0], (1, 0, 0))
    np.testing.assert_allclose(draw.sun[-1], (0, 1, 0), atol=1e-6)


def test_projection_and_view_follow_the_camera() -> None:
    camera = np.array([10.0, -3.0, 2.0, 0.0, 90.0, 0.0])
    matrix = projection(CameraMount(800, 400, 90.0)) @ view(camera)
    ahead = matrix @ (10.0, -(-3.0 + 8.0), 2.0 + 2.0, 1.0)
    np.testing.assert_allclose(ahead[:2] / ahead[3], (0.0, 2.0 * 2 / 8.0), atol=1e-12)
    near, far = (matrix @ (10.0, 3.0 - d, 2.0, 1.0) for d in (0.1, 400.0))
    np.testing.assert_allclose((near[2] / near[3], far[2] / far[3]), (-1.0, 1.0), atol=1e-9)


def test_the_ego_and_the_zone_travel_in_scene_axes() -> None:
    scene = build_scene(StaticScene.empty())
    zone = Zone(0, 0, 1, 1)
    draw = draw_list(scene, tick_of([], ego=(12.0, 7.0, 0, 0, 0, 0)), MOUNT, zone=zone)
    assert draw.ego == (12.0, -7.0)
    assert draw.zone is zone


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_transform_that_is_not_finite_names_the_actor(bad: float) -> None:
    with pytest.raises(SceneError, match=r"frame 1: transform is not finite.*actor 41"):
        tick_of([(40, 0, (0,) * 6, CAR_BOX), (41, 1, (0, bad, 0, 0, 0, 0), WALKER_BOX)])
    with pytest.raises(SceneError, match="ego"):
        tick_of([], ego=(bad, 0, 0, 0, 0, 0))


def test_a_type_outside_the_table_is_refused() -> None:
    with pytest.raises(SceneError, match="table of 4"):
        tick_of([(1, len(TYPES), (0,) * 6, CAR_BOX)])


def test_a_static_scene_with_nan_is_refused() -> None:
    static = straight_road()
    pose = static.lane_pose.copy()
    pose[3, 1] = np.nan
    with pytest.raises(SceneError, match="lane_pose of map 'straight'"):
        replace(static, lane_pose=pose)


@pytest.mark.parametrize(
    "values", [{"width": 0}, {"height": 5000}, {"fov_deg": 180.0}, {"near_m": 0.0}, {"far_m": 0.05}, {"x": np.nan}]
)
def test_a_mount_that_is_no_camera_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"camera|field of view"):
        CameraMount(**values)
