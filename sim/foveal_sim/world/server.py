"""The server process: two listening ports, one loop, one world."""

from __future__ import annotations

import errno
import logging
import os
import resource
import selectors
import socket
import time
from collections.abc import Callable
from functools import partial

from foveal.errors import FovealError

from foveal_sim.world._ticks import answer_next
from foveal_sim.world.allowance import Allowance
from foveal_sim.world.camera import CameraRenderer
from foveal_sim.world.complaints import Complaints
from foveal_sim.world.connections import Request, RpcConnection, StreamConnection
from foveal_sim.world.episode import Population
from foveal_sim.world.methods import method_table
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.outbox import Outbox
from foveal_sim.world.rays import warm_up
from foveal_sim.world.release import CURRENT, Release
from foveal_sim.world.renderer import GOLDEN, SceneRenderer, painter
from foveal_sim.world.rhythm import Rhythm
from foveal_sim.world.settings import ASYNCHRONOUS_STEP_S, EpisodeSettings
from foveal_sim.world.stopping import end_process, on_stop
from foveal_sim.world.streams import StreamHub
from foveal_sim.world.world import World

__all__ = ["PortError", "WorldServer", "serve"]

_log = logging.getLogger(__name__)
_IDLE_S = 60.0
_BACKLOG = 64
_CONNECTIONS = 512
# Descriptors that the rest of the process may need when connections have all others.
_SPARE_DESCRIPTORS = 64
_ARRIVING_BYTES = 256 << 20
_LEAVING_BYTES = 512 << 20
# A synchronous tick waits for listeners that are this far behind, about two images of 1920x1080, ...
_BEHIND_BYTES = 16 << 20
# ... but no longer than this for each, until it has caught up.
_PATIENCE_S = 1.0

Connection = RpcConnection | StreamConnection


class PortError(FovealError):
    """A port is in use or cannot be bound."""


