"""The library below: Foveal's own binding of XRT where it was built, else pyxrt."""

from __future__ import annotations

import importlib
from typing import Any

from foveal.errors import DeviceNotFound

__all__ = ["MODULES", "load_library"]

MODULES = ("foveal._xrt", "pyxrt")
"""In order of preference. Both have the same shape; the first also reads and writes the kernel's registers."""


def load_library() -> Any:
    """Raises DeviceNotFound, with what to do, where neither can be imported."""
    reasons = []
    for name in MODULES:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            reasons.append(f"{name}: {error}")
    raise DeviceNotFound(
        f"XRT is not usable from this Python ({'; '.join(reasons)}); install it for this Python's version and "
        "source /opt/xilinx/xrt/setup.sh"
    )
