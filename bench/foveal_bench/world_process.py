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
START_DEADLINE_S = 180.0
"""Compiling for the first time on a busy machine takes most of it."""

END_DEADLINE_S = 5.0


@contextmanager
def world_server(
    map_name: str, *, port: int = 0, seed: int = 1, traffic: int = 0, walkers: int = 0
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run the world server (port 0: a free one); yields (RPC port, process).

    Raises FovealError with the server's own words when it does not start.
    """
    command = [sys.executable, "-m", "foveal_sim.world", "--map", map_name, "--port", str(port), "--seed", str(seed)]
    command += ["--traffic", str(traffic), "--walkers", str(walkers), "--synchronous", "--end-with-stdin"]
    # The pipe closes when this process ends in whatever way, and the server ends with it. In a session of its own
    # it does not get the terminal's Ctrl-C, so that the drive can end in order.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )
    try:
        yield _await_ready(process), process
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """Ask, then insist: a stopped process takes no SIGTERM."""
    process.terminate()
    try:
        process.wait(timeout=END_DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        if process.poll() is None:  # interrupted while it waited
            process.kill()
            process.wait()
        assert process.stdin is not None
        process.stdin.close()


def _await_ready(process: subprocess.Popen[str]) -> int:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def pump() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            LOG.log(logging.WARNING if line.startswith("WARNING") else logging.DEBUG, "world: %s", line.rstrip())
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
        last = line.removeprefix("error: ") or last
