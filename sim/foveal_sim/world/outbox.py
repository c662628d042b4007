"""Non-blocking sending that never tears a message and never waits for a slow reader."""

from __future__ import annotations

import socket
from collections import deque

__all__ = ["Outbox"]

_LIMIT_BYTES = 256 << 20


class Outbox:
    """Bytes on their way to one socket. A reader that is 256 MiB behind loses whole messages, never parts."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._queue: deque[memoryview] = deque()
        self._bytes = 0
        self.dropped = 0

    def __bool__(self) -> bool:
        """Is something waiting for the socket to become writable?"""
        return bool(self._queue)

    def send(self, *parts: bytes | memoryview) -> None:
        """Send one message made of `parts`, or queue what the socket does not take. Raises OSError when it broke."""
        if self._queue:
            if self._bytes > _LIMIT_BYTES:
                self.dropped += 1
                return
            sent = 0
        else:
            try:
                sent = self._socket.send(parts[0]) if len(parts) == 1 else self._socket.sendmsg(parts)
            except BlockingIOError:
                sent = 0
        for part in parts:
            if sent < len(part):
                self._queue.append(memoryview(part)[sent:])
                self._bytes += len(part) - sent
                sent = 0
            else:
                sent -= len(part)

    def flush(self) -> None:
        """Send what is queued as far as the socket takes it. Raises OSError when it is broken."""
        while self._queue:
            try:
                sent = self._socket.send(self._queue[0])
            except BlockingIOError:
                return
            self._bytes -= sent
            if sent == len(self._queue[0]):
                self._queue.popleft()
            else:
                self._queue[0] = self._queue[0][sent:]
