"""The lock of a card, between processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from foveal.errors import DeviceBusy
from foveal.xrt.lock import CardLock
from test_xrt_card import CARDS, opened
from xrt_double import StrictXrt

BDF = "0000:d8:00.1"

HOLDER = """
import sys, time
from pathlib import Path
from foveal.xrt.lock import CardLock
lock = CardLock(sys.argv[1], Path(sys.argv[2]))
print("held", flush=True)
time.sleep(600)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, BDF, str(folder)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_learns_who_holds_the_card(tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        with pytest.raises(DeviceBusy, match=rf"card {BDF} is in use by process {process.pid} "):
            CardLock(BDF, tmp_path)
        library = StrictXrt(cards=CARDS)
        with pytest.raises(DeviceBusy, match=str(process.pid)):
            opened(library, tmp_path, card=BDF)
        assert "device.load_xclbin()" not in library.calls
        opened(library, tmp_path, card=0)  # the other card is free
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    CardLock(BDF, tmp_path).release()  # a killed holder leaves nothing behind


def test_one_process_opens_a_card_once(tmp_path: Path) -> None:
    lock = CardLock(BDF, tmp_path)
    with pytest.raises(DeviceBusy, match=str(os.getpid())):
        CardLock(BDF, tmp_path)
    lock.release()
    lock.release()
    CardLock(BDF, tmp_path).release()


def test_a_card_that_cannot_be_opened_is_free_again(tmp_path: Path) -> None:
    library = StrictXrt()
    library.fail["kernel"] = RuntimeError("no such kernel")
    for _ in range(2):
        with pytest.raises(Exception, match="no such kernel"):
            opened(library, tmp_path)
        library.fail["kernel"] = RuntimeError("no such kernel")


def test_the_lock_lies_where_the_session_keeps_such_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    lock = CardLock(BDF)
    assert lock.path == tmp_path / "foveal-0000-d8-00.1.lock"
    assert lock.path.read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_link_in_the_lock_s_place_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "foveal-0000-d8-00.1.lock").symlink_to(victim)
    with pytest.raises(DeviceBusy, match="cannot be used as a lock"):
        CardLock(BDF, tmp_path)
    assert victim.read_text() == "precious"
