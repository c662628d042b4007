"""Non-blocking sending that never tears a message and never waits for a slow reader."""

from __future__ import annotations

import socket
from collections import deque

from foveal_sim.world.allowance import Allowance

__all__ = ["LISTENER_BYTES", "Outbox"]

LISTENER_BYTES = 64 << 20


class Outbox:
    """Bytes on their way to one socket.

    A reader that is 64 MiB behind, or behind at all when the shared allowance is spent, loses whole messages, never
    parts. bytes: waiting now. dropped: messages lost.
    """

    def __init__(self, sock: socket.socket, allowance: Allowance) -> None:
        self.bytes = 0
        self.dropped = 0
        self._socket = sock
        self._allowance = allowance
        self._queue: deque[memoryview] = deque()

    def __bool__(self) -> bool:
        """Is something waiting for the socket to become writable?"""
        return bool(self._queue)

    def send(self, *parts: bytes | memoryview) -> None:
        """Send one message made of `parts`, or queue what the socket does not take. Raises OSError when it broke."""
        if self._queue:
            if self.bytes > LISTENER_BYTES or self._allowance.spent:
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
                self._count(len(part) - sent)
                sent = 0
            else:
                sent -= len(part)

    def owe(self, rest: bytes) -> None:
        """Queue what is left of a message whose beginning has just been sent."""
        self._queue.append(memoryview(rest))
        self._count(len(rest))

    def flush(self) -> None:
        """Send what is queued as far as the socket takes it. Raises OSError when it is broken."""
        while self._queue:
            try:
                sent = self._socket.send(self._queue[0])
            except BlockingIOError:
                return
            self._count(-sent)
            if sent == len(self._queue[0]):
                self._queue.popleft()
            else:
                self._queue[0] = self._queue[0][sent:]

    def clear(self) -> None:
        """Forget what is queued: the connection is over."""
        self._queue.clear()
        self._count(-self.bytes)

    def _count(self, more: int) -> None:
        self.bytes += more
        self._allowance.used += more
