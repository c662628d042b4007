"""One socket of a client: the calls it makes, or the stream it listens to."""

from __future__ import annotations

import logging
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NoReturn

import msgpack

from foveal_sim.world.allowance import Allowance
from foveal_sim.world.complaints import Complaints
from foveal_sim.world.outbox import Outbox
from foveal_sim.world.streams import StreamHub

__all__ = ["RpcConnection", "StreamConnection"]

_READ_BYTES = 1 << 16
_MESSAGE_BYTES = 64 << 20
_ITEMS = 1 << 16
# An upper bound of what Python needs for an item of an array.
_ITEM_BYTES = 64
_TURN_S = 0.005
_HELLO = struct.Struct("<I")
_NOTHING = object()
_log = logging.getLogger(__name__)

Request = tuple[int, str, list[Any]]


class RpcConnection:
    """Calls of one client, answered strictly in order, and only while the client takes in what is answered.

    serve(connection, request) returns the packed response, or None to be asked again later (`resume`). arriving: what
    all clients' unfinished messages may hold. waiting: a call has to be asked again. behind: more calls are here than
    one turn answers. Neither reads from the socket.
    """

    def __init__(
        self,
        sock: socket.socket,
        peer: str,
        outbox: Outbox,
        arriving: Allowance,
        serve: Callable[[RpcConnection, Request], bytes | None],
        complain: Complaints,
    ) -> None:
        self.socket = sock
        self.peer = peer
        self.outbox = outbox
        self.waiting = False
        self.behind = False
        self._arriving = arriving
        self._serve = serve
        self._complain = complain
        self._request: Request | None = None
        self._fed = self._answered = self._held = self._items = 0
        self._unpacker = msgpack.Unpacker(
            raw=False,
            max_buffer_size=_MESSAGE_BYTES,
            max_array_len=_ITEMS,
            object_hook=_refuse_map,
            ext_hook=_refuse_extension,
            list_hook=self._count,
        )

    @property
    def hungry(self) -> bool:
        """May more be read from the socket?"""
        return not (self.waiting or self.behind or self.outbox)

    @property
    def idle(self) -> bool:
        """Is everything answered that has arrived, to the last byte?"""
        return self.hungry and self._fed == self._answered

    def readable(self) -> bool:
        """Take in what has arrived and answer it. False when the connection is over. Raises OSError when it broke."""
        data = self.socket.recv(_READ_BYTES)
        if not data:
            return False
        self._fed += len(data)
        try:
            self._unpacker.feed(data)
        except msgpack.BufferFull:
            return self._refuse(f"a message of more than {_MESSAGE_BYTES >> 20} MiB")
        return self.resume()

    def resume(self) -> bool:
        """Answer requests until none is left, one has to wait, the client must read first or others are due.

        False when the connection is over.
        """
        self.waiting = self.behind = False
        until = time.monotonic() + _TURN_S
        while time.monotonic() < until:
            if self.outbox:
                return True
            if self._request is None:
                try:
                    message = next(self._unpacker, _NOTHING)
                    if message is _NOTHING:
                        return self._hold()
                    self._request = _request(message)
                except (ValueError, RecursionError, msgpack.UnpackException) as error:
                    return self._refuse(str(error))
                self._answered, self._items = self._unpacker.tell(), 0
            response = self._serve(self, self._request)
            if response is None:
                self.waiting = True
                return True
            self._request = None
            self.outbox.send(response)
        self.behind = True
        return True

    def closed(self) -> None:
        """Give back what was held."""
        self._arriving.used -= self._held
        self.outbox.clear()

    def _hold(self) -> bool:
        """Count what an unfinished message holds. False when that is more than the server has."""
        held = self._fed - self._answered + _ITEM_BYTES * self._items
        self._arriving.used += held - self._held
        self._held = held
        return not self._arriving.spent or self._refuse("unfinished messages of all clients are too large")

    def _count(self, items: list[Any]) -> list[Any]:
        self._items += len(items) + 1
        return items

    def _refuse(self, why: str) -> bool:
        self._complain("protocol", f"{self.peer} does not speak the client's protocol ({why}); connection closed")
        return False


class StreamConnection:
    """A listener of one stream: 4 bytes of stream id in, messages out.

    joined(connection, stream id) is called after the hello; stuck(connection) when a message could not be sent whole.
    """

    hungry = True

    def __init__(
        self,
        sock: socket.socket,
        peer: str,
        outbox: Outbox,
        hub: StreamHub,
        joined: Callable[[StreamConnection, int], None],
        stuck: Callable[[StreamConnection], None],
    ) -> None:
        self.socket = sock
        self.peer = peer
        self.outbox = outbox
        self.broken = False
        self._hub = hub
        self._joined = joined
        self._stuck = stuck
        self._hello = b""
        self._stream: int | None = None

    def readable(self) -> bool:
        """Read the hello. False when the connection is over, or says more than that. Raises OSError."""
        data = self.socket.recv(_READ_BYTES)
        self._hello += data
        if not data or len(self._hello) > _HELLO.size:
            return False
        if len(self._hello) == _HELLO.size:
            (self._stream,) = _HELLO.unpack(self._hello)
            if not self._hub.subscribe(self._stream, self.send):
                _log.debug("%s asked for stream %d, which does not exist (any more)", self.peer, self._stream)
            self._joined(self, self._stream)
        return True

    def send(self, *parts: bytes | memoryview) -> None:
        """Send one message; a broken connection is left for the loop to drop."""
        try:
            self.outbox.send(*parts)
        except OSError:
            self.broken = True
        if self.broken or self.outbox:
            self._stuck(self)

    def closed(self) -> None:
        """Stop listening and give back what was held."""
        if self._stream is not None:
            self._hub.unsubscribe(self._stream, self.send)
        self.outbox.clear()


def _request(message: object) -> Request:
    """Message id, method and arguments without the call's metadata. Raises ValueError for anything else."""
    if not isinstance(message, list) or len(message) != 4 or message[0] != 0:
        raise ValueError("not a request of four items")
    _, number, method, arguments = message
    if not isinstance(number, int) or not isinstance(method, str) or not isinstance(arguments, list):
        raise ValueError("a request's parts have the wrong types")
    return number, method, arguments[1:]


def _refuse_map(_: object) -> NoReturn:
    raise ValueError("a map; the client sends arrays only")


def _refuse_extension(*_: object) -> NoReturn:
    raise ValueError("an extension type")
