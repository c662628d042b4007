"""The built-in world server as a process of its own, started for a run and ended with it."""

from __future__ import annotations

import logging
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from foveal.errors import FovealError

__all__ = ["free_ports", "world_server"]

LOG = logging.getLogger(__name__)
READY = "world server ready"
START_DEADLINE_S = 60.0


def free_ports() -> int:
    """A port p on the loopback such that p and p + 1 (RPC and streams) were free just now."""
    for _ in range(64):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port
    raise FovealError("no two neighbouring free ports found on 127.0.0.1; name one with --port")


@contextmanager
def world_server(
    map_name: str, *, port: int = 0, seed: int = 1, traffic: int = 0, walkers: int = 0
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run the world server; yields (RPC port, process). Raises FovealError with its words if it fails."""
    port = port or free_ports()
    command = [sys.executable, "-m", "foveal_sim.world", "--map", map_name, "--port", str(port), "--seed", str(seed)]
    command += ["--traffic", str(traffic), "--walkers", str(walkers)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _await_ready(process)
        yield port, process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_ready(process: subprocess.Popen[str]) -> None:
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
        if READY in line:
            return
        last = line or last
