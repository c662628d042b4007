"""The optional binding of XRT: its source compiles against XRT's declarations, and covers what the backend calls."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import nanobind
import pytest
from foveal.xrt import library
from xrt_double import StrictXrt

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "host" / "foveal" / "xrt" / "native" / "binding.cpp"
HEADERS = Path(__file__).parent / "xrt_headers"


def compile_(source: Path) -> subprocess.CompletedProcess[str]:
    compiler = shutil.which("c++")
    assert compiler is not None, "the wheel needs a C++ compiler, too"
    folders = [HEADERS, Path(nanobind.include_dir()), Path(sysconfig.get_path("include"))]
    return subprocess.run(
        [
            compiler,
            "-std=c++17",
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            *(f"-I{folder}" for folder in folders),
            str(source),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_binding_compiles_against_the_declarations_of_xrt() -> None:
    done = compile_(SOURCE)
    assert done.returncode == 0, done.stderr


def test_a_call_that_xrt_does_not_have_is_seen(tmp_path: Path) -> None:
    spoiled = tmp_path / "binding.cpp"
    spoiled.write_text(SOURCE.read_text().replace("kernel.read_register(offset)", "kernel.peek(offset)"))
    assert "peek" in compile_(spoiled).stderr


def test_the_binding_has_what_the_backend_calls() -> None:
    bound = set(re.findall(r'(?:\.def|\.value|m\.def|m, |, )\(?"(\w+)"', SOURCE.read_text()))
    double = StrictXrt(registers=True)
    shape = {"device", "bo", "kernel", "run", "xclbin", "xclBOSyncDirection", "xrt_info_device", "enumerate_devices"}
    assert shape <= bound
    for part in (double.device, double.bo, double.kernel, double.run, double.xclbin):
        calls = {name for base in part.__mro__[:3] for name in vars(base) if not name.startswith("_")}
        assert calls - {"world", "flags", "cu_access_mode", "word"} <= bound, part


def test_the_binding_comes_before_pyxrt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("own_binding", "other_binding"):
        (tmp_path / f"{name}.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(library, "MODULES", ("missing_binding", "own_binding", "other_binding"))
    assert library.load_library().__name__ == "own_binding"
