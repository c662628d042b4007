"""Where an actor's 3-D bounding box lies in an image.

Frame and units are CARLA's: x forward, y right, z up (left-handed), metres and degrees; a pose is x, y, z, pitch, yaw,
roll. Image: f = width / (2 tan(fov/2)) for both axes, principal point (width/2, height/2), pixel i covers [i, i+1).

What counts is the visible part of the box's six faces: cut by the near plane and by the four sides of the view before
the division. Dividing first turns what is behind the camera into mirrored ghosts, and clamping afterwards makes boxes
at the border too large.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

import numpy as np

from foveal.clipping import clipped_bounds
from foveal.errors import SceneError
from foveal.region import Region
from foveal.scene.axes import carla_matrix

__all__ = ["NEAR_M", "Box", "BoxFlag", "Camera", "Projection", "Projections", "project", "project_many"]

NEAR_M = 0.1
"""Nothing closer than this (metres along the camera's x) is seen."""

GROUND_TOLERANCE_M = 0.3
"""A box may reach this far below its actor's ground point before it is flagged."""

SNAP_PX = 1e-3
"""Bounds this close to a pixel edge are taken to lie on it, so that rounding errors cost no row or column."""

LIMIT_M = 1e9
"""A corner farther away than this (metres, per axis of the camera's frame) is an error in the scene."""

FLAT_PX = 1e-6
"""A projection narrower than this has no area."""

_SIGN = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)


class BoxFlag(IntFlag):
    """What is odd about a box or its projection; flags do not exclude each other.

    EMPTY_EXTENT: a point (all half sizes 0), never a region. DEGENERATE_EXTENT: a plate or a line (some are 0).
    NEGATIVE_EXTENT: taken as its absolute value. BB_BELOW_GROUND: more than 0.3 m below the actor's ground point.
    BEHIND: wholly nearer than the near plane. OUTSIDE_FRAME: in front of it, but on no pixel.
    """

    EMPTY_EXTENT = 1
    DEGENERATE_EXTENT = 2
    NEGATIVE_EXTENT = 4
    BB_BELOW_GROUND = 8
    BEHIND = 16
    OUTSIDE_FRAME = 32


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole camera. transform: (6,) world pose. width, height: pixels. fov: horizontal, degrees.

    Raises SceneError for a pose that is not finite, ValueError for a size below 1 or a fov outside (0, 180).
    """

    transform: np.ndarray
    width: int
    height: int
    fov: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "transform", np.asarray(self.transform, dtype=np.float64).reshape(6))
        if not np.isfinite(self.transform).all():
            raise SceneError(f"camera pose is not finite: {self.transform.tolist()}; check the ego and its mount")
        if self.width < 1 or self.height < 1:
            raise ValueError(f"camera must have at least 1 pixel a side, got {self.width}x{self.height}")
        if not 0.0 < self.fov < 180.0:
            raise ValueError(f"horizontal field of view must be between 0 and 180 degrees, got {self.fov}")

    @property
    def focal_px(self) -> float:
        """Focal length in pixels, the same for x and y."""
        return self.width / (2.0 * np.tan(np.radians(self.fov) / 2.0))

    @property
    def centre_px(self) -> tuple[float, float]:
        """Principal point (cx, cy)."""
        return self.width / 2.0, self.height / 2.0

    def uv(self, point: np.ndarray) -> np.ndarray:
        """(..., 2) pixel coordinates of points (..., 3) in the camera's frame; x (depth) must be positive."""
        point = np.asarray(point, dtype=np.float64)
        cx, cy = self.centre_px
        depth = point[..., 0]
        return np.stack(
            (cx + self.focal_px * point[..., 1] / depth, cy - self.focal_px * point[..., 2] / depth), axis=-1
        )


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """One actor's bounding box.

    transform: (6,) the actor's world pose. location, rotation (pitch, yaw, roll), extent (half sizes): (3,) each, in
    the actor's frame. actor: its id, for messages. ground_z: world height of the actor's ground point, if known.
    """

    transform: np.ndarray
    location: np.ndarray
    rotation: np.ndarray
    extent: np.ndarray
    actor: int = 0
    ground_z: float | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """region: pixels that cover the visible part, None if there are none. bounds: u0, v0, u1, v1 before rounding."""

    region: Region | None
    bounds: tuple[float, float, float, float] | None
    flags: BoxFlag


@dataclass(frozen=True, slots=True, eq=False)
class Projections:
    """Many boxes in one image.

    visible: (N,) bool, a region exists. region: (N, 4) int64 x0, y0, x1, y1, zero where not visible.
    bounds: (N, 4) float64 u0, v0, u1, v1, NaN where no part of the box is in view. flags: (N,) uint8 of BoxFlag.
    """

    visible: np.ndarray
    region: np.ndarray
    bounds: np.ndarray
    flags: np.ndarray

    def __len__(self) -> int:
        return len(self.flags)

    def __getitem__(self, index: int) -> Projection:
        bounds = None if np.isnan(self.bounds[index, 0]) else tuple(self.bounds[index].tolist())
        region = Region(*self.region[index].tolist()) if self.visible[index] else None
        return Projection(region, bounds, BoxFlag(int(self.flags[index])))


