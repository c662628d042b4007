"""Which pixels of a tick are worth rendering, and where texture DMA is armed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.drawlist import Zone
from foveal.projection import BoxFlag, Camera, project_many
from foveal.region import Region, RegionSet
from foveal.scene.tick import CameraMount, Tick

__all__ = ["Tracked", "camera_of", "track", "zone_of"]

_TRACKED_PREFIXES = ("vehicle.", "walker.")


@dataclass(frozen=True, slots=True)
class Tracked:
    """regions: what to render. actors: ids with a region before merging, nearest first.

    dropped: how many vehicles and walkers have none, by reason: too_far, behind, outside_frame, degenerate_extent
    (no area in the picture), too_small.
    """

    regions: RegionSet
    actors: tuple[int, ...]
    dropped: dict[str, int]


def camera_of(tick: Tick, mount: CameraMount) -> Camera:
    """The camera of a tick, for projections."""
    return Camera(tick.camera, mount.width, mount.height, mount.fov_deg)


def track(
    tick: Tick,
    camera: Camera,
    distance_m: float = 80.0,
    margin_px: float = 4.0,
    margin_share: float = 0.1,
    min_area_px: int = 4,
) -> Tracked:
    """A rectangle around each vehicle and walker but the ego, within `distance_m` of the camera, nearest first.

    Each side is widened by `margin_px` plus `margin_share` of the rectangle's size along it. A rectangle of fewer than
    `min_area_px` pixels before widening is dropped. More than 16 rectangles are merged by :meth:`RegionSet.of`.
    Raises SceneError when a transform is not finite.
    """
    wanted = np.array([name.startswith(_TRACKED_PREFIXES) for name in tick.types], dtype=bool)
    rows = np.flatnonzero(wanted[tick.actor_type] & (tick.actor_id != tick.ego_id))
    away = np.linalg.norm(tick.transform[rows, :3] - camera.transform[:3], axis=1)
    order = np.argsort(away, kind="stable")
    near = rows[order][away[order] <= distance_m]
    projected = project_many(camera, tick.transform[near], tick.box[near], tick.actor_id[near])
    size = projected.region[:, 2:] - projected.region[:, :2]
    large = projected.visible & (size.prod(axis=1) >= min_area_px)
    grown = np.ceil(margin_px + margin_share * size).astype(np.int64)
    corners = np.concatenate([projected.region[:, :2] - grown, projected.region[:, 2:] + grown], axis=1)
    behind = (projected.flags & BoxFlag.BEHIND) > 0
    outside = (projected.flags & BoxFlag.OUTSIDE_FRAME) > 0
    dropped = {
        "too_far": len(rows) - len(near),
        "behind": int(behind.sum()),
        "outside_frame": int(outside.sum()),
        "degenerate_extent": int((~projected.visible & ~behind & ~outside).sum()),
        "too_small": int((projected.visible & ~large).sum()),
    }
    regions = RegionSet.of((Region(*box) for box in corners[large].tolist()), camera.width, camera.height)
    return Tracked(regions, tuple(tick.actor_id[near[large]].tolist()), dropped)


def zone_of(x: float, y: float, length_m: float, width_m: float, margin_m: float = 5.0) -> Zone:
    """The zone centred on (x, y) in CARLA's axes, `length_m` along x and `width_m` along y, in a draw list's axes.

    Raises ValueError for sizes that are not positive or a negative margin.
    """
    if length_m <= 0 or width_m <= 0 or margin_m < 0:
        raise ValueError(
            f"a zone needs positive sizes and a margin >= 0, got {length_m} x {width_m}, margin {margin_m}"
        )
    return Zone(x - length_m / 2, -y - width_m / 2, x + length_m / 2, -y + width_m / 2, margin_m)
