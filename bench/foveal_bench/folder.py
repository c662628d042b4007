"""The folder that a run writes to: made, tried, and held by one run at a time."""

from __future__ import annotations

import fcntl
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foveal.errors import FovealError

__all__ = ["results_folder"]

LOG = logging.getLogger(__name__)


@contextmanager
def results_folder(folder: Path) -> Iterator[None]:
    """Hold `folder` for this run; the lock goes with the process, however that ends.

    Raises FovealError when it cannot be made or written to, or when another run holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):  # os.access says yes to root on a read-only file system
            pass
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FovealError(f"cannot write to {folder}: {error.strerror}; choose another folder with --out") from error
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FovealError(
            f"another run is writing to {folder}; wait for it or choose another folder with --out"
        ) from None
    except OSError as error:  # some network file systems lock no folder
        LOG.debug("%s is not locked: %s", folder, error)
