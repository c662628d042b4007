"""A camera for CARLA scripts that renders only what matters, in place of CARLA's own."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Self

import carla
import numpy as np

from foveal.carla.blueprint import HONOURED, attributes_of, mount_of, period_of
from foveal.carla.failure import server_lost
from foveal.carla.image import RoiImage
from foveal.carla.outside import Drawn, Filler, Outside
from foveal.carla.reader import TickReader
from foveal.carla.shared_scene import SharedScene, shared_scene
from foveal.carla.turns import DeviceTurns
from foveal.channel import Channel, checked
from foveal.device import Device, open_device
from foveal.drawlist import Zone
from foveal.errors import DeviceError, FovealError, SceneError
from foveal.frame import StageTime
from foveal.planes import CAMERAS, planes_of
from foveal.policy import Policy, Sight, TrackedActors, choose, warm_up
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.scene.assemble import Scene, draw_list, furnished
from foveal.scene.sun import sun_direction
from foveal.scene.tick import CameraMount
from foveal.zone import EVERYWHERE, ZoneSource

__all__ = ["RoiCamera"]

_LOG = logging.getLogger(__name__)

_JOIN_S = 10.0
_SILENCE_S = 5.0
"""A listener asks whether the server still answers after so long (of real time) without a snapshot."""

_LOOK_S = 0.5
"""It looks so often whether the world is another: loading one takes the client's listeners away without a word."""

_WEATHER_S = 1.0
"""The sun is asked for so often, in simulated seconds: it costs a round trip."""


