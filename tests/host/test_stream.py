"""One call for devices that overlap frames and for those that do not."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

import numpy as np
from foveal.channel import Channel
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.region import RegionSet
from foveal.stream import StreamingDevice, stream

REGIONS = RegionSet.full(2, 1)


def request(n: int) -> tuple[DrawList, RegionSet]:
    empty = np.zeros((0,), np.uint32), np.zeros((0, 4, 4), np.float32), np.zeros((0, 3), np.float32)
    return DrawList(n, 2, 1, *empty), REGIONS


class Serial:
    def __init__(self) -> None:
        self.info = DeviceInfo("serial", "serial", "cpu", {})
        self.log: list[str] = []

    def load(self, meshes: MeshSet) -> None: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...

    def render(self, draw: DrawList, regions: RegionSet, *, channels: Channel = Channel.COLOUR) -> Frame:
        self.log.append(f"render {draw.frame}")
        return Frame(draw.frame, np.zeros((1, 2, 4), np.uint8), regions, ())


class Overlapping(Serial):
    def stream(
        self, requests: Iterable[tuple[DrawList, RegionSet]], *, channels: Channel = Channel.COLOUR
    ) -> Generator[Frame]:
        try:
            for draw, regions in requests:
                self.log.append(f"stream {draw.frame}")
                yield Frame(draw.frame, np.zeros((1, 2, 4), np.uint8), regions, ())
        finally:
            self.log.append("closed")


def test_device_that_cannot_overlap_renders_one_at_a_time() -> None:
    device = Serial()
    assert not isinstance(device, StreamingDevice)
    taken = []

    def asked() -> Iterator[tuple[DrawList, RegionSet]]:
        for n in range(3):
            taken.append(n)
            yield request(n)

    frames = stream(device, asked())
    assert next(frames).frame == 0
    assert taken == [0]
    assert [frame.frame for frame in frames] == [1, 2]
    assert device.log == ["render 0", "render 1", "render 2"]


def test_device_that_can_does_and_is_closed_with_the_stream() -> None:
    device = Overlapping()
    frames = stream(device, [request(n) for n in range(3)])
    assert next(frames).frame == 0
    frames.close()
    assert device.log == ["stream 0", "closed"]
