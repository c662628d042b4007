"""The same as _cosim, from a model that can write waves."""

from foveal_sim.cosim import _cosim
from foveal_sim.cosim._cosim import PPC as PPC
from foveal_sim.cosim._cosim import Dead as Dead
from foveal_sim.cosim._cosim import Statistics as Statistics

class Kernel(_cosim.Kernel):
    def open_wave(self, path: str, period_ps: float) -> None: ...
    def close_wave(self) -> None: ...
