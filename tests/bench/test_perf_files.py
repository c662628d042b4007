"""`make perf` finds every file of benchmarks, and none that a simulator has to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_file_of_benchmarks_is_collected_and_has_what_it_needs() -> None:
    """The plan needs every fixture, and runs nothing."""
    command = [sys.executable, "-m", "pytest", "bench/perf", "--setup-plan", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout
    found = {line.split("::")[0].strip() for line in done.stdout.splitlines() if "::" in line}
    assert found == {str(path.relative_to(ROOT)) for path in (ROOT / "bench" / "perf").glob("test_perf_*.py")}
