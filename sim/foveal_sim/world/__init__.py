"""A small server that the unmodified `carla` 0.9.16 client connects to: a stand-in for CARLA, and it says so.

Where it answers differently from a CARLA server is written down in README.md beside this module.
"""

from __future__ import annotations

from foveal_sim.world.episode import Population
from foveal_sim.world.server import PortError, serve

__all__ = ["Population", "PortError", "serve"]
