"""CARLA's image buffers: four bytes a pixel in the order B, G, R, A, rows from top to bottom."""

from __future__ import annotations

import numpy as np

from foveal.jit import compiled

__all__ = [
    "DEPTH_RANGE_M",
    "decode_bgra",
    "decode_depth",
    "encode_depth",
    "encode_instances",
    "encode_tags",
    "rgb",
]

DEPTH_RANGE_M = 1000.0
"""Distance that the largest 24-bit depth stands for (CARLA, sensor.camera.depth)."""


def decode_bgra(raw: bytes | bytearray | memoryview, width: int, height: int) -> np.ndarray:
    """(height, width, 4) uint8 view of `raw_data`. Raises ValueError when the length is not that of the size."""
    data = np.frombuffer(raw, dtype=np.uint8)
    if data.size != width * height * 4:
        raise ValueError(f"{data.size} bytes are no {width}x{height} image of 4 bytes a pixel ({width * height * 4})")
    return data.reshape(height, width, 4)


def rgb(pixels: np.ndarray) -> np.ndarray:
    """(..., 3) R, G, B view of (..., 4) B, G, R, A pixels."""
    return pixels[..., 2::-1]


def decode_depth(pixels: np.ndarray) -> np.ndarray:
    """(...) float64 metres along the camera's x from (..., 4) B, G, R, A depth pixels; R is the least significant."""
    blue, green, red = (pixels[..., channel].astype(np.float64) for channel in range(3))
    return (red + 256.0 * green + 65536.0 * blue) / ((1 << 24) - 1) * DEPTH_RANGE_M


def encode_depth(metres: np.ndarray) -> np.ndarray:
    """(..., 4) uint8 B, G, R, 255 from (...) metres, the inverse of decode_depth; 0 to DEPTH_RANGE_M, to the nearest
    of its steps of 0.06 mm."""
    pixels = np.empty((*metres.shape, 4), np.uint8)
    _encode_depth(np.ascontiguousarray(metres).reshape(-1), pixels.reshape(-1, 4))
    return pixels


def encode_tags(tag: np.ndarray) -> np.ndarray:
    """(..., 4) uint8 B, G, R, 255 of semantic segmentation from (...) uint8 tags: the tag is R."""
    return _bytes(0, 0, tag)


def encode_instances(tag: np.ndarray, instance: np.ndarray) -> np.ndarray:
    """(..., 4) uint8 B, G, R, 255 of instance segmentation: the tag is R, the id's low byte G, its high byte B."""
    return _bytes(instance >> 8, instance, tag)


@compiled
def _encode_depth(metres, pixels):  # type: ignore[no-untyped-def]
    for i in range(len(metres)):
        share = min(max(metres[i] / DEPTH_RANGE_M, 0.0), 1.0)
        value = int(share * ((1 << 24) - 1) + 0.5)
        pixels[i, 0], pixels[i, 1], pixels[i, 2], pixels[i, 3] = value >> 16, value >> 8 & 255, value & 255, 255


def _bytes(blue: np.ndarray | int, green: np.ndarray | int, red: np.ndarray) -> np.ndarray:
    """The low bytes of three integer arrays, and 255."""
    pixels = np.empty((*red.shape, 4), np.uint8)
    for channel, value in enumerate((blue, green, red, 255)):
        pixels[..., channel] = value & 255
    return pixels
