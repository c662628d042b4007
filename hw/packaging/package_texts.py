"""Everything that names a port, an argument, an offset or a bank, as text: what consistency.py compares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foveal.card.roles import ROLES

__all__ = ["BOARDS", "Package", "load"]

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ("u280", "u55c")


@dataclass(frozen=True)
class Package:
    """text: content by path below the repository's root. roles: the driver's table of what buffers are for."""

    text: dict[str, str]
    roles: dict[str, tuple[tuple[str, str], ...]]


def load(root: Path = ROOT) -> Package:
    """As it lies in the tree. Raises FileNotFoundError."""
    paths = [
        "hw/rtl/foveal_kernel.v",
        "hw/rtl/foveal_regs.vh",
        "hw/hls/geometry.cpp",
        "hw/hls/geometry.cfg",
        "host/foveal/card/registers.py",
        "host/foveal/xrt/image.py",
        "boards/kernel/foveal_kernel.xml",
        "boards/kernel/geometry.xml",
        "boards/kernel/package_xo.tcl",
        "boards/kernel/foveal_kernel.xdc",
        *(f"boards/{board}/{name}" for board in BOARDS for name in ("board.yaml", "connectivity.cfg")),
    ]
    return Package({path: (root / path).read_text(encoding="utf-8") for path in paths}, ROLES)
