"""The first ticks of a drive again, overlapped on the card, beside the same frames one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from foveal.device import Device
from foveal.frame import Frame
from foveal.stream import stream
from foveal.timeline import FOLLOWERS, Interval, period_ns

from foveal_bench.loop import Step
from foveal_bench.statistics import nearest_rank

__all__ = ["LEAST", "measure_overlap", "without_pixels"]

LEAST = FOLLOWERS + 2
"""Frames from which a period can be told."""

SHOWN = 5
"""Frames whose timelines are kept for the picture: the stream fills, and is full."""


def without_pixels(frame: Frame) -> Frame:
    """The frame's figures alone."""
    return replace(frame, pixels=np.zeros((0, 0, 4), np.uint8))


def measure_overlap(
    drawn: list[tuple[Step, Frame]], device: Device, check: Callable[[Step, Frame], int]
) -> dict[str, Any]:
    """Figures as plain JSON values, times in milliseconds, of the steps in `drawn` (at least LEAST), streamed.

    drawn: each with the frame that `device` rendered of it alone. check: compares a frame and returns how many pixels
    differ. Where the stream is compared with frames alone, both are the same frames: those while it is full.
    Raises DeviceError as `stream` does.
    """
    frames: list[Frame] = []
    different = 0
    for frame in stream(device, [(step.draw, step.regions) for step, _ in drawn]):
        different += check(drawn[len(frames)][0], frame)
        frames.append(without_pixels(frame))
    alone = [frame for _, frame in drawn]
    full = slice(1, len(frames) - FOLLOWERS)
    serial_ns = sum(frame.latency_ns for frame in alone[full]) / len(alone[full])
    period = period_ns(frames)
    span_ns = _end_ns(frames[-1]) - frames[0].timeline[0].start_ns
    return {
        "frames": len(frames),
        "serial_ms": serial_ns / 1e6,
        "period_ms": period / 1e6,
        "ratio": serial_ns / period,
        "ratio_with_ends": sum(frame.latency_ns for frame in alone) / span_ns,
        "latency_ms": nearest_rank([frame.latency_ns / 1e6 for frame in frames[full]], 0.5),
        "register_accesses": {
            "one_at_a_time": _accesses(alone[full]),
            "overlapped": _accesses(frames[full]),
        },
        "pixels_different": different,
        "provenance": " + ".join(sorted({str(piece.provenance) for frame in frames for piece in frame.timeline})),
        "timelines": {"one_at_a_time": _one_after_another(alone[:SHOWN]), "overlapped": _timelines(frames[:SHOWN])},
    }


def _end_ns(frame: Frame) -> float:
    return max(piece.end_ns for piece in frame.timeline)


def _accesses(frames: list[Frame]) -> float:
    """Reads and writes of a frame, median."""
    return nearest_rank([frame.counters["register_reads"] + frame.counters["register_writes"] for frame in frames], 0.5)


def _timelines(frames: list[Frame], offsets: list[float] | None = None) -> list[list[dict[str, Any]]]:
    shifts = offsets or [0.0] * len(frames)
    return [[_piece(piece, shift) for piece in frame.timeline] for frame, shift in zip(frames, shifts, strict=True)]


def _one_after_another(frames: list[Frame]) -> list[list[dict[str, Any]]]:
    """Frames that were rendered alone, each with a time line of its own, as if there were nothing between them."""
    offsets, end = [], 0.0
    for frame in frames:
        offsets.append(end)
        end += _end_ns(frame)
    return _timelines(frames, offsets)


def _piece(piece: Interval, shift_ns: float) -> dict[str, Any]:
    return {
        "lane": piece.lane,
        "stage": piece.stage,
        "start_ms": (piece.start_ns + shift_ns) / 1e6,
        "end_ms": (piece.end_ns + shift_ns) / 1e6,
    }
