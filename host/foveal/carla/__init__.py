"""CARLA: the client side of a drive. Only modules that talk to a server import the `carla` package."""

from __future__ import annotations

import os
import tempfile

if "HOME" not in os.environ and "CARLA_CACHE_DIR" not in os.environ:
    # `import carla` (0.9.16) crashes when neither is set; this package is imported before it.
    os.environ["CARLA_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), "carla-cache")

__all__ = ["RoiCamera"]


def __getattr__(name: str) -> object:
    """RoiCamera, imported when it is first asked for: other modules of this package need no renderer."""
    if name == "RoiCamera":
        from foveal.carla.camera import RoiCamera

        return RoiCamera
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
