"""Nothing that a peer sends or a user mistypes ends the server without a clear word."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import msgpack
import pytest
from foveal_sim.world.rpc import CallError, MethodTable
from world_client import _ENV, Server, call, run_client, run_server, server_command, start_client, world_server

ALIVE = """
facts["frame"] = world.tick() if world.get_settings().synchronous_mode else world.wait_for_tick().frame
facts["actors"] = len(world.get_actors())
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight", "--traffic", "2") as running:
        yield running


def alive(server: Server) -> bool:
    facts = run_client(ALIVE, server.rpc)
    return server.process.poll() is None and facts["frame"] > 0 and facts["actors"] == 3


def test_random_bytes_on_both_ports_disturb_nobody(server):
    noise = random.Random(20240501)
    opened = []
    for port in (server.rpc, server.streams):
        for length in (1, 3, 4, 7, 100, 5000, 300_000):
            peer = socket.create_connection(("127.0.0.1", port), timeout=10)
            try:
                peer.sendall(noise.randbytes(length))
            except OSError:
                continue  # the server has hung up already
            opened.append(peer)
    assert alive(server)
    for peer in opened:
        peer.close()
    assert alive(server)


@pytest.mark.parametrize(
    "message",
    [
        msgpack.packb(7),
        msgpack.packb({"a": 1}),
        msgpack.packb([0, 1, "version"]),
        msgpack.packb([0, "x", "version", []]),
        msgpack.packb([2, "version", []]),
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 100_000,
        msgpack.packb([0, 1, b"\xff\xfe".decode("latin1"), {}]),
    ],
    ids=["number", "map", "short", "id", "notification", "reserved", "huge array", "deep", "arguments"],
)
def test_a_malformed_request_ends_only_its_connection(server, message):
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        peer.sendall(message)
        with suppress(ConnectionResetError):
            assert peer.recv(64) == b""
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        assert call(peer, "version") == [None, [[1, "0.9.16"]]]


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("spawn_actor", []),
        ("spawn_actor", [None, None]),
        ("spawn_actor", [[1, "vehicle.audi.tt", [[]]], [[0, 0, 0], [0, 0, 0]]]),
        ("set_episode_settings", [[True, False, [True, -1.0]]]),
        ("set_episode_settings", [[]]),
        ("get_actor_bounding_box", ["seven"]),
        ("get_actors_by_id", [3]),
        ("set_actor_transform", [1, [[float("inf"), 0, 0], [0, 0, 0]]]),
        ("apply_control_to_vehicle", [1, [0, 0, 0, False, False, False, 0]]),
        ("load_new_episode", [5]),
        ("copy_opendrive_to_file", ["<broken"]),
    ],
)
def test_malformed_arguments_are_answered_with_an_error(server, method, arguments):
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        error, result = call(peer, method, *arguments)
        assert error is None
        assert result[0][0] in (0, True)
        assert isinstance(result[0][1][0], str)
        assert call(peer, "version")[0] is None


def test_an_unknown_method_is_an_rpc_error(server):
    with socket.create_connection(("127.0.0.1", server.rpc), timeout=10) as peer:
        error, result = call(peer, "fly_actor", 3)
        assert error
        assert result is None
        assert call(peer, "version")[0] is None


