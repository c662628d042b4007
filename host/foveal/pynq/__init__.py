"""Foveal's cards as devices of PYNQ: after ``import foveal.pynq`` they are in ``pynq.Device.devices``.

PYNQ 3.1 and later find no Alveo card themselves. It imports this module with every overlay (entry-point group
``pynq.lib``), too late for the first one: a program imports it first.
"""

try:
    from foveal.pynq.device import FovealDevice, show_devices
    from foveal.pynq.kernels import FovealKernel, GeometryKernel
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "pynq":
        raise
    from foveal.pynq_backend import MISSING

    raise ModuleNotFoundError(MISSING, name="pynq") from None

__all__ = ["FovealDevice", "FovealKernel", "GeometryKernel"]

show_devices()
