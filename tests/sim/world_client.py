"""Runs the world server and real `carla` clients as processes of their own, the way users do."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack

START_S = 120
CLIENT_S = 120
CARLA15 = str(Path(__file__).resolve().parents[2] / ".venv-carla15" / "bin" / "python")
"""The interpreter whose `carla` is 0.9.15; tools/setup.sh carla15 makes it."""

_ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

# Every script drops its carla objects and leaves them a moment, so that a crash in their own teardown fails the test.
_PROLOGUE = """
import gc, json, math, os, queue, sys, time
import carla
port = int(sys.argv[1])
facts = {}
def run(client):
    client.set_timeout(60.0)
    world = client.get_world()
"""
_EPILOGUE = """
run(carla.Client("127.0.0.1", port))
gc.collect()
time.sleep(0.3)
print(json.dumps(facts))
"""
# A thread of the wheel that calls back while the interpreter shuts down is ended there by unwinding its stack, which
# C++ answers by ending the process: a script that is not about this leaves before, however late such a thread is.
_LEAVE = """
sys.stdout.flush()
os._exit(0)
"""


@dataclass(frozen=True)
class Server:
    """A running server: its process, the line it printed, and its ports."""

    process: subprocess.Popen[str]
    ready: str
    rpc: int
    streams: int

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def server_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "foveal_sim.world", *arguments]


def run_server(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A server that is expected to end by itself."""
    return subprocess.run(server_command(*arguments), env=_ENV, capture_output=True, text=True, timeout=START_S)


@contextmanager
def world_server(*arguments: str, without: tuple[str, ...] = ()) -> Iterator[Server]:
    """A server on free ports that is ready; ended on leaving. without: environment variables that it may not see."""
    environment = {name: value for name, value in _ENV.items() if name not in without}
    process = subprocess.Popen(
        server_command("--port", "0", *arguments),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = _first_line(process)
        found = re.search(r"rpc [\d.]+:(\d+), streams [\d.]+:(\d+)", line)
        assert found, f"no ready line but {line!r}"
        yield Server(process, line, int(found[1]), int(found[2]))
    finally:
        process.kill()
        process.communicate()


def client_command(body: str, port: int, python: str = sys.executable, last: str = "") -> list[str]:
    """The command that runs `body` with `world`, `client` and a dict `facts` at hand, and then shuts down as usual.

    last: lines that stand at the end of the script.
    """
    return [python, "-c", _PROLOGUE + textwrap.indent(textwrap.dedent(body), "    ") + _EPILOGUE + last, str(port)]


def run_client(body: str, port: int, python: str = sys.executable) -> dict[str, Any]:
    """Run `body` in a client process to its end; what it put into `facts`."""
    # Another interpreter has packages of its own.
    environment = _ENV if python == sys.executable else {n: v for n, v in os.environ.items() if n != "PYTHONPATH"}
    command = client_command(body, port, python, _LEAVE)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=CLIENT_S)
    assert done.returncode == 0, f"client ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout.strip().splitlines()[-1])


def start_client(body: str, port: int, *arguments: str) -> subprocess.Popen[str]:
    """Start `body` in a client process; it finds `arguments` in sys.argv[2:], and the caller ends it."""
    pipe = subprocess.PIPE
    command = [*client_command(body, port, last=_LEAVE), *arguments]
    return subprocess.Popen(command, env=_ENV, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def call(peer: socket.socket, method: str, *arguments: object) -> list[Any]:
    """Error and result of one call over a bare connection."""
    peer.sendall(msgpack.packb([0, 1, method, [[False], *arguments]]))
    unpacker = msgpack.Unpacker()
    while True:
        data = peer.recv(65536)
        assert data, "the server closed the connection"
        unpacker.feed(data)
        for answer in unpacker:
            assert answer[:2] == [1, 1]
            return answer[2:]


def ask(peer: socket.socket, method: str, *arguments: object) -> Any:
    """Result of a call that must not fail."""
    error, result = call(peer, method, *arguments)
    assert error is None
    return result


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    assert process.stderr
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(START_S):
            raise AssertionError(f"no ready line within {START_S} s")
    line = process.stdout.readline()
    if not line:
        raise AssertionError(f"server ended with {process.wait(10)}: {process.stderr.read()}")
    return line.strip()
