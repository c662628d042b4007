"""What is not CARLA is noticed before the carla package talks to it, which would end the process."""

from __future__ import annotations

import socket
import threading

import pytest
from foveal.carla.client import connect
from foveal.errors import ServerLost


def answering(listener: socket.socket, words: bytes) -> None:
    peer, _ = listener.accept()
    with peer:
        peer.recv(4096)
        peer.sendall(words)


@pytest.mark.parametrize(
    "words", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n", b"\xc1", b"\x94\x01\x07\xc0\xc0"]
)
def test_a_server_of_something_else_is_named(words):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=answering, args=(listener, words))
        thread.start()
        with pytest.raises(ServerLost, match=f"127.0.0.1:{port} is no CARLA server"):
            connect(port=port, timeout_s=20.0)
        thread.join()


def test_a_server_that_says_nothing_runs_into_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(ServerLost, match=r"did not answer within 0\.3 s"):
            connect(port=port, timeout_s=0.3)


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:2000", "[::1]:2000", "[::1]", "http://localhost"])
def test_a_host_with_a_port_is_told_where_the_port_goes(host):
    with pytest.raises(ServerLost) as caught:
        connect(host)
    assert str(caught.value) == f"{host!r} is no host; give the host alone, and its port as --port (port=)"


@pytest.mark.parametrize("host", ["::1", "fe80::1%lo"])
def test_colons_of_an_ipv6_address_are_its_own(host):
    with pytest.raises(ServerLost) as caught:
        connect(host, 1, timeout_s=2.0)
    assert str(caught.value).startswith(f"no CARLA server at [{host}]:1 (")
