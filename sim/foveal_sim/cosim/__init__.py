"""The co-simulated card: the kernel's RTL in process, an AXI memory model, a PCIe model, the geometry kernel."""

from foveal_sim.cosim.device import open_cosim
from foveal_sim.cosim.faults import FAULTS, Fault
from foveal_sim.cosim.memory import MemoryTiming, PortFault
from foveal_sim.cosim.pcie import PcieModel

__all__ = ["FAULTS", "Fault", "MemoryTiming", "PcieModel", "PortFault", "open_cosim"]
