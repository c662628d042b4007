"""The tests of tests/alveo, in the environment that holds the real pynq package."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-pynq" / "bin" / "python"


@pytest.mark.timeout(1800)
def test_overlays_run_on_the_real_pynq() -> None:
    assert PYTHON.exists(), "there is no .venv-pynq: run tools/setup.sh pynq (make test does)"
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "alveo"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1780)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout
