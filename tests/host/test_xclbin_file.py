"""foveal.xclbin.read_file: what is read of a file, and what is refused before it is read."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from foveal.card import load_board
from foveal.errors import XclbinError
from foveal.xclbin import make_xclbin, read_file

MADE = make_xclbin(load_board("u280"))
LENGTH_OFFSET = 304
"""Of m_length in struct axlf: magic, signature, reserved bytes, key block, unique id."""


def test_a_whole_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "whole.xclbin"
    path.write_bytes(MADE)
    assert read_file(path) == MADE


@pytest.mark.timeout(20)
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/null"])
def test_devices_are_refused(device: str) -> None:
    with pytest.raises(XclbinError, match="regular file"):
        read_file(Path(device))


@pytest.mark.timeout(20)
def test_a_pipe_without_a_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pipe.xclbin"
    os.mkfifo(path)
    with pytest.raises(XclbinError, match="regular file"):
        read_file(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("says", "has", "words"),
    [
        (len(MADE), 60 << 30, "longer than it says"),
        (60 << 30, 60 << 30, "no image has more than"),
        (60 << 30, len(MADE), "cut short"),
    ],
)
def test_a_file_of_the_wrong_size_is_refused_unread(tmp_path: Path, says: int, has: int, words: str) -> None:
    path = tmp_path / "sparse.xclbin"
    path.write_bytes(MADE[:LENGTH_OFFSET] + struct.pack("<Q", says) + MADE[LENGTH_OFFSET + 8 :])
    os.truncate(path, has)
    with pytest.raises(XclbinError, match=words):
        read_file(path)


@pytest.mark.parametrize("size", [0, 7, 8, 455])
def test_a_file_without_a_whole_header_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "short.xclbin"
    path.write_bytes(MADE[:size])
    with pytest.raises(XclbinError, match="cut short" if size >= 8 else "no xclbin"):
        read_file(path)
