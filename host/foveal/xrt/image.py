"""The image for a card: its identity, and whether its kernels are those that this driver knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from foveal.card import registers
from foveal.card.identity import VERSION_MAJOR
from foveal.card.kernel import load_kernel
from foveal.card.roles import GEOMETRY, KERNEL
from foveal.errors import DeviceError, DeviceNotFound
from foveal.geometry import BAND_ROWS
from foveal.region import MAX_REGIONS

__all__ = ["Image"]

OUTPUT_PORT = "m_axi_gmem1"
"""Its width is that of the pixels of one clock."""

SAME_RELEASE = "take the image and the driver of the same release"


@dataclass(frozen=True, slots=True)
class Image:
    """path: of the file. xclbin: the library's object for it. uuid: in lower case.

    version: of the register map (major, minor). ppc: pixels a clock.
    """

    path: Path
    xclbin: Any
    uuid: str
    version: tuple[int, int]
    ppc: int

    @classmethod
    def read(cls, library: Any, path: Path) -> Image:
        """Raises DeviceNotFound without the file, DeviceError when it is no image that this driver knows."""
        if not path.is_file():
            raise DeviceNotFound(f"no image {path}; build it with make xclbin in boards/<card>, or name one by xclbin=")
        try:
            xclbin = library.xclbin(str(path))
            uuid = str(xclbin.get_uuid().to_string()).lower()
            kernels = {str(kernel.get_name()): int(kernel.get_num_args()) for kernel in xclbin.get_kernels()}
        except RuntimeError as error:
            raise DeviceError(f"{path} is no image that XRT can read: {error}") from error
        for name in (KERNEL, GEOMETRY):
            wanted = len(load_kernel(name).arguments)
            if kernels.get(name) != wanted:
                has = ", ".join(f"{kernel} ({count} arguments)" for kernel, count in sorted(kernels.items())) or "none"
                raise DeviceError(
                    f"{path} has the kernels {has}; this driver needs {name} with {wanted} arguments: {SAME_RELEASE}"
                )
        version, ppc = _check_arguments(path, _metadata(path))
        return cls(path, xclbin, uuid, version, ppc)

    def identity_words(self) -> dict[int, int]:
        """ID, VERSION and CONFIG from the image's metadata; how many texture pages fit, it does not tell: 0."""
        config = (
            self.ppc | MAX_REGIONS << registers.CONFIG_REGIONS_SHIFT | BAND_ROWS << registers.CONFIG_BAND_ROWS_SHIFT
        )
        version = self.version[0] << registers.VERSION_MAJOR_SHIFT | self.version[1]
        return {registers.ID: registers.DEFAULT_ID, registers.VERSION: version, registers.CONFIG: config}


def _metadata(path: Path) -> ElementTree.Element:
    """The description of the kernel inside the image. Raises DeviceError when there is none."""
    content = path.read_bytes()
    start, end = content.find(b"<?xml"), content.rfind(b"</project>")
    try:
        root = ElementTree.fromstring(content[start : end + len(b"</project>")].decode("utf-8", "replace"))
    except (ValueError, ElementTree.ParseError) as error:
        raise DeviceError(f"{path} has no metadata that can be read ({error}): {SAME_RELEASE}") from error
    for kernel in root.iter("kernel"):
        if kernel.get("name") == KERNEL:
            return kernel
    raise DeviceError(f"the metadata of {path} does not describe {KERNEL}: {SAME_RELEASE}")


def _check_arguments(path: Path, kernel: ElementTree.Element) -> tuple[tuple[int, int], int]:
    """Register map version and pixels a clock. Raises DeviceError where an argument is not at its register."""
    found = {
        (int(e.get("id", "-1")), e.get("name", ""), int(e.get("offset", "-1"), 0), int(e.get("size", "0"), 0))
        for e in kernel.iter("arg")
    }
    wanted = {(a.index, a.name, a.offset, a.size) for a in load_kernel(KERNEL).arguments}
    for index, name, offset, size in sorted(wanted ^ found):
        side = "this driver" if (index, name, offset, size) in wanted else "the image"
        raise DeviceError(
            f"{path} has another register map: argument {index} is {name}, {size} bytes at 0x{offset:03X}, for {side} "
            f"alone; {SAME_RELEASE}"
        )
    major, minor = (int(part) for part in kernel.get("vlnv", ":0.0").rpartition(":")[2].split(".")[:2])
    if major != VERSION_MAJOR:
        raise DeviceError(
            f"{path} was built for register map {major}.{minor}, this driver speaks {VERSION_MAJOR}.x; {SAME_RELEASE}"
        )
    width = next(
        (int(port.get("dataWidth", "0")) for port in kernel.iter("port") if port.get("name") == OUTPUT_PORT), 0
    )
    return (major, minor), width // 32
