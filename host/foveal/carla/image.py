"""What a callback gets: the attributes that scripts use on `carla.Image`, and what Foveal knows beyond them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import carla
import numpy as np
from PIL import Image as Picture

from foveal.carla.palette import converted
from foveal.channel import Channel
from foveal.frame import StageTime
from foveal.image import rgb
from foveal.planes import Planes
from foveal.region import RegionSet

__all__ = ["RoiImage"]


class RoiImage:
    """One picture. frame, timestamp (simulated seconds) and transform are those of one and the same snapshot.

    width, height: pixels. fov: degrees, horizontal. regions: what was rendered. record: the time of each stage,
    with its provenance.
    depth: (height, width) float32 metres along the camera's x. semantic: (height, width) uint8 tag. instance: (height,
    width) uint16 low bits of the actor's id. Each is there where the camera's kind is made of it or it was asked for,
    else None; convert() leaves them alone.
    """

    def __init__(
        self,
        frame: int,
        timestamp: float,
        transform: carla.Transform,
        fov: float,
        pixels: np.ndarray,
        regions: RegionSet,
        record: tuple[StageTime, ...],
        planes: Planes | None = None,
    ) -> None:
        """pixels: (height, width, 4) uint8 B, G, R, A; the image keeps it."""
        self.frame, self.timestamp, self.transform, self.fov = frame, timestamp, transform, fov
        self.height, self.width = pixels.shape[:2]
        self.regions, self.record = regions, record
        planes = planes if planes is not None else {}
        self.depth, self.semantic = planes.get(Channel.DEPTH), planes.get(Channel.SEMANTIC)
        self.instance = planes.get(Channel.INSTANCE)
        self._pixels = np.ascontiguousarray(pixels)

    @property
    def frame_number(self) -> int:
        """The same as frame, as `carla.Image` has it."""
        return self.frame

    @property
    def raw_data(self) -> memoryview:
        """height * width * 4 bytes B, G, R, A, read-only; convert() changes them."""
        return self._pixels.reshape(-1).data.toreadonly()

    @property
    def pixels(self) -> np.ndarray:
        """(height, width, 4) uint8 B, G, R, A."""
        return self._pixels

    @property
    def mask(self) -> np.ndarray:
        """(height, width) bool: True where the pixel was rendered for this frame at full rate."""
        return self.regions.mask()

    def convert(self, color_converter: carla.ColorConverter) -> None:
        """Change the bytes in place, as `carla.Image.convert`."""
        self._pixels = converted(self._pixels, color_converter)

    def save_to_disk(
        self, path: str | os.PathLike[str], color_converter: carla.ColorConverter = carla.ColorConverter.Raw
    ) -> str:
        """Write a picture; folders are made, a name without a suffix gets .png. Returns the path.

        A suffix that is no picture's stays and holds a PNG, as the package's own images do it.
        Raises OSError with the file's name when it cannot be written whole; what had that name before is still there.
        """
        file = Path(path)
        if "." not in file.name:
            file = file.with_name(file.name + ".png")
        form = Picture.registered_extensions().get(file.suffix.lower(), "PNG")
        encoded = BytesIO()
        picture = Picture.fromarray(np.ascontiguousarray(rgb(converted(self._pixels, color_converter))))
        picture.save(encoded, form if form in Picture.SAVE else "PNG")
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            part.write_bytes(encoded.getbuffer())
            part.replace(file)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(file)) from error
        return str(file)

    def __len__(self) -> int:
        return self.width * self.height

    def __getitem__(self, index: int) -> carla.Color:
        blue, green, red, alpha = self._pixels.reshape(-1, 4)[index].tolist()
        return carla.Color(red, green, blue, alpha)

    def __iter__(self) -> Iterator[carla.Color]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"RoiImage(frame={self.frame}, timestamp={self.timestamp:.6f}, size={self.width}x{self.height})"
