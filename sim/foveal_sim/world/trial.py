"""Trying out in a process of its own what may take a process with it."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from foveal.errors import FovealError, MapError

__all__ = ["try_map"]

_SECONDS = 30
_BYTES = 2 << 30
_WORDS = 4096


def try_map(build: Callable[[], object], file: str) -> None:
    """Let `build` make a map's world in a child that is thrown away: on some maps the carla client's library ends in a
    segmentation fault, in endless work or in all the memory that there is.

    file: what messages call the map. Raises MapError when the child comes to such an end, and with the words of the
    FovealError that `build` raises there.
    """
    ours, childs = os.pipe()
    child = os.fork()
    if not child:
        _build_and_exit(build, childs)
    os.close(childs)
    with os.fdopen(ours, encoding="utf-8") as pipe:
        words = pipe.read()
    _, status = os.waitpid(child, 0)
    if words:
        raise MapError(words)
    if status:
        slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        reason = f"it takes more than {_SECONDS} s" if slow else "the carla client's library fails on it"
        raise MapError(f"{file}: no world can be made from it: {reason}; check lengths, offsets and lane ids")


def _build_and_exit(build: Callable[[], object], pipe: int) -> None:
    status = 1
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.alarm(_SECONDS)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        build()
        status = 0
    except FovealError as error:
        os.write(pipe, str(error).encode()[:_WORDS])
    finally:
        os._exit(status)
