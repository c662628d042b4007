"""One socket of a client: the calls it makes, or the stream it listens to."""

from __future__ import annotations

import logging
import socket
import struct
from collections import deque
from collections.abc import Callable
from typing import Any

import msgpack

from foveal_sim.world.outbox import Outbox
from foveal_sim.world.streams import StreamHub

__all__ = ["RpcConnection", "StreamConnection"]

_READ_BYTES = 1 << 18
_MESSAGE_BYTES = 128 << 20
_ITEMS = 1 << 20
_HELLO = struct.Struct("<I")
_log = logging.getLogger(__name__)

Request = tuple[int, str, list[Any]]


class RpcConnection:
    """Calls of one client, answered strictly in order.

    serve(request) returns the packed response, or None to be asked again later (`resume`).
    """

    def __init__(self, sock: socket.socket, peer: str, serve: Callable[[Request], bytes | None]) -> None:
        self.socket = sock
        self.peer = peer
        self.outbox = Outbox(sock)
        self.waiting = False
        self._serve = serve
        self._requests: deque[Request] = deque()
        self._unpacker = msgpack.Unpacker(
            raw=False,
            strict_map_key=False,
            max_buffer_size=_MESSAGE_BYTES,
            max_array_len=_ITEMS,
            max_map_len=_ITEMS,
        )

    def readable(self) -> bool:
        """Take in what has arrived and answer it. False when the connection is over. Raises OSError when it broke."""
        data = self.socket.recv(_READ_BYTES)
        if not data:
            return False
        try:
            self._unpacker.feed(data)
            for message in self._unpacker:
                self._requests.append(_request(message))
        except (ValueError, msgpack.UnpackException) as error:
            _log.warning("%s does not speak the client's protocol (%s); connection closed", self.peer, error)
            return False
        self.resume()
        return True

    def resume(self) -> None:
        """Answer requests until none is left or one has to wait."""
        self.waiting = False
        while self._requests:
            response = self._serve(self._requests[0])
            if response is None:
                self.waiting = True
                return
            self._requests.popleft()
            self.outbox.send(response)

    def closed(self) -> None:
        """Nothing to give back."""


class StreamConnection:
    """A listener of one stream: 4 bytes of stream id in, messages out.

    joined(connection, stream id) is called after the hello; stuck(connection) when a message could not be sent whole.
    """

    def __init__(
        self,
        sock: socket.socket,
        peer: str,
        hub: StreamHub,
        joined: Callable[[StreamConnection, int], None],
        stuck: Callable[[StreamConnection], None],
    ) -> None:
        self.socket = sock
        self.peer = peer
        self.outbox = Outbox(sock)
        self.broken = False
        self._hub = hub
        self._joined = joined
        self._stuck = stuck
        self._hello = b""
        self._stream: int | None = None

    def readable(self) -> bool:
        """Read the hello; anything after it is ignored. False when the connection is over. Raises OSError."""
        data = self.socket.recv(_READ_BYTES)
        if not data:
            return False
        if self._stream is None:
            self._hello += data[: _HELLO.size]
            if len(self._hello) >= _HELLO.size:
                self._stream = _HELLO.unpack(self._hello[: _HELLO.size])[0]
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
        """Stop listening."""
        if self._stream is not None:
            self._hub.unsubscribe(self._stream, self.send)


def _request(message: object) -> Request:
    """Message id, method and arguments without the call's metadata. Raises ValueError for anything else."""
    if not isinstance(message, list) or len(message) != 4 or message[0] != 0:
        raise ValueError("not a request of four items")
    _, number, method, arguments = message
    if not isinstance(number, int) or not isinstance(method, str) or not isinstance(arguments, list):
        raise ValueError("a request's parts have the wrong types")
    return number, method, arguments[1:]
