"""A drive as CARLA's client: connect, own the clock, read one consistent state a step."""

from __future__ import annotations

import ipaddress
import logging
import socket
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import carla
import msgpack

from foveal.carla import version
from foveal.carla.failure import ForeignTick, server_lost
from foveal.carla.reader import TickReader
from foveal.errors import ServerLost
from foveal.scene.tick import CameraMount, Tick

__all__ = ["Drive", "connect"]

_LOG = logging.getLogger(__name__)
_RESTORE_S = 2.0
_ANSWER_BYTES = 1 << 16


def connect(host: str = "127.0.0.1", port: int = 2000, timeout_s: float = 10.0, force: bool = False) -> carla.Client:
    """A client whose calls have a deadline, of a server that answers and whose version fits.

    host: a name or an IP address. Raises ServerLost when nothing listens there, nothing answers, or (without `force`)
    the versions do not fit, and when `host` holds a port.
    The port is tried first, because the carla package connects once and then only times out, and because an answer
    that is not CARLA's ends the whole process in its code.
    """
    place = _place(host, port)
    try:
        probe = socket.create_connection((host, port), timeout=timeout_s)
    except OSError as error:
        raise ServerLost(
            f"no CARLA server at {place} ({error.strerror or error}); start one "
            f"(`foveal world --port {port}` or CarlaUE4) or name another port"
        ) from error
    with probe:
        _ask_version(probe, place, timeout_s)
    client = carla.Client(host, port)
    client.set_timeout(timeout_s)
    try:
        server = client.get_server_version()
    except RuntimeError as error:
        raise server_lost(error) from error
    version.check(client.get_client_version(), server, force)
    return client


def _place(host: str, port: int) -> str:
    """How messages name it. Only IPv6 addresses hold colons."""
    if ":" not in host:
        return f"{host}:{port}"
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        raise ServerLost(f"{host!r} is no host; give the host alone, and its port as --port (port=)") from None
    return f"[{host}]:{port}"


def _ask_version(peer: socket.socket, place: str, timeout_s: float) -> None:
    """Make the package's first call (msgpack-rpc: request 0, number, method, [metadata]) and look at the answer only
    as far as its frame (response 1, the same number, error, result)."""
    deadline = time.monotonic() + timeout_s
    unpacker = msgpack.Unpacker(max_buffer_size=_ANSWER_BYTES)
    try:
        peer.sendall(msgpack.packb([0, 0, "version", [[False]]]))
        while True:
            peer.settimeout(max(deadline - time.monotonic(), 0.001))
            data = peer.recv(4096)
            if not data:
                raise ValueError("it closed the connection")
            unpacker.feed(data)
            for answer in unpacker:
                if not (isinstance(answer, list) and len(answer) == 4 and answer[:2] == [1, 0]):
                    raise ValueError(f"it answered {str(answer)[:40]!r}")
                return
    except TimeoutError as error:
        raise ServerLost(
            f"the CARLA server at {place} did not answer within {timeout_s:g} s; check that it still runs, and the port"
        ) from error
    except (OSError, ValueError, msgpack.UnpackException) as error:
        raise ServerLost(f"what listens at {place} is no CARLA server ({error}); name its RPC port") from error


@dataclass(slots=True)
class Drive:
    """Context manager that owns a world's clock: synchronous mode and a fixed step, given back at the end.

    client: from :func:`connect`. step_s: simulated seconds a tick. mount: the camera on the ego.
    ego_id: the actor that carries the camera; set it before the first tick (0: the camera is at the origin).
    timeout_s: deadline of one tick. Raises ServerLost when the server is gone, ForeignTick when another client ticks.
    """

    client: carla.Client
    step_s: float = 0.05
    mount: CameraMount = field(default_factory=CameraMount)
    ego_id: int = 0
    timeout_s: float = 10.0
    world: carla.World = field(init=False, repr=False)
    _saved: carla.WorldSettings | None = field(init=False, default=None, repr=False)
    _last: int | None = field(init=False, default=None, repr=False)
    _reader: TickReader = field(init=False, repr=False)

    def __enter__(self) -> Self:
        try:
            self.world = self.client.get_world()
            self._reader = TickReader(self.world, self.mount)
            self._saved = self.world.get_settings()
            settings = self.world.get_settings()
            settings.synchronous_mode = True
            settings.fixed_delta_seconds = self.step_s
            self.world.apply_settings(settings)
        except RuntimeError as error:
            self._restore()
            raise server_lost(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def tick(self) -> Tick:
        """Advance one step and read the snapshot of exactly that frame.

        An actor that vanished or has an empty box is left out with its reason; the frame is not lost.
        Raises SceneError when a transform is not finite or the ego is gone.
        """
        try:
            frame = self.world.tick(self.timeout_s)
            snapshot = self.world.get_snapshot()
        except RuntimeError as error:
            raise server_lost(error) from error
        if self._last is not None and frame != self._last + 1:
            raise ForeignTick(
                f"frame {self._last} was followed by {frame}: another client ticks this world; "
                "stop it and repeat the drive"
            )
        if snapshot.frame != frame:
            raise ForeignTick(
                f"asked for frame {frame}, the snapshot is of {snapshot.frame}: another client ticks this world; "
                "stop it and repeat the drive"
            )
        self._last = frame
        self._reader.ego_id = self.ego_id
        return self._reader.read(snapshot)

    def _restore(self) -> None:
        """Give the clock back, so that the next client does not find a frozen world; a dead server is only logged."""
        if self._saved is None:
            return
        self.client.set_timeout(min(self.timeout_s, _RESTORE_S))
        try:
            self.world.apply_settings(self._saved)
        except RuntimeError as error:
            _LOG.warning("the server's settings could not be restored: %s", error)
        finally:
            self.client.set_timeout(self.timeout_s)
