"""What a sensor gets to see of one tick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from foveal_sim.world.actors import Actor
from foveal_sim.world.episode import Episode
from foveal_sim.world.geometry import rotation
from foveal_sim.world.solids import Solids

__all__ = ["Moment"]


@dataclass(frozen=True, slots=True)
class Moment:
    """One sensor at one tick.

    scene: makes the solids when first asked. interval_s: simulated seconds since its last measurement (its first: one
    period).
    """

    episode: Episode
    sensor: Actor
    scene: Callable[[], Solids]
    interval_s: float

    @property
    def solids(self) -> Solids:
        """Everything solid at this tick."""
        return self.scene()

    @property
    def pose(self) -> tuple[float, ...]:
        """x, y, z, pitch, yaw, roll of the sensor in the world."""
        return self.episode.table.pose(self.sensor)

    @property
    def turn(self) -> np.ndarray:
        """(3, 3) world-from-sensor rotation."""
        return rotation(*self.pose[3:])

    @property
    def carrier(self) -> Actor | None:
        """The actor that the sensor is attached to, in the end: the one that moves."""
        table = self.episode.table
        actor = table.get(self.sensor.parent)
        while actor is not None and actor.parent:
            actor = table.get(actor.parent)
        return actor

    def carried(self) -> set[int]:
        """Ids of the carrier and of all that is attached to it."""
        carrier = self.carrier
        if carrier is None:
            return {self.sensor.id}
        ids = {carrier.id}
        for actor in self.episode.table:  # a parent comes before its children
            if actor.parent in ids:
                ids.add(actor.id)
        return ids

    def motion(self, actor: Actor | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity in m/s, angular velocity in rad/s and acceleration in m/s2 (3,) in the world; zeros for None."""
        if actor is None:
            return np.zeros(3), np.zeros(3), np.zeros(3)
        row = self.episode.table.records["motion"][actor.slot].astype(np.float64)
        return row[6:9], np.radians(row[9:12]), row[12:15]