def project(camera: Camera, box: Box) -> Projection:
    """One box. Raises SceneError, naming the actor, when a value is not finite or beyond 1e9 m."""
    row = np.concatenate([np.asarray(part, dtype=np.float64) for part in (box.location, box.extent, box.rotation)])
    transform = np.asarray(box.transform, dtype=np.float64)
    ground = None if box.ground_z is None else np.array([box.ground_z])
    return project_many(camera, transform[None], row[None], np.array([box.actor]), ground)[0]


def project_many(
    camera: Camera,
    transform: np.ndarray,
    box: np.ndarray,
    actor_id: np.ndarray | None = None,
    ground_z: np.ndarray | None = None,
) -> Projections:
    """Project N boxes at once; the same results as :func:`project`.

    transform: (N, 6) world poses. box: (N, 9) location, extent, rotation in the actor's frame, as `Tick.box`.
    actor_id: (N,) for messages. ground_z: (N,) world heights of the actors' ground points (NaN: unknown).
    Raises SceneError, naming the first actor, when a transform or box is not finite or beyond 1e9 m.
    """
    transform, box = np.asarray(transform, dtype=np.float64), np.asarray(box, dtype=np.float64)
    extent = np.abs(box[:, 3:6])
    with np.errstate(over="ignore", invalid="ignore"):
        local = np.concatenate((box[:, :3], box[:, 6:]), axis=1)
        world = carla_matrix(transform) @ carla_matrix(local)
        eye = carla_matrix(camera.transform)
        axes = eye[:3, :3].T @ world[:, :3, :3]
        centre = (world[:, :3, 3] - eye[:3, 3]) @ eye[:3, :3]
        arm = extent[:, None, :] * _SIGN
        corner = centre[:, None, :] + arm @ axes.transpose(0, 2, 1)
    _refuse_unsound(transform, box, corner, actor_id)
    bounds, seen = clipped_bounds(corner, centre, axes, extent, camera.focal_px, (camera.width, camera.height), NEAR_M)
    region, visible = _cover(bounds, seen & (extent > 0).any(axis=1))
    lowest = world[:, 2, 3] - (np.abs(world[:, 2, :3]) * extent).sum(axis=1)
    flags = _flags(box[:, 3:6], corner, visible, seen, lowest, ground_z)
    return Projections(visible, region, bounds, flags)


def _refuse_unsound(transform: np.ndarray, box: np.ndarray, corner: np.ndarray, actor_id: np.ndarray | None) -> None:
    sound = np.isfinite(transform).all(axis=1) & np.isfinite(box).all(axis=1)
    sound &= (np.abs(corner) < LIMIT_M).all(axis=(1, 2))
    if sound.all():
        return
    index = int(np.flatnonzero(~sound)[0])
    name = f"actor {int(actor_id[index])}" if actor_id is not None else f"box {index}"
    raise SceneError(
        f"{name}: transform {transform[index].tolist()} or box {box[index].tolist()} is not finite (NaN or infinity) "
        f"or beyond {LIMIT_M:g} m; remove or reset the actor"
    )


def _cover(bounds: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 4) int64 pixels and (N,) bool: snapped to pixel edges, then widened; none where the bounds have no area."""
    bounds = np.where(seen[:, None], bounds, 0.0)
    nearest = np.rint(bounds)
    snapped = np.where(np.abs(bounds - nearest) <= SNAP_PX, nearest, bounds)
    region = np.concatenate((np.floor(snapped[:, :2]), np.ceil(snapped[:, 2:])), axis=1).astype(np.int64)
    area = (bounds[:, 2:] - bounds[:, :2] > FLAT_PX).all(axis=1) & (region[:, 2:] > region[:, :2]).all(axis=1)
    visible = np.asarray(seen & area)
    return np.where(visible[:, None], region, 0), visible


def _flags(
    extent: np.ndarray,
    corner: np.ndarray,
    visible: np.ndarray,
    seen: np.ndarray,
    lowest: np.ndarray,
    ground_z: np.ndarray | None,
) -> np.ndarray:
    zero = extent == 0
    empty = zero.all(axis=1)
    flat = zero.any(axis=1) & ~empty
    behind = (corner[..., 0] < NEAR_M).all(axis=1)
    # A point or plate that is in view but has no area is explained by its extent.
    outside = ~visible & ~behind & ~(seen & (empty | flat))
    below = np.zeros(len(extent), dtype=bool) if ground_z is None else lowest < ground_z - GROUND_TOLERANCE_M
    by_bit = {
        BoxFlag.EMPTY_EXTENT: empty,
        BoxFlag.DEGENERATE_EXTENT: flat,
        BoxFlag.NEGATIVE_EXTENT: (extent < 0).any(axis=1),
        BoxFlag.BB_BELOW_GROUND: below,
        BoxFlag.BEHIND: behind,
        BoxFlag.OUTSIDE_FRAME: outside,
    }
    return np.packbits([by_bit[flag] for flag in BoxFlag], axis=0, bitorder="little")[0]
