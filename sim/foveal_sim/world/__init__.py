"""A small server that the unmodified `carla` client, 0.9.16 or 0.9.15, connects to: a stand-in for CARLA.

Where it answers differently from a CARLA server is written down in README.md beside this module.
"""

from __future__ import annotations

from foveal_sim.world.episode import Population
from foveal_sim.world.release import RELEASES, Release
from foveal_sim.world.server import PortError, serve

__all__ = ["RELEASES", "Population", "PortError", "Release", "serve"]
