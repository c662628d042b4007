"""Warnings about what peers send, each kind a few times only: they must fill no disk and block on no pipe."""

from __future__ import annotations

import logging
from collections import Counter

__all__ = ["Complaints"]

_TIMES = 5
_KINDS = 200
_LENGTH = 500


class Complaints:
    """Logs the first `times` of each kind to `log`; the others only where it shows debug messages."""

    def __init__(self, log: logging.Logger, times: int = _TIMES) -> None:
        self._log = log
        self._times = times
        self._count: Counter[str] = Counter()

    def __call__(self, kind: str, text: str, level: int = logging.WARNING, exc_info: bool = False) -> None:
        """Log `text`, cut to 500 characters, with the traceback of the error in hand if `exc_info`."""
        if kind not in self._count and len(self._count) >= _KINDS:
            kind = "others"
        self._count[kind] += 1
        text = text[:_LENGTH]
        if self._count[kind] > self._times:
            level = logging.DEBUG
        elif self._count[kind] == self._times:
            text += " (logged no more)"
        self._log.log(level, "%s", text, exc_info=exc_info)
