"""Everything solid as oriented boxes over the ground: scenery, vehicles, walkers, props."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
from foveal.scene.axes import carla_matrix
from foveal.tag import Tag

from foveal_sim.world.actors import Actor
from foveal_sim.world.episode import Episode
from foveal_sim.world.ground import Ground
from foveal_sim.world.scenery import EnvironmentObject

__all__ = ["SolidWorld", "Solids"]


@dataclass(frozen=True, slots=True)
class Solids:
    """n boxes. centre: (n, 3) metres. axes: (n, 3, 3), row k is the box's own axis k in the world. half: (n, 3) half
    sizes. label: (n,) uint8 `Tag`. actor: (n,) uint32 id, 0 for scenery. things: (n,) object, what each box is.
    """

    centre: np.ndarray
    axes: np.ndarray
    half: np.ndarray
    label: np.ndarray
    actor: np.ndarray
    things: np.ndarray
    ground: Ground

    @classmethod
    def of(cls, things: Sequence[Actor | EnvironmentObject], poses: np.ndarray, ground: Ground) -> Solids:
        """poses: (n, 6) x, y, z, pitch, yaw, roll of the boxes' middles."""
        listed = np.empty(len(things), dtype=object)
        listed[:] = things
        return cls(
            poses[:, :3].astype(np.float64),
            carla_matrix(poses)[:, :3, :3].transpose(0, 2, 1),
            np.array([_half(thing) for thing in things], dtype=np.float64).reshape(-1, 3),
            np.array([_label(thing) for thing in things], dtype=np.uint8),
            np.array([thing.id if isinstance(thing, Actor) else 0 for thing in things], dtype=np.uint32),
            listed,
            ground,
        )

    def __len__(self) -> int:
        return len(self.label)

    def without(self, actor_ids: Collection[int]) -> Solids:
        """All boxes but those of these actors."""
        return self.chosen(~np.isin(self.actor, list(actor_ids)))

    def nothing_but_ground(self) -> Solids:
        return self.chosen(np.zeros(len(self), dtype=bool))

    def chosen(self, kept: np.ndarray) -> Solids:
        """The boxes where `kept` (n,) is true."""
        return Solids(
            self.centre[kept],
            self.axes[kept],
            self.half[kept],
            self.label[kept],
            self.actor[kept],
            self.things[kept],
            self.ground,
        )


def _half(thing: Actor | EnvironmentObject) -> tuple[float, float, float]:
    return thing.blueprint.half if isinstance(thing, Actor) else thing.half


def _label(thing: Actor | EnvironmentObject) -> int:
    if isinstance(thing, Actor):
        return thing.blueprint.labels[0] if thing.blueprint.labels else Tag.NONE
    return thing.label


class SolidWorld:
    """Makes the solids of an episode as it is; what they are is kept until one is spawned, destroyed or hidden."""

    def __init__(self) -> None:
        self._built_for: tuple[ref[Episode], frozenset[int], int] | None = None
        self._solids: Solids | None = None
        self._slots = np.empty(0, dtype=np.int64)
        self._lift = np.empty((0, 1))

    def now(self, episode: Episode) -> Solids:
        """Scenery that is not disabled, then actors with a body, in the table's order."""
        hidden, version = frozenset(episode.hidden), episode.table.version
        built = self._built_for
        if self._solids is None or built is None or built[0]() is not episode or built[1:] != (hidden, version):
            self._solids = self._build(episode, hidden)
            self._built_for = ref(episode), hidden, version
        place = carla_matrix(episode.table.records["pose"][self._slots])
        turn = place[:, :3, :3]
        still = len(self._solids) - len(self._slots)
        centre, axes = self._solids.centre.copy(), self._solids.axes.copy()
        centre[still:] = place[:, :3, 3] + turn[:, :, 2] * self._lift
        axes[still:] = turn.transpose(0, 2, 1)
        return replace(self._solids, centre=centre, axes=axes)

    def _build(self, episode: Episode, hidden: frozenset[int]) -> Solids:
        """The scenery in its place, and the actors wherever."""
        still = [thing for thing in episode.scenery if thing.id not in hidden]
        bodies = [actor for actor in episode.table if actor.blueprint.half[0]]
        self._slots = episode.table.slots(actor.id for actor in bodies)
        self._lift = np.array([actor.blueprint.lift for actor in bodies]).reshape(-1, 1)
        poses = np.zeros((len(still) + len(bodies), 6))
        poses[: len(still)] = np.array([(*t.centre, 0.0, t.yaw, 0.0) for t in still]).reshape(-1, 6)
        return Solids.of([*still, *bodies], poses, episode.ground)
