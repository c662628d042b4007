"""Camera pixels from Foveal's own renderers: the scene a client would build, drawn by a painter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any, Protocol
from weakref import ref

import numpy as np
from foveal import golden
from foveal.channel import Channel
from foveal.device import open_device
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.period import Period
from foveal.planes import CAMERAS, planes_of
from foveal.region import RegionSet
from foveal.scene.assemble import Scene, build_scene, draw_list
from foveal.scene.static import StaticScene
from foveal.scene.sun import sun_direction
from foveal.scene.tick import CameraMount, Tick

from foveal_sim.world.camera import Camera
from foveal_sim.world.episode import Episode
from foveal_sim.world.memory import give_back

__all__ = ["GOLDEN", "DevicePainter", "GoldenPainter", "Painter", "SceneRenderer", "painter"]

GOLDEN = "golden"
"""Name of the painter that is always there."""


class Painter(Protocol):
    """Draws whole frames of meshes loaded before."""

    def load(self, meshes: MeshSet) -> None: ...

    def paint(self, draw: DrawList, channels: Channel) -> Frame:
        """The whole frame with `channels`, in arrays of its own. Raises DeviceError."""


class GoldenPainter:
    """Foveal's golden model, in this process."""

    def __init__(self) -> None:
        self._meshes: MeshSet | None = None

    def load(self, meshes: MeshSet) -> None:
        self._meshes = meshes

    def paint(self, draw: DrawList, channels: Channel) -> Frame:
        """See `Painter`. The material table counts as resident."""
        if self._meshes is None:
            raise ValueError("load the meshes before painting")
        whole = RegionSet.full(draw.width, draw.height)
        return golden.render(self._meshes, draw, whole, True, channels).frame(draw.frame, whole, channels, {})


class DevicePainter:
    """Any Foveal backend. Raises DeviceNotFound when it is unknown or cannot run here."""

    def __init__(self, backend: str) -> None:
        self._device = open_device(backend)

    def load(self, meshes: MeshSet) -> None:
        self._device.load(meshes)

    def paint(self, draw: DrawList, channels: Channel) -> Frame:
        """See `Painter`."""
        return self._device.render(draw, RegionSet.full(draw.width, draw.height), channels=channels)


def painter(name: str) -> Painter:
    """The golden model, or the Foveal backend `name`. Raises DeviceNotFound."""
    return GoldenPainter() if name == GOLDEN else DevicePainter(name)


class SceneRenderer:
    """A `CameraRenderer` over a painter.

    The scene's meshes are built when an episode is first seen or its visible objects change, and uploaded once.
    Weather moves the sun; a camera's own vehicle is not drawn, as in Foveal's benches. Cameras of one vehicle that see
    the same in pictures of the same size share one pass, whatever they make of it.
    """

    def __init__(self, paint: Painter) -> None:
        self._painter = paint
        self._scene: Scene | None = None
        self._built_for: tuple[ref[Episode], frozenset[int]] | None = None

    def render(
        self, episode: Episode, cameras: Sequence[Camera], frame: int, elapsed_s: float
    ) -> Iterator[tuple[Camera, np.ndarray]]:
        """See `CameraRenderer`. Raises DeviceError."""
        alike: dict[tuple[object, ...], list[Camera]] = {}
        for camera in cameras:
            alike.setdefault(_view(episode, camera), []).append(camera)
        for group in alike.values():
            tick, first = _tick(episode, group[0], frame, elapsed_s), group[0]
            scene = self._ready(episode, tick)
            mount = CameraMount(width=first.width, height=first.height, fov_deg=first.fov_deg)
            draw = draw_list(scene, tick, mount, sun_direction(*episode.weather[4:6]))
            channels = reduce(or_, (CAMERAS[camera.blueprint].channels for camera in group))
            planes = planes_of(self._painter.paint(draw, channels), mount, channels)
            pictures = {name: CAMERAS[name].encode(planes) for name in {camera.blueprint for camera in group}}
            yield from ((camera, pictures[camera.blueprint]) for camera in group)

    def warm_up(self, episode: Episode) -> None:
        """Build the scene and draw one small picture, so that no client waits for compilers at its first image."""
        nobody = 0
        every = [Camera(blueprint, nobody, 0, 64, 64, 90.0, Period(0.0)) for blueprint in CAMERAS]
        deque(self.render(episode, every, 0, 0.0), maxlen=0)

    def _ready(self, episode: Episode, tick: Tick) -> Scene:
        hidden = frozenset(episode.hidden)
        built = self._built_for
        if self._scene is None or built is None or built[0]() is not episode or built[1] != hidden:
            self._scene = build_scene(_static_scene(episode), replace(tick, ego_id=0))
            self._painter.load(self._scene.meshes)
            self._built_for = ref(episode), hidden
            give_back()
        return self._scene


def _static_scene(episode: Episode) -> StaticScene:
    from foveal.carla.world_scene import lanes_if_any  # imports carla: only once the map has prepared its cache folder

    empty = StaticScene.empty(episode.road_map.name)
    fields: dict[str, Any] = lanes_if_any(episode.road_map.geometry, empty.step_m)
    things = [thing for thing in episode.scenery if thing.id not in episode.hidden]
    boxes = [(*thing.centre, *thing.half, 0.0, thing.yaw, 0.0) for thing in things]
    return replace(
        empty,
        **fields,
        object_id=np.array([thing.id for thing in things], dtype=np.uint64),
        object_label=np.array([thing.label for thing in things], dtype=np.uint8),
        object_box=np.array(boxes, dtype=np.float64).reshape(-1, 9),
    )


def _view(episode: Episode, camera: Camera) -> tuple[object, ...]:
    """What decides what a camera sees: its vehicle, its place and its picture's shape."""
    own = episode.table.get(camera.actor_id)
    place = (own.parent, *episode.table.pose(own)) if own is not None else ()
    return (*place, camera.width, camera.height, camera.fov_deg)


def _tick(episode: Episode, camera: Camera, frame: int, elapsed_s: float) -> Tick:
    table = episode.table
    bodies = [actor for actor in table if actor.blueprint.half[0]]
    types = tuple(sorted({actor.blueprint.id for actor in bodies}))
    slots = table.slots(actor.id for actor in bodies)
    box = [(0.0, 0.0, a.blueprint.lift, *a.blueprint.half, 0.0, 0.0, 0.0) for a in bodies]
    own = table.get(camera.actor_id)
    vehicle = table.get(own.parent) if own is not None else None
    view = table.pose(own) if own is not None else (0.0,) * 6
    return Tick(
        frame=frame,
        time_s=elapsed_s,
        ego_id=vehicle.id if vehicle is not None else 0,
        ego=np.array(table.pose(vehicle) if vehicle is not None else view, dtype=np.float64),
        camera=np.array(view, dtype=np.float64),
        types=types,
        actor_id=np.array([actor.id for actor in bodies], dtype=np.uint32),
        actor_type=np.array([types.index(actor.blueprint.id) for actor in bodies], dtype=np.int32),
        transform=table.records["pose"][slots].astype(np.float64),
        velocity=table.records["velocity"][slots].astype(np.float64),
        box=np.array(box, dtype=np.float64).reshape(-1, 9),
    )
