"""What a camera's frame shows, in units that users know, and the bytes that CARLA's cameras make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from foveal.channel import Channel
from foveal.depth import planar_depth
from foveal.frame import Frame
from foveal.image import encode_depth, encode_instances, encode_tags
from foveal.scene.tick import CameraMount

__all__ = ["CAMERAS", "CameraKind", "Planes", "planes_of"]

Planes = dict[Channel, np.ndarray]
"""One array a channel. COLOUR: (H, W, 4) uint8 B, G, R, A. DEPTH: (H, W) float32 metres along the camera's x.
SEMANTIC: (H, W) uint8 tag. INSTANCE: (H, W) uint16."""


@dataclass(frozen=True, slots=True)
class CameraKind:
    """channels: what a camera needs. encode: (H, W, 4) uint8 B, G, R, A from these planes."""

    channels: Channel
    encode: Callable[[Planes], np.ndarray]


CAMERAS: Mapping[str, CameraKind] = MappingProxyType(
    {
        "sensor.camera.rgb": CameraKind(Channel.COLOUR, lambda planes: planes[Channel.COLOUR]),
        "sensor.camera.depth": CameraKind(Channel.DEPTH, lambda planes: encode_depth(planes[Channel.DEPTH])),
        "sensor.camera.semantic_segmentation": CameraKind(
            Channel.SEMANTIC, lambda planes: encode_tags(planes[Channel.SEMANTIC])
        ),
        "sensor.camera.instance_segmentation": CameraKind(
            Channel.SEMANTIC | Channel.INSTANCE,
            lambda planes: encode_instances(planes[Channel.SEMANTIC], planes[Channel.INSTANCE]),
        ),
    }
)
"""By blueprint id."""


def planes_of(frame: Frame, mount: CameraMount, channels: Channel) -> Planes:
    """The planes of `channels`, which the frame must hold; zero outside its regions (0 m is nearer than anything)."""
    planes: Planes = {}
    if Channel.COLOUR in channels:
        planes[Channel.COLOUR] = frame.pixels
    if Channel.DEPTH in channels and frame.depth is not None:
        metres = np.zeros(frame.depth.shape, np.float32)
        for r in frame.regions:
            rows, columns = slice(r.y0, r.y1), slice(r.x0, r.x1)
            metres[rows, columns] = planar_depth(frame.depth[rows, columns], mount.near_m, mount.far_m)
        planes[Channel.DEPTH] = metres
    if Channel.SEMANTIC in channels and frame.semantic is not None:
        planes[Channel.SEMANTIC] = frame.semantic
    if Channel.INSTANCE in channels and frame.instance is not None:
        planes[Channel.INSTANCE] = frame.instance
    return planes
