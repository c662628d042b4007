"""What a buffer is for: the kernel arguments that take its address, and so the memory that it may lie in."""

from __future__ import annotations

__all__ = ["GEOMETRY", "KERNEL", "ROLES"]

KERNEL = "foveal_kernel"
"""Name of the RTL kernel in an xclbin."""

GEOMETRY = "geometry"
"""Name of the HLS kernel in an xclbin."""

ROLES: dict[str, tuple[tuple[str, str], ...]] = {
    "position": ((GEOMETRY, "position"),),
    "triangle": ((GEOMETRY, "triangle"),),
    "mesh": ((GEOMETRY, "mesh"),),
    "frame": ((GEOMETRY, "instance"), (GEOMETRY, "region")),
    "parameters": ((GEOMETRY, "frame"),),
    "staging": ((GEOMETRY, "staging"),),
    "record": ((GEOMETRY, "record"), (KERNEL, "TRI_BASE")),
    "band": ((GEOMETRY, "band"), (KERNEL, "BAND_BASE")),
    "statistics": ((GEOMETRY, "statistics"),),
    "material": ((KERNEL, "MAT_BASE"),),
    "texture": ((KERNEL, "TEX_BASE"),),
    "output": ((KERNEL, "OUT_BASE"),),
}
"""(kernel, argument) pairs by role. A buffer of two kernels must lie where both reach it; HLS arguments are those of
hw/hls/geometry.hpp, those of the RTL kernel are its address registers without _LO and _HI."""
