"""No regions for what stands behind something else, as a depth image of the same frame shows it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy, Wishes

__all__ = ["Unhidden"]


class Unhidden:
    """The wishes of `policy`, but of actors only those of which a depth image shows something.

    An actor shows where the depth within its rectangle is its own: the distance of its origin along the camera's axis,
    give or take half the diagonal of its own box's ground plan. Wishes of no actor are kept.
    """

    def __init__(self, policy: Policy, depth_m: Callable[[Sight], np.ndarray], share: float = 0.05) -> None:
        """depth_m: gives (height, width) metres along the camera's axis, of this frame (`foveal.image.decode_depth`).

        share: of an actor's rectangle that must show it. Raises ValueError for one outside 0..1.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"what must be seen of an actor is a share of its rectangle, 0..1, got {share}")
        self._policy, self._depth_m, self._share = policy, depth_m, share

    def wishes(self, sight: Sight) -> Wishes:
        """Raises ValueError for a depth image of another size."""
        wanted = self._policy.wishes(sight)
        tick, camera = sight.tick, sight.camera
        depth = np.asarray(self._depth_m(sight))
        if depth.shape != (camera.height, camera.width):
            raise ValueError(f"the depth image is {depth.shape}, expected {(camera.height, camera.width)}")
        row = {int(number): index for index, number in enumerate(tick.actor_id)}
        margin = np.hypot(tick.box[:, 3], tick.box[:, 4])
        distance = (tick.transform[:, :3] - camera.transform[:3]) @ _forward(camera.transform)
        kept = np.ones(len(wanted.weight), bool)
        for index in np.flatnonzero(wanted.actor >= 0):
            actor = row.get(int(wanted.actor[index]))
            if actor is None:  # held from an earlier tick
                continue
            x0, y0, x1, y1 = np.maximum(wanted.box[index], 0)
            shown = np.abs(depth[y0:y1, x0:x1] - distance[actor]) <= margin[actor]
            kept[index] = bool(shown.any()) and float(shown.mean()) >= self._share
        hidden = int((~kept).sum())
        seen = wanted.take(kept)
        return Wishes(seen.box, seen.weight, seen.actor, {**wanted.dropped, "hidden": hidden})


def _forward(pose: np.ndarray) -> np.ndarray:
    """(3,) unit vector of a pose's x axis in CARLA's axes."""
    pitch, yaw = np.radians(pose[3:5])
    return np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
