"""Everything solid as oriented boxes over the ground: scenery, vehicles, walkers, props."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
from foveal.scene.axes import carla_matrix

from foveal_sim.world.actors import Actor
from foveal_sim.world.episode import Episode
from foveal_sim.world.ground import Ground
from foveal_sim.world.scenery import EnvironmentObject

__all__ = ["SolidWorld", "Solids"]


@dataclass(frozen=True, slots=True)
class Solids:
    """n boxes. centre: (n, 3) metres. axes: (n, 3, 3), row k is the box's own axis k in the world. half: (n, 3) half
    sizes. label: (n,) uint8 `CityObjectLabel`. things: what each box is.
    """

    centre: np.ndarray
    axes: np.ndarray
    half: np.ndarray
    label: np.ndarray
    things: tuple[Actor | EnvironmentObject, ...]
    ground: Ground

    def without(self, actor_ids: set[int]) -> Solids:
        """All boxes but those of these actors."""
        kept = np.array([isinstance(t, EnvironmentObject) or t.id not in actor_ids for t in self.things], dtype=bool)
        return self.chosen(kept)

    def actors_only(self, categories: tuple[str, ...]) -> Solids:
        """The boxes of the actors of these categories."""
        return self.chosen(
            np.array([isinstance(t, Actor) and t.category in categories for t in self.things], dtype=bool)
        )

    def nothing_but_ground(self) -> Solids:
        return self.chosen(np.zeros(len(self.things), dtype=bool))

    def chosen(self, kept: np.ndarray) -> Solids:
        """The boxes where `kept` (n,) is true."""
        things = tuple(thing for thing, keep in zip(self.things, kept, strict=True) if keep)
        return replace(
            self,
            centre=self.centre[kept],
            axes=self.axes[kept],
            half=self.half[kept],
            label=self.label[kept],
            things=things,
        )


class SolidWorld:
    """Makes the solids of an episode as it is; the scenery's are kept until the episode or what is visible changes."""

    def __init__(self) -> None:
        self._built_for: tuple[ref[Episode], frozenset[int]] | None = None
        self._still: Solids | None = None

    def now(self, episode: Episode) -> Solids:
        """Scenery that is not disabled, then actors with a body, in the table's order."""
        still = self._scenery(episode)
        table = episode.table
        bodies = tuple(actor for actor in table if actor.blueprint.half[0])
        if not bodies:
            return still
        place = carla_matrix(table.records["pose"][table.slots(actor.id for actor in bodies)])
        turn = place[:, :3, :3]
        lift = np.array([actor.blueprint.lift for actor in bodies])
        label = np.array([actor.blueprint.labels[0] if actor.blueprint.labels else 0 for actor in bodies], np.uint8)
        return Solids(
            np.concatenate([still.centre, place[:, :3, 3] + turn[:, :, 2] * lift[:, None]]),
            np.concatenate([still.axes, turn.transpose(0, 2, 1)]),
            np.concatenate([still.half, [actor.blueprint.half for actor in bodies]]),
            np.concatenate([still.label, label]),
            still.things + bodies,
            still.ground,
        )

    def _scenery(self, episode: Episode) -> Solids:
        hidden = frozenset(episode.hidden)
        built = self._built_for
        if self._still is None or built is None or built[0]() is not episode or built[1] != hidden:
            things = tuple(thing for thing in episode.scenery if thing.id not in hidden)
            poses = np.array([(*t.centre, 0.0, t.yaw, 0.0) for t in things], dtype=np.float64).reshape(-1, 6)
            self._still = Solids(
                poses[:, :3].copy(),
                carla_matrix(poses)[:, :3, :3].transpose(0, 2, 1),
                np.array([thing.half for thing in things], dtype=np.float64).reshape(-1, 3),
                np.array([thing.label for thing in things], dtype=np.uint8),
                things,
                episode.ground,
            )
            self._built_for = ref(episode), hidden
        return self._still
