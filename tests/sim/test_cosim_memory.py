"""The AXI memory model driven by hand: timing, faults, and every protocol check (memory_port_check.cpp)."""

from __future__ import annotations

import subprocess
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "sim" / "foveal_sim" / "cosim" / "native"
SOURCE = Path(__file__).with_name("memory_port_check.cpp")


def test_memory_ports_keep_time_and_notice_violations(tmp_path: Path) -> None:
    program = tmp_path / "check"
    command = [
        "c++",
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{NATIVE}",
        str(SOURCE),
        "-o",
        str(program),
    ]
    built = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert built.returncode == 0, built.stderr
    run = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "")
