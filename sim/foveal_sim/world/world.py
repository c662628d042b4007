"""The world a server shows: the current episode, its clock, its streams and its cameras."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence

from foveal.errors import MapError
from foveal.planes import CAMERAS

from foveal_sim.maps import map_names
from foveal_sim.world.actors import Actor
from foveal_sim.world.blueprints import library
from foveal_sim.world.camera import Camera, CameraRenderer, in_vain
from foveal_sim.world.complaints import Complaints
from foveal_sim.world.episode import Episode, Population, SpawnError
from foveal_sim.world.opendrive import RoadMap, load_map, uploaded_map
from foveal_sim.world.release import CURRENT, Release
from foveal_sim.world.sensors import SENSORS, Sensors
from foveal_sim.world.settings import EpisodeSettings
from foveal_sim.world.solids import SolidWorld
from foveal_sim.world.streams import StreamHub
from foveal_sim.world.wire import image_message, snapshot_message

__all__ = ["UPLOADED_MAP", "World"]

UPLOADED_MAP = "OpenDriveMap"
"""Name under which the client loads a map that it has sent before."""

_MAP_CHANGED = 1
_log = logging.getLogger(__name__)


class World:
    """frame counts ticks since the server started; elapsed_s is simulated time since then."""

    def __init__(
        self,
        road_map: RoadMap,
        population: Population,
        hub: StreamHub,
        renderer: CameraRenderer,
        release: Release = CURRENT,
    ) -> None:
        self.release = release
        self.hub = hub
        self.frame = 0
        self.elapsed_s = 0.0
        self.observer = hub.open()
        self._population = population
        self._library = library(release)
        self._first_map = road_map
        self._renderer = renderer
        self._cameras: dict[int, Camera] = {}
        self.solids = SolidWorld()
        self._sensors = Sensors(hub, self.solids)
        self._complain = Complaints(_log, times=1)
        self._uploaded: RoadMap | None = None
        self._flags = 0  # a map told of as new, at the start, has a client's own threads ask for what it holds
        self._started_s = time.monotonic()
        self.episode = Episode(1, road_map, population, 1, self._library)

    def upload(self, text: str) -> None:
        """Keep OpenDRIVE text for a later load of UPLOADED_MAP. Raises MapError."""
        self._uploaded = uploaded_map(text, UPLOADED_MAP)
        for warning in self._uploaded.warnings:
            _log.warning("%s", warning)

    def load(self, name: str, reset_settings: bool) -> None:
        """Start a new episode on map `name` ("": the same again). Raises MapError; then the old episode goes on."""
        before = self.episode
        road_map = self._find_map(name.rpartition("/")[2])
        episode = Episode(before.number + 1, road_map, self._population, before.next_id, self._library)
        for camera in self._cameras.values():
            self.hub.close(camera.stream_id)
        self._cameras.clear()
        self._sensors.clear()
        self.episode = episode
        if not reset_settings:
            self.episode.settings = before.settings
        self._flags = _MAP_CHANGED

    def available_maps(self) -> list[str]:
        """Names that `load` takes."""
        return sorted({*map_names(), self._first_map.name} | ({UPLOADED_MAP} if self._uploaded else set()))

    def spawn(self, blueprint: str, attributes: Mapping[str, str], pose: Sequence[float], parent: int = 0) -> Actor:
        """Spawn an actor; a camera and every other sensor with data gets a stream. Raises SpawnError."""
        if blueprint not in CAMERAS and blueprint not in SENSORS:
            return self.episode.spawn(blueprint, attributes, pose, parent)
        stream_id = self.hub.open()
        try:
            actor = self.episode.spawn(blueprint, attributes, pose, parent, self.hub.token(stream_id))
        except SpawnError:
            self.hub.close(stream_id)
            raise
        try:
            if blueprint in SENSORS:
                self._sensors.mount(actor, stream_id)
            else:
                self._cameras[actor.id] = Camera.of(blueprint, actor.id, stream_id, actor.attributes)
                if ignored := ", ".join(in_vain(blueprint, actor.attributes)):
                    self._complain(ignored, f"{blueprint}: {ignored}: accepted, and nothing in the picture changes")
        except ValueError as error:
            self.episode.destroy(actor.id)
            self.hub.close(stream_id)
            raise SpawnError(f"spawn_actor: {error}") from None
        return actor

    def destroy(self, actor_id: int) -> bool:
        """Destroy an actor with what is attached to it. False when there is none."""
        gone = self.episode.destroy(actor_id)
        for actor in gone:
            camera = self._cameras.pop(actor.id, None)
            if camera is not None:
                self.hub.close(camera.stream_id)
            self._sensors.dismount(actor.id)
        return bool(gone)

    def apply_settings(self, settings: EpisodeSettings) -> None:
        self.episode.settings = settings

    @property
    def measures(self) -> bool:
        """Has it sensors or cameras, on which a tick may fail?"""
        return bool(self._sensors or self._cameras)

    def tick(self) -> int:
        """Advance one step, publish every due image and the snapshot; returns the new frame.

        Raises DeviceError or SceneError when an image cannot be rendered; the step is done and published all the same.
        """
        self.frame += 1
        self.elapsed_s += self.episode.settings.step_s
        try:
            self.episode.step()
            if self._sensors:
                self._sensors.publish(self.episode, self.frame, self.elapsed_s)
            if self._cameras and not self.episode.settings.no_rendering:
                self._capture()
        finally:
            self.hub.publish(self.observer, self.snapshot())
            self._flags = 0
        return self.frame

    def snapshot(self) -> bytes:
        """The snapshot message of the current frame."""
        return snapshot_message(
            self.release.world_observer,
            self.frame,
            self.elapsed_s,
            self.episode.settings.step_s,
            time.monotonic() - self._started_s,
            self.episode.number,
            self._flags,
            self.episode.table.snapshot(),
        )

    def _find_map(self, name: str) -> RoadMap:
        if name in ("", self.episode.road_map.name) and name != UPLOADED_MAP:
            return self.episode.road_map
        if name == UPLOADED_MAP and self._uploaded is not None:
            return self._uploaded
        if name == self._first_map.name:
            return self._first_map
        if name in map_names():
            return load_map(name)
        raise MapError(f"map {name!r} not found; available: {', '.join(self.available_maps())}")

    def _capture(self) -> None:
        """Publish the pictures of all cameras that somebody listens to and that are due."""
        table = self.episode.table
        actors = {number: table.get(number) for number in self._cameras}
        due = [
            camera
            for number, camera in self._cameras.items()
            if actors[number] is not None and self.hub.wanted(camera.stream_id) and camera.period.take(self.elapsed_s)
        ]
        for camera, pixels in self._renderer.render(self.episode, due, self.frame, self.elapsed_s):
            actor = actors[camera.actor_id]
            assert actor is not None
            size = (camera.width, camera.height, camera.fov_deg)
            parts = image_message(camera.blueprint, self.frame, self.elapsed_s, table.pose(actor), *size, pixels)
            self.hub.publish(camera.stream_id, *parts)
