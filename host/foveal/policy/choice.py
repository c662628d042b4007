"""From wishes to the regions of one frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy
from foveal.projection import Camera, project_many
from foveal.region import MAX_REGIONS, RegionSet

__all__ = ["Chosen", "choose", "warm_up"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """frame: the snapshot's frame id. regions: what to render in it.

    actors: those with a rectangle of their own before merging, the most important first. dropped: how many vehicles and
    walkers have none, by reason.
    """

    frame: int
    regions: RegionSet
    actors: tuple[int, ...]
    dropped: Mapping[str, int]


def choose(policy: Policy, sight: Sight) -> Chosen:
    """The regions that `policy` wants for this tick: clipped to the frame, at most 16 (:meth:`RegionSet.of_boxes`)."""
    wishes = policy.wishes(sight).by_weight()
    regions = RegionSet.of_boxes(wishes.box, sight.camera.width, sight.camera.height)
    actors = dict.fromkeys(wishes.actor[wishes.actor >= 0].tolist())
    return Chosen(sight.tick.frame, regions, tuple(actors), wishes.dropped)


def warm_up() -> None:
    """Compile what choose() runs compiled, so that no tick pays for it."""
    project_many(Camera(np.zeros(6), 2, 2, 90.0), np.zeros((1, 6)), np.ones((1, 9)))
    RegionSet.of_boxes(np.array([(n, n, n + 1, n + 1) for n in range(MAX_REGIONS + 1)]), 64, 64)
