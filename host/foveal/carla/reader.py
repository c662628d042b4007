"""From a snapshot of the carla package to a Tick: every pose of one and the same frame."""

from __future__ import annotations

import logging

import carla
import numpy as np

from foveal.carla.boxes import box_row, pose_row
from foveal.carla.failure import server_lost
from foveal.errors import SceneError
from foveal.scene.axes import carla_matrix, pose_of
from foveal.scene.kind import of_type
from foveal.scene.tick import CameraMount, Tick

__all__ = ["TickReader"]

_LOG = logging.getLogger(__name__)


class TickReader:
    """Reads snapshots of one world. What a snapshot does not say (types, boxes) is asked once an actor and kept."""

    def __init__(self, world: carla.World, mount: CameraMount, ego_id: int = 0) -> None:
        """ego_id: the actor that carries the camera (0: none, the mount is a place in the world)."""
        self._world, self._mount = world, mount
        self.ego_id = ego_id
        self._types: dict[str, int] = {}
        self._actor: dict[int, carla.Actor] = {}
        self._box: dict[int, tuple[float, ...]] = {}

    def read(self, snapshot: carla.WorldSnapshot) -> Tick:
        """The state that `snapshot` holds. An actor that vanished or has an empty box is left out with its reason.

        Raises SceneError when a transform is not finite or the ego is gone, ServerLost when the server is.
        """
        states = {state.id: state for state in snapshot}
        self._meet([number for number in states if number not in self._actor])
        skipped: list[tuple[int, str]] = []
        kept: list[int] = []
        rows: list[tuple[float, ...]] = []
        for number, state in states.items():
            actor = self._actor.get(number)
            if actor is None:
                skipped.append((number, "destroyed"))
                continue
            # The box of a traffic light or sign is its trigger volume, on the road; it is drawn as an object.
            if of_type(actor.type_id) is None or actor.type_id.startswith("traffic."):
                continue
            reason = self._measure(number, actor)
            if reason:
                skipped.append((number, reason))
                continue
            kept.append(number)
            speed = state.get_velocity()
            rows.append((*pose_row(state.get_transform()), speed.x, speed.y, speed.z))
        motion = np.array(rows, dtype=np.float64).reshape(-1, 9)
        ego = self._ego(snapshot)
        return Tick(
            frame=snapshot.frame,
            time_s=snapshot.timestamp.elapsed_seconds,
            ego_id=self.ego_id,
            ego=ego,
            camera=self._on(ego),
            types=tuple(self._types),
            actor_id=np.array(kept, dtype=np.uint32),
            actor_type=np.array([self._types[self._actor[number].type_id] for number in kept], dtype=np.int32),
            transform=motion[:, :6].copy(),
            velocity=motion[:, 6:].copy(),
            box=np.array([self._box[number] for number in kept], dtype=np.float64).reshape(-1, 9),
            skipped=tuple(skipped),
        )

    def camera(self, snapshot: carla.WorldSnapshot) -> np.ndarray:
        """(6,) float64 the camera's pose alone. Raises SceneError when the ego is gone."""
        return self._on(self._ego(snapshot))

    def _ego(self, snapshot: carla.WorldSnapshot) -> np.ndarray:
        if not self.ego_id:
            return np.zeros(6)
        if not snapshot.has_actor(self.ego_id):
            raise SceneError(
                f"frame {snapshot.frame}: the ego, actor {self.ego_id}, is gone (destroyed by another client, or "
                "fallen out of the world) or not there yet; spawn it again and repeat the drive, or tick once first"
            )
        return np.array(pose_row(snapshot.find(self.ego_id).get_transform()), dtype=np.float64)

    def _on(self, ego: np.ndarray) -> np.ndarray:
        return pose_of(carla_matrix(ego) @ carla_matrix(self._mount.pose()))

    def _meet(self, numbers: list[int]) -> None:
        """Ask once for actors not seen before."""
        if not numbers:
            return
        try:
            for actor in self._world.get_actors(numbers):
                self._actor[actor.id] = actor
                self._types.setdefault(actor.type_id, len(self._types))
        except RuntimeError as error:
            if "time-out" in str(error):
                raise server_lost(error) from error
            _LOG.warning("actors %s could not be looked up: %s", numbers, error)

    def _measure(self, number: int, actor: carla.Actor) -> str:
        """Fill the box cache (a round trip an actor); the reason why there is no box, or an empty string."""
        if number not in self._box:
            try:
                box = box_row(actor.bounding_box)
            except RuntimeError as error:
                if "time-out" in str(error):
                    raise server_lost(error) from error
                return "destroyed"
            if not np.isfinite(box).all():
                return "box_not_finite"
            self._box[number] = box
        return "" if any(self._box[number][3:6]) else "empty_extent"
