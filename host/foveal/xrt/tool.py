"""XRT's command line tool: reports go to a file, what it prints is kept as it is and never parsed."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foveal.errors import DeviceError, DeviceNotFound

__all__ = ["Report", "examine", "reset_card"]

TOOLS = ("xrt-smi", "xbutil")
"""The newer name first."""

PLACES = ("/opt/xilinx/xrt/bin",)

TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Report:
    """content: the JSON document. printed: everything that the tool said beside it, warnings among it."""

    content: Any
    printed: str


def examine(bdf: str | None = None, reports: tuple[str, ...] = ("host",)) -> Report:
    """A report of one card, or of the machine. Raises DeviceNotFound without a tool, DeviceError when it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        arguments = ["examine", *(["--device", bdf] if bdf else []), "--report", *reports]
        printed = _run([*arguments, "--format", "JSON", "--output", str(path)])
        try:
            return Report(json.loads(path.read_text(encoding="utf-8")), printed)
        except (OSError, ValueError) as error:
            raise DeviceError(
                f"the report of {bdf or 'this machine'} cannot be read ({error}); it said: {printed}"
            ) from error


def reset_card(bdf: str) -> None:
    """Reset a whole card. Every process that holds it ends; ask foveal.xrt.clients first."""
    _run(["reset", "--device", bdf, "--force"])


def _run(arguments: list[str]) -> str:
    """What the tool printed."""
    tool = next((found for name in TOOLS if (found := _find(name))), None)
    if tool is None:
        raise DeviceNotFound(f"neither {' nor '.join(TOOLS)} is on the path; source /opt/xilinx/xrt/setup.sh")
    try:
        done = subprocess.run(
            [tool, *arguments], capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DeviceError(f"{tool} {' '.join(arguments)} did not end within {TIMEOUT_S} s") from error
    printed = (done.stdout + done.stderr).strip()
    if done.returncode:
        raise DeviceError(f"{tool} {' '.join(arguments)} failed ({done.returncode}): {printed}")
    return printed


def _find(name: str) -> str | None:
    return shutil.which(name) or next((found for place in PLACES if (found := shutil.which(name, path=place))), None)
