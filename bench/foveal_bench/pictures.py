"""Frames as pictures: regions drawn in, encoded for a page."""

from __future__ import annotations

import base64
import io

import numpy as np
from foveal.region import RegionSet
from PIL import Image, ImageDraw

__all__ = ["annotated", "data_uri"]

OUTLINE = (255, 210, 0)


def annotated(pixels: np.ndarray, regions: RegionSet, width: int = 960) -> Image.Image:
    """RGB picture of (H, W, 4) BGRA pixels with each region outlined, scaled down to at most `width`."""
    picture = Image.fromarray(np.ascontiguousarray(pixels[:, :, 2::-1]))
    draw = ImageDraw.Draw(picture)
    line = max(2, round(picture.width / 640))
    for region in regions:
        draw.rectangle((region.x0, region.y0, region.x1 - 1, region.y1 - 1), outline=OUTLINE, width=line)
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    return picture


def data_uri(picture: Image.Image) -> str:
    """A JPEG data URI, so that a page needs no other file."""
    buffer = io.BytesIO()
    picture.save(buffer, format="JPEG", quality=82, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
