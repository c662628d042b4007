"""The OpenCL renderer: any OpenCL GPU, or a CPU runtime that is called a CPU."""

from foveal.opencl.cache import ensure_cache

ensure_cache()

from foveal.opencl.device import OpenClDevice, open_opencl  # noqa: E402 - it imports pyopencl

__all__ = ["OpenClDevice", "open_opencl"]
