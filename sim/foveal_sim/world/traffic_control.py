"""Traffic lights and signs as actors: their cycle, their records, and which vehicles they govern."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal_sim.world.actors import Actor, ActorTable
from foveal_sim.world.following import MUST_GIVE_WAY, MUST_STOP
from foveal_sim.world.lanes import LaneGraph
from foveal_sim.world.opendrive import RoadMap
from foveal_sim.world.roadside import Roadside, governed
from foveal_sim.world.signals import LIGHT, STOP, YIELD
from foveal_sim.world.traffic_lights import GREEN, OFF, TrafficLights

__all__ = ["TrafficControl"]


class TrafficControl:
    """The lights and signs of one map.

    roadside: where they are. lights: their states; light k is signal `light_signal[k]`. limit_mps: (S,) speed limit at
    each sample of the graph. limits_speed: are there signs of one?
    """

    def __init__(self, road_map: RoadMap, graph: LaneGraph) -> None:
        self.roadside = Roadside(road_map.signals, graph)
        kinds = [signal.kind for signal in self.roadside.signals]
        self.light_signal = np.array([n for n, kind in enumerate(kinds) if kind == LIGHT], dtype=np.int64)
        ids = [self.roadside.signals[n].id for n in self.light_signal]
        self.lights = TrafficLights(ids, road_map.crossroads)
        self.limit_mps = self.roadside.limits(graph, road_map.speed_limit_mps)
        self._shown = np.array(
            [{STOP: MUST_STOP, YIELD: MUST_GIVE_WAY}.get(kind, OFF) for kind in kinds], dtype=np.uint8
        )
        self._slots = self._light_slots = np.empty(0, dtype=np.int64)
        self._ids = np.empty(0, dtype=np.uint32)
        self._number: dict[int, int] = {}
        signal_of, volume = self.roadside.line_signal, self.roadside.volume
        limit_kmh = np.array([signal.limit_kmh for signal in self.roadside.signals])
        line_limit_kmh = limit_kmh[signal_of] if len(signal_of) else np.empty(0)
        is_light, is_limit = np.isin(signal_of, self.light_signal), line_limit_kmh > 0
        self.limits_speed = bool(is_limit.any())
        # Of the trigger volumes of lights, and of those of speed limits, in the order of lines.
        self._light_volume, self._limit_volume = volume[is_light], volume[is_limit]
        self._volume_light = np.searchsorted(self.light_signal, signal_of[is_light])
        self._volume_limit_kmh = line_limit_kmh[is_limit]
        # Which volume each vehicle was in when `inform` looked last.
        self._at_light = self._at_limit = np.empty(0, dtype=np.int64)
        self._told = -1, -1
        self._written = -1

    def __contains__(self, actor_id: int) -> bool:
        return actor_id in self._number

    def spawn(self, table: ActorTable, add: Callable[..., Actor]) -> None:
        """Add an actor for each signal: `add(blueprint, pose, box)` gives it its id."""
        roadside = self.roadside
        actors = [add(roadside.blueprint(n), roadside.pose(n), roadside.trigger(n)) for n in range(len(roadside))]
        self._number = {actor.id: n for n, actor in enumerate(actors)}
        self._ids = np.array([actor.id for actor in actors], dtype=np.uint32)
        self._slots = np.array([actor.slot for actor in actors], dtype=np.int64)
        self._light_slots = self._slots[self.light_signal]
        table.records["sign_id"][self._slots] = [signal.id.encode() for signal in roadside.signals]
        table.records["pole_index"][self._light_slots] = self.lights.place
        self._write(table)

    def step(self, table: ActorTable, delta_s: float) -> None:
        """Advance the lights by `delta_s` seconds."""
        if len(self.lights):
            self.lights.step(delta_s)
            self._write(table)

    def shown(self) -> np.ndarray:
        """(signals,) uint8: the state of each light, MUST_STOP, MUST_GIVE_WAY, or OFF for what orders nothing."""
        self._shown[self.light_signal] = self.lights.state
        return self._shown

    def inform(self, table: ActorTable, vehicles: np.ndarray, readers: np.ndarray) -> None:
        """Write into the records of the vehicles in slots `vehicles` at which light they are, and limits they pass.

        readers: slots of those among them whose limit comes from the signs that they pass.
        """
        records = table.records
        if len(self.lights) and len(vehicles):
            if len(vehicles) != len(self._at_light):
                self._at_light = np.full(len(vehicles), -1)
            changed, _ = governed(records["pose"], table.half, vehicles, self._light_volume, self._at_light)
            now = table.version, self.lights.version
            if changed or self._told != now:
                self._told = now
                self._tell_lights(records, vehicles)
        if self.limits_speed and len(readers):
            if len(readers) != len(self._at_limit):
                self._at_limit = np.full(len(readers), -1)
            _, passing = governed(records["pose"], table.half, readers, self._limit_volume, self._at_limit)
            if passing:
                there = self._at_limit >= 0
                records["speed_limit"][readers[there]] = self._volume_limit_kmh[self._at_limit[there]]

    def warm_up(self, table: ActorTable) -> None:
        """Compile what `step` and `inform` need."""
        self.lights.step(0.0)
        nobody = np.empty(0, dtype=np.int64)
        governed(table.records["pose"], table.half, nobody, self._light_volume, nobody)

    def number(self, actor_id: int) -> int | None:
        """Index of the signal that an actor is."""
        return self._number.get(actor_id)

    def light(self, actor_id: int) -> int | None:
        """Index of the light that an actor is."""
        number = self._number.get(actor_id)
        if number is None or self.roadside.signals[number].kind != LIGHT:
            return None
        return int(np.searchsorted(self.light_signal, number))

    def group(self, light: int) -> list[int]:
        """Actor ids of the lights in the same group, itself among them."""
        members = self.lights.members(int(self.lights.group[light]))
        return [int(actor) for actor in self._ids[self.light_signal[members]]]

    def _tell_lights(self, records: np.ndarray, vehicles: np.ndarray) -> None:
        there = self._at_light >= 0
        light = self._volume_light[self._at_light[there]]
        records["at_light"][vehicles] = there
        records["light_id"][vehicles], records["light_state"][vehicles] = 0, GREEN
        records["light_id"][vehicles[there]] = self._ids[self.light_signal[light]]
        records["light_state"][vehicles[there]] = self.lights.state[light]

    def _write(self, table: ActorTable) -> None:
        records, slots, lights = table.records, self._light_slots, self.lights
        records["light_elapsed"][slots] = lights.elapsed_s
        if self._written != lights.version:
            self._written = lights.version
            records["light"][slots] = lights.state
            records["light_times"][slots] = lights.times_s
            records["light_frozen"][slots] = lights.frozen
