"""The OpenCL renderer: any OpenCL GPU, or a CPU runtime that is called a CPU."""

from foveal.opencl.device import OpenClDevice, open_opencl

__all__ = ["OpenClDevice", "open_opencl"]
