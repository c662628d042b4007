"""Pedestrians: those that stroll along sidewalks by themselves, and those a client steers."""

from __future__ import annotations

import numpy as np

from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.lanes import LaneGraph

__all__ = ["Strollers", "walk"]


class Strollers:
    """Pedestrians that walk along sidewalk lanes, keep to a line beside the middle and turn round at a dead end."""

    def __init__(self, graph: LaneGraph, seed: int) -> None:
        self._graph = graph
        self._random = np.random.default_rng((seed, 1))
        self._ids: list[int] = []
        self._lane = np.empty(0, dtype=np.int64)
        self._distance = np.empty(0)
        self._speed = np.empty(0)
        self._way = np.empty(0)
        self._beside = np.empty(0)
        self._lift = np.empty(0)
        self._slots = np.empty(0, dtype=np.int64)
        self._version = -1

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, actor_id: int) -> bool:
        return actor_id in self._ids

    def adopt(self, actor: Actor, lane: int, distance: float) -> None:
        """Let a walker start at `distance` metres along sidewalk `lane`."""
        room = max(float(self._graph.width[lane]) / 2 - 0.5, 0.0)
        self._ids.append(actor.id)
        self._lane = np.append(self._lane, lane)
        self._distance = np.append(self._distance, distance)
        self._speed = np.append(self._speed, self._random.uniform(0.9, 1.7))
        self._way = np.append(self._way, self._random.choice([-1.0, 1.0]))
        self._beside = np.append(self._beside, self._random.uniform(-room, room))
        self._lift = np.append(self._lift, actor.blueprint.half[2])

    def release(self, actor_id: int) -> None:
        """Forget a walker (it was destroyed)."""
        if actor_id not in self._ids:
            return
        index = self._ids.index(actor_id)
        del self._ids[index]
        for name in ("_lane", "_distance", "_speed", "_way", "_beside", "_lift"):
            setattr(self, name, np.delete(getattr(self, name), index))

    def step(self, table: ActorTable, delta_s: float) -> None:
        """Advance by `delta_s` seconds and write the records."""
        if not self._ids:
            return
        if self._version != table.version:
            self._slots, self._version = table.slots(self._ids), table.version
        self._distance = self._distance + self._way * self._speed * delta_s
        beyond = (self._distance < 0) | (self._distance > self._graph.length[self._lane])
        for index in np.flatnonzero(beyond):
            self._change_lane(int(index))
        xyz, yaw = self._graph.pose(self._lane, self._distance)
        angle = np.deg2rad(yaw)
        records, slots = table.records, self._slots
        pose = np.zeros((len(slots), 6))
        pose[:, 0] = xyz[:, 0] - np.sin(angle) * self._beside
        pose[:, 1] = xyz[:, 1] + np.cos(angle) * self._beside
        pose[:, 2] = xyz[:, 2] + self._lift
        pose[:, 4] = (np.where(self._way > 0, yaw, yaw + 180.0) + 180.0) % 360.0 - 180.0
        heading = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1) * self._way[:, None]
        records["pose"][slots] = pose
        records["velocity"][slots] = heading * self._speed[:, None]
        records["walker_direction"][slots] = heading
        records["walker_speed"][slots] = self._speed
        table.speed[slots] = self._speed

    def _change_lane(self, index: int) -> None:
        lane, distance = int(self._lane[index]), float(self._distance[index])
        forward = distance > 0
        over = distance - float(self._graph.length[lane]) if forward else -distance
        choices = (self._graph.successors if forward else self._graph.predecessors)[lane]
        if choices:
            lane = int(choices[self._random.integers(len(choices))])
            over = min(over, float(self._graph.length[lane]))
            distance = over if forward else float(self._graph.length[lane]) - over
        else:
            self._way[index] = -self._way[index]
            distance = max(float(self._graph.length[lane]) - over, 0.0) if forward else over
        self._lane[index], self._distance[index] = lane, min(distance, float(self._graph.length[lane]))


def walk(table: ActorTable, slots: np.ndarray, delta_s: float) -> None:
    """Advance walkers that a client steers: along their control's direction at its speed, facing that way."""
    records = table.records
    direction = records["walker_direction"][slots].astype(np.float64)
    velocity = direction * records["walker_speed"][slots].astype(np.float64)[:, None]
    pose = records["pose"][slots].astype(np.float64)
    pose[:, :3] += velocity * delta_s
    moving = np.hypot(velocity[:, 0], velocity[:, 1]) > 1e-3
    pose[:, 4] = np.where(moving, np.rad2deg(np.arctan2(velocity[:, 1], velocity[:, 0])), pose[:, 4])
    records["pose"][slots] = pose
    records["velocity"][slots] = velocity
