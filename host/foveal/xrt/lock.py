"""One process a card: a lock that dies with its holder."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from foveal.errors import DeviceBusy, DeviceError

__all__ = ["CardLock", "shared_folder"]

FOLDERS = (Path("/run/lock"), Path("/tmp"))
"""The same for all users, whatever their environment says: what nobody else looks at locks nothing."""

MODE = 0o666
"""Every user may take the lock, whoever made its file."""

REMEDIES = {
    errno.EACCES: f"give the file the mode {MODE:o}, or have its owner delete it",
    errno.EPERM: f"give the file the mode {MODE:o}, or have its owner delete it",
    errno.ELOOP: "it is a link; delete it",
    errno.EMLINK: "delete it",
    errno.ENOENT: "make the folder",
    errno.ENOTDIR: "name a folder that is one",
    errno.EISDIR: "it is a folder; delete it",
    errno.ENOSPC: "the file system is full; make room there",
    errno.EDQUOT: "the quota is used up; make room there",
    errno.EROFS: "the file system is read-only; lock_folder= names another folder, the same for all who use the card",
}
"""What to do where a card cannot be locked."""


class CardLock:
    """Held from construction to release(). The file stays; only the lock on it means something.

    The holder's process id is in the file, where there is room for it.
    """

    def __init__(self, bdf: str, folder: Path | None = None) -> None:
        """bdf: the card's PCIe address. folder: by default shared_folder().

        Raises DeviceBusy, with the holder's process id, when the card is held, DeviceError when it cannot be locked.
        """
        self.path = (folder or shared_folder()) / f"foveal-{bdf.replace(':', '-')}.lock"
        self._file = -1
        try:
            while not self._lock():
                self.release()
        except BlockingIOError:
            holder = os.read(self._file, 32).decode(errors="replace").strip() or "unknown"
            self.release()
            raise DeviceBusy(
                f"card {bdf} is in use by process {holder} ({self.path}); wait for it to end, or choose another card"
            ) from None
        except OSError as error:
            self.release()
            remedy = REMEDIES.get(error.errno or 0, "name another folder by lock_folder=, the same for all users")
            raise DeviceError(f"card {bdf} cannot be locked: {self.path}: {error.strerror}; {remedy}") from error
        self._note(f"{os.getpid()}\n")

    def release(self) -> None:
        """Let others have the card. More than once does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lock(self) -> bool:
        """Lock the file; False when it was deleted meanwhile. Raises OSError, also for what is no plain file."""
        self._file = _opened(self.path)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(self._file)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise OSError(errno.EMLINK, "no plain file with this name alone")
        return found.st_nlink > 0

    def _note(self, text: str) -> None:
        with suppress(OSError):  # a full disk: the card is locked all the same, the next one learns no holder's name
            os.ftruncate(self._file, 0)
            os.write(self._file, text.encode())


def shared_folder(folders: Sequence[Path] = FOLDERS) -> Path:
    """The first of `folders` in which every user may make files; the last one where none is."""
    for folder in folders:
        try:
            if folder.stat().st_mode & stat.S_IWOTH:
                return folder
        except OSError:
            continue
    return folders[-1]


def _opened(path: Path) -> int:
    """A descriptor of the file, which is made where there is none. Raises OSError."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    while True:
        # Not both in one call: systems refuse O_CREAT for another user's file in a folder that all may write.
        with suppress(FileNotFoundError):
            return os.open(path, flags)
        with suppress(FileExistsError):
            file = os.open(path, flags | os.O_CREAT | os.O_EXCL, MODE)
            with suppress(OSError):  # some file systems have no modes
                os.fchmod(file, MODE)  # whatever the umask is
            return file
