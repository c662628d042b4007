"""Projected boxes against rendered instance masks: 10,000 random placements.

Each box is an instance of a box mesh that shows both sides of its six faces, drawn by itself by the golden model, in
the pose that a scene gives an actor. A pixel is in its mask if the box covers the pixel's centre. So where a box ends
in an edge across the pixels, mask and bounds differ by half a pixel at most; where it ends in a tip, the tip may pass
between centres. A side that seems to be off by more than LIMIT_PX is therefore drawn again: a strip inside the bound,
LIMIT_PX wide at most, magnified until the tip shows. What is never drawn there is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import pytest
from foveal.channel import Channel
from foveal.drawlist import DrawList
from foveal.golden.device import open_model
from foveal.golden.geometry import ScreenTriangles, screen_triangles
from foveal.golden.raster import rasterise
from foveal.projection import NEAR_M, BoxFlag, Camera, Projections, project_many
from foveal.region import RegionSet
from foveal.scene.assemble import build_scene, draw_list
from foveal.scene.axes import carla_matrix, pose_of
from foveal.scene.static import StaticScene
from foveal.scene.tick import CameraMount, Tick
from random_scenes import mesh_set

PLACEMENTS, BATCHES = 10_000, 10
CROSSING, BEHIND = 0.34, 0.16
LIMIT_PX = 1.2
SNAP_PX = 1 / 256
"""Screen coordinates are rounded to this."""

MOUNT = CameraMount(width=640, height=360, fov_deg=90.0)
FOCAL = 320.0
_SIGN = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
_BOX = mesh_set(
    [(_SIGN / 2, np.array([t for a, b, c, d in _FACES for t in ((a, b, c), (a, c, d), (a, c, b), (a, d, c))]))]
)
_SCENE = build_scene(StaticScene.empty())
"""For its placing of props, whose spare mesh is a cube of one metre, as _BOX is."""


@dataclass(frozen=True)
class Placed:
    """Boxes of one picture: a draw list with an instance for each, numbered from 1, and their projections."""

    draw: DrawList
    projected: Projections
    crossing: np.ndarray
    behind: np.ndarray


def candidates(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses (N, 6) relative to the camera and half sizes (N, 3): from walkers to buses, most of them upright."""
    half = rng.uniform((0.2, 0.2, 0.3), (6.0, 1.4, 2.0), (count, 3))
    depth = np.exp(rng.uniform(np.log(2.0), np.log(80.0), count)) * rng.choice([1, 1, 1, -1], count)
    depth = np.where(rng.random(count) < 0.35, rng.uniform(-6, 8, count), depth)
    reach = np.maximum(np.abs(depth), 3)
    turn = np.column_stack([rng.normal(0, 4, count), rng.uniform(-180, 180, count), rng.normal(0, 3, count)])
    turn = np.where(rng.random((count, 1)) < 0.2, rng.uniform(-180, 180, (count, 3)), turn)
    beside, above = rng.uniform(-1.6, 1.6, count) * reach, rng.uniform(-0.8, 0.8, count) * reach
    return np.column_stack([depth, beside, above, turn]), half


