"""`foveal doctor`: what a probe may do to it, what each probe tells apart, and the exit code."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from foveal.errors import DeviceNotFound
from foveal_bench.cli import cli
from foveal_bench.doctor import probes
from foveal_bench.doctor.finding import Finding, State
from foveal_bench.doctor.probes import PROBES, Request
from foveal_bench.doctor.runner import examine, finding_of

REQUEST = Request("127.0.0.1", 2000, ".")


def python(code: str) -> list[str]:
    """A probe that runs `code`; `answer(state)` answers."""
    answer = "import json, sys\ndef answer(s): json.dump(dict(state=s, found='x', mend=''), open(sys.argv[-1], 'w'))\n"
    return [sys.executable, "-c", answer + code]


@pytest.mark.parametrize(
    ("code", "state", "found"),
    [
        ("answer('works')", State.WORKS, "x"),
        ("print('WARNING: {' * 100000); answer('absent')", State.ABSENT, "x"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", State.BROKEN, "died of signal 11 (SIGSEGV)"),
        ("print('the last words'); sys.exit(7)", State.BROKEN, "ended with code 7: the last words"),
        ("open(sys.argv[-1], 'w').write('no json')", State.BROKEN, "ended with code 0"),
    ],
)
def test_nothing_that_a_probe_does_ends_the_doctor(code: str, state: State, found: str) -> None:
    finding = finding_of(python(code), 60)
    assert finding.state is state
    assert found in finding.found


def test_a_probe_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    child = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = f"import subprocess, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(600)"
    # It may take a while until the grandchild is there; the deadline must not come before.
    finding = finding_of(python(code), 15)
    assert finding == Finding(State.BROKEN, "no answer within 15 s")
    number = int(pid.read_text())
    for _ in range(200):
        if not _alive(number):
            break
        time.sleep(0.05)
    assert not _alive(number)


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0]
    except OSError:
        return False


def test_a_probe_that_raises_is_broken_not_a_traceback() -> None:
    findings = examine(Request(5, 2000, "."), ["carla-server", "icarus"])  # type: ignore[arg-type]
    assert list(findings) == ["carla-server", "icarus"]
    assert findings["carla-server"].state is State.BROKEN
    assert findings["carla-server"].found.startswith("TypeError: ")


def test_every_probe_has_a_deadline_and_what_the_main_job_needs_is_marked() -> None:
    assert all(probe.deadline_s > 0 for probe in PROBES.values())
    needed = {name for name, probe in PROBES.items() if probe.needed}
    assert needed == {"cosim", "opencl", "carla-client", "world-server", "disk"}


# ---- cards: none, one that may not be opened, one that works ---------------------------------------------------------


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A library of pyxrt's shape with one card, without an image."""

    class Device:
        def __init__(self, index: int) -> None: ...

        def get_info(self, key: str) -> str:
            return {"bdf": "0000:d8:00.1", "name": "xilinx_u280_gen3x16_xdma_base_1", "platform": "{}"}[key]

        def get_xclbin_uuid(self) -> SimpleNamespace:
            raise RuntimeError("no xclbin is loaded")

    keys = SimpleNamespace(bdf="bdf", name="name", platform="platform")
    made = SimpleNamespace(enumerate_devices=lambda: 1, device=Device, xrt_info_device=keys, __name__="pyxrt")
    monkeypatch.setattr("foveal.xrt.library.load_library", lambda: made)
    return made


def test_a_card_is_shown_with_shell_and_image(library: SimpleNamespace) -> None:
    finding = probes.cards(REQUEST)
    assert finding.state is State.WORKS
    assert finding.found == "0: 0000:d8:00.1, xilinx_u280_gen3x16_xdma_base_1, no image (no xclbin is loaded)"
    loaded = SimpleNamespace(to_string=lambda: "9708-8961")
    library.device.get_xclbin_uuid = lambda self: loaded
    assert "image 9708-8961" in probes.cards(REQUEST).found


