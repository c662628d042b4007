"""A place for the caches of compiled kernels: without one PoCL offers no device, and pyopencl fails."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["ensure_cache"]


def ensure_cache() -> None:
    """Choose the folder for temporary files where the user's cache cannot be written.

    Call it before pyopencl is imported. Changes XDG_CACHE_HOME (read by both) and POCL_CACHE_DIR (goes before it).
    """
    instead = Path(tempfile.gettempdir()) / f"foveal-cache-{os.getuid()}"
    home = os.environ.get("HOME")
    chosen = os.environ.get("XDG_CACHE_HOME") or (home and os.path.join(home, ".cache"))
    if not chosen or not _can_be_written(Path(chosen)):
        os.environ["XDG_CACHE_HOME"] = str(instead)
    pocl = os.environ.get("POCL_CACHE_DIR")
    if pocl and not _can_be_written(Path(pocl)):
        os.environ["POCL_CACHE_DIR"] = str(instead / "pocl")


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
