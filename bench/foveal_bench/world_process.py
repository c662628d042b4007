"""The built-in world server as a process of its own, started for a run and ended with it."""

from __future__ import annotations

import logging
import queue
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from foveal.errors import FovealError, ServerLost

__all__ = ["WorldProcess", "world_server"]

LOG = logging.getLogger(__name__)
READY = re.compile(r"world server ready: .*rpc [^,]*:(\d+)")
START_DEADLINE_S = 180.0
"""Compiling for the first time on a busy machine takes most of it."""

END_DEADLINE_S = 5.0

LAST_LINES = 3
"""Lines of its log that a message repeats."""

_DYING_S = 1.0
"""Connections close a moment before the process has ended."""


class BuiltInLost(ServerLost):
    """What became of the built-in server, which the user did not start."""


@dataclass(slots=True)
class WorldProcess:
    """log: file with all that it prints, or None. said: the last lines of that."""

    process: subprocess.Popen[str]
    log: Path | None
    said: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_LINES))

    def lost(self, error: ServerLost) -> BuiltInLost:
        """What `error` means where the server is this one."""
        if isinstance(error, BuiltInLost):
            return error
        words = f"it last logged: {' | '.join(self.said)}" if self.said else "it logged nothing"
        place = f" (all of it: {self.log})" if self.log else ""
        return BuiltInLost(f"the built-in world server {self._state(error)}; {words}{place}")

    def _state(self, error: ServerLost) -> str:
        try:
            return f"ended with status {self.process.wait(_DYING_S)}"
        except subprocess.TimeoutExpired:
            waited = re.search(r"time-out of (\d+)ms", str(error))
            within = f" within {int(waited[1]) / 1000:g} s" if waited else ""
            return f"is alive but did not answer{within}"


@contextmanager
def world_server(
    map_name: str, *, port: int = 0, seed: int = 1, traffic: int = 0, walkers: int = 0, log: Path | None = None
) -> Iterator[tuple[int, WorldProcess]]:
    """Run the world server (port 0: a free one); yields (RPC port, process). log: file for what it prints.

    Raises FovealError with the server's own words when it does not start. A ServerLost of the body is raised again
    with what became of the server.
    """
    command = [sys.executable, "-m", "foveal_sim.world", "--map", map_name, "--port", str(port), "--seed", str(seed)]
    command += ["--traffic", str(traffic), "--walkers", str(walkers), "--synchronous", "--end-with-stdin"]
    # The pipe closes when this process ends in whatever way, and the server ends with it. In a session of its own
    # it does not get the terminal's Ctrl-C, so that the drive can end in order.
    file = log.open("w", encoding="utf-8") if log else None
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )
    server = WorldProcess(process, log)
    try:
        port = _await_ready(server, file)
        try:
            yield port, server
        except ServerLost as error:
            raise server.lost(error) from error
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


def _await_ready(server: WorldProcess, file: TextIO | None) -> int:
    process = server.process
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def pump() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            LOG.log(logging.WARNING if line.startswith("WARNING") else logging.DEBUG, "world: %s", line.rstrip())
            server.said.append(line.strip())
            if file is not None:
                with suppress(OSError):  # a full disk must not stop the server, which waits for a reader
                    file.write(line)
                    file.flush()
            lines.put(line.strip())
        if file is not None:
            with suppress(OSError):
                file.close()
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
