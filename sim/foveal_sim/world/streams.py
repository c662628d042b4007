"""Streams by id, who listens to them, and who has been promised one but has not connected yet."""

from __future__ import annotations

from collections.abc import Callable

from foveal_sim.world.wire import stream_token

__all__ = ["StreamHub"]

Send = Callable[..., None]

_CONNECT_S = 1.0


class StreamHub:
    """Listeners are functions that take the parts of one message."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._next = 1
        self._listeners: dict[int, list[Send]] = {}
        self._expected: dict[int, float] = {}

    def open(self) -> int:
        """A new stream id."""
        stream_id = self._next
        self._next += 1
        self._listeners[stream_id] = []
        return stream_id

    def close(self, stream_id: int) -> None:
        """Forget a stream. Its connections stay open and silent: a client answers a closed one by connecting again."""
        self._listeners.pop(stream_id, None)
        self._expected.pop(stream_id, None)

    def token(self, stream_id: int) -> bytes:
        return stream_token(stream_id, self._port)

    def expect(self, stream_id: int, now_s: float) -> None:
        """A token was handed out: the next tick should wait for its connection, at most a second."""
        if stream_id in self._listeners:
            self._expected[stream_id] = now_s + _CONNECT_S

    def expecting(self, now_s: float) -> float | None:
        """Seconds until the last expected connection is given up; None when none is expected."""
        if not self._expected:
            return None
        self._expected = {stream: due for stream, due in self._expected.items() if due > now_s}
        return max(self._expected.values()) - now_s if self._expected else None

    def subscribe(self, stream_id: int, send: Send) -> bool:
        """Add a listener. False when there is no such stream."""
        self._expected.pop(stream_id, None)
        listeners = self._listeners.get(stream_id)
        if listeners is None:
            return False
        listeners.append(send)
        return True

    def unsubscribe(self, stream_id: int, send: Send) -> None:
        listeners = self._listeners.get(stream_id, [])
        if send in listeners:
            listeners.remove(send)

    def wanted(self, stream_id: int) -> bool:
        """Does anybody listen?"""
        return bool(self._listeners.get(stream_id))

    def publish(self, stream_id: int, *parts: bytes | memoryview) -> None:
        """Send one message to all listeners."""
        for send in tuple(self._listeners.get(stream_id, ())):
            send(*parts)