def test_no_card_and_a_card_without_permission_get_different_advice(
    library: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.enumerate_devices = lambda: 0
    monkeypatch.setattr("foveal.xrt.discovery.why_none", lambda: "no device: PCIe shows no card")
    assert probes.cards(REQUEST) == Finding(State.ABSENT, "no device: PCIe shows no card")
    monkeypatch.setattr("foveal.xrt.discovery.why_none", lambda: "permission denied: /dev/dri/renderD130")
    finding = probes.cards(REQUEST)
    assert finding.state is State.BROKEN
    assert finding.mend == "sudo usermod -aG render $USER"


def test_xrt_that_is_installed_but_not_sourced_is_told_from_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise DeviceNotFound("XRT is not usable from this Python")

    monkeypatch.setattr("foveal.xrt.library.load_library", missing)
    script = tmp_path / "setup.sh"
    request = Request("127.0.0.1", 2000, ".", xrt_setup=str(script))
    assert probes.xrt(request).state is State.ABSENT
    script.touch()
    assert probes.xrt(request) == Finding(State.BROKEN, "XRT is not usable from this Python", f"source {script}")


def test_xrt_that_works_is_named(library: SimpleNamespace) -> None:
    assert probes.xrt(REQUEST).found.startswith("pyxrt can be imported")
    assert not probes.xrt(REQUEST).mend


@pytest.mark.parametrize("sourced", [True, False])
def test_xrt_that_came_after_the_set_up_asks_for_another_one(
    sourced: bool, library: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = tmp_path / "include" / "xrt" / "xrt_kernel.h"
    header.parent.mkdir(parents=True)
    header.touch()
    if sourced:
        monkeypatch.setenv("XILINX_XRT", str(tmp_path))
    script = tmp_path / "setup.sh"
    request = REQUEST if sourced else replace(REQUEST, xrt_setup=str(script))
    binding: object = None
    monkeypatch.setattr(probes, "find_spec", lambda name: {"foveal._xrt": binding}[name])
    finding = probes.xrt(request)
    assert (finding.state, finding.mend) == (State.WORKS, "tools/setup.sh dev")
    assert "binding" in finding.found

    def missing() -> None:
        raise DeviceNotFound("XRT is not usable from this Python")

    with monkeypatch.context() as patch:
        patch.setattr("foveal.xrt.library.load_library", missing)
        assert probes.xrt(request) == Finding(State.BROKEN, "XRT is not usable from this Python", "tools/setup.sh dev")
        script.touch()
        if not sourced:
            assert probes.xrt(request).mend == f"source {script} && tools/setup.sh dev"
    binding = object()
    assert probes.xrt(request).mend == ""


# ---- the others ------------------------------------------------------------------------------------------------------


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that accepts and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_server_that_is_not_there_is_told_from_one_that_is_none(
    silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "SERVER_DEADLINE_S", 1.0)
    finding = probes.carla_server(Request("127.0.0.1", silent_port, "."))
    assert finding.state is State.BROKEN
    assert "not as a CARLA server" in finding.found
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    finding = probes.carla_server(Request("127.0.0.1", port, "."))
    assert finding.state is State.ABSENT
    assert finding.mend == f"foveal world --port {port}"


def test_another_release_of_the_client_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert probes.carla_client(REQUEST).state is State.WORKS
    monkeypatch.setattr(probes, "version", lambda package: "0.9.15")
    finding = probes.carla_client(REQUEST)
    assert finding.state is State.BROKEN
    assert finding.mend == "pip install carla==0.9.16"


@pytest.mark.parametrize(
    ("script", "state", "found"),
    [
        (None, State.ABSENT, "v++ is not on the PATH"),
        ("echo; echo '****** v++ v2023.1'", State.WORKS, "****** v++ v2023.1"),
        ("echo 'Icarus Verilog version 11.0 (stable) ()'", State.WORKS, "Icarus Verilog version 11.0 (stable) (images"),
        ("echo no licence >&2; exit 3", State.BROKEN, "ends with 3: no licence"),
        ("sleep 60", State.BROKEN, "timed out"),
    ],
)
def test_a_tool_is_asked_for_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, state: State, found: str
) -> None:
    monkeypatch.setattr(probes, "TOOL_DEADLINE_S", 1.0 if script == "sleep 60" else 30.0)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin:/bin")
    if script is not None:
        tool = tmp_path / "v++"
        tool.write_text(f"#!/bin/sh\n{script.replace('sleep', 'exec sleep')}\n")
        tool.chmod(0o755)
    finding = probes.vitis(REQUEST)
    assert finding.state is state
    assert found in finding.found


def test_the_client_works_where_no_home_is_set() -> None:
    code = (
        "import json; from foveal_bench.doctor.probes import Request, carla_client; "
        "print(json.dumps(carla_client(Request('127.0.0.1', 1, '.')).state))"
    )
    environment = {key: value for key, value in os.environ.items() if key not in ("HOME", "CARLA_CACHE_DIR")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == State.WORKS


def test_a_full_disk_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request("127.0.0.1", 2000, str(tmp_path / "not" / "there" / "yet"))
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=(1 << 30) - 1))
    finding = probes.disk(request)
    assert (finding.state, finding.mend) == (State.BROKEN, "make clean")
    assert str(tmp_path) in finding.found
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 30))
    assert probes.disk(request).state is State.WORKS


# ---- the command -----------------------------------------------------------------------------------------------------


def findings(**states: State) -> dict[str, Finding]:
    """All probes; those that are not named work."""
    chosen = {name: states.get(name.replace("-", "_"), State.WORKS) for name in PROBES}
    return {name: Finding(state, f"{name} [is] {state}", f"mend {name}") for name, state in chosen.items()}


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ({}, 0),
        ({"cards": State.ABSENT, "xrt": State.BROKEN, "egl": State.BROKEN, "carla_server": State.ABSENT}, 0),
        ({"opencl": State.ABSENT}, 3),
        ({"cosim": State.BROKEN}, 3),
        ({"disk": State.BROKEN}, 3),
    ],
)
def test_the_exit_code_is_that_of_the_main_job(
    monkeypatch: pytest.MonkeyPatch, states: dict[str, State], code: int
) -> None:
    made = findings(**states)
    monkeypatch.setattr("foveal_bench.doctor.runner.examine", lambda request, names: made)
    shown = CliRunner().invoke(cli, ["doctor"])
    assert shown.exit_code == code
    for name, finding in made.items():
        assert finding.found in shown.output
        assert f"mend {name}" in shown.output
    answered = CliRunner().invoke(cli, ["doctor", "--json"])
    assert answered.exit_code == code
    content = json.loads(answered.output)
    assert content["ready"] is (code == 0)
    assert [row["probe"] for row in content["findings"]] == list(PROBES)
    assert {row["probe"]: row["state"] for row in content["findings"]} == {n: f.state for n, f in made.items()}


def test_what_the_main_job_needs_works_here() -> None:
    """The co-simulated card, OpenCL, the client and the built-in server, each in its process."""
    found = examine(REQUEST, ["cosim", "opencl", "carla-client", "world-server", "egl"])
    assert {found[name].state for name in ("cosim", "opencl", "carla-client", "world-server")} == {State.WORKS}, found
    assert found["egl"].found  # whatever it says here, it says something and ends
