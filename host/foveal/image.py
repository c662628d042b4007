"""CARLA's image buffers: four bytes a pixel in the order B, G, R, A, rows from top to bottom."""

from __future__ import annotations

import numpy as np

__all__ = ["DEPTH_RANGE_M", "decode_bgra", "decode_depth", "rgb"]

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
