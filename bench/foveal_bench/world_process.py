"""The built-in world server as a process of its own, started for a run and ended with it."""

from __future__ import annotations

import logging
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from foveal.errors import FovealError

__all__ = ["world_server"]

LOG = logging.getLogger(__name__)
READY = re.compile(r"world server ready: .*rpc [^,]*:(\d+)")
START_DEADLINE_S = 60.0


@contextmanager
def world_server(
    map_name: str, *, port: int = 0, seed: int = 1, traffic: int = 0, walkers: int = 0
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run the world server (port 0: a free one); yields (RPC port, process).

    Raises FovealError with the server's own words when it does not start.
    """
    command = [sys.executable, "-m", "foveal_sim.world", "--map", map_name, "--port", str(port), "--seed", str(seed)]
    command += ["--traffic", str(traffic), "--walkers", str(walkers), "--synchronous"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield _await_ready(process), process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(process: subprocess.Popen[str]) -> int:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def pump() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            LOG.debug("world: %s", line.rstrip())
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=pump, name="world-output", daemon=True).start()
    last, until = "", time.monotonic() + START_DEADLINE_S
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise FovealError(f"the world server was not ready within {START_DEADLINE_S:.0f} s: {last}") from None
        if line is None:
            process.wait()
            raise FovealError(last or f"the world server ended with exit code {process.returncode}")
        if ready := READY.search(line):
            return int(ready[1])
        last = line or last
