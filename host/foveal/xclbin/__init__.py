"""The container that hosts load onto a card (xclbin): written without a bitstream, and read with suspicion."""

from foveal.xclbin.container import Container, Kind, pack, unpack
from foveal.xclbin.file import read_file
from foveal.xclbin.image import Image, Instance, read_image
from foveal.xclbin.make import make_xclbin
from foveal.xclbin.match import check_board

__all__ = [
    "Container",
    "Image",
    "Instance",
    "Kind",
    "check_board",
    "make_xclbin",
    "pack",
    "read_file",
    "read_image",
    "unpack",
]
