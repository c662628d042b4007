"""One process a card: a lock that dies with its holder."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path

from foveal.errors import DeviceBusy

__all__ = ["CardLock"]


class CardLock:
    """Held from construction to release(). The file stays; only the lock on it means something."""

    def __init__(self, bdf: str, folder: Path | None = None) -> None:
        """bdf: the card's PCIe address. folder: by default XDG_RUNTIME_DIR, else the folder of temporary files.

        Raises DeviceBusy, with the holder's process id, when another process holds the card.
        """
        folder = folder or Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        self.path = folder / f"foveal-{bdf.replace(':', '-')}.lock"
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._file = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise DeviceBusy(f"{self.path} cannot be used as a lock for card {bdf}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._file)
            raise DeviceBusy(
                f"card {bdf} is in use by process {holder} ({self.path}); wait for it to end, or choose another card"
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let others have the card. More than once does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
