"""A map on which the client's own library would take the server down is refused, and everybody stays served."""

from __future__ import annotations

import os
import signal
import socket
import time
from typing import Any

import msgpack
import pytest
from foveal.errors import MapError
from foveal_sim.maps import map_path
from foveal_sim.world.trial import try_map
from world_client import run_server, world_server


def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise IndexError("map::at")


def swell() -> None:
    hold = []
    while True:
        hold.append(bytearray(64 << 20))


@pytest.mark.parametrize("end", [crash, fail, swell])
def test_a_child_that_does_not_come_back_is_a_map_error(end):
    with pytest.raises(MapError, match=r"town\.xodr: no world can be made"):
        try_map(end, "town.xodr")


def test_the_words_of_a_map_error_come_from_the_child():
    def refuse() -> None:
        raise MapError("town.xodr, line 3: not OpenDRIVE")

    with pytest.raises(MapError, match=r"^town\.xodr, line 3: not OpenDRIVE$"):
        try_map(refuse, "another name")


def test_endless_work_is_ended(monkeypatch):
    monkeypatch.setattr("foveal_sim.world.trial._SECONDS", 1)
    with pytest.raises(MapError, match="takes more than 1 s"):
        try_map(lambda: time.sleep(600), "town.xodr")


def test_a_world_that_can_be_made_passes():
    assert try_map(list, "town.xodr") is None


SPOILT = {
    "endless road": ('length="', 'length="1e12" was="'),
    "far start": ('hdg="', 'hdg="1e300" was="'),
    "wide lane": ('a="', 'a="1e300" was="'),
}


def spoilt(kind: str) -> str:
    old, new = SPOILT[kind]
    return map_path("straight").read_text().replace(old, new)


def call(peer: socket.socket, method: str, *arguments: Any) -> Any:
    peer.sendall(msgpack.packb([0, 1, method, [[False], *arguments]]))
    unpacker = msgpack.Unpacker()
    while True:
        data = peer.recv(65536)
        assert data, "the server closed the connection"
        unpacker.feed(data)
        for _, _, error, result in unpacker:
            assert error is None
            return result


def test_the_server_outlives_maps_that_no_world_can_be_made_from(tmp_path):
    good = map_path("curve").read_text()
    with (
        world_server("--map", "straight", "--synchronous") as server,
        socket.create_connection(("127.0.0.1", server.rpc), timeout=120) as peer,
    ):
        refused = call(peer, "copy_opendrive_to_file", spoilt("endless road"), [])
        assert refused[0][0] is True
        assert "uploaded map" in refused[0][1][0]
        for kind in SPOILT:
            call(peer, "copy_opendrive_to_file", spoilt(kind), [])
            assert call(peer, "tick_cue")[0][0] == 1, kind
        assert call(peer, "copy_opendrive_to_file", good, []) == [[False]]
        assert call(peer, "load_new_episode", "OpenDriveMap", True, 65535) == [[False]]
        assert call(peer, "tick_cue")[0][0] == 1
        assert server.process.poll() is None


def test_such_a_map_ends_a_start_with_one_line(tmp_path):
    file = tmp_path / "endless.xodr"
    file.write_text(spoilt("endless road"))
    done = run_server("--map", str(file), "--port", "0")
    assert done.returncode == 1
    assert "endless.xodr" in done.stderr
    assert "Traceback" not in done.stderr
