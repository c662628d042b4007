"""What a run ran on: commit, versions, host. Only stable facts; no momentary clock readings."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["describe"]

PACKAGES = ("foveal", "carla", "numpy", "numba", "pyopencl", "pocl-binary-distribution", "pandas", "pyarrow")


def describe() -> dict[str, object]:
    """Commit (None outside a checkout), package versions, processor, cores, memory in GiB, system."""
    return {
        "commit": _commit(),
        "versions": {name: _version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _commit() -> str | None:
    def git(*args: str) -> str | None:
        try:
            done = subprocess.run(["git", *args], capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    if commit is None or not (Path(git("rev-parse", "--show-toplevel") or ".") / "hw" / "rtl").is_dir():
        return None
    return commit + ("-dirty" if git("status", "--porcelain", "--untracked-files=no") else "")
