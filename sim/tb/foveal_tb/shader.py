"""The other end of the shading stream: a model of a shading kernel, from hw/SPEC.md section 12."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .stream import StreamSink, StreamSource

__all__ = ["Record", "Shader", "shade"]

NOTHING = (1 << 24) - 1


@dataclass(frozen=True)
class Record:
    """A beat on its way to the shader. pixels: (surface, depth, tint) of each lane."""

    x: int
    y: int
    keep: int
    first: bool
    depth_out: bool
    background: int
    pixels: tuple[tuple[int, int, int], ...]

    @classmethod
    def unpack(cls, data: int, ppc: int) -> Record:
        """Read the bytes of a beat, ten for the head and ten a pixel."""
        raw = data.to_bytes(10 * (ppc + 1), "little")

        def field(at: int, size: int) -> int:
            return int.from_bytes(raw[at : at + size], "little")

        assert field(6, 1) < 4, "a reserved flag is set"
        lanes = range(10, 10 * (ppc + 1), 10)
        return cls(
            *(field(0, 2), field(2, 2), field(4, 2)),
            *(bool(raw[6] & 1), bool(raw[6] & 2), field(7, 3)),
            tuple((field(at, 4), field(at + 4, 3), field(at + 7, 3)) for at in lanes),
        )


def shade(record: Record) -> int:
    """The answer's pixels: lit colour times tint, the background, or depth and material."""
    answer = 0
    for lane, (surface, depth, tint) in enumerate(record.pixels):
        drawn = depth != NOTHING
        if record.depth_out:
            pixel = depth | (surface >> 24 if drawn else 0) << 24
        else:
            pixel = 255 << 24
            for channel in range(3):
                value = record.background >> 8 * channel & 255
                if drawn:
                    value = min(255, (surface >> 8 * channel & 255) * (tint >> 8 * channel & 255) >> 7)
                pixel |= value << 16 - 8 * channel
        answer |= pixel << 32 * lane
    return answer


class Shader:
    """Agent: answers in order after `latency` cycles. Lanes that are not kept come back with all bits set.

    dies_after: records after which it accepts and never answers (or, with `refuses`, accepts no more).
    """

    def __init__(
        self,
        dut: Any,
        ppc: int,
        latency: Callable[[], int] | int = 3,
        accept: Iterator[bool] | None = None,
        active: Iterator[bool] | None = None,
        dies_after: int | None = None,
        refuses: bool = False,
    ) -> None:
        self.ppc = ppc
        self.latency = latency if callable(latency) else lambda: latency
        self.accept = accept or itertools.repeat(True)
        self.dies_after = dies_after
        self.refuses = refuses
        self.records: list[tuple[Record, int]] = []
        self.now = 0
        self.sink = StreamSink(dut, "m_axis_shade", ["tdata", "tlast"], iter(self._accepts, None))
        self.source = StreamSource(dut, "s_axis_shade", ["tdata", "tlast"], active)
        self.reset()

    @property
    def dead(self) -> bool:
        return self.dies_after is not None and len(self.records) >= self.dies_after

    def _accepts(self) -> bool:
        return next(self.accept) and not (self.refuses and self.dead)

    def reset(self) -> None:
        self.due: deque[tuple[int, tuple[int, int]]] = deque()
        self.sink.reset()
        self.source.reset()
        self.sink.beats.clear()

    def drive(self) -> None:
        self.now += 1
        while self.due and self.due[0][0] <= self.now:
            self.source.send([self.due.popleft()[1]])
        self.sink.drive()
        self.source.drive()

    def sample(self) -> None:
        self.source.sample()
        self.sink.sample()
        for data, last in self.sink.beats:
            record = Record.unpack(data, self.ppc)
            if not self.dead:
                pixels = shade(record)
                for lane in range(self.ppc):
                    if not record.keep >> lane & 1:
                        pixels |= 0xFFFFFFFF << 32 * lane
                self.due.append((self.now + self.latency(), (pixels, last)))
            self.records.append((record, last))
        self.sink.beats.clear()
