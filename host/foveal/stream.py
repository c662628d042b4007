"""Many frames from one device, overlapped where the device can."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Protocol, runtime_checkable

from foveal.channel import Channel
from foveal.device import Device
from foveal.drawlist import DrawList
from foveal.frame import Frame
from foveal.region import RegionSet

__all__ = ["StreamingDevice", "stream"]


@runtime_checkable
class StreamingDevice(Device, Protocol):
    """A device that works on several frames at a time."""

    def stream(
        self, requests: Iterable[tuple[DrawList, RegionSet]], *, channels: Channel = Channel.COLOUR
    ) -> Generator[Frame]:
        """Frames in the order of their requests, which are taken some ahead; see foveal.card.FovealDriver.stream."""


def stream(
    device: Device, requests: Iterable[tuple[DrawList, RegionSet]], *, channels: Channel = Channel.COLOUR
) -> Iterator[Frame]:
    """Draw `requests` on `device` and yield the frames, which hold `channels`, in order.

    A device that can overlap frames does: they come more often, and each takes longer (foveal.timeline.period_ns is
    not latency_ns). Others render one at a time. Close the iterator to stop early; the device does nothing else before.
    Raises what Device.render() does. A DeviceError takes the frames in flight along; those yielded before count.
    """
    if isinstance(device, StreamingDevice):
        yield from device.stream(requests, channels=channels)
    else:
        for draw, regions in requests:
            yield device.render(draw, regions, channels=channels)
