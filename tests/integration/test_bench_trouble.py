"""`foveal bench` interrupted, killed, or without readers: one line, nothing lost, no server left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from foveal.trace import Trace
from foveal_bench.store import load

COMMAND = [sys.executable, "-c", "from foveal_bench.cli import main; main()", "bench", "--size", "64x48"]
ENOUGH_S = 240


@contextmanager
def running(out: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [*COMMAND, "--out", str(out), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=as_at_a_terminal
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def as_at_a_terminal() -> None:
    """What a shell starts in the background ignores SIGINT, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def until(condition, process: subprocess.Popen[str] | None = None) -> None:
    end = time.monotonic() + ENOUGH_S
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def recorded(out: Path) -> bool:
    return any((out / "frames.part").glob("*.parquet"))


def server_of(process: subprocess.Popen[str]) -> int:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == process.pid and b"foveal_sim.world" in (stat.parent / "cmdline").read_bytes():
                found.append(int(stat.parent.name))
        except OSError:
            continue
    assert len(found) == 1
    return found[0]


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_invalid_and_keeps_its_frames(tmp_path, number):
    (tmp_path / "run.json").write_text('{"verdict": "VALID"}')
    with running(tmp_path, "--ticks", "4000") as process:
        until(lambda: recorded(tmp_path), process)
        server = server_of(process)
        process.send_signal(number)
        output, errors = process.communicate(timeout=ENOUGH_S)
    assert process.returncode == 130, output + errors
    assert [line for line in errors.splitlines() if line.startswith("error: interrupted")]
    assert "Traceback" not in output + errors
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["verdict"] == "INVALID"
    assert run["headline"] is None
    assert run["reasons"][0].startswith("interrupted")
    assert len(load(tmp_path)) >= 32
    assert "4000" in Trace.load(tmp_path / "drive.trace").interrupted
    assert gone(server)


def test_a_killed_run_leaves_no_server_and_its_folder_can_be_used_again(tmp_path):
    (tmp_path / "run.json").write_text('{"verdict": "VALID"}')
    with running(tmp_path, "--ticks", "4000") as process:
        until(lambda: recorded(tmp_path), process)
        server = server_of(process)
        process.kill()
    until(lambda: gone(server))
    assert not (tmp_path / "run.json").exists()
    assert Trace.load(tmp_path / "drive.trace.partial", salvage=True).ticks
    (tmp_path / "frames.part" / "000077.unfinished").write_text("cut off")
    with running(tmp_path, "--ticks", "3") as process:
        output, errors = process.communicate(timeout=ENOUGH_S)
    assert process.returncode in (0, 1), output + errors
    assert set(load(tmp_path)["tick"]) == {0, 1, 2}
    assert not (tmp_path / "frames.part").exists()


def test_a_closed_pipe_ends_the_run_in_one_line(tmp_path):
    with running(tmp_path, "--ticks", "3") as process:
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr
        errors = process.stderr.read()
        assert process.wait(ENOUGH_S) == 3
    assert errors.startswith("error: standard output cannot be written")
    assert len(errors.splitlines()) == 1


def test_closed_standard_streams_do_no_harm(tmp_path):
    command = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", *COMMAND, "--out", str(tmp_path), "--ticks", "3"]
    assert subprocess.run(command, timeout=ENOUGH_S, check=False).returncode in (0, 1)
    assert len(load(tmp_path)) == 3 * 3 + 1


def test_a_spoiled_frame_that_never_comes_is_refused_at_once(tmp_path):
    with running(tmp_path, "--ticks", "2", "--corrupt", "900,1,1") as process:
        output, errors = process.communicate(timeout=ENOUGH_S)
    assert process.returncode == 2, output + errors
    assert "tick 900 is not among the 2 that run" in errors


def test_a_stopped_server_ends_in_a_time_out(tmp_path):
    with running(tmp_path, "--ticks", "4000") as process:
        until(lambda: recorded(tmp_path), process)
        server = server_of(process)
        os.kill(server, signal.SIGSTOP)
        output, errors = process.communicate(timeout=ENOUGH_S)
    assert process.returncode == 3, output + errors
    assert "the built-in world server is alive but did not answer within 10 s; it last logged: " in errors
    assert f"(all of it: {tmp_path / 'server.log'})" in errors
    assert "start it again" not in errors
    assert json.loads((tmp_path / "run.json").read_text())["verdict"] == "INVALID"
    assert gone(server)


def test_a_server_that_dies_is_named_with_its_status_and_its_log(tmp_path):
    with running(tmp_path, "--ticks", "4000") as process:
        until(lambda: recorded(tmp_path), process)
        os.kill(server_of(process), signal.SIGKILL)
        output, errors = process.communicate(timeout=ENOUGH_S)
    assert process.returncode == 3, output + errors
    assert f"the built-in world server ended with status {-signal.SIGKILL}; it last logged: " in errors
    assert "start it again" not in errors
    assert "world server ready: " in (tmp_path / "server.log").read_text()


@pytest.mark.parametrize("home", [None, "/proc"])
def test_it_runs_where_there_is_no_home_to_write_to(tmp_path, home):
    without = ("HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "CARLA_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in without}
    if home:
        environment["HOME"] = home
    command = [*COMMAND, "--out", str(tmp_path), "--ticks", "3"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=ENOUGH_S, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert done.stderr == ""