def chosen(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`count` of the candidates, and which of them cross the near plane or the border, and which are wholly behind."""
    pose, half = candidates(rng, 20 * count)
    corner = np.einsum("nij,nkj->nki", carla_matrix(pose)[:, :3, :3], half[:, None] * _SIGN) + pose[:, None, :3]
    depth = corner[..., 0]
    ahead = (depth > NEAR_M).all(axis=1)
    behind = (depth < NEAR_M).all(axis=1)
    safe = np.maximum(depth, NEAR_M)
    inside = (np.abs(corner[..., 1]) * FOCAL < 320 * safe) & (np.abs(corner[..., 2]) * FOCAL < 180 * safe)
    crossing = ~ahead & ~behind | ahead & inside.any(axis=1) & ~inside.all(axis=1)
    kinds = ((crossing, CROSSING), (behind, BEHIND), (ahead & inside.all(axis=1), 1 - CROSSING - BEHIND))
    rows = np.concatenate([np.flatnonzero(kind)[: round(share * count)] for kind, share in kinds])
    assert len(rows) == count
    return pose[rows], half[rows], crossing[rows], behind[rows]


def placed(seed: int, count: int) -> Placed:
    rng = np.random.default_rng(seed)
    eye = np.array([*rng.uniform(-500, 500, 2), 1.7, rng.uniform(-10, 10), rng.uniform(-180, 180), rng.uniform(-3, 3)])
    relative, half, crossing, behind = chosen(rng, count)
    pose = pose_of(carla_matrix(eye) @ carla_matrix(relative))
    box = np.column_stack([np.zeros((count, 3)), half, np.zeros((count, 3))])
    tick = Tick(
        frame=1,
        time_s=0.0,
        ego_id=0,
        ego=eye,
        camera=eye,
        types=("static.prop.box01",),
        actor_id=np.arange(1, count + 1, dtype=np.uint32),
        actor_type=np.zeros(count, np.int32),
        transform=pose,
        velocity=np.zeros((count, 3)),
        box=box,
    )
    draw = draw_list(_SCENE, tick, MOUNT)
    own = draw.instance > 0
    draw = replace(
        draw,
        mesh=np.zeros(count, np.uint32),
        mvp=draw.mvp[own],
        sun=draw.sun[own],
        instance=draw.instance[own],
    )
    projected = project_many(Camera(eye, MOUNT.width, MOUNT.height, MOUNT.fov_deg), pose, box)
    return Placed(draw, projected, crossing, behind)


def mask_bounds(draw: DrawList) -> np.ndarray:
    """(N, 4) x0, y0, x1, y1 of the mask of each instance 1..N as if it was alone; NaN where it has no pixel."""
    whole = RegionSet.full(draw.width, draw.height)
    triangles = screen_triangles(_BOX, draw, whole)
    number, first, count = np.unique(triangles.label & 0xFFFF, return_index=True, return_counts=True)
    found = np.full((len(draw.mesh), 4), np.nan)
    for instance, start, length in zip(number.tolist(), first.tolist(), count.tolist(), strict=True):
        some = slice(start, start + length)
        part = ScreenTriangles(*(getattr(triangles, field.name)[some] for field in fields(ScreenTriangles)))
        mask = rasterise(part, whole)[1] >= 0
        columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
        if len(columns):
            found[instance - 1] = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
    return found


def magnified(draw: DrawList, row: np.ndarray, window: np.ndarray, size: tuple[int, int]) -> DrawList:
    """Instances `row`, each seen through its window u0, v0, u1, v1 (pixels) in a picture of `size` of its own."""
    u0, v0, u1, v1 = window.T
    zoom = np.zeros((len(row), 4, 4))
    zoom[:, 0, 0], zoom[:, 1, 1] = draw.width / (u1 - u0), draw.height / (v1 - v0)
    zoom[:, 0, 3] = -zoom[:, 0, 0] * ((u0 + u1) / draw.width - 1)
    zoom[:, 1, 3] = -zoom[:, 1, 1] * (1 - (v0 + v1) / draw.height)
    zoom[:, 2, 2] = zoom[:, 3, 3] = 1
    return replace(
        draw,
        width=size[0],
        height=size[1],
        mesh=np.zeros(len(row), np.uint32),
        mvp=(zoom @ draw.mvp[row].astype(np.float64)).astype(np.float32),
        sun=draw.sun[row],
        instance=np.arange(1, len(row) + 1, dtype=np.uint16),
    )


def tip_distance(draw: DrawList, row: np.ndarray, side: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """(K,) pixels from a bound to what is drawn nearest to it in the strip inside; inf for nothing.

    side: 0 to 3 for u0, v0, u1, v1 of `bounds` (K, 4). A strip is as long as the picture, and is cut into ever more
    pieces; it is LIMIT_PX wide, or as wide as the bounds.
    """
    bound = bounds[np.arange(len(row)), side]
    wide = np.minimum(np.abs(bounds[np.arange(len(row)), (side + 2) % 4] - bound), LIMIT_PX)
    distance = np.full(len(row), np.inf)
    across, fine = 12, 4096
    for pieces in (1, 16, 128):
        left = np.flatnonzero(np.isinf(distance))
        for upright in (True, False):
            some = left[(side[left] % 2 == 0) == upright]
            if not len(some):
                continue
            low = bound[some] - np.where(side[some] < 2, 0.0, wide[some])
            length = draw.height if upright else draw.width
            edge = np.linspace(0, length, pieces + 1)
            for begin, end in pairwise(edge):
                open_ = np.flatnonzero(np.isinf(distance[some]))
                if not len(open_):
                    break
                strip = np.column_stack([low[open_], low[open_] + wide[some[open_]]])
                along = np.broadcast_to((begin, end), strip.shape)
                window = np.stack([strip, along] if upright else [along, strip], axis=2).reshape(len(open_), 4)
                size = (across, fine) if upright else (fine, across)
                found = mask_bounds(magnified(draw, row[some[open_]], window, size))
                near = found[np.arange(len(open_)), side[some[open_]]]
                gap = np.where(side[some[open_]] < 2, near, across - near) * wide[some[open_]] / across
                distance[some[open_]] = np.where(np.isnan(gap), np.inf, gap)
    return distance


@pytest.mark.parametrize("seed", range(BATCHES))
def test_projected_bounds_agree_with_rendered_masks(seed: int) -> None:
    count = PLACEMENTS // BATCHES
    batch = placed(seed, count)
    bounds, region = batch.projected.bounds, batch.projected.region
    mask = mask_bounds(batch.draw)
    assert batch.crossing.sum() >= count / 3
    drawn, seen = ~np.isnan(mask[:, 0]), ~np.isnan(bounds[:, 0])
    # Wholly behind: no region and no pixel.
    assert batch.behind.sum() == round(BEHIND * count)
    assert not (batch.projected.visible | drawn | seen)[batch.behind].any()
    assert ((batch.projected.flags & BoxFlag.BEHIND) > 0).tolist() == batch.behind.tolist()
    # Whatever is drawn is seen, and lies within its region.
    assert batch.projected.visible[drawn].all()
    assert (mask[drawn, :2] >= region[drawn, :2]).all()
    assert (mask[drawn, 2:] <= region[drawn, 2:]).all()
    # A pixel whose centre is covered reaches half a pixel beyond the bound at most.
    beyond = np.concatenate([bounds[:, :2] - mask[:, :2], mask[:, 2:] - bounds[:, 2:]], axis=1)[drawn]
    assert beyond.max() <= 0.5 + SNAP_PX
    error = np.where(seen[:, None], np.abs(mask - bounds), 0.0)
    error[seen & ~drawn] = np.inf
    row, side = np.nonzero(error > LIMIT_PX)
    assert len(row) < 0.05 * error.size
    error[row, side] = tip_distance(batch.draw, row, side, bounds[row])
    worst = np.unravel_index(error.argmax(), error.shape)
    assert error.max() <= LIMIT_PX, f"box {worst[0]}, side {worst[1]}: bounds {bounds[worst[0]]}, mask {mask[worst[0]]}"
    assert seen.sum() > 0.7 * count
    assert np.median(error[seen]) < 0.5


def test_bounds_that_are_too_large_are_found_out() -> None:
    batch = placed(98, 100)
    whole = np.flatnonzero(~batch.crossing & ~batch.behind)
    wider = batch.projected.bounds[whole] + LIMIT_PX * np.array([-1.02, -1.02, 1.02, 1.02])
    for side in range(4):
        assert np.isinf(tip_distance(batch.draw, whole, np.full(len(whole), side), wider)).all()


def test_the_masks_are_those_of_the_instances_that_a_device_renders() -> None:
    batch = placed(99, 100)
    device = open_model()
    device.load(_BOX)
    whole = RegionSet.full(MOUNT.width, MOUNT.height)
    mask = mask_bounds(batch.draw)
    compared = 0
    for row in range(0, 100, 4):
        alone = {name: getattr(batch.draw, name)[row : row + 1] for name in ("mesh", "mvp", "sun", "instance")}
        shown = device.render(replace(batch.draw, **alone), whole, channels=Channel.INSTANCE).instance
        assert shown is not None
        rows, columns = np.nonzero(shown == row + 1)
        if len(rows):
            assert mask[row].tolist() == [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            compared += 1
        else:
            assert np.isnan(mask[row]).all()
    assert compared > 10
