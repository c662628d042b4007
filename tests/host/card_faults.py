"""Faults of a co-simulated card, whatever it is reached through: what each must say, and how a test lets it strike."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from foveal.card import FovealDriver
from foveal.drawlist import DrawList, Zone
from foveal.errors import DeviceBroken, DeviceError
from foveal.frame import Frame
from foveal.region import Region, RegionSet
from foveal_sim.cosim.card import CosimCard
from random_scenes import Scene, random_scene

__all__ = ["CASES", "DEADLINE_S", "FAULTY", "MODES", "Request", "check", "faulty_scene", "strike"]

FAULTY = 3
"""The frame that a fault strikes, from 0."""

FIRST_ID = 40
DEADLINE_S = 0.002
EVERYWHERE = Zone(-1e4, -1e4, 1e4, 1e4)

Request = tuple[DrawList, RegionSet]

CASES = {
    "hang": r"did not end its frame within 600000 cycles.*still runs: it hangs",
    "slverr:gmem0": "memory port gmem0 answered SLVERR",
    "slverr:gmem1": "memory port gmem1 answered SLVERR",
    "slverr:gmem2": "material table .*gmem2: SLVERR",
    "decerr:gmem0": "memory port gmem0 answered DECERR",
    "decerr:gmem1": "memory port gmem1 answered DECERR",
    "decerr:gmem2": "material table .*gmem2: DECERR",
    "silent:gmem0": "memory port gmem0 did not answer",
    "silent:gmem1": "memory port gmem1 did not answer",
    "silent:gmem2": "memory port gmem2 did not answer",
    "lost_interrupt": r"has ended \(CTRL shows ap_done\), but its interrupt was lost",
    "off_the_bus": "the card fell off the bus; reset it|the transfer failed: the card does not answer",
    "reset": "it was reset in mid-frame",
    "foreign": "the card answers ID 0x12345678.* does not hold a Foveal kernel",
    "full": "device memory is full",
}
"""What the driver says of each fault where it sees the kernel's registers and interrupt."""


def faulty_scene() -> tuple[Scene, list[Request]]:
    """Frames whose regions move. With FAULTY the ego enters the zone, and the picture grows and needs new buffers."""
    scene = random_scene(3, 160, 96)
    asked = []
    for n in range(6):
        width, height, zone = (160, 96, None) if n < FAULTY else (256, 160, EVERYWHERE)
        draw = replace(scene.draw, frame=FIRST_ID + n, width=width, height=height, zone=zone)
        boxes = [Region(5 * n, 0, 70 + n, 40), Region(33, 20 + n, 91, 96)]
        asked.append((draw, RegionSet.of(boxes, width, height)))
    return scene, asked


def one_by_one(device: FovealDriver, requests: list[Request]) -> Iterator[Frame]:
    for draw, regions in requests:
        yield device.render(draw, regions)


def overlapped(device: FovealDriver, requests: list[Request]) -> Iterator[Frame]:
    return device.stream(requests)


MODES: dict[str, Callable[[FovealDriver, list[Request]], Iterator[Frame]]] = {
    "one by one": one_by_one,
    "overlapped": overlapped,
}


def check(frames: list[Frame], expected: list[np.ndarray]) -> None:
    """The first frames of the scene, each with its pixels."""
    for n, frame in enumerate(frames):
        assert frame.frame == FIRST_ID + n
        np.testing.assert_array_equal(frame.pixels, expected[n])


def strike(
    device: FovealDriver,
    card: CosimCard,
    words: str,
    mode: str,
    requests: list[Request],
    expected: list[np.ndarray],
    *,
    late: bool = False,
) -> None:
    """Draw until the fault of frame FAULTY: an error in `words` within its deadline, no frame of it, right after reset.

    device holds the scene. card: the one under it. late: the frame may be right, and the next one fails.
    """
    frames: list[Frame] = []
    ends = [card.kernel.cycles]

    def draw() -> None:
        for frame in MODES[mode](device, requests):
            frames.append(frame)
            ends.append(card.kernel.cycles)

    with pytest.raises(DeviceError, match=words) as caught:
        draw()
    assert card.kernel.cycles - ends[-1] <= 2 * DEADLINE_S * device.clock_hz
    # The fault's frame never counts; overlapped, one before it may be lost with it.
    assert FAULTY - (mode == "overlapped") <= len(frames) <= FAULTY + late
    check(frames, expected)
    lost = FIRST_ID + len(frames)
    assert re.search(rf"frame {lost}\b|frames {lost},", str(caught.value))
    with pytest.raises(DeviceBroken, match=r"reset\(\)"):
        device.render(*requests[0])
    forget_the_library(caught.value)
    device.reset()
    again = list(MODES[mode](device, requests))
    assert len(again) == len(requests)
    check(again, expected)
    device.close()


def forget_the_library(error: BaseException | None) -> None:
    """Empty the frames of the simulated library in the error's traceback: a compiled library has none to hold objects.

    Those of the driver stay: it must let go of the card by itself.
    """
    seen = set()
    while error is not None and error not in seen:
        seen.add(error)
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_globals["__name__"].startswith("foveal_sim."):
                frame.clear()
        error = error.__cause__ or error.__context__
