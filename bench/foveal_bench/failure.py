"""What ended a run, in one line."""

from __future__ import annotations

import logging

from foveal.errors import FovealError

__all__ = ["Interrupted", "Unexpected", "one_line", "unexpected"]

LOG = logging.getLogger(__name__)


class Interrupted(FovealError):
    """The user ended the run (Ctrl-C, SIGTERM, a closed terminal)."""


class Unexpected(FovealError):
    """An error that nobody foresaw."""


def unexpected(error: Exception) -> FovealError:
    """`error` as one of ours; its traceback goes to the log of `foveal --verbose`."""
    if isinstance(error, FovealError):
        return error
    LOG.debug("the traceback of what follows", exc_info=error)
    if isinstance(error, MemoryError):
        return Unexpected("out of memory; choose a smaller --size or fewer --traffic and --walkers")
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return Unexpected(f"{place}{error.strerror}")
    return Unexpected(
        f"unforeseen {type(error).__name__}: {one_line(error)}; please report it with what"
        " `foveal --verbose bench ...` prints"
    )


def one_line(error: BaseException) -> str:
    """The message without line breaks."""
    return " ".join(str(error).split())
