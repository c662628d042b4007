"""The README's script for CARLA, and what it offers in place of the camera's line, run as they stand there."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from world_client import world_server

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
SCRIPT, *REPLACEMENTS = [
    block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "RoiCamera(" in block
]
CAMERA = "camera = RoiCamera(world, blueprint, transform, attach_to=vehicle)\n"
AFTERWARDS = """
assert not world.get_settings().synchronous_mode
world.wait_for_tick(60.0)  # actors are those of the last snapshot
assert not world.get_actors().filter("vehicle.tesla.model3"), "the car was left behind"
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("number", range(len(REPLACEMENTS) + 1))
def test_the_readmes_cameras_run_on_the_server_that_it_starts(number: int, tmp_path: Path) -> None:
    """The camera's line and each block that may stand in its place; three ticks in place of a hundred."""
    started = re.search(r"# foveal world --map (\w+)", SCRIPT)
    assert started
    assert SCRIPT.count("\n" + CAMERA) == 1
    before = SCRIPT.index("\n" + CAMERA) + 1
    script = SCRIPT[:before] + [CAMERA, *REPLACEMENTS][number] + SCRIPT[before + len(CAMERA) :]
    script = script.replace("range(100)", "range(3)")
    # No traffic here: pictures are drawn by the slowest machine that runs the tests.
    with world_server("--map", started[1]) as server:
        script = script.replace("2000", str(server.rpc)) + AFTERWARDS
        # The client's traffic manager listens on port 8000 unless told otherwise, which another client may hold.
        script = script.replace("set_autopilot(True)", f"set_autopilot(True, {free_port()})")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, done.stderr
    assert "holds no pixel" not in done.stderr
    assert len(list(tmp_path.glob("out/roi/*.png"))) == 3
