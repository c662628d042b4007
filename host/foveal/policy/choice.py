"""From wishes to the regions of one frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy
from foveal.region import RegionSet

__all__ = ["Chosen", "choose"]


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


def merged_share(box: np.ndarray, width: int, height: int) -> float:
    """Share of the frame, 0..1, that :func:`choose` would render for these (N, 4) rectangles."""
    return RegionSet.of_boxes(box, width, height).share