def test_a_fault_in_a_method_is_answered_and_logged(caplog):
    table = MethodTable()
    table.value("divide", lambda: 1 // 0)
    table.command("refuse", lambda: (_ for _ in ()).throw(CallError("no")))
    assert "internal error" in msgpack.unpackb(table.answer(1, "divide", []))[3][0][1][0]
    assert "ZeroDivisionError" in caplog.text
    assert msgpack.unpackb(table.answer(2, "refuse", [])) == [1, 2, None, [[True, ["no"]]]]


def test_a_client_killed_in_mid_message_disturbs_nobody(server):
    head = msgpack.packb([0, 1, "copy_opendrive_to_file", [[True], "x" * 100_000]])
    peer = socket.create_connection(("127.0.0.1", server.rpc), timeout=10)
    peer.sendall(head[:60_000])
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
    peer.close()
    stream = socket.create_connection(("127.0.0.1", server.streams), timeout=10)
    stream.sendall(b"\x01")
    stream.close()
    assert alive(server)


def test_a_client_killed_while_ticking_with_a_camera_disturbs_nobody(server):
    ticking = start_client(
        """
        blueprint = world.get_blueprint_library().find("sensor.camera.rgb")
        blueprint.set_attribute("image_size_x", "64")
        blueprint.set_attribute("image_size_y", "64")
        camera = world.spawn_actor(blueprint, carla.Transform(carla.Location(0, 0, 5)))
        images = queue.Queue()
        camera.listen(images.put)
        images.get(timeout=60)
        print("ticking", flush=True)
        while True:
            world.wait_for_tick()
        """,
        server.rpc,
    )
    assert ticking.stdout
    assert ticking.stdout.readline().strip() == "ticking"
    ticking.send_signal(signal.SIGKILL)
    ticking.communicate()
    facts = run_client(
        ALIVE
        + """
for camera in world.get_actors().filter("sensor.*"):
    camera.destroy()
""",
        server.rpc,
    )
    assert facts["actors"] == 4


def test_a_stream_reader_that_never_reads_does_not_stall_the_others(server):
    with socket.create_connection(("127.0.0.1", server.streams), timeout=10) as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.sendall(struct.pack("<I", 1))
        facts = run_client(
            """
            settings = world.get_settings()
            settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
            world.apply_settings(settings)
            first = world.tick()
            for _ in range(20000):
                last = world.tick()
            facts["ticks"] = last - first
            settings.synchronous_mode = False
            world.apply_settings(settings)
            """,
            server.rpc,
        )
    assert facts["ticks"] == 20000
    assert alive(server)


def test_a_port_in_use_is_named_and_ends_with_a_failure(server):
    done = run_server("--port", str(server.rpc))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.strip().splitlines() == [
        f"error: rpc port {server.rpc} on 127.0.0.1 is in use; stop the other server or choose another --port"
    ]
    done = run_server("--port", "0", "--stream-port", str(server.streams))
    assert done.returncode == 1
    assert f"stream port {server.streams} on 127.0.0.1 is in use" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<OpenDRIVE>\n<road>\n", "line 3: not OpenDRIVE, XML error"),
        ("<OpenDRIVE><road id='road_A'/></OpenDRIVE>", "line 1: road id 'road_A' is not a decimal integer"),
        (None, "no map"),
    ],
)
def test_a_broken_map_is_named_and_ends_with_a_failure(tmp_path, text, message):
    file = tmp_path / "user.xodr"
    if text is not None:
        file.write_text(text)
    done = run_server("--map", str(file), "--port", "0")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert message in done.stderr
    assert "user.xodr" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_renderer_is_named_and_ends_with_a_failure():
    done = run_server("--device", "etch-a-sketch", "--port", "0")
    assert done.returncode == 1
    assert "etch-a-sketch" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_even_with_clients(number):
    with world_server("--map", "straight") as running, socket.create_connection(("127.0.0.1", running.rpc)) as peer:
        assert call(peer, "version")[0] is None
        os.kill(running.process.pid, number)
        assert running.process.wait(30) == 0
        assert peer.recv(1) == b""
        assert running.process.stderr
        assert running.process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    "moment",
    [
        "sys.meta_path.insert(0, Importing())",
        "import foveal_sim.world.server as server; server.load_map = now",
        "import foveal_sim.world.server as server; server.warm_up = now",
    ],
)
def test_a_signal_while_it_starts_ends_it_cleanly(number, moment):
    """While it imports NumPy, reads its map, compiles."""
    script = f"""
import os, runpy, sys
def now(*_):
    os.kill(os.getpid(), {int(number)})
class Importing:
    def find_spec(self, name, *_):
        if name == "numpy":
            now()
{moment}
sys.argv[1:] = ["--port", "0", "--map", "straight"]
runpy.run_module("foveal_sim.world", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run([sys.executable, "-c", script], env=_ENV, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--port", "65536"), "argument --port: '65536' is no port: give 0 to 65535"),
        (("--stream-port", "-1"), "argument --stream-port: '-1' is no port: give 0 to 65535"),
        (("--port", "2100", "--stream-port", "2100"), "--port and --stream-port are both 2100: they must differ"),
        (("--port", "65535"), "--port 65535 leaves no port above it for streams: give --stream-port"),
    ],
)
def test_ports_that_cannot_be_are_wrong_arguments(arguments, message):
    done = run_server(*arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_the_help_shows_what_holds_where_nothing_is_given():
    words = " ".join(run_server("--help").stdout.split())
    for flag, default in (("--port PORT", "2000"), ("--map MAP", "town_block"), ("--seed SEED", "0")):
        assert re.search(rf"{flag} [^()]*\(default: {default}\)", words.split("options:")[1]), flag


def test_it_runs_without_a_home_folder():
    # Importing carla with neither HOME nor CARLA_CACHE_DIR ends the interpreter with a segmentation fault.
    with world_server("--map", "straight", without=("HOME", "CARLA_CACHE_DIR")) as running:
        assert running.stop() == 0


def test_it_ends_with_whoever_holds_its_standard_input():
    command = server_command("--port", "0", "--map", "straight", "--end-with-stdin")
    process = subprocess.Popen(
        command, env=_ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdin
        assert process.stdout
        assert "ready" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(30) == 0
    finally:
        process.kill()
