"""The sensors that are no cameras: which there are, when they are due, and their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Protocol

from foveal.period import Period

from foveal_sim.world.actors import Actor
from foveal_sim.world.attribute_values import number
from foveal_sim.world.contacts import Collision, Obstacle
from foveal_sim.world.episode import Episode
from foveal_sim.world.lidar import Lidar, SemanticLidar
from foveal_sim.world.moment import Moment
from foveal_sim.world.navigation import Gnss, Imu
from foveal_sim.world.radar import Radar
from foveal_sim.world.sensor_wire import sensor_message
from foveal_sim.world.solids import SolidWorld
from foveal_sim.world.streams import StreamHub

__all__ = ["SENSORS", "Sensor", "Sensors"]


class Sensor(Protocol):
    """kind: type index of its messages."""

    kind: int

    def measure(self, moment: Moment) -> Iterable[bytes]:
        """The bodies of a tick's messages."""


SENSORS: Mapping[str, Callable[[Mapping[str, str]], Sensor]] = MappingProxyType(
    {
        "sensor.lidar.ray_cast": Lidar,
        "sensor.lidar.ray_cast_semantic": SemanticLidar,
        "sensor.other.collision": Collision,
        "sensor.other.gnss": Gnss,
        "sensor.other.imu": Imu,
        "sensor.other.obstacle": Obstacle,
        "sensor.other.radar": Radar,
    }
)
"""What makes each sensor from its attributes, by blueprint id. All raise ValueError for impossible ones."""


@dataclass
class _Mounted:
    actor: Actor
    stream_id: int
    sensor: Sensor
    period: Period
    measured_s: float | None = None

    def interval(self, now_s: float, step_s: float) -> float:
        """Seconds since the last measurement; after a pause, and at first, no more than one that is due late has."""
        usual = max(self.period.seconds, step_s)
        since = usual if self.measured_s is None else min(now_s - self.measured_s, usual + step_s)
        self.measured_s = now_s
        return since


class Sensors:
    """The live sensors of a world. False when there is none, so that a tick without them costs nothing."""

    def __init__(self, hub: StreamHub, solids: SolidWorld) -> None:
        self._hub = hub
        self._solids = solids
        self._mounted: dict[int, _Mounted] = {}

    def __bool__(self) -> bool:
        return bool(self._mounted)

    def mount(self, actor: Actor, stream_id: int) -> None:
        """Let a spawned sensor work. Raises ValueError for attributes that are no such sensor."""
        seconds = number(actor.attributes, "sensor_tick", 0.0) if "sensor_tick" in actor.attributes else 0.0
        sensor = SENSORS[actor.blueprint.id](actor.attributes)
        self._mounted[actor.id] = _Mounted(actor, stream_id, sensor, Period(seconds))

    def dismount(self, actor_id: int) -> None:
        """Forget a sensor that was destroyed, if it is one."""
        mounted = self._mounted.pop(actor_id, None)
        if mounted is not None:
            self._hub.close(mounted.stream_id)

    def clear(self) -> None:
        """Forget all."""
        for actor_id in tuple(self._mounted):
            self.dismount(actor_id)

    def publish(self, episode: Episode, frame: int, elapsed_s: float) -> None:
        """Measure with every sensor that somebody listens to and that is due."""
        due = [m for m in self._mounted.values() if self._hub.wanted(m.stream_id) and m.period.take(elapsed_s)]
        if not due:
            return
        scene = cache(lambda: self._solids.now(episode))
        for mounted in due:
            moment = Moment(episode, mounted.actor, scene, mounted.interval(elapsed_s, episode.settings.step_s))
            for body in mounted.sensor.measure(moment):
                message = sensor_message(mounted.sensor.kind, frame, elapsed_s, moment.pose, body)
                self._hub.publish(mounted.stream_id, message)
