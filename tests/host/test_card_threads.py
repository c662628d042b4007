"""One device and two threads: the second one is refused, and the first one's work comes out right."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from card_double import CardDouble, EngineDouble
from foveal.card import FovealDriver
from foveal.device import DeviceInfo
from foveal.errors import DeviceBroken, DeviceBusy, DeviceError
from foveal.frame import Frame
from test_card_stream import check, meshes, request

LIMIT_S = 30.0
"""For what must come, on a busy machine."""

SECOND: dict[str, Callable[[FovealDriver], object]] = {
    "render": lambda device: device.render(*request(1)),
    "load": lambda device: device.load(meshes()),
    "textures": lambda device: device.load_textures(np.zeros((0, 32, 32, 4), np.uint8)),
    "stream": lambda device: next(device.stream([request(1)])),
    "reset": lambda device: device.reset(),
}


@dataclass
class SlowCard(CardDouble):
    """Once it is held, it ends no frame before go is set. waits: somebody waits for a frame's end."""

    held: bool = False
    waits: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def wait_done(self, deadline_s: float) -> None:
        if self.held:
            self.waits.set()
            assert self.go.wait(LIMIT_S)
        super().wait_done(deadline_s)


def made(card: CardDouble) -> FovealDriver:
    device = FovealDriver(card, EngineDouble(), DeviceInfo("double", "double", "fpga", {}))
    device.load(meshes())
    return device


@contextmanager
def at_work(card: SlowCard, work: Callable[[], list[Frame]]) -> Iterator[list[Frame]]:
    """Inside, another thread waits in `work` for a frame's end; behind, it has ended, and the list is what it gave."""
    frames: list[Frame] = []
    card.held = True
    thread = threading.Thread(target=lambda: frames.extend(work()), daemon=True)
    thread.start()
    try:
        assert card.waits.wait(LIMIT_S)
        yield frames
    finally:
        card.go.set()
        thread.join(LIMIT_S)
        card.held = False
    assert not thread.is_alive()


@pytest.mark.parametrize("second", SECOND)
def test_a_second_thread_is_refused_while_a_frame_is_drawn(second: str) -> None:
    card = SlowCard()
    device = made(card)
    with at_work(card, lambda: [device.render(*request(0))]) as frames:
        accesses = len(card.log)
        with pytest.raises(DeviceBusy, match="used from two threads at once; one device, one thread"):
            SECOND[second](device)
        assert len(card.log) == accesses
    check(frames, [request(0)])
    assert card.resets == 0
    check([device.render(*request(2))], [request(2)])


@pytest.mark.parametrize("second", SECOND)
def test_a_second_thread_is_refused_while_a_stream_works(second: str) -> None:
    card = SlowCard()
    device = made(card)
    asked = [request(n) for n in range(5)]
    with at_work(card, lambda: list(device.stream(asked))) as frames, pytest.raises(DeviceBusy, match="two threads"):
        SECOND[second](device)
    check(frames, asked)
    check([device.render(*request(2))], [request(2)])


def test_a_stream_is_not_harmed_by_a_thread_that_keeps_asking() -> None:
    device = made(CardDouble())
    ended = threading.Event()
    refused: list[DeviceBusy] = []

    def ask() -> None:
        while not ended.is_set():
            try:
                device.render(*request(31))
            except DeviceBusy as error:
                refused.append(error)

    asked = [request(n % 30) for n in range(200)]
    frames = device.stream(asked)
    first = next(frames)
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        rest = list(frames)[:-1]
    finally:
        ended.set()
        thread.join(LIMIT_S)
    assert refused
    check([first, *rest], asked[:-1])


def test_closing_waits_for_the_frame_that_another_thread_draws() -> None:
    card = SlowCard()
    device = made(card)
    closer = threading.Thread(target=device.close, daemon=True)
    with at_work(card, lambda: [device.render(*request(0))]) as frames:
        closer.start()
        closer.join(0.05)
        assert card.buffers
    closer.join(LIMIT_S)
    check(frames, [request(0)])
    with pytest.raises(DeviceBroken, match="closed"):
        device.render(*request(1))


def test_threads_that_take_turns_are_none_the_wiser() -> None:
    device = made(CardDouble())
    frames: list[Frame] = []
    for n in range(3):
        thread = threading.Thread(target=lambda n=n: frames.append(device.render(*request(n))), daemon=True)
        thread.start()
        thread.join(LIMIT_S)
    check(frames, [request(n) for n in range(3)])


def test_a_reset_by_another_thread_between_two_frames_ends_the_stream_and_not_the_device() -> None:
    device = made(CardDouble())
    frames = device.stream([request(n) for n in range(6)])
    next(frames)
    thread = threading.Thread(target=device.reset, daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    with pytest.raises(DeviceError, match="reset"):
        next(frames)
    check([device.render(*request(8))], [request(8)])
