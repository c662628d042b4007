"""What `carla.Image.convert` does to a buffer, on NumPy arrays of B, G, R, A bytes."""

from __future__ import annotations

import carla
import numpy as np

from foveal.image import DEPTH_RANGE_M, decode_depth

__all__ = ["CITYSCAPES", "converted"]

CITYSCAPES = np.array(
    [
        (0, 0, 0),  # unlabelled
        (128, 64, 128),  # roads
        (244, 35, 232),  # sidewalks
        (70, 70, 70),  # buildings
        (102, 102, 156),  # walls
        (190, 153, 153),  # fences
        (153, 153, 153),  # poles
        (250, 170, 30),  # traffic lights
        (220, 220, 0),  # traffic signs
        (107, 142, 35),  # vegetation
        (152, 251, 152),  # terrain
        (70, 130, 180),  # sky
        (220, 20, 60),  # pedestrians
        (255, 0, 0),  # riders
        (0, 0, 142),  # cars
        (0, 0, 70),  # trucks
        (0, 60, 100),  # buses
        (0, 80, 100),  # trains
        (0, 0, 230),  # motorcycles
        (119, 11, 32),  # bicycles
        (110, 190, 160),  # static
        (170, 120, 50),  # dynamic
        (55, 90, 80),  # other
        (45, 60, 150),  # water
        (157, 234, 50),  # road lines
        (81, 0, 81),  # ground
        (150, 100, 100),  # bridges
        (230, 150, 140),  # rail tracks
        (180, 165, 180),  # guard rails
    ],
    np.uint8,
)
"""(29, 3) R, G, B by tag: the CARLA documentation's table of the semantic segmentation camera."""


def converted(pixels: np.ndarray, converter: carla.ColorConverter) -> np.ndarray:
    """(..., 4) uint8 as `carla.Image.convert` makes it of (..., 4) uint8 B, G, R, A.

    Raw: the same bytes. Depth, LogarithmicDepth: grey by distance. CityScapesPalette: colours by the tag in R.
    """
    if converter == carla.ColorConverter.Raw:
        return pixels
    out = np.empty_like(pixels)
    out[..., 3] = 255
    if converter == carla.ColorConverter.CityScapesPalette:
        out[..., :3] = CITYSCAPES[pixels[..., 2] % len(CITYSCAPES), ::-1]
        return out
    share = decode_depth(pixels) / DEPTH_RANGE_M
    if converter == carla.ColorConverter.LogarithmicDepth:
        share = np.clip(1.0 + np.log(np.maximum(share, 1e-30)) / 5.70378, 0.005, 1.0)
    out[..., :3] = np.floor(share * 255.0 + 0.5).astype(np.uint8)[..., None]
    return out