class RoiCamera:
    """Pictures of the world as its client sees it, drawn by a Foveal device, in regions that a policy chooses.

    Takes what `world.spawn_actor` takes for a camera: in a script that has

        camera = world.spawn_actor(blueprint, transform, attach_to=vehicle)

    only that line changes:

        camera = RoiCamera(world, blueprint, transform, attach_to=vehicle)

    Snapshots arrive in the client's thread; rendering and the callback run in one thread of the camera's own. An
    image's frame is its snapshot's: a snapshot that cannot be rendered gives no image, never an older one. A camera
    belongs to one world of one process: a world that is loaded anew and a server that is lost end it (`failure`), and
    it is silent in a forked child.
    """

    def __init__(
        self,
        world: carla.World,
        blueprint: carla.ActorBlueprint,
        transform: carla.Transform,
        attach_to: carla.Actor | None = None,
        attachment_type: carla.AttachmentType = carla.AttachmentType.Rigid,
        *,
        policy: Policy | None = None,
        device: str | Device = "opencl",
        channels: Channel | None = None,
        outside: str = "black",
        zone: Zone | ZoneSource | None = EVERYWHERE,
        queue: int = 8,
    ) -> None:
        """transform: relative to `attach_to`, or in the world without one.

        blueprint: `sensor.camera.rgb`, `.depth`, `.semantic_segmentation` or `.instance_segmentation`. policy: what to
        render, vehicles and walkers unless given. device: a backend's name, or an open device, which stays the
        caller's; cameras that share one draw in turns. channels: what images hold beside, from the same pass: `depth`,
        `semantic`, `instance`. outside: what stands elsewhere, "black", "hold" (rendered last) or "coarse" (a quarter
        of the pixels). zone: where materials and textures are fetched while `attach_to` is there; one zone, or what
        gives one a frame, such as a ZonePlan.
        queue: snapshots that may wait; beyond it the oldest is dropped and counted.
        Raises SceneError for another blueprint, attribute values that are no camera, or zones that nothing drives
        through; DeviceNotFound.
        """
        kind = CAMERAS.get(blueprint.id)
        if kind is None:
            raise SceneError(f"RoiCamera draws what cameras show, not {blueprint.id}; use one of {', '.join(CAMERAS)}")
        if attachment_type != carla.AttachmentType.Rigid:
            raise SceneError("RoiCamera is attached rigidly; leave attachment_type out")
        if attach_to is None and callable(zone):
            raise SceneError("zones follow what carries the camera; give attach_to, or one zone")
        if queue < 1:
            raise ValueError(f"at least one snapshot must be able to wait, got queue={queue}")
        self.attributes: Mapping[str, str] = attributes_of(blueprint)
        self._type, self._kind = blueprint.id, kind
        self._channels = kind.channels if channels is None else kind.channels | checked(channels)
        self._mount = mount_of(self.attributes, transform)
        self._period = period_of(self.attributes)
        self._world, self._parent = world, attach_to
        self._reader = TickReader(world, self._mount, attach_to.id if attach_to is not None else 0)
        self._policy = policy if policy is not None else TrackedActors()
        self._filler = Filler(Outside.of(outside))
        self._zone = zone
        self._owned = isinstance(device, str)
        self._device = DeviceTurns.of(open_device(device) if isinstance(device, str) else device)
        self._scene: Scene | None = None
        self._shared: SharedScene | None = None
        self._episode = world.id
        self._light: tuple[float, tuple[float, float, float]] | None = None
        self._waiting: deque[carla.WorldSnapshot] = deque()
        self._queue = queue
        self._change = threading.Condition()
        self._preparing = threading.Lock()
        self._callback: Callable[[RoiImage], object] | None = None
        self._thread: threading.Thread | None = None
        self._subscription: int | None = None
        self._held: list[threading.Event] = []
        self._last_frame = 0
        self._went_back = False
        self._dropped = 0
        self._failure: Exception | None = None
        self._told = False
        self._alive = True
        self._process = os.getpid()
        # The package's own threads may call into an interpreter that is ending, and then end the process by a signal.
        self._at_exit = partial(_stop, weakref.ref(self))
        atexit.register(self._at_exit)

    @property
    def type_id(self) -> str:
        return self._type

    @property
    def parent(self) -> carla.Actor | None:
        return self._parent

    @property
    def is_alive(self) -> bool:
        return self._alive

    def is_listening(self) -> bool:
        """A method, as the package's sensors have it."""
        return self._callback is not None

    @property
    def dropped(self) -> int:
        """Snapshots that gave no image because too many were waiting."""
        return self._dropped

    @property
    def failure(self) -> Exception | None:
        """Why the camera gives no more images, or None."""
        return self._failure

    @property
    def honoured(self) -> tuple[str, ...]:
        """Attributes of the blueprint that this camera follows."""
        return tuple(name for name in self.attributes if name in HONOURED)

    @property
    def ignored(self) -> tuple[str, ...]:
        """Attributes that it accepts and that change nothing."""
        return tuple(name for name in self.attributes if name not in HONOURED)

    def get_transform(self) -> carla.Transform:
        """The camera's pose in the last snapshot."""
        return _transform(self._reader.camera(self._world.get_snapshot()))

    def get_location(self) -> carla.Location:
        """Its place in the last snapshot."""
        return self.get_transform().location

    def listen(self, callback: Callable[[RoiImage], object]) -> None:
        """Call `callback` with an image for each snapshot from now on (each `sensor_tick` seconds where that is set).

        A second call replaces the callback. Raises FovealError after destroy(), or what ended the camera before.
        """
        if not callable(callback):
            raise TypeError(f"listen() takes what is called with each image, got {callback!r}")
        if self._process != os.getpid():
            raise FovealError("a forked process has no client; connect and make the camera in the process that uses it")
        self._prepare()
        current = self._world.get_snapshot()  # the client may still be telling its listeners of it
        with self._change:
            if not self._alive:
                raise FovealError("the camera was destroyed; make another one")
            if self._failure is not None:
                raise self._failure
            self._callback = callback
            if self._thread is None:
                if current.id == self._episode:
                    self._last_frame = max(self._last_frame, current.frame)
                self._thread = threading.Thread(target=self._work, name="foveal-camera", daemon=True)
                self._thread.start()
                self._subscribe()

    def stop(self) -> None:
        """No callback begins after this returns. May be called twice, and from the callback."""
        if self._process != os.getpid():
            self._callback = None
            return
        with self._change:
            subscription, self._subscription = self._subscription, None
            thread, self._thread = self._thread, None
            self._callback = None
            self._waiting.clear()
            self._change.notify_all()
        if subscription is not None:
            self._world.remove_on_tick(subscription)
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def destroy(self) -> bool:
        """Stop, and give the device back. True unless it was destroyed before."""
        with self._change:
            if not self._alive:
                return False
            self._alive = False
        self.stop()
        if self._process == os.getpid():
            if self._owned:
                self._device.close()
            if all(event.is_set() for event in self._held):
                atexit.unregister(self._at_exit)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    def _prepare(self) -> None:
        """Meshes of the world, once: the first image must not wait for them."""
        with self._preparing:
            if self._scene is not None or not self._alive or self._failure is not None:
                return
            warm_up()
            try:
                self._shared = shared_scene(self._world)
            except RuntimeError as error:
                raise server_lost(error) from error
            snapshot = self._world.get_snapshot()
            self._same_world(snapshot)
            there = not self._reader.ego_id or snapshot.has_actor(self._reader.ego_id)
            tick = self._reader.read(snapshot) if there else None  # a parent just spawned comes with the next tick
            self._scene = furnished(self._shared.parts, tick)
            self._device.load(self._scene.meshes)

    def _same_world(self, snapshot: carla.WorldSnapshot) -> None:
        if snapshot.id != self._episode:
            raise SceneError(
                f"frame {snapshot.frame} is of another world than the camera (load_world, reload_world, "
                "generate_opendrive_world or a server that was started again); make another camera there"
            )

    def _subscribe(self) -> None:
        """The client's threads touch the interpreter as long as they hold the callable: its end is awaited at exit."""
        callback = self._arrive
        let_go = threading.Event()
        weakref.finalize(callback, let_go.set).atexit = False
        self._held = [event for event in self._held if not event.is_set()] + [let_go]
        self._subscription = self._world.on_tick(callback)

    def _arrive(self, snapshot: carla.WorldSnapshot) -> None:
        """In the client's thread: keep it short."""
        with self._change:
            if self._callback is None or (snapshot.id == self._episode and not self._is_new(snapshot)):
                return
            if len(self._waiting) == self._queue:
                self._waiting.popleft()
                self._dropped += 1
            self._waiting.append(snapshot)
            self._change.notify_all()

    def _is_new(self, snapshot: carla.WorldSnapshot) -> bool:
        """Is it due, and newer than the last? A stream that was interrupted begins again with what it had sent."""
        if snapshot.frame < self._last_frame:  # late, or of a server that was started again: the client's calls tell
            self._went_back = True
            self._change.notify_all()
        if snapshot.frame <= self._last_frame or not self._period.take(snapshot.timestamp.elapsed_seconds):
            return False
        self._last_frame = snapshot.frame
        return True

    def _work(self) -> None:
        """The camera's thread: render what waits, in order, until stop()."""
        me = threading.current_thread()
        heard = time.monotonic()
        while True:
            with self._change:
                self._change.wait_for(
                    lambda: self._waiting or self._went_back or self._callback is None or self._thread is not me,
                    min(_LOOK_S, _SILENCE_S),
                )
                callback = self._callback
                if callback is None or self._thread is not me:
                    return
                snapshot = self._waiting.popleft() if self._waiting else None
                doubtful, self._went_back = self._went_back, False
            try:
                if doubtful:
                    self._ask()
                if snapshot is None:
                    self._same_world(self._world.get_snapshot())
                    if time.monotonic() - heard >= _SILENCE_S:
                        self._ask()
                        heard = time.monotonic()
                    continue
                image = self._image(snapshot)
                heard = time.monotonic()
            except BaseException as error:  # a server that is gone, a device that fails, a policy of the user's
                self._fail(error if isinstance(error, Exception) else FovealError(f"a policy ended it ({error!r})"))
                return
            if self._callback is callback:
                try:
                    callback(image)
                except Exception:
                    _LOG.exception("the callback of frame %d failed", image.frame)
                except BaseException as error:  # SystemExit would end this thread alone, without a word
                    self._fail(FovealError(f"the callback of frame {image.frame} ended the camera ({error!r})"))
                    return

    def _ask(self) -> None:
        """A round trip: a client learns of a dead server by nothing else. Raises ServerLost."""
        try:
            self._world.get_settings()
        except RuntimeError as error:
            raise server_lost(error) from error

    def _sun(self, now_s: float) -> tuple[float, float, float]:
        if self._light is None or not self._light[0] <= now_s < self._light[0] + _WEATHER_S:
            try:
                weather = self._world.get_weather()
            except RuntimeError as error:
                raise server_lost(error) from error
            self._light = now_s, sun_direction(weather.sun_azimuth_angle, weather.sun_altitude_angle)
        return self._light[1]

    def _name(self) -> str:
        """What tells it from the other cameras of a script."""
        mount, parent = self._mount, self._parent
        where = "in the world" if parent is None else f"on actor {parent.id}"
        return f"{self._type} {where} at ({mount.x:g}, {mount.y:g}, {mount.z:g}), yaw {mount.yaw:g}"

    def _fail(self, error: Exception) -> None:
        _LOG.error("the camera gives no more images: %s", error)
        self._failure = error
        with self._change:
            self._callback = None
            self._waiting.clear()

    def _image(self, snapshot: carla.WorldSnapshot) -> RoiImage:
        assert self._scene is not None
        scene = self._scene
        self._same_world(snapshot)
        start = time.perf_counter_ns()
        tick = self._reader.read(snapshot)
        read = time.perf_counter_ns()
        regions = choose(self._policy, Sight.of(tick, self._mount)).regions
        if not len(regions) and not self._told:
            self._told = True
            _LOG.warning("%s: %s", self._name(), self._filler.nothing(tick.frame))
        chosen = time.perf_counter_ns()
        sun = self._sun(tick.time_s)
        zone = self._zone(tick) if callable(self._zone) else self._zone
        draw = draw_list(scene, tick, self._mount, sun, zone)
        placed = time.perf_counter_ns()
        frame = self._device.render(scene.meshes, draw, regions, self._channels)
        if frame.frame != tick.frame or tick.frame != snapshot.frame:
            raise DeviceError(f"the device answered frame {frame.frame} when asked for {tick.frame}; reset it")

        def again(mount: CameraMount) -> Drawn:
            whole = RegionSet.full(mount.width, mount.height)
            small = self._device.render(scene.meshes, draw_list(scene, tick, mount, sun, zone), whole, self._channels)
            return planes_of(small, mount, self._channels), small.stages

        planes, filling = self._filler.fill(
            planes_of(frame, self._mount, self._channels), frame.regions, self._mount, again
        )
        host = (("snapshot", start, read), ("region", read, chosen), ("scene", chosen, placed))
        record = tuple(StageTime(name, float(after - before), Provenance.MEASURED) for name, before, after in host)
        return RoiImage(
            tick.frame,
            tick.time_s,
            _transform(tick.camera),
            self._mount.fov_deg,
            self._kind.encode(planes),
            frame.regions,
            record + frame.stages + filling,
            planes,
        )


def _stop(camera: weakref.ref[RoiCamera]) -> None:
    held = camera()
    if held is None or held._process != os.getpid():
        return
    held.stop()
    for event in held._held:
        event.wait(_JOIN_S)


def _transform(pose: np.ndarray) -> carla.Transform:
    x, y, z, pitch, yaw, roll = pose.tolist()
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(pitch, yaw, roll))
