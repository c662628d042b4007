"""The live actors: one packed record a slot, laid out as the snapshot sends it, and columns the simulation adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foveal_sim.world.blueprints import Blueprint
from foveal_sim.world.geometry import compose, footprint, overlaps
from foveal_sim.world.wire import ACTOR_RECORD

__all__ = ["Actor", "ActorTable"]

Pose = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor's fixed facts. token: of its stream.

    box: centre and half sizes in metres of a bounding box that is not the blueprint's: the trigger volume of a traffic
    light or sign, which the client takes from there.
    """

    id: int
    slot: int
    uid: int
    blueprint: Blueprint
    attributes: dict[str, str]
    parent: int = 0
    token: bytes = b""
    box: tuple[float, ...] | None = None

    @property
    def category(self) -> str:
        """First word of the blueprint's id: vehicle, walker, static, sensor, traffic, spectator."""
        return self.blueprint.id.partition(".")[0]

    def bounding_box(self) -> list[object]:
        """Wire form, in the actor's frame."""
        centre, half = [0.0, 0.0, self.blueprint.lift], list(self.blueprint.half)
        if self.box is not None:
            centre, half = list(self.box[:3]), list(self.box[3:])
        return [centre, half, [0.0, 0.0, 0.0], self.id]

    def wire(self) -> list[object]:
        """Wire form of the whole actor."""
        kinds = {attribute.name: attribute.kind for attribute in self.blueprint.attributes}
        attributes = [[name, kinds[name], value] for name, value in self.attributes.items()]
        description = [self.uid, self.blueprint.id, attributes]
        return [self.id, self.parent, description, self.bounding_box(), self.blueprint.labels, self.token]


class ActorTable:
    """Actors by id, in stable slots.

    records: (capacity,) ACTOR_RECORD. half: (capacity, 2) half length and width in metres. speed: (capacity,) forward
    speed in m/s of what the simulation moves. live: slots in use, ascending. version grows with every spawn and
    destroy, so that others know when to look up their slots again.
    """

    def __init__(self) -> None:
        self.records = np.zeros(64, dtype=ACTOR_RECORD)
        self.half = np.zeros((64, 2), dtype=np.float32)
        self.speed = np.zeros(64, dtype=np.float32)
        self.live = np.empty(0, dtype=np.int64)
        self.version = 0
        self._actors: dict[int, Actor] = {}
        self._relative: dict[int, Pose] = {}
        self._free: list[int] = []
        self._next_slot = 0
        self._children: list[tuple[int, int, Pose]] = []

    def __len__(self) -> int:
        return len(self._actors)

    def __iter__(self) -> Iterator[Actor]:
        return iter(self._actors.values())

    def get(self, actor_id: int) -> Actor | None:
        return self._actors.get(actor_id)

    def add(self, actor_id: int, make: Callable[[int], Actor], pose: Pose, parent: int = 0) -> Actor:
        """Give a slot to what `make(slot)` returns and set its pose (relative to the parent when there is one)."""
        slot = self._free.pop() if self._free else self._next_slot
        if slot == self._next_slot:
            self._next_slot += 1
            if slot == len(self.records):
                self._grow()
        actor = make(slot)
        self.records.view(np.uint8).reshape(-1, ACTOR_RECORD.itemsize)[slot] = 0
        self.records["id"][slot] = actor_id
        self.records["state"][slot] = 1
        self.half[slot] = actor.blueprint.half[:2]
        self.speed[slot] = 0.0
        self._actors[actor_id] = actor
        if parent:
            self._relative[actor_id] = pose
            self.records["pose"][slot] = compose(self.pose(self._actors[parent]), pose)
        else:
            self.records["pose"][slot] = pose
        self._changed()
        return actor

    def remove(self, actor_id: int) -> list[Actor]:
        """Remove an actor and what is attached to it; returns them, children first. Empty when there is none."""
        if actor_id not in self._actors:
            return []
        family = {actor_id}
        for actor in self:  # a parent is older than its children
            if actor.parent in family:
                family.add(actor.id)
        gone = [actor for actor in reversed(self._actors.values()) if actor.id in family]
        for actor in gone:
            del self._actors[actor.id]
            self._relative.pop(actor.id, None)
            self.records["state"][actor.slot] = 0
            self._free.append(actor.slot)
        self._free.sort(reverse=True)
        self._changed()
        return gone

    def pose(self, actor: Actor) -> Pose:
        """x, y, z, pitch, yaw, roll in the world."""
        return tuple(self.records["pose"][actor.slot].tolist())

    def own_pose(self, actor: Actor) -> Pose:
        """Like `pose`, but of an attached actor in its parent's frame."""
        return self._relative.get(actor.id) or self.pose(actor)

    def set_pose(self, actor: Actor, pose: Pose) -> None:
        """Move an actor; an attached one moves in its parent's frame."""
        if actor.parent:
            self._relative[actor.id] = pose
            self._changed()
        else:
            self.records["pose"][actor.slot] = pose

    def follow_parents(self) -> None:
        """Bring attached actors to where their parents are."""
        poses = self.records["pose"]
        for slot, parent_slot, relative in self._children:
            poses[slot] = compose(poses[parent_slot].tolist(), relative)

    def snapshot(self) -> bytes:
        """Packed records of all live actors."""
        if len(self.live) == self._next_slot:
            return self.records[: self._next_slot].tobytes()
        # As plain bytes: the record's fields overlap, and copying rows field by field is not worth relying on.
        return self.records.view(np.uint8).reshape(-1, ACTOR_RECORD.itemsize)[self.live].tobytes()

    def collides(self, pose: Pose, half: Sequence[float], centre: float) -> bool:
        """Would a box with half sizes `half` and its middle `centre` above `pose` touch a vehicle, walker or prop?"""
        slots = self.live[self.half[self.live, 0] > 0]
        poses = self.records["pose"][slots]
        near = np.hypot(poses[:, 0] - pose[0], poses[:, 1] - pose[1]) < math.hypot(*half[:2]) + 8.0
        near &= np.abs(poses[:, 2] - pose[2] - centre) < 4.0
        if not near.any():
            return False
        poses, sizes = poses[near].astype(np.float64), self.half[slots[near]].astype(np.float64)
        others = footprint(poses[:, 0], poses[:, 1], poses[:, 4], sizes[:, 0], sizes[:, 1])
        as_array = np.asarray
        mine = footprint(*(as_array([value]) for value in (pose[0], pose[1], pose[4], half[0], half[1])))[0]
        return bool(overlaps(mine, others).any())

    def slots(self, actor_ids: Iterable[int]) -> np.ndarray:
        """(n,) slots of these ids, which must be live."""
        return np.array([self._actors[actor_id].slot for actor_id in actor_ids], dtype=np.int64)

    def _changed(self) -> None:
        self.version += 1
        self.live = np.flatnonzero(self.records["state"])
        attached = sorted(self._relative)  # a parent is older than its child, so it moves first
        self._children = [
            (self._actors[child].slot, self._actors[self._actors[child].parent].slot, self._relative[child])
            for child in attached
        ]

    def _grow(self) -> None:
        for name in ("records", "half", "speed"):
            old = getattr(self, name)
            new = np.zeros((2 * len(old), *old.shape[1:]), dtype=old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)
