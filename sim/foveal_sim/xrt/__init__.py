"""The co-simulated card behind a module of pyxrt's shape, so that the driver for real cards runs without one."""

from foveal_sim.xrt.library import SimulatedXrt

__all__ = ["SimulatedXrt"]
