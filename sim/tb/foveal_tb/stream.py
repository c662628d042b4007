"""Both ends of a valid/ready stream. A beat is a tuple of integers, one for each payload signal."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .clocked import bit, number
from .idle import Idle

__all__ = ["StreamSink", "StreamSource"]

Beat = tuple[int, ...]


class StreamSource:
    """Sends beats; while valid and not ready it holds them, as the protocol asks. Between beats the payload is idle."""

    def __init__(
        self, dut: Any, prefix: str, payload: Sequence[str], active: Iterator[bool] | None = None, style: str = "t"
    ) -> None:
        self.valid = getattr(dut, f"{prefix}_{style}valid")
        self.ready = getattr(dut, f"{prefix}_{style}ready")
        self.payload = [getattr(dut, f"{prefix}_{name}") for name in payload]
        self.idle = Idle(self.payload)
        self.active = active or itertools.repeat(True)
        self.queue: deque[Beat] = deque()
        self.sent = 0
        self.reset()

    def reset(self) -> None:
        self.queue.clear()
        self.current: Beat | None = None
        self.taken = False
        self.valid.value = 0
        self.idle.rest()

    def send(self, beats: Iterable[Beat]) -> None:
        """Append beats to those that wait."""
        self.queue.extend(beats)

    @property
    def empty(self) -> bool:
        """No beat waits or is offered."""
        return not self.queue and (self.current is None or self.taken)

    def drive(self) -> None:
        ended, self.taken = self.taken, False
        if ended:
            self.current = None
        wants = next(self.active)
        if self.current is None and self.queue and wants:
            self.current = self.queue.popleft()
            for handle, value in zip(self.payload, self.current, strict=True):
                handle.value = value
        elif ended:
            self.idle.rest()
        self.valid.value = int(self.current is not None)

    def sample(self) -> None:
        self.taken = bool(bit(self.ready)) and self.current is not None
        self.sent += self.taken


class StreamSink:
    """Takes beats into `beats`, and asserts that an offered beat stays until it is taken."""

    def __init__(
        self, dut: Any, prefix: str, payload: Sequence[str], active: Iterator[bool] | None = None, style: str = "t"
    ) -> None:
        self.name = prefix
        self.valid = getattr(dut, f"{prefix}_{style}valid")
        self.ready = getattr(dut, f"{prefix}_{style}ready")
        self.payload = [getattr(dut, f"{prefix}_{name}") for name in payload]
        self.active = active or itertools.repeat(True)
        self.beats: list[Beat] = []
        self.gaps = 0  # cycles without a beat between the first and the last one
        self.idle = 0
        self.reset()

    def reset(self) -> None:
        self.held: Beat | None = None
        self.wants = False
        self.ready.value = 0

    def drive(self) -> None:
        self.wants = next(self.active)
        self.ready.value = int(self.wants)

    def sample(self) -> None:
        if not bit(self.valid):
            assert self.held is None, f"{self.name}: valid withdrawn before ready"
            self.idle += 1
            return
        beat = tuple(number(handle) for handle in self.payload)
        assert self.held in (None, beat), f"{self.name}: payload changed before ready, {self.held} to {beat}"
        if self.wants:
            self.gaps += self.idle if self.beats else 0
            self.beats.append(beat)
            self.held = None
        else:
            self.held = beat
        self.idle = 0
