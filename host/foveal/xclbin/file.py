"""The bytes of an xclbin file, once its size is known to be what its header says."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from foveal.errors import XclbinError
from foveal.xclbin.container import HEADER, check_size

__all__ = ["LARGEST", "read_file"]

LARGEST = 1 << 30
"""Bytes; an uncompressed bitstream of the largest described card has some hundred million."""


def read_file(path: Path) -> bytes:
    """All of `path`. Only its header is read before its size is known to be right, so that no file takes long.

    Raises OSError when it cannot be opened, XclbinError when it is no regular file, or not as long as it says.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise XclbinError("it is a pipe or a device; an image is a regular file")
        head = file.read(HEADER.size)
        check_size(head, status.st_size)
        if status.st_size > LARGEST:
            raise XclbinError(f"it has {status.st_size} bytes; no image has more than {LARGEST}")
        return head + file.read(status.st_size - len(head))


def _open_at_once(path: str, flags: int) -> int:
    """A pipe that nobody writes to would hold an ordinary open up."""
    return os.open(path, flags | os.O_NONBLOCK)
