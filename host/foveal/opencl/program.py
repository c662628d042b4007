"""Build one kernel set for one device."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pyopencl as cl

from foveal.errors import DeviceError
from foveal.opencl import layout
from foveal.opencl.source import kernel_source
from foveal.tag import Tag

__all__ = ["GROUP", "Program", "build"]

GROUP = 256
"""Work-items of a GPU work-group that rasterises a tile."""

_CORRECTLY_ROUNDED_DIVIDE = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT


@dataclass(frozen=True, slots=True)
class Program:
    """The two kernels of a set. exact: float32 division rounds correctly, so pixels can equal the specification's."""

    geometry: cl.Kernel
    raster: cl.Kernel
    digest: str
    options: str
    exact: bool
    build_ns: int


def build(context: cl.Context, device: cl.Device, kernel_set: str, fp64: bool, channels: bool = False) -> Program:
    """Compile "cpu" or "gpu". channels: with a raster kernel that writes depths and labels, too.

    Raises DeviceError with the compiler's log.
    """
    source = kernel_source(kernel_set)
    exact = bool(device.single_fp_config & _CORRECTLY_ROUNDED_DIVIDE)
    options = [
        "-cl-std=CL1.2",
        f"-DCHUNK={layout.CHUNK}",
        f"-DTILE_WIDTH={layout.TILE_WIDTH}",
        f"-DTILE_HEIGHT={layout.TILE_HEIGHT}",
        f"-DGROUP={GROUP}",
        f"-DSKY={Tag.SKY}",
    ]
    options += ["-cl-fp32-correctly-rounded-divide-sqrt"] if exact else []
    options += ["-DUSE_FP64"] if fp64 else []
    options += ["-DCHANNELS"] if channels else []
    begin = time.perf_counter_ns()
    try:
        program = cl.Program(context, source.text).build(options=options, devices=[device])
    except cl.Error as error:
        raise DeviceError(f"{device.name.strip()} cannot build the {kernel_set} kernels: {error}") from error
    build_ns = time.perf_counter_ns() - begin
    return Program(program.geometry, program.raster, source.digest, " ".join(options), exact, build_ns)
