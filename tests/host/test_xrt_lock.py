"""The lock of a card, between processes."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from foveal.errors import DeviceBusy, DeviceError
from foveal.xrt.lock import CardLock, shared_folder
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


# ---- Several users ----


def test_all_users_look_at_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = set()
    for user in ("1000", "1001"):
        for name in ("XDG_RUNTIME_DIR", "TMPDIR", "HOME"):
            monkeypatch.setenv(name, str(tmp_path / user))
        monkeypatch.setattr(tempfile, "tempdir", None)
        lock = CardLock(f"test-{os.getpid()}")
        assert lock.path.read_text() == f"{os.getpid()}\n"
        assert lock.path.parent.stat().st_mode & stat.S_IWOTH
        lock.release()
        paths.add(lock.path)
        lock.path.unlink()
    assert len(paths) == 1


def test_a_folder_in_which_not_everybody_may_write_is_passed_over(tmp_path: Path) -> None:
    mine, ours = tmp_path / "mine", tmp_path / "ours"
    mine.mkdir(0o755)
    ours.mkdir()
    ours.chmod(0o1777)
    assert shared_folder([tmp_path / "missing", mine, ours]) == ours
    assert shared_folder([mine, tmp_path / "missing"]) == tmp_path / "missing"


def test_every_user_may_take_the_lock_whatever_the_umask_of_the_first(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        lock = CardLock(BDF, tmp_path)
    finally:
        os.umask(before)
    lock.release()
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o666


def test_a_file_that_is_there_is_opened_without_creating_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """fs.protected_regular refuses O_CREAT for another user's file in a folder such as /tmp."""
    CardLock(BDF, tmp_path).release()
    plain = os.open

    def protected(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & os.O_CREAT and Path(path).exists():
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", protected)
    CardLock(BDF, tmp_path).release()


# ---- What cannot be locked ----


@pytest.mark.parametrize("hard", [False, True])
def test_a_link_in_the_lock_s_place_is_not_followed(tmp_path: Path, hard: bool) -> None:
    victim, place = tmp_path / "victim", tmp_path / "foveal-0000-d8-00.1.lock"
    victim.write_text("precious")
    victim.chmod(0o600)
    place.hardlink_to(victim) if hard else place.symlink_to(victim)
    refused(tmp_path, "delete it")
    assert victim.read_text() == "precious"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "foveal-0000-d8-00.1.lock"
    place.mkdir()
    refused(tmp_path, "it is a folder; delete it")
    place.rmdir()
    os.mkfifo(place)
    refused(tmp_path, "no plain file with this name alone; delete it")


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "missing", "missing/foveal-0000-d8-00.1.lock: No such file or directory; make the folder")


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "make room"), (errno.EACCES, "mode 666"), (errno.ENOLCK, "name another folder by lock_folder=")],
)
@pytest.mark.parametrize("call", ["os.open", "fcntl.flock"])
def test_a_card_that_cannot_be_locked_is_not_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, words: str
) -> None:
    def fail(*_: Any) -> int:
        raise OSError(number, os.strerror(number))

    before = descriptors()
    with monkeypatch.context() as patch:
        patch.setattr(call, fail)
        refused(tmp_path, words)
    assert descriptors() == before
    CardLock(BDF, tmp_path).release()


def test_a_full_disk_costs_the_holder_s_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, text: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "foveal-0000-d8-00.1.lock").write_text("4711\n")  # one who had it before
    before = descriptors()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        lock = CardLock(BDF, tmp_path)
    with pytest.raises(DeviceBusy, match="in use by process unknown"):
        CardLock(BDF, tmp_path)
    lock.release()
    assert descriptors() == before
    CardLock(BDF, tmp_path).release()


def test_a_file_that_was_deleted_while_it_was_opened_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, deleted = fcntl.flock, []

    def flock(file: int, operation: int) -> None:
        if not deleted:
            deleted.append(True)
            (tmp_path / "foveal-0000-d8-00.1.lock").unlink()
        plain(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    lock = CardLock(BDF, tmp_path)
    with pytest.raises(DeviceBusy, match=str(os.getpid())):
        CardLock(BDF, tmp_path)
    lock.release()


def refused(folder: Path, words: str) -> None:
    with pytest.raises(DeviceError, match=f"card {BDF} cannot be locked: .*{words}") as caught:
        CardLock(BDF, folder)
    assert not isinstance(caught.value, DeviceBusy)


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))
