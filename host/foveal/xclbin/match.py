"""Whether an image is one that this driver can drive on a board."""

from __future__ import annotations

from foveal.card.board import Board
from foveal.card.kernel import load_kernel
from foveal.errors import XclbinError
from foveal.xclbin.image import Image

__all__ = ["check_board"]


def check_board(image: Image, board: Board) -> None:
    """Raises XclbinError with the first thing in which the image is not what `board`'s file and this driver expect."""
    if image.platform != board.platform:
        raise XclbinError(
            f"it is for the platform {image.platform}; {board.name} here has {board.platform}: link it for that one"
        )
    for placement in board.kernels:
        instance = image.instance(placement.instance)
        expected = load_kernel(placement.kernel)
        if instance.kernel.name != expected.name or instance.kernel.protocol != expected.protocol:
            raise XclbinError(
                f"{placement.instance} is {instance.kernel.name} ({instance.kernel.protocol}); "
                f"{expected.name} ({expected.protocol}) is expected"
            )
        found = {argument.name: (argument.offset, argument.size) for argument in instance.kernel.arguments}
        wanted = {argument.name: (argument.offset, argument.size) for argument in expected.arguments}
        for name in sorted(wanted.keys() | found.keys()):
            if wanted.get(name) != found.get(name):
                raise XclbinError(
                    f"{placement.instance}.{name} is {_register(found.get(name))} in the image and "
                    f"{_register(wanted.get(name))} in this driver: use the driver and the image of the same release"
                )


def _register(place: tuple[int, int] | None) -> str:
    return "not there" if place is None else f"{place[1]} bytes at 0x{place[0]:X}"
