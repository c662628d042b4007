"""What ran when: the pieces of a frame's work on the lanes of a device, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from foveal.provenance import Provenance

if TYPE_CHECKING:
    from foveal.frame import Frame

__all__ = ["FOLLOWERS", "HOST_LANES", "KERNEL_LANES", "QUEUED", "Interval", "exclusive_ns", "period_ns"]

KERNEL_LANES = ("geometry", "raster")
"""Kernels on the card; each runs one frame at a time, beside the other and beside the host."""

HOST_LANES = ("to_card", "registers", "to_host")
"""What one host thread does, one after the other: transfers, register accesses and launches."""

FOLLOWERS = 2
"""Frames of a stream that are on the card behind the one that is read back."""

QUEUED = "queued"
"""Stage of the time in which a frame waits for what another frame holds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A piece of one frame's work: its stage, the lane that was busy, and when, in ns of the device's own time."""

    stage: str
    lane: str
    start_ns: float
    end_ns: float
    provenance: Provenance


def exclusive_ns(timeline: Iterable[Interval]) -> dict[str, float]:
    """Nanoseconds of each stage so that they add up to the frame's latency, in order of their beginning.

    Where pieces of the frame overlap, the instant belongs to its kernel (the raster first), and is not counted again;
    where none runs, to QUEUED.
    """
    pieces = sorted(timeline, key=lambda piece: (piece.start_ns, piece.end_ns))
    rank = {lane: n for n, lane in enumerate((*reversed(KERNEL_LANES), *HOST_LANES))}
    spent: dict[str, float] = {}
    for piece in pieces:
        spent.setdefault(piece.stage, 0.0)
    instants = sorted({instant for piece in pieces for instant in (piece.start_ns, piece.end_ns)})
    for start, end in pairwise(instants):
        there = [piece for piece in pieces if piece.start_ns <= start and end <= piece.end_ns]
        stage = min(there, key=lambda piece: rank[piece.lane]).stage if there else QUEUED
        spent[stage] = spent.get(stage, 0.0) + (end - start)
    return spent


def period_ns(frames: Sequence[Frame]) -> float:
    """Mean nanoseconds from the end of one frame of a stream to the end of the next, while the stream is full.

    1e9 / period is the throughput. The last FOLLOWERS frames end sooner, since nothing comes behind them, and are left
    out. Raises ValueError for fewer than FOLLOWERS + 2 frames, or frames without a timeline: their device renders one
    at a time, and its period is its latency.
    """
    full = frames[: len(frames) - FOLLOWERS]
    if not all(frame.timeline for frame in frames):
        raise ValueError(
            "frames without timelines have no period of their own: only cards (cosim, xrt, pynq) keep timelines in a "
            "stream; other devices render one frame at a time, so that their period is a frame's latency_ns"
        )
    if len(full) < 2:
        raise ValueError(f"a period needs {FOLLOWERS + 2} frames of a stream, not {len(frames)}")
    first, last = (max(piece.end_ns for piece in frame.timeline) for frame in (full[0], full[-1]))
    return (last - first) / (len(full) - 1)