def serve(
    map_source: str,
    host: str = "127.0.0.1",
    port: int = 2000,
    stream_port: int | None = None,
    population: Population | None = None,
    device: str | CameraRenderer = GOLDEN,
    synchronous: bool = False,
    lifeline: int | None = None,
    release: Release = CURRENT,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve a world to `carla` clients until SIGTERM or SIGINT (when called in the main thread).

    map_source: name of a packaged map or path of an OpenDRIVE file. stream_port: port + 1 when None; 0 picks a free
    one, for `port` too. device: what renders cameras: "golden", the name of a Foveal backend, or an object that
    does. ready: called once with one line when both ports listen. synchronous: start waiting for ticks of 0.05 s, so
    that a drive repeats from its first frame; an asynchronous world stands still until its first client. lifeline: a
    file descriptor (a pipe from whoever started this); the server ends when it closes.
    release: of the clients; one of another release cannot read the snapshots and may crash.

    A signal that comes before `ready` ends the process with status 0 (SystemExit).

    Raises MapError, PortError, DeviceNotFound and DeviceError.
    """
    on_stop(end_process)
    road_map = load_map(map_source)
    for warning in road_map.warnings:
        _log.warning("%s", warning)
    renderer = SceneRenderer(painter(device)) if isinstance(device, str) else device
    rpc = _listen(host, port, "rpc")
    try:
        wanted = stream_port if stream_port is not None else (rpc.getsockname()[1] + 1 if port else 0)
        streams = _listen(host, wanted, "stream")
    except PortError:
        rpc.close()
        raise
    hub = StreamHub(streams.getsockname()[1])
    world = World(road_map, population or Population(), hub, renderer, release)
    if synchronous:
        world.apply_settings(EpisodeSettings(synchronous=True, fixed_delta_s=ASYNCHRONOUS_STEP_S))
    world.episode.warm_up()
    warm_up()
    if isinstance(renderer, SceneRenderer):
        renderer.warm_up(world.episode)
    server = WorldServer(world, rpc, streams, lifeline)
    on_stop(server.stop)
    ports = f"rpc {host}:{rpc.getsockname()[1]}, streams {host}:{streams.getsockname()[1]}"
    ready(f"world server ready: map {road_map.name}, {ports}")
    server.run()


def _listen(host: str, port: int, use: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        sock.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortError(
                f"{use} port {port} on {host} is in use; stop the other server or choose another --port"
            ) from None
        raise PortError(f"{use} port {port} on {host} cannot be opened: {error}") from None
    sock.setblocking(False)
    return sock


class WorldServer:
    """Answers calls and pushes streams in one thread; a tick is never run in parallel to anything."""

    def __init__(self, world: World, rpc: socket.socket, streams: socket.socket, lifeline: int | None = None) -> None:
        self._world = world
        self._methods = method_table(world)
        self._sockets = (rpc, streams)
        self._connections: dict[socket.socket, Connection] = {}
        self._watched: dict[socket.socket, int] = {}
        self._selector = selectors.EpollSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._stuck: set[StreamConnection] = set()
        self._slow: dict[StreamConnection, float] = {}
        self._postponed: set[RpcConnection] = set()
        self._arriving = Allowance(_ARRIVING_BYTES)
        self._leaving = Allowance(_LEAVING_BYTES)
        self._complain = Complaints(_log)
        self._most = min(_CONNECTIONS, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_DESCRIPTORS, 1))
        self._rhythm = Rhythm()
        self._ticking: RpcConnection | None = None
        self._visited = False
        self._running = True
        self._next_push_s = time.monotonic()
        self._register(rpc, partial(self._accept, rpc, self._accept_rpc))
        self._register(streams, partial(self._accept, streams, self._accept_stream))
        self._register(self._wake_in, lambda _: None)
        if lifeline is not None:
            self._register(lifeline, partial(self._check, lifeline))

    def stop(self) -> None:
        """End `run` soon; may be called from a signal handler or another thread."""
        self._running = False
        self._wake_out.send(b"x")

    def run(self) -> None:
        """Serve until `stop`; then close every socket."""
        try:
            while self._running:
                if not self._ticked():
                    for key, events in self._selector.select(self._timeout()):
                        key.data(events)
                if self._postponed:
                    self._resume()
                if self._pushing():
                    self._push()
                if self._stuck:
                    self._unstick()
        finally:
            for connection in tuple(self._connections.values()):
                self._drop(connection)
            for sock in (*self._sockets, self._wake_in, self._wake_out):
                sock.close()
            self._selector.close()

    def _ticked(self) -> bool:
        """Wait awake for the next tick in a row, answer it and make it. False when something else comes, or nothing.

        The answer goes out first: the client takes it in meanwhile, and waits for the snapshot. Where something of the
        tick could be refused, or it has to wait, it is left to be served as other calls are.
        """
        client, now = self._ticking, time.monotonic()
        if client is None or self._postponed or not client.idle or not self._rhythm.awake(now):
            return False
        world = self._world
        later = world.measures or not world.episode.settings.synchronous or self._early(now)
        sock = client.socket.fileno()
        unsent = answer_next(self._selector.fileno(), sock, Rhythm.SOON_S, 0 if later else world.frame + 1)
        if unsent is None:
            return False
        self._tick()
        self._rhythm.answered(time.monotonic())
        if unsent:
            client.outbox.owe(unsent)
            self._watch(client)
        return True

    def _timeout(self) -> float:
        now = time.monotonic()
        limits = [_IDLE_S]
        if self._pushing():
            limits.append(self._next_push_s - now)
        expected = self._world.hub.expecting(now)
        if expected is not None:
            limits.append(expected)
        if self._postponed:
            limits += [due - now for due in self._slow.values() if due > now]
            limits += [0.0 for connection in self._postponed if connection.behind]
        return max(min(limits), 0.0)

    def _register(self, source: socket.socket | int, handle: Callable[[int], None]) -> None:
        """Call handle(events) whenever there is something to read."""
        self._selector.register(source, selectors.EVENT_READ, handle)

    def _check(self, lifeline: int, _: int) -> None:
        if not os.read(lifeline, 4096):
            self._running = False

    @staticmethod
    def _transfer(connection: Connection, events: int) -> bool:
        if not events and isinstance(connection, RpcConnection):
            return connection.resume()
        if events & selectors.EVENT_WRITE:
            connection.outbox.flush()
            if isinstance(connection, RpcConnection) and not connection.outbox:
                return connection.resume()
        return not events & selectors.EVENT_READ or connection.readable()

    def _proceed(self, connection: Connection, events: int) -> None:
        """Let a connection do what it can; then watch for what it needs next, or drop it.

        events: what it is ready for; 0 for a postponed one, which only has to answer.
        """
        try:
            alive = self._transfer(connection, events)
        except BlockingIOError:
            alive = True
        except OSError as error:
            _log.info("%s: %s", connection.peer, error)
            alive = False
        except Exception:  # a fault of this server must not end it for the other clients
            self._complain("fault", f"{connection.peer}: internal error; connection closed", logging.ERROR, True)
            alive = False
        if alive:
            self._watch(connection)
        else:
            self._drop(connection)

    def _accept(self, listener: socket.socket, make: Callable[[socket.socket, str], Connection], _: int) -> None:
        try:
            sock, address = listener.accept()
        except OSError as error:
            self._complain("accept", f"a connection could not be accepted: {error}")
            return
        if len(self._connections) >= self._most:
            sock.close()
            self._complain("connections", f"{address[0]}:{address[1]} turned away: {self._most} connections are open")
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = self._connections[sock] = make(sock, f"{address[0]}:{address[1]}")
        self._register(sock, partial(self._proceed, connection))
        self._watched[sock] = selectors.EVENT_READ

    def _accept_rpc(self, sock: socket.socket, peer: str) -> Connection:
        outbox = Outbox(sock, self._leaving)
        return RpcConnection(sock, peer, outbox, self._arriving, self._serve, self._complain)

    def _accept_stream(self, sock: socket.socket, peer: str) -> Connection:
        outbox = Outbox(sock, self._leaving)
        return StreamConnection(sock, peer, outbox, self._world.hub, self._joined, self._stuck.add)

    def _joined(self, connection: StreamConnection, stream_id: int) -> None:
        if stream_id == self._world.observer:
            # Without a snapshot now, a client of a synchronous world would see an empty one until the first tick.
            connection.send(self._world.snapshot())
            self._visited = True

    def _serve(self, client: RpcConnection, request: Request) -> bytes | None:
        number, method, arguments = request
        if method == "tick_cue":
            now = time.monotonic()
            if self._early(now):
                return None
            if self._world.episode.settings.synchronous:
                self._rhythm.tick(now)
                self._ticking = client
        answer = self._methods.answer(number, method, arguments)
        self._rhythm.answered(time.monotonic())
        return answer

    def _early(self, now: float) -> bool:
        """Is a listener still to come, or far behind, that the next tick should reach?"""
        if self._world.hub.expecting(now) is not None:
            return True
        return bool(self._slow) and any(due > now for due in self._slow.values())

    def _tick(self) -> None:
        """Advance the world; what goes wrong is logged, since nobody waits for this tick's answer."""
        try:
            self._world.tick()
        except Exception as error:  # nor must one of its sensors stop the clock
            unexpected = not isinstance(error, FovealError)
            self._complain("tick", f"tick {self._world.frame}: {error}", logging.ERROR, unexpected)

    def _resume(self) -> None:
        for connection in tuple(self._postponed):
            self._proceed(connection, 0)

    def _push(self) -> None:
        """Advance an asynchronous world at the pace of its step."""
        now = time.monotonic()
        if now < self._next_push_s:
            return
        self._tick()
        self._next_push_s = max(self._next_push_s + self._world.episode.settings.step_s, now)

    def _pushing(self) -> bool:
        return self._visited and not self._world.episode.settings.synchronous

    def _unstick(self) -> None:
        """Watch for room on streams that did not take a whole message; drop broken ones."""
        while self._stuck:
            connection = self._stuck.pop()
            if connection.broken:
                self._drop(connection)
            elif connection.socket in self._connections:
                if connection.outbox.bytes > _BEHIND_BYTES:
                    self._slow.setdefault(connection, time.monotonic() + _PATIENCE_S)
                self._watch(connection)

    def _watch(self, connection: Connection) -> None:
        if isinstance(connection, RpcConnection):
            (self._postponed.add if connection.waiting or connection.behind else self._postponed.discard)(connection)
        elif self._slow and connection.outbox.bytes <= _BEHIND_BYTES:
            self._slow.pop(connection, None)
        events = selectors.EVENT_READ if connection.hungry else 0
        if connection.outbox:
            events |= selectors.EVENT_WRITE
        if events == self._watched[connection.socket]:
            return
        if not events:
            self._selector.unregister(connection.socket)
        elif self._watched[connection.socket]:
            self._selector.modify(connection.socket, events, partial(self._proceed, connection))
        else:
            self._selector.register(connection.socket, events, partial(self._proceed, connection))
        self._watched[connection.socket] = events

    def _drop(self, connection: Connection) -> None:
        if self._connections.pop(connection.socket, None) is None:
            return
        if self._watched.pop(connection.socket):
            self._selector.unregister(connection.socket)
        if isinstance(connection, RpcConnection):
            self._postponed.discard(connection)
            if connection is self._ticking:
                self._ticking = None
        else:
            self._slow.pop(connection, None)
        connection.closed()
        connection.socket.close()
