"""The image for a card: its identity, and whether its kernels are those that this driver knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foveal.card import Board, registers
from foveal.card.identity import VERSION_MAJOR
from foveal.card.roles import KERNEL
from foveal.errors import DeviceError, DeviceNotFound, XclbinError
from foveal.geometry import BAND_ROWS
from foveal.region import MAX_REGIONS
from foveal.xclbin import check_board, read_file, read_image

__all__ = ["Image"]

OUTPUT_PORT = "m_axi_gmem1"
"""Its width is that of the pixels of one clock."""


@dataclass(frozen=True, slots=True)
class Image:
    """path: of the file. xclbin: the library's object for it. uuid: in lower case. clock_hz: of the kernels, 0 untold.

    version: of the register map (major, minor). ppc: pixels a clock. names: "kernel:instance" by the kernel's name.
    """

    path: Path
    xclbin: Any
    uuid: str
    version: tuple[int, int]
    ppc: int
    clock_hz: float
    names: dict[str, str]

    @classmethod
    def read(cls, library: Any, path: Path, board: Board) -> Image:
        """Raises DeviceNotFound without the file, DeviceError when it is no image for `board` and this driver."""
        if not path.is_file():
            raise DeviceNotFound(f"no image {path}; build it with make xclbin in boards/<card>, or name one by xclbin=")
        try:
            found = read_image(read_file(path))
            check_board(found, board)
        except OSError as error:
            raise DeviceError(f"the image {path} cannot be read: {error.strerror}") from error
        except XclbinError as error:
            raise DeviceError(f"the image {path} cannot be used: {error}") from error
        version = _version(str(found.build.get("register_map", "")))
        if version[0] != VERSION_MAJOR:
            raise DeviceError(
                f"the image {path} was built for register map {version[0]}.{version[1]}, this driver speaks "
                f"{VERSION_MAJOR}.x; take the image and the driver of the same release"
            )
        try:
            xclbin = library.xclbin(str(path))
            uuid = str(xclbin.get_uuid().to_string()).lower()
        except RuntimeError as error:
            raise DeviceError(f"XRT does not read the image {path}: {error}") from error
        if uuid != str(found.uuid):
            raise DeviceError(f"the image {path} is {found.uuid}, yet XRT reads {uuid} from it")
        kernels = {instance.kernel.name: instance for instance in found.instances}
        ppc = next(port.width for port in kernels[KERNEL].kernel.ports if port.name == OUTPUT_PORT) // 32
        clock_hz = found.clock_hz or 0.0
        names = {name: f"{name}:{{{instance.name}}}" for name, instance in kernels.items()}
        return cls(path, xclbin, uuid, version, ppc, clock_hz, names)

    def identity_words(self) -> dict[int, int]:
        """ID, VERSION and CONFIG from the image's metadata; how many texture pages fit, it does not tell: 0."""
        config = MAX_REGIONS << registers.CONFIG_REGIONS_SHIFT | BAND_ROWS << registers.CONFIG_BAND_ROWS_SHIFT
        version = self.version[0] << registers.VERSION_MAJOR_SHIFT | self.version[1]
        return {registers.ID: registers.DEFAULT_ID, registers.VERSION: version, registers.CONFIG: config | self.ppc}


def _version(text: str) -> tuple[int, int]:
    """An image that does not say has this driver's arguments, every one of them: check_board has compared them."""
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else (VERSION_MAJOR, 0)
