"""A small server that the unmodified `carla` client, 0.9.16 or 0.9.15, connects to: a stand-in for CARLA.

Where it answers differently from a CARLA server is written down in README.md beside this module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foveal_sim.world.episode import Population
    from foveal_sim.world.release import RELEASES, Release
    from foveal_sim.world.server import PortError, serve

__all__ = ["RELEASES", "Population", "PortError", "Release", "serve"]

_HOME = {"Population": "episode", "RELEASES": "release", "Release": "release", "PortError": "server", "serve": "server"}


def __getattr__(name: str) -> Any:
    """Imported on first use: importing all takes seconds, in which a server must already know how to end."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
